"""SQL's functions that round, by the type of their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_functions as say
from predicat.ir.nodes import Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, DecimalType
from predicat.passes.convert import bare, convert
from predicat.semantics.arithmetic import MOST_DIGITS

if TYPE_CHECKING:
    from predicat.passes.operators import Operators

_OPS = {"sql.round": "round", "sql.bround": "bround", "spark.round": "round", "postgres.round": "bround"}
FUNCTIONS = (*_OPS, "sql.trunc")
"""The functions: `spark.round` and `postgres.round` are those of these languages."""
_MOST_DECIMAL = 15
"""A decimal of so many digits is exact as a double, by the digits that are written for it."""


def function(check: Operators, op: str, args: list[Node], span: Span) -> Node:
    """ROUND, BROUND or TRUNC of a whole number, a double or a decimal. Decimals are rounded as the doubles
    that are written with their digits.
    """
    name = op.partition(".")[2]
    number, *digits = map(bare, args)
    places = digits[0].value if digits and isinstance(digits[0], Literal) else 0
    if not isinstance(places, int) or not 0 <= places <= MOST_DIGITS:
        raise check.fail(say.digits(span, name, MOST_DIGITS))
    if number.type == BIGINT:
        return number
    if isinstance(number.type, DecimalType):
        if number.type.scale <= places:
            return number
        if number.type.precision > _MOST_DECIMAL:
            raise check.fail(say.decimal_too_wide(span, name, _MOST_DECIMAL))
        op = "sql.round" if op == "postgres.round" else op
    elif op == "sql.round" and not digits:
        raise check.fail(say.rounds_differently(span))
    if op == "sql.trunc":
        if places:
            raise check.fail(say.digits(span, name, 0))
        return check.operator("math.trunc", [convert(number, DOUBLE)], span)
    return check.call(_OPS[op], [convert(number, DOUBLE), Literal(BIGINT, places, span)], span)
