"""Kubernetes' quantities (`100Mi`, `500m`) as numbers: a quantity is the nearest double, so comparisons are
exact up to 15 digits.

Source: Kubernetes, "CEL in Kubernetes", quantity library; apimachinery, resource.Quantity.
"""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.ir.values import QUANTITY_PATTERN
from predicat.language.common.trees import (
    Build,
    Methods,
    apply,
    cast_to,
    choose,
    let,
    nothing,
    number,
    of_text,
    text,
)

Args = tuple[t.Tree, ...]

# A variable that nobody can write.
_NUMBER = "a number"


def _is_quantity(args: Args, span: Span) -> t.Tree:
    return apply("matches", span, args[0], text(QUANTITY_PATTERN, span))


def _quantity(args: Args, span: Span) -> t.Tree:
    return apply("to_quantity", span, *args)


def _compared(op: str) -> Build:
    return lambda args, span: apply(op, span, *args)


def _compare_to(args: Args, span: Span) -> t.Tree:
    above, below = apply("gt", span, *args), apply("lt", span, *args)
    return choose(above, number(1, span), choose(below, number(-1, span), number(0, span), span), span)


def _as_integer(args: Args, span: Span) -> t.Tree:
    """The integer value of a quantity; UNKNOWN if it is not an integer."""

    def build(value: t.Tree) -> t.Tree:
        whole = cast_to("to_int", value, span)
        return choose(apply("eq", span, cast_to("to_double", whole, span), value), whole, nothing(span), span)

    return let(_NUMBER, args[0], build, span)


def _is_integer(args: Args, span: Span) -> t.Tree:
    """Whether a quantity is a 64-bit integer."""

    def build(value: t.Tree) -> t.Tree:
        whole = apply("eq", span, apply("math.trunc", span, value), value)
        return apply(
            "and", span, whole, apply("lt", span, apply("math.abs", span, value), t.Constant(2.0**63, span))
        )

    return let(_NUMBER, args[0], build, span)


def _sum_of_quantities(op: str) -> Build:
    """The sum or difference of a quantity and another quantity or an integer."""
    return lambda args, span: apply(op, span, args[0], cast_to("to_double", args[1], span))


FUNCTIONS: Methods = of_text({"quantity": ((1,), _quantity), "isQuantity": ((1,), _is_quantity)})
METHODS: Methods = {
    "isGreaterThan": ((1,), _compared("gt")),
    "isLessThan": ((1,), _compared("lt")),
    "compareTo": ((1,), _compare_to),
    "asInteger": ((0,), _as_integer),
    "asApproximateFloat": ((0,), lambda args, _span: args[0]),
    "isInteger": ((0,), _is_integer),
    "sign": ((0,), lambda args, span: apply("math.sign", span, *args)),
    "add": ((1,), _sum_of_quantities("add")),
    "sub": ((1,), _sum_of_quantities("sub")),
}
