"""CEL's integers: results that overflow in CEL are UNKNOWN, even if SQL has a value for them.

The remainder of the smallest integer by -1 overflows, and the double -2**63 cannot be converted.
Source: cel-go, common/types/overflow.go; the C++ implementation agrees.
"""

from __future__ import annotations

from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE
from predicat.ir.values import INT_MIN

_LOWEST = Literal(DOUBLE, float(INT_MIN))


def checked_mod(call: Call) -> Node:
    """A remainder; UNKNOWN for an overflow."""
    left, right = call.args
    span = call.span
    plain = Call(BIGINT, "mod", call.args, span)
    if isinstance(right, Literal) and right.value != -1:
        return plain
    overflows = Call(BOOLEAN, "eq", (left, Literal(BIGINT, INT_MIN, span)), span)
    if not isinstance(right, Literal):
        by_minus_one = Call(BOOLEAN, "eq", (right, Literal(BIGINT, -1, span)), span)
        overflows = Call(BOOLEAN, "and", (overflows, by_minus_one), span)
    return Call(BIGINT, "cond", (overflows, Literal(BIGINT, None, span), plain), span)


def checked_to_int(call: Call) -> Node:
    """A double truncated to an integer; UNKNOWN for -2**63."""
    plain = Call(BIGINT, "to_int", call.args, call.span)
    above = Call(BOOLEAN, "gt", (call.args[0], _LOWEST), call.span)
    return Call(BIGINT, "cond", (above, plain, Literal(BIGINT, None, call.span)), call.span)
