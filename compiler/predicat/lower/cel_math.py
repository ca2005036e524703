"""CEL's math extension with operators of the table. Integers beside doubles, and JSON numbers, are taken as
doubles.

Source: cel-go, ext/math; cel-cpp for NaN, which is greatest or least only as the first argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from predicat.diagnostics import Span
from predicat.forms.conversions import convert
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, Type


def _extreme(call: Call) -> Node:
    op, kind, span = call.op, call.type, call.span
    result, *others = (convert(arg, kind) for arg in call.args)
    for other in others:
        better = Call(BOOLEAN, "gt" if op == "math.greatest" else "lt", (other, result), span)
        result = Call(kind, "cond", (better, other, result), span)
    return result


def _signed(call: Call) -> Node:
    """math.abs and math.sign of an integer or a double."""
    op, kind, span = call.op, call.type, call.span
    number = convert(call.args[0], kind)
    if op == "math.abs":
        return Call(kind, "abs", (number,), span)
    zero, one, less = (_number(kind, value, span) for value in (0, 1, -1))
    rest = number if kind == BIGINT else _choice(_compared("eq", number, zero, span), zero, number)
    return _choice(
        _compared("gt", number, zero, span), one, _choice(_compared("lt", number, zero, span), less, rest)
    )


def _rounded(call: Call) -> Node:
    op, span = call.op, call.span
    number = convert(call.args[0], DOUBLE)
    if op in ("math.ceil", "math.floor"):
        return Call(DOUBLE, op.removeprefix("math."), (number,), span)
    zero = _number(DOUBLE, 0, span)
    down, up = Call(DOUBLE, "floor", (number,), span), Call(DOUBLE, "ceil", (number,), span)
    if op == "math.round":  # halves away from zero: what is over the whole part is exact
        half, one = Literal(DOUBLE, 0.5, span), _number(DOUBLE, 1, span)
        down = _choice(
            _compared("ge", Call(DOUBLE, "sub", (number, down), span), half, span),
            Call(DOUBLE, "add", (down, one), span),
            down,
        )
        up = _choice(
            _compared("ge", Call(DOUBLE, "sub", (up, number), span), half, span),
            Call(DOUBLE, "sub", (up, one), span),
            up,
        )
    return _choice(_compared("lt", number, zero, span), up, down)


def _test(call: Call) -> Node:
    op, span = call.op, call.span
    number = convert(call.args[0], DOUBLE)
    if op == "math.isNaN":
        return _compared("ne", number, number, span)
    infinite = [
        _compared("eq", number, Literal(DOUBLE, value, span), span) for value in (math.inf, -math.inf)
    ]
    if op == "math.isInf":
        return Call(BOOLEAN, "or", tuple(infinite), span)
    finite = [
        _compared("eq", number, number, span),
        *(Call(BOOLEAN, "not", (test,), span) for test in infinite),
    ]
    return Call(BOOLEAN, "and", tuple(finite), span)


def _number(kind: Type, value: int, span: Span) -> Node:
    return Literal(kind, value if kind == BIGINT else float(value), span)


def _compared(op: str, left: Node, right: Node, span: Span) -> Node:
    return Call(BOOLEAN, op, (left, right), span)


def _choice(test: Node, yes: Node, no: Node) -> Call:
    return Call(yes.type, "cond", (test, yes, no), test.span)


_RULES: dict[str, Callable[[Call], Node]] = {
    "math.greatest": _extreme,
    "math.least": _extreme,
    "math.abs": _signed,
    "math.sign": _signed,
    "math.ceil": _rounded,
    "math.floor": _rounded,
    "math.trunc": _rounded,
    "math.round": _rounded,
    "math.isNaN": _test,
    "math.isInf": _test,
    "math.isFinite": _test,
}


def function(call: Call) -> Node:
    """A function of the math extension."""
    return _RULES[call.op](call)
