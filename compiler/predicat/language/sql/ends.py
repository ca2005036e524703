"""LEFT and RIGHT of PostgreSQL and DuckDB.

Source: PostgreSQL, "String Functions and Operators": with a length of -n, `left` and `right` omit n
characters at the other end.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, choose, let, number, plus
from predicat.language.sql import meanings
from predicat.language.sql.node_reader import Reader

# A function of a string and a length that returns a part of the string.
Build = Callable[[t.Tree, t.Tree], t.Tree]
# Names of variables that no condition can contain.
_TEXT, _SIZE = "a string", "a length"


def left(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """LEFT(s, n): the first n characters, or without the last -n if n is negative."""
    span = reader.span(node)

    def build(value: t.Tree, size: t.Tree) -> t.Tree:
        rest = apply("substr", span, apply("reverse", span, value), _behind(size, span))
        return _by_sign(
            size, apply("substr", span, value, number(1, span), size), apply("reverse", span, rest)
        )

    return _of_both(reader, node, build, depth)


def right(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """RIGHT(s, n): the last n characters, or without the first -n if n is negative."""
    span = reader.span(node)

    def build(value: t.Tree, size: t.Tree) -> t.Tree:
        but = apply("substr", span, value, _behind(size, span))
        return _by_sign(size, meanings.right(value, size, span), but)

    return _of_both(reader, node, build, depth)


def _behind(size: t.Tree, span: Span) -> t.Tree:
    """The position after the characters that a negative length omits."""
    if isinstance(size, t.Constant) and isinstance(size.value, int):
        return number(1 - size.value, span)
    return plus(apply("neg", span, size), 1, span)


def _of_both(reader: Reader, node: exp.Expr, build: Build, depth: int) -> t.Tree:
    span = reader.span(node)
    value, length = reader.all([node.this, node.expression], depth)
    if isinstance(length, t.Constant):
        return let(_TEXT, value, lambda value: build(value, length), span)
    return let(_TEXT, value, lambda value: let(_SIZE, length, lambda size: build(value, size), span), span)


def _by_sign(size: t.Tree, plain: t.Tree, negative: t.Tree) -> t.Tree:
    if isinstance(size, t.Constant) and isinstance(size.value, int):
        return negative if size.value < 0 else plain
    return choose(apply("lt", size.span, size, number(0, size.span)), negative, plain, size.span)
