"""Comparisons of decimals with constants that have too many digits for a common type."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal

from predicat.forms.decimals import beside_constant, exact_type, fits
from predicat.forms.logic import unknown_without
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.operators import COMPARISONS
from predicat.ir.types import BOOLEAN, DOUBLE, DecimalType
from predicat.ir.values import type_of

# Constants may have more digits than columns.
_EXACT = Context(prec=1000)
# The same comparison with the next smaller constant that fits the type of the column.
_BELOW = {"lt": "le", "le": "le", "gt": "gt", "ge": "gt"}


def against_constant(call: Call) -> Node | None:
    """`column op constant` if no decimal type holds both: a comparison with a constant that fits, or the
    outcome that is the same for all values. None for other comparisons.
    """
    kinds = [arg.type for arg in call.args]
    if DOUBLE in kinds or not any(isinstance(kind, DecimalType) for kind in kinds) or fits(call.args):
        return None
    result = beside_constant(call.op, *call.args)
    if result is None:
        return None
    op, column, value = result
    span, kind = call.span, exact_type(column)
    most = Decimal(10) ** (kind.precision - kind.scale)
    if -most < value < most:
        floor = value.quantize(Decimal(1).scaleb(-kind.scale), ROUND_FLOOR, _EXACT)
        if floor > -most and (floor == value or op in _BELOW):
            nearest = Literal(type_of(floor), floor, span)
            return Call(BOOLEAN, op if floor == value else _BELOW[op], (column, nearest), span)
    if op == "same":
        return Literal(BOOLEAN, False, span)
    # Any value of the column gives the outcome: all values are on the same side of the constant.
    outcome = Literal(BOOLEAN, COMPARISONS[op].holds(0, value), span)
    return unknown_without(outcome, [column], span)
