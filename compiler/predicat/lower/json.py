"""Operators on JSON values, whose kind depends on the row: one case for each kind."""

from __future__ import annotations

from collections.abc import Callable

from predicat.diagnostics import Span
from predicat.forms.conversions import convert
from predicat.forms.json_values import KINDS, as_text, is_kind, whole
from predicat.forms.logic import negated_if, unknown_without
from predicat.ir.nodes import Call, Node, Quantifier, Variable, element_of
from predicat.ir.operators import EQUALITIES
from predicat.ir.surface import CHECKED_TO_INT, ELEMENTS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    Type,
    is_numeric,
)
from predicat.lower import cel_integers


def compare(call: Call) -> Node | None:
    """A comparison of two JSON values. Numbers, strings and booleans are ordered; other values are only equal
    or not.
    """
    left, right = call.args
    if not left.type == right.type == JSON:
        return None
    span = call.span
    if call.op in EQUALITIES:
        return negated_if(call.op == "ne", Call(BOOLEAN, "json_eq", call.args, span), span)
    tests: list[Node] = [
        Call(BOOLEAN, call.op, (read(left, span), read(right, span)), span)
        for read in (_number, _text, _rank)
    ]
    return _first(BOOLEAN, tests, span)


def equal_to_typed(call: Call) -> Node | None:
    """A JSON value equals a typed value if it is of the same kind and equal; a missing value is UNKNOWN."""
    left, right = call.args
    if JSON not in (left.type, right.type):
        return None
    value, other = (left, right) if left.type == JSON else (right, left)
    span = call.span
    number = is_numeric(other.type)
    test = is_kind(value, "number" if number else KINDS[other.type], span)
    equal = Call(BOOLEAN, "eq", (convert(value, DOUBLE if number else other.type), other), span)
    both = unknown_without(Call(BOOLEAN, "and", (test, equal), span), [other], span)
    return negated_if(call.op == "ne", both, span)


def subscript(call: Call) -> Node | None:
    """`base[key]` with a JSON key: a string is the name of a member, a number the index of an element."""
    base, key = call.args
    if key.type != JSON:
        return None
    span = call.span
    member = Call(JSON, "json_get", (base, convert(key, STRING)), span)
    return _first(JSON, [member, Call(JSON, "json_at", (base, whole(key, span)), span)], span)


def size(call: Call) -> Node | None:
    """The number of elements or keys of a JSON value; for a string, the number of characters."""
    value = call.args[0]
    if value.type != JSON:
        return None
    many = Call(BIGINT, "json_size", (value,), call.span)
    return _first(BIGINT, [Call(BIGINT, "length", (convert(value, STRING),), call.span), many], call.span)


def conversion(call: Call) -> Node | None:
    """A conversion of a JSON value, by its kind; UNKNOWN for kinds that cannot be converted. Numbers are
    doubles.
    """
    value = call.args[0]
    if value.type != JSON:
        return None
    if call.type == STRING:
        return as_text(value, call.span)
    reads = [_cast(call, read(value, call.span)) for read in _READS[call.type]]
    return _first(call.type, reads, call.span)


def _cast(call: Call, value: Node) -> Node:
    if value.type == call.type:
        return value
    if call.op == CHECKED_TO_INT and value.type == DOUBLE:
        return cel_integers.checked_to_int(Call(call.type, call.op, (value,), call.span))
    op = "to_int" if call.op == CHECKED_TO_INT else call.op
    return Call(call.type, op, (value,), call.span)


def elements(call: Call) -> Node:
    """The elements of a JSON array as an array of a type; UNKNOWN if an element is of another type."""
    source, item = call.args
    assert isinstance(item, Variable)  # noqa: S101  # the check makes it
    kind = element_of(call)
    assert kind is not None  # noqa: S101  # as above
    return Quantifier(call.type, "map", item.name, source, convert(item, kind), call.span)


def extreme(call: Call) -> Node | None:
    """The greatest or least number of a JSON array; for a JSON number, the number itself."""
    source = call.args[0]
    if source.type != JSON:
        return None
    item = call.args[1]
    assert isinstance(item, Variable)  # noqa: S101  # the check makes it
    span = call.span
    numbers = elements(Call(ArrayType(DOUBLE), ELEMENTS, (source, item), span))
    return Call(DOUBLE, "coalesce", (convert(source, DOUBLE), Call(DOUBLE, call.op, (numbers,), span)), span)


def _text(value: Node, _span: Span) -> Node:
    return convert(value, STRING)


def _number(value: Node, _span: Span) -> Node:
    return convert(value, DOUBLE)


def _truth(value: Node, _span: Span) -> Node:
    return convert(value, BOOLEAN)


def _rank(value: Node, span: Span) -> Node:
    """A boolean as 0 or 1, so FALSE is less than TRUE."""
    return Call(BIGINT, "to_int", (convert(value, BOOLEAN),), span)


# The kinds of JSON values that can be converted to each type other than string. A value has at most one of
# them.
_READS: dict[Type, tuple[Callable[[Node, Span], Node], ...]] = {
    BIGINT: (_text, _number),
    DOUBLE: (_text, _number),
    BOOLEAN: (_text, _truth),
    TIMESTAMP: (_text, whole),
    DURATION: (_text,),
    DATE: (_text,),
}


def _first(kind: Type, values: list[Node], span: Span) -> Node:
    """The one of these values that is not NULL. Each is for another kind, so at most one has a value."""
    return values[0] if len(values) == 1 else Call(kind, "coalesce", tuple(values), span)
