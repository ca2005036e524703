"""Spark: exact arithmetic of decimals."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    binary,
    call,
    case,
    cast,
    concatenated,
    number_literal,
    try_cast,
)
from predicat.backends.sql.common.decimals import SIGNS, ends_at, operands, signed
from predicat.backends.sql.renderer import Renderer, let
from predicat.diagnostics.messages import backends as say
from predicat.forms import decimals
from predicat.ir.decimal_types import result
from predicat.ir.nodes import Call
from predicat.ir.types import DecimalType

_TRIED = {"add": "TRY_ADD", "sub": "TRY_SUBTRACT", "mul": "TRY_MULTIPLY"}
_MOST_OF_MINUS = 34


def arithmetic(r: Renderer, node: Call) -> Sql:
    """Arithmetic of decimals; NULL if the result has too many digits for its type. Raises Unsupported if
    Spark would drop some of the digits after the point.
    """
    parts = operands(r, node)
    digits = decimals.digits(node.op, node.args)
    if digits.rounded_by_spark:
        raise r.refuse(node, say.ROUNDED_DECIMAL, say.FEWER_DIGITS)
    sql = binary(SIGNS[node.op], *parts) if digits.fits else call(_TRIED[node.op], *parts)
    return sql if ends_at(node, digits) else try_cast(sql, str(node.type))


def of_sign(r: Renderer, node: Call) -> Sql:
    """The negation or absolute value of a decimal. Spark's minus and ABS round to 34 digits (Decimal.unary_-,
    with Scala's context), so longer decimals are subtracted from 0, or negated as strings.
    """
    (arg,) = node.args
    kind = decimals.exact_type(arg)
    if kind.precision <= _MOST_OF_MINUS:
        return signed(r, node)

    def build(value: Sql) -> Sql:
        turned = _turned(value, kind)
        below = binary(exp.LT, value, 0)
        return turned if node.op == "neg" else case((below, turned), default=value)

    return let(r, r.node(arg), build)


def _turned(value: Sql, kind: DecimalType) -> Sql:
    digits = result("sub", [kind, kind])
    if digits.rounded_by_spark:  # through its string: a difference would lose a digit
        text = concatenated("-", cast(value, "STRING"))
        return cast(call("REPLACE", text, "--", ""), str(kind))
    zero = number_literal(0)
    return binary(exp.Sub, zero, value) if digits.fits else call(_TRIED["sub"], zero, value)
