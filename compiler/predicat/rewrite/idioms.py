"""Shorter forms of common idioms, with the same outcome on every row.

The generated SQL uses them. The meaning of a filter, and its hash, are those of the author's form.
"""

from __future__ import annotations

from predicat.analysis.facts import integers
from predicat.forms.json_values import document_of
from predicat.forms.text_casts import of_text, text_of
from predicat.ir.nodes import LEAVES, UNKNOWN, Call, Items, Literal, Node, rewrite_children
from predicat.ir.surface import CONVERSIONS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, DURATION, STRING, ArrayType
from predicat.ir.values import INT_MAX, INT_MIN

# UNKNOWN for a divisor of zero.
_DIVISIONS = ("div", "mod")
# What the casts of texts begin with that may be those of a JSON value.
_CASTS = {*CONVERSIONS.values(), "cond"} - {CONVERSIONS[DURATION]}


def idiomatic(node: Node) -> Node:
    """The node with its idioms in their shorter forms; the same object if there are none."""
    if isinstance(node, LEAVES):
        return node
    node = rewrite_children(node, idiomatic)
    if not isinstance(node, Call):
        return node
    if node.op in _DIVISIONS:
        return _divided(node)
    if node.op == "in":
        return _without_shift(node)
    if node.op in _CASTS:
        return _of_document(node)
    return node


def _divided(node: Call) -> Node:
    """`a / b` for `a / nullif(b, 0)`: a division by zero is UNKNOWN anyway."""
    by, divisor = node.args
    plain = _unless_zero(divisor)
    return node if plain is None else Call(node.type, node.op, (by, plain), node.span)


def _unless_zero(node: Node) -> Node | None:
    """`divisor` for `nullif(divisor, 0)`; None for any other node."""
    if isinstance(node, Call) and node.op == "to_double":
        inner = _unless_zero(node.args[0])
        return None if inner is None else Call(DOUBLE, "to_double", (inner,), node.span)
    match nullif(node):
        case value, Literal(value=int() | float() as zero) if zero == 0:
            return value
        case _:
            return None


def nullif(node: Node) -> tuple[Node, Node] | None:
    """The arguments of a lowered `nullif(value, other)`; None for any other node."""
    match node:
        case Call(
            op="cond",
            args=(Call(op="is_true", args=(Call(op="eq", args=(value, other)),)), Literal(value=None), same),
        ) if value == same:
            return value, other
        case _:
            return None


def _without_shift(node: Call) -> Node:
    """`x IN (0, 6)` for `x + 1 IN (1, 7)`, if the sum cannot overflow."""
    match node.args:
        case (
            Call(op="add", type=kind, args=(value, Literal(value=int() as shift))),
            Items(items=items) as wanted,
        ) if kind == BIGINT and value.type == BIGINT:
            low, high = integers(value)
            moved = [_less(item, shift) for item in items]
            result = tuple(item for item in moved if item is not None)
            if low + shift < INT_MIN or high + shift > INT_MAX or len(result) < len(items):
                return node
            return Call(node.type, "in", (value, Items(wanted.type, result, wanted.span)), node.span)
        case _:
            return node


def _less(item: Node, shift: int) -> Literal | None:
    """A constant minus a number; None if it is not a constant or the result overflows."""
    if not isinstance(item, Literal) or not isinstance(item.value, int):
        return None
    moved = item.value - shift
    return Literal(item.type, moved, item.span) if INT_MIN <= moved <= INT_MAX else None


def _of_document(node: Call) -> Node:
    """The cast of `(j ->> 'n')::int`: a JSON string is cast, any other value is taken."""
    kind, text = node.type, text_of(node)
    value = None if text is None else document_of(text)
    if text is None or value is None:
        return node
    string = Call(STRING, "json_string", (value,), text.span)
    parts = [of_text(string, kind, node.span)]
    whole = Call(BIGINT, "to_whole", (Call(DOUBLE, "json_number", (value,), text.span),), text.span)
    if kind == BIGINT:
        parts.append(whole)
    elif kind == DOUBLE:
        parts.append(Call(DOUBLE, "to_double", (whole,), text.span))
    elif kind == BOOLEAN:
        parts += [Call(BOOLEAN, "json_boolean", (value,), text.span), _truth_of(whole)]
    return parts[0] if len(parts) == 1 else Call(kind, "coalesce", tuple(parts), node.span)


def _truth_of(number: Node) -> Node:
    """The boolean of the strings '1' and '0'."""
    known = Items(ArrayType(BIGINT), (Literal(BIGINT, 0), Literal(BIGINT, 1)), number.span)
    test = Call(BOOLEAN, "in", (number, known), number.span)
    return Call(
        BOOLEAN, "cond", (test, Call(BOOLEAN, "eq", (number, Literal(BIGINT, 1))), UNKNOWN), number.span
    )
