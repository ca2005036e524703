"""DuckDB: arithmetic."""

from __future__ import annotations

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import Sql, binary, call, case, cast, not_, try_cast, wrap
from predicat.backends.sql.common import decimals, durations
from predicat.backends.sql.common.numbers import bits, divided_by_zero, round_by_text, shift_left_in_parts
from predicat.backends.sql.common.times import between_utc
from predicat.backends.sql.common.widths import as_bigint, as_double, operands
from predicat.backends.sql.duckdb.calendar import micros, moment, try_
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rules import Rule
from predicat.ir.nodes import Call, Literal
from predicat.ir.types import BIGINT, DOUBLE, DURATION


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


def _exact(r: Renderer, node: Call) -> Sql:
    return decimals.duckdb(r, node, try_)


def _div(r: Renderer, node: Call) -> Sql:
    right = node.args[1]
    if node.type == DOUBLE:
        a, b = operands(r, node)
        divisor = b if isinstance(right, Literal) and right.value else call("NULLIF", b, 0)
        return _plain_div(a, divisor)
    a, b = operands(r, node)
    if isinstance(right, Literal) and right.value not in (0, -1, None):
        return binary(exp.IntDiv, a, b)
    return try_(binary(exp.IntDiv, a, call("NULLIF", b, 0)))


def _plain_div(a: Sql, b: Sql) -> Sql:
    result = binary(exp.Div, a, b)
    result.set("typed", True)
    return result


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (as_double(r, arg) for arg in node.args)
    negative = binary(exp.EQ, cast(b, "TEXT"), "-0.0")
    at_zero = divided_by_zero(a, negative, not_nan=not_(call("ISNAN", a)))
    return case((binary(exp.EQ, b, 0), at_zero), (binary(exp.NEQ, b, 0), _plain_div(a, b)))


def _mod(r: Renderer, node: Call) -> Sql:
    """A remainder by -1 is 0: the smallest integer would overflow."""
    value, by = node.args
    if isinstance(by, Literal) and by.value not in (0, -1, None):
        return binary(exp.Mod, r.node(value), r.node(by))
    a, b = as_bigint(r, value), as_bigint(r, by)
    divisor = case((binary(exp.EQ, b, -1), 1), default=call("NULLIF", b, 0))
    return binary(exp.Mod, a, cast(divisor, "BIGINT"))


def _neg(r: Renderer, node: Call) -> Sql:
    if node.type == DOUBLE:
        return exp.Neg(this=wrap(as_double(r, node.args[0])))
    if not r.may_overflow(node):
        return exp.Neg(this=wrap(as_bigint(r, node.args[0])))
    return try_(binary(exp.Sub, cast(0, "BIGINT"), r.node(node.args[0])))


def _abs(r: Renderer, node: Call) -> Sql:
    if node.type == DOUBLE:
        return call("ABS", as_double(r, node.args[0]))
    size = call("ABS", as_bigint(r, node.args[0]))
    return try_(size) if r.may_overflow(node) else size


def _decimal_of(double: Sql, digits: int) -> Sql:
    return cast(cast(double, "TEXT"), f"DECIMAL(38, {digits + 17})")


def _double_of(decimal: Sql) -> Sql:
    """By its text: a cast divides two doubles, each of which is rounded."""
    return cast(cast(decimal, "TEXT"), "DOUBLE")


RULES: dict[str, Rule] = {
    "add": decimals.where_exact(_exact, _arithmetic(exp.Add)),
    "sub": decimals.where_exact(_exact, _arithmetic(exp.Sub)),
    "mul": decimals.where_exact(_exact, _arithmetic(exp.Mul)),
    "div": _div,
    "fdiv": _ieee_div,
    "mod": _mod,
    "int32": lambda r, node: cast(try_cast(as_bigint(r, node.args[0]), "INT"), "BIGINT"),
    "neg": decimals.where_exact(decimals.signed, _neg),
    "abs": decimals.where_exact(decimals.signed, _abs),
    **dict.fromkeys(("round", "bround"), round_by_text(_decimal_of, _double_of)),
    "bit_xor": lambda r, node: call("XOR", *(as_bigint(r, arg) for arg in node.args)),
    "shift_left": shift_left_in_parts,
    "shift_right": bits(exp.BitwiseRightShift),
}
