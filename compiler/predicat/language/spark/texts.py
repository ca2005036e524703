"""Substrings of Spark: negative positions count from the end, and a negative length counts as 0.

Source: `UTF8String.substringSQL` of Spark's source.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, choose, let, number, plus
from predicat.language.sql import meanings
from predicat.language.sql.arguments import counted
from predicat.language.sql.node_reader import Reader

# Names of variables that no condition can contain.
_TEXT, _PLACE, _SIZE = "a string", "a place", "a length"


def substring(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SUBSTRING(s, position, length). Position 0 counts as 1."""
    span = reader.span(node)
    value, start, *length = reader.all(counted(reader, node, 2, 3), depth)
    sizes = [_at_least(size, 0, span) for size in length]
    if isinstance(start, t.Constant) and isinstance(start.value, int) and start.value >= 0:
        return apply("substr", span, value, number(start.value or 1, start.span), *sizes)

    def build(value: t.Tree) -> t.Tree:
        return let(_PLACE, start, lambda start: _from(value, start, sizes, span), span)

    return let(_TEXT, value, build, span)


def _from(value: t.Tree, start: t.Tree, sizes: list[t.Tree], span: Span) -> t.Tree:
    behind = plus(apply("add", span, apply("length", span, value), start), 1, span)
    zero = number(0, span)
    first = choose(apply("eq", span, start, zero), number(1, span), start, span)
    place = choose(apply("lt", span, start, zero), behind, first, span)
    return apply("substr", span, value, place, *sizes)


def left(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """LEFT(s, n)."""
    span = reader.span(node)
    value, length = reader.all([node.this, node.expression], depth)
    return apply("substr", span, value, number(1, span), _at_least(length, 0, span))


def right(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """RIGHT(s, n)."""
    value, length = reader.all([node.this, node.expression], depth)
    return meanings.right(value, _at_least(length, 0, reader.span(node)), reader.span(node))


def _at_least(tree: t.Tree, least: int, span: Span) -> t.Tree:
    if isinstance(tree, t.Constant) and isinstance(tree.value, int):
        return t.Constant(max(tree.value, least), tree.span)

    def build(size: t.Tree) -> t.Tree:
        bound = number(least, span)
        return choose(apply("lt", span, size, bound), bound, size, span)

    return let(_SIZE, tree, build, span)
