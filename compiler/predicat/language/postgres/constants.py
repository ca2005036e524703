"""Constants that are strings in PostgreSQL: arrays such as `'{a,b}'`, intervals such as `'7 days'::interval`.

They become the nodes that ARRAY[...] and INTERVAL '...' have. Source: PostgreSQL documentation, "Array Input
and Output Syntax", "Type Casts".
"""

from __future__ import annotations

import json
import re

from sqlglot import exp

_ITEM = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^{},"\\]*)\s*(?:,|$)')
_UNIT = re.compile(r"\s*[A-Za-z]+\s*", re.ASCII)
_CONTAINED = (exp.ArrayContainsAll, exp.ArrayContainedBy)
_ARRAYS = (*_CONTAINED, exp.ArrayOverlaps, exp.JSONBContainsAnyTopKeys, exp.JSONBContainsAllTopKeys)
_QUANTIFIERS = frozenset({"any", "some", "all"})


def with_constants(root: exp.Expr) -> exp.Expr:
    """The tree with the nodes of arrays and intervals in place of their strings."""
    for node in list(root.find_all(exp.Cast)):
        constant = _of_cast(node)
        if constant is not None:
            node.replace(constant)
    for literal in list(root.find_all(exp.Literal)):
        items = _items(literal) if _is_array_operand(literal) else None
        if items is None or (not items and isinstance(literal.parent, _CONTAINED)):
            continue  # `{}` in a containment is an empty JSON object
        literal.replace(_array(literal, items, None))
    return root


def _of_cast(node: exp.Expr) -> exp.Expr | None:
    """The node of `'7 days'::interval`, `(n || ' days')::interval`, `'{1,2}'::bigint[]` or
    `(ARRAY['a', 'b'])::text[]` without the cast; None for any other cast.
    """
    kind, value = node.args["to"], node.this.unnest()
    if kind.this == exp.DType.INTERVAL and isinstance(value, exp.Literal) and value.is_string:
        return _placed(exp.Interval(this=value.copy()), value)
    if kind.this == exp.DType.INTERVAL and isinstance(value, exp.DPipe):
        unit = value.expression.unnest()
        if isinstance(unit, exp.Literal) and unit.is_string and _UNIT.fullmatch(unit.name):
            one = _placed(exp.Interval(this=_placed(exp.Literal.string(f"1{unit.name}"), unit)), unit)
            return _placed(exp.Mul(this=value.this.copy(), expression=one), value)
    if kind.this != exp.DType.ARRAY or len(kind.expressions) != 1:
        return None
    if isinstance(value, exp.Array):
        return exp.Array(
            expressions=[
                exp.Cast(this=item.copy(), to=kind.expressions[0].copy()) for item in value.expressions
            ]
        )
    items = _items(value) if isinstance(value, exp.Literal) else None
    return None if items is None else _array(value, items, kind.expressions[0])


def _array(literal: exp.Expr, items: list[str | None], kind: exp.Expr | None) -> exp.Expr:
    def item(text: str | None) -> exp.Expr:
        if text is None:
            return exp.Null()
        value = _placed(exp.Literal.string(text), literal)
        return value if kind is None else exp.Cast(this=value, to=kind.copy())

    return exp.Array(expressions=[item(text) for text in items])


def _items(literal: exp.Expr) -> list[str | None] | None:
    """The elements of an array in a string such as '{a,b}'; None for other strings and for nested arrays."""
    text = literal.name.strip()
    if not literal.args.get("is_string") or not text.startswith("{") or not text.endswith("}"):
        return None
    inner, at, items = text[1:-1], 0, list[str | None]()
    while at < len(inner):
        match = _ITEM.match(inner, at)
        if match is None or match.end() == at:
            return None
        word, at = match[1].strip(), match.end()
        if not word or ":" in word:
            return None  # JSON
        quoted = word.startswith('"')
        items.append(json.loads(word) if quoted else None if word.upper() == "NULL" else word)
    return items


def _is_array_operand(literal: exp.Expr) -> bool:
    """Whether a string is an operand of an array operator: ANY('...'), @>, <@ or &&."""
    parent = literal.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    if isinstance(parent, exp.Anonymous):
        return str(parent.this).lower() in _QUANTIFIERS
    return isinstance(parent, (exp.Any, exp.All, *_ARRAYS))


def _placed(node: exp.Expr, like: exp.Expr) -> exp.Expr:
    """The node with the position of another."""
    node.meta.update(like.meta)
    return node
