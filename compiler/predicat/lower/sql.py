"""SQL's casts, parts of times and test for NaN with operators of the table."""

from __future__ import annotations

from predicat.forms.rounding import rounded_to_int
from predicat.forms.text_casts import of_text
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.surface import HALF_EVEN, LENGTH_FIELDS, SECONDS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, STRING
from predicat.ir.values import UNITS_OF_NEXT

_SECOND, _MINUTE = 1_000_000, 60_000_000
_HOURS = 24
_UNITS = {op: unit for unit, op in LENGTH_FIELDS.items()}


def cast_of_text(call: Call) -> Node:
    """The cast of a string; UNKNOWN if it is not a value of the type."""
    return of_text(call.args[0], call.type, call.span)


def rounded(call: Call) -> Node:
    """The nearest integer; UNKNOWN for NaN, infinities and numbers that do not fit 64 bits."""
    return rounded_to_int(call.args[0], call.span, half_even=call.op == HALF_EVEN)


def is_nan(call: Call) -> Node:
    """A test for NaN: by IEEE 754 NaN does not equal itself."""
    return Call(BOOLEAN, "ne", (*call.args, *call.args), call.span)


def seconds(call: Call) -> Node:
    """The seconds with fraction: never negative for a timestamp, with its sign for a duration."""
    minute = Literal(BIGINT, _MINUTE, call.span)
    rest = _of_integers("mod", _of_integers("to_micros", *call.args), minute)
    if call.op == SECONDS:
        rest = _of_integers("mod", _of_integers("add", rest, minute), minute)
    number = Call(DOUBLE, "to_double", (rest,), call.span)
    return Call(DOUBLE, "div", (number, Literal(DOUBLE, float(_SECOND), call.span)), call.span)


def length_field(call: Call) -> Node:
    """A field of a duration: the rest beside the next larger unit. Days are not limited."""
    unit, (length,), span = _UNITS[call.op], call.args, call.span
    if unit == "day":
        hours = _of_integers("in_units", Literal(STRING, "hour", span), length)
        return _of_integers("div", hours, Literal(BIGINT, _HOURS, span))
    whole = _of_integers("in_units", Literal(STRING, unit, span), length)
    return _of_integers("mod", whole, Literal(BIGINT, UNITS_OF_NEXT[unit], span))


def _of_integers(op: str, *args: Node) -> Node:
    return Call(BIGINT, op, args, args[-1].span)
