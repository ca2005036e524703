"""DuckDB: arithmetic."""

from __future__ import annotations

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import (
    Sql,
    between_utc,
    binary,
    call,
    case,
    cast,
    number_literal,
    try_cast,
)
from predicat.backends.sql.common import durations
from predicat.backends.sql.common.decimals import signed, where_exact
from predicat.backends.sql.common.numbers import absolute, bits, by_zero, cannot_fail, negative, round_by_text
from predicat.backends.sql.common.widths import as_bigint, as_double, operands
from predicat.backends.sql.duckdb import decimals
from predicat.backends.sql.duckdb.calendar import micros, moment, try_
from predicat.backends.sql.renderer import Renderer, Rule, constant_int
from predicat.ir.nodes import Call, Literal
from predicat.ir.types import BIGINT, DOUBLE, DURATION
from predicat.ir.values import INT_MIN


def _arithmetic(operator: type[exp.Binary]) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if node.type == DOUBLE:
            return binary(operator, *operands(r, node))
        if node.type == DURATION and left.type == DURATION:
            return durations.in_range(durations.operation(operator, r.node(left), r.node(right)))
        if node.type == BIGINT:
            result = binary(operator, *operands(r, node))
            return try_(result) if r.may_overflow(node) else result
        if node.type == DURATION:
            return try_(binary(exp.Sub, micros(r.node(left)), micros(r.node(right))))
        if is_of_clock(node):
            return between_utc(
                call("MAKE_TIMESTAMP", binary(operator, micros(r.node(left)), as_bigint(r, right)))
            )
        return moment(try_(binary(operator, micros(r.node(left)), as_bigint(r, right))))

    return rule


def _div(r: Renderer, node: Call) -> Sql:
    right = node.args[1]
    if node.type == DOUBLE:
        a, b = operands(r, node)
        divisor = b if isinstance(right, Literal) and right.value else call("NULLIF", b, 0)
        return _plain_div(a, divisor)
    a, b = operands(r, node)
    if cannot_fail(right):
        return binary(exp.IntDiv, a, b)
    return try_(binary(exp.IntDiv, a, call("NULLIF", b, 0)))


def _plain_div(a: Sql, b: Sql) -> Sql:
    result = binary(exp.Div, a, b)
    result.set("typed", True)
    return result


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (as_double(r, arg) for arg in node.args)
    return case(by_zero(a, b), (binary(exp.NEQ, b, 0), _plain_div(a, b)))


def _mod(r: Renderer, node: Call) -> Sql:
    """The remainder. Modulo -1 it is 0: for the smallest integer DuckDB would overflow."""
    value, by = node.args
    if cannot_fail(by):
        return binary(exp.Mod, r.node(value), r.node(by))
    a, b = as_bigint(r, value), as_bigint(r, by)
    divisor = case((binary(exp.EQ, b, -1), 1), default=call("NULLIF", b, 0))
    return binary(exp.Mod, a, cast(divisor, "BIGINT"))


def _decimal_of(double: Sql, digits: int) -> Sql:
    return cast(cast(double, "TEXT"), f"DECIMAL(38, {digits + 17})")


def _double_of(decimal: Sql) -> Sql:
    """A decimal as a double, through its string: a direct cast divides two doubles, each of them rounded."""
    return cast(cast(decimal, "TEXT"), "DOUBLE")


def _shift_left(r: Renderer, node: Call) -> Sql:
    """A shift to the left. DuckDB raises an error if bits are lost, so only the bits that stay are moved, and
    one bit becomes the sign.
    """
    value, places = as_bigint(r, node.args[0]), constant_int(node.args[1])
    if not places:
        return value
    low = number_literal(2 ** (63 - places) - 1)
    moved = exp.BitwiseLeftShift(
        this=exp.Paren(this=binary(exp.BitwiseAnd, value, cast(low, "BIGINT"))),
        expression=number_literal(places),
    )
    top = exp.BitwiseRightShift(this=value, expression=number_literal(63 - places))
    sign = binary(exp.EQ, exp.BitwiseAnd(this=exp.Paren(this=top), expression=number_literal(1)), 1)
    lowest = cast(str(INT_MIN), "BIGINT")
    return binary(exp.Add, exp.Paren(this=moved), case((sign, lowest), default=cast(0, "BIGINT")))


RULES: dict[str, Rule] = {
    "add": where_exact(decimals.arithmetic, _arithmetic(exp.Add)),
    "sub": where_exact(decimals.arithmetic, _arithmetic(exp.Sub)),
    "mul": where_exact(decimals.arithmetic, _arithmetic(exp.Mul)),
    "div": _div,
    "fdiv": _ieee_div,
    "mod": _mod,
    "int32": lambda r, node: cast(try_cast(as_bigint(r, node.args[0]), "INT"), "BIGINT"),
    "neg": where_exact(signed, negative(lambda sql: try_(binary(exp.Sub, cast(0, "BIGINT"), sql)))),
    "abs": where_exact(signed, absolute(lambda sql: try_(call("ABS", sql)))),
    **dict.fromkeys(("round", "bround"), round_by_text(_decimal_of, _double_of)),
    "bit_xor": lambda r, node: call("XOR", *(as_bigint(r, arg) for arg in node.args)),
    "shift_left": _shift_left,
    "shift_right": bits(exp.BitwiseRightShift),
}
