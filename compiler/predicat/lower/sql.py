"""SQL's casts with the operators of the table."""

from __future__ import annotations

from predicat.forms.rounding import rounded_to_int
from predicat.forms.text_casts import of_text
from predicat.ir.nodes import Call, Node
from predicat.ir.surface import HALF_EVEN


def cast_of_text(call: Call) -> Node:
    """The cast of a text; UNKNOWN where it is no value of the type."""
    return of_text(call.args[0], call.type, call.span)


def rounded(call: Call) -> Node:
    """The nearest whole number; UNKNOWN for NaN, infinity and what has more than 64 bits."""
    return rounded_to_int(call.args[0], call.span, half_even=call.op == HALF_EVEN)
