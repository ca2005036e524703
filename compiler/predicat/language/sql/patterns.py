"""Patterns of SQL, translated to regular expressions."""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply
from predicat.language.sql.node_reader import Reader

_SPECIAL = frozenset(".^$\\")


def matches_any_case(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`s ~* 'pattern'`: a regular expression that ignores case."""
    value, pattern = reader.all([node.this, node.expression], depth)
    if isinstance(pattern, t.Constant) and isinstance(pattern.value, str):
        pattern = t.Constant(f"(?i){pattern.value}", pattern.span)
    return apply("matches", reader.span(node), value, pattern)


def similar_to(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`s SIMILAR TO 'pattern'`: a regular expression for the whole string, with LIKE's % and _."""
    value, pattern = reader.all([node.this, node.expression], depth)
    if not isinstance(pattern, t.Constant) or not isinstance(pattern.value, str):
        raise reader.fail(say.pattern_not_constant(reader.span(node)))
    tree = t.Constant(_regex(reader, pattern.value, pattern.span), pattern.span)
    return apply("matches", reader.span(node), value, tree)


def _regex(reader: Reader, pattern: str, span: Span) -> str:
    """The regular expression of a pattern. Inside brackets only the backslash is special."""
    pieces, escaped, bracket = ["(?s)^(?:"], False, False
    for char in pattern:
        if escaped:
            pieces.append(f"\\{char}" if not char.isalnum() and char.isascii() else char)
            escaped = False
        elif char == "\\":
            escaped = True
        elif bracket:
            bracket = char != "]"
            pieces.append(char)
        elif char in "%_":
            pieces.append(".*" if char == "%" else ".")
        else:
            bracket = char == "["
            pieces.append(f"\\{char}" if char in _SPECIAL else char)
    if escaped:
        raise reader.fail(say.ends_in_escape(span))
    return "".join((*pieces, ")$"))
