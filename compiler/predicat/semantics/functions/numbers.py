"""Arithmetic. Integers that overflow 64 bits, and decimals with too many digits, are UNKNOWN."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta
from decimal import Context, Decimal
from typing import Any

from predicat.ir.nodes import Call
from predicat.ir.types import BIGINT, DOUBLE, TIMESTAMP, DecimalType
from predicat.ir.values import LONGEST
from predicat.semantics import arithmetic
from predicat.semantics.arithmetic import int64
from predicat.semantics.closures import Choose, Function


def _in_calendar(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(a: Any, b: Any) -> Any:
        try:
            return function(a, b)
        except OverflowError:
            return None

    return run


def _arithmetic(
    op: Callable[[Any, Any], Any], exact: Callable[[Context, Decimal, Decimal], Decimal]
) -> Choose:
    def build(node: Call) -> Function:
        if isinstance(node.type, DecimalType):
            return arithmetic.exact(exact, node.type.precision, node.type.scale)
        if node.type == BIGINT:
            return lambda a, b: int64(op(a, b))
        if node.type == DOUBLE:
            return op
        return _in_calendar(op) if node.type == TIMESTAMP else _in_calendar(lambda a, b: _length(op(a, b)))

    return build


def _length(value: timedelta) -> timedelta | None:
    """The duration; None if its microseconds overflow 64 bits."""
    return value if abs(value) <= timedelta(microseconds=LONGEST) else None


def _float_div(a: float, b: float) -> float | None:
    try:
        return a / b
    except ZeroDivisionError:
        return None


def _ieee_div(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def _div(node: Call) -> Function:
    return arithmetic.int_div if node.type == BIGINT else _float_div


def _mod(a: int, b: int) -> int | None:
    if b == 0:
        return None
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _signed(op: Callable[[Any], Any], exact: Callable[[Decimal], Decimal]) -> Choose:
    def build(node: Call) -> Function:
        if isinstance(node.type, DecimalType):
            return exact
        return (lambda value: int64(op(value))) if node.type == BIGINT else op

    return build


def _whole(op: Callable[[float], int]) -> Choose:
    return lambda _node: lambda value: float(op(value)) if math.isfinite(value) else value


FUNCTIONS: dict[str, Function] = {
    "mod": _mod,
    "fdiv": _ieee_div,
    "int32": lambda value: value if -(2**31) <= value < 2**31 else None,
    "round": arithmetic.half_up,
    "bround": arithmetic.half_even,
    "sqrt": arithmetic.sqrt,
    "exp": arithmetic.exp,
    "ln": arithmetic.ln,
    "log10": arithmetic.log10,
    "bit_and": lambda a, b: a & b,
    "bit_or": lambda a, b: a | b,
    "bit_xor": lambda a, b: a ^ b,
    "shift_left": arithmetic.shifted_left,
    "shift_right": lambda a, places: a >> places,
}
CHOSEN: dict[str, Choose] = {
    "add": _arithmetic(lambda a, b: a + b, Context.add),
    "sub": _arithmetic(lambda a, b: a - b, Context.subtract),
    "mul": _arithmetic(lambda a, b: a * b, Context.multiply),
    "div": _div,
    "neg": _signed(lambda value: -value, arithmetic.negated),
    "abs": _signed(abs, arithmetic.absolute),
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
}
