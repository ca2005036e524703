"""Spark: arithmetic."""

from __future__ import annotations

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import Sql, binary, call, case, cast, try_cast
from predicat.backends.sql.common import durations
from predicat.backends.sql.common.decimals import where_exact
from predicat.backends.sql.common.numbers import absolute, by_zero, cannot_fail, negative
from predicat.backends.sql.common.widths import as_bigint, as_double, operands
from predicat.backends.sql.renderer import Renderer, Rule
from predicat.backends.sql.spark import calendar, decimals
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, DURATION, TIMESTAMP


def _apart(arg: Node, parent: Call, sql: Sql) -> Sql:
    """An operand in a form that Spark's optimizer does not merge with its parent.

    The optimizer flattens nested sums and nested products, with TRY_ or without. It combines their constants
    (ReorderAssociativeOperator), and treats `(a + b) + c` and `a + (b + c)` as the same, although rounding of
    doubles and overflow of integers differ.
    """
    if not isinstance(arg, Call) or arg.op != parent.op or parent.op not in ("add", "mul"):
        return sql
    return binary(exp.Sub, sql, 0) if parent.type == DOUBLE else call("TRY_SUBTRACT", sql, 0)


def _arithmetic(integer: str, operator: type[exp.Binary]) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if node.type == BIGINT and not r.may_overflow(node):
            return binary(operator, *operands(r, node))
        if node.type in (BIGINT, DOUBLE):
            parts = [_apart(arg, node, sql) for arg, sql in zip(node.args, operands(r, node), strict=True)]
            return call(integer, *parts) if node.type == BIGINT else binary(operator, *parts)
        if node.type == DURATION and left.type == TIMESTAMP:
            return binary(exp.Sub, call("UNIX_MICROS", r.node(left)), call("UNIX_MICROS", r.node(right)))
        if node.type == DURATION:
            return durations.in_range(durations.operation(operator, r.node(left), r.node(right)))
        if is_of_clock(node):
            return call(
                "TIMESTAMP_MICROS", binary(operator, call("UNIX_MICROS", r.node(left)), r.node(right))
            )
        return calendar.moment(call(integer, call("UNIX_MICROS", r.node(left)), r.node(right)))

    return rule


def _negated(sql: Sql) -> Sql:
    return call("TRY_SUBTRACT", cast(0, "BIGINT"), sql)


def _absolute(sql: Sql) -> Sql:
    return case((binary(exp.LT, sql, 0), _negated(sql)), default=sql)


def _div(r: Renderer, node: Call) -> Sql:
    left, right = node.args
    if node.type == DOUBLE:
        return call("TRY_DIVIDE", *operands(r, node))
    a, b = operands(r, node)
    if cannot_fail(right):
        return binary(exp.IntDiv, a, b)
    # Only a division by -1 can overflow.
    minus = binary(exp.EQ, b, -1)
    if not isinstance(left, Call):
        by = binary(exp.IntDiv, a, call("NULLIF", b, 0))
        return case((minus, _negated(a)), default=by)
    # A long dividend is written only once: divide by 1 instead of -1, and let TRY_MULTIPLY change the sign.
    quotient = binary(exp.IntDiv, a, case((minus, 1), default=call("NULLIF", b, 0)))
    return call("TRY_MULTIPLY", cast(quotient, "BIGINT"), cast(case((minus, -1), default=1), "BIGINT"))


def _mod(r: Renderer, node: Call) -> Sql:
    value, divisor = node.args
    if cannot_fail(divisor):
        return binary(exp.Mod, r.node(value), r.node(divisor))
    one, other = operands(r, node)
    return binary(exp.Mod, one, call("NULLIF", other, 0))


def _whole(name: str) -> Rule:
    """FLOOR or CEIL of a double, as a double. Spark returns a BIGINT, so doubles from 2^53 on, which are
    integers already, are left unchanged.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        sql = as_double(r, node.args[0])
        inside = binary(exp.LT, call("ABS", sql), 2**53)
        return case((inside, cast(call(name, sql), "DOUBLE")), default=sql)

    return rule


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (as_double(r, arg) for arg in node.args)
    if isinstance(node.args[1], Literal) and node.args[1].value:
        return call("TRY_DIVIDE", a, b)
    return case(by_zero(a, b), default=call("TRY_DIVIDE", a, b))


RULES: dict[str, Rule] = {
    "add": where_exact(decimals.arithmetic, _arithmetic("TRY_ADD", exp.Add)),
    "sub": where_exact(decimals.arithmetic, _arithmetic("TRY_SUBTRACT", exp.Sub)),
    "mul": where_exact(decimals.arithmetic, _arithmetic("TRY_MULTIPLY", exp.Mul)),
    "div": _div,
    "mod": _mod,
    "fdiv": _ieee_div,
    "int32": lambda r, node: cast(try_cast(r.node(node.args[0]), "INT"), "BIGINT"),
    "neg": where_exact(decimals.of_sign, negative(_negated)),
    "abs": where_exact(decimals.of_sign, absolute(_absolute)),
    "floor": _whole("FLOOR"),
    "ceil": _whole("CEIL"),
    "round": lambda r, node: call("ROUND", as_double(r, node.args[0]), r.node(node.args[1])),
    "bround": lambda r, node: call("BROUND", as_double(r, node.args[0]), r.node(node.args[1])),
    "shift_left": lambda r, node: call("SHIFTLEFT", as_bigint(r, node.args[0]), r.node(node.args[1])),
    "shift_right": lambda r, node: call("SHIFTRIGHT", as_bigint(r, node.args[0]), r.node(node.args[1])),
}
