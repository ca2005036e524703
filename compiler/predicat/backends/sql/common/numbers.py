"""Rules for numbers that several dialects share."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    binary,
    call,
    case,
    cast,
    is_null,
    not_,
    number_literal,
    or_,
    wrap,
)
from predicat.backends.sql.common.widths import as_bigint, as_double, as_wide
from predicat.backends.sql.renderer import Renderer, Rule, constant_int, let
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.operators import SOLVED_ONLY
from predicat.ir.types import BIGINT


def cannot_fail(divisor: Node) -> bool:
    """Whether a divisor is a constant for which no division fails."""
    return isinstance(divisor, Literal) and divisor.value not in (0, -1, None)


def negative(of_integer: Callable[[Sql], Sql]) -> Rule:
    """The negation of a number. `of_integer` gives NULL on overflow."""

    def rule(r: Renderer, node: Call) -> Sql:
        (arg,) = node.args
        overflows = node.type == BIGINT and r.may_overflow(node)
        return of_integer(r.node(arg)) if overflows else exp.Neg(this=wrap(as_wide(r, arg)))

    return rule


def absolute(of_integer: Callable[[Sql], Sql]) -> Rule:
    """The absolute value of a number. `of_integer` gives NULL on overflow."""

    def rule(r: Renderer, node: Call) -> Sql:
        sql = as_wide(r, node.args[0])
        overflows = node.type == BIGINT and r.may_overflow(node)
        return of_integer(sql) if overflows else call("ABS", sql)

    return rule


def divided_by_zero(a: Sql, negative: Sql, *, not_nan: Sql) -> Sql:
    """IEEE 754's quotient of `a` by a zero: NaN, or an infinity by the signs of both. `negative` says
    whether the zero is.
    """
    nan, up, down = (cast(name, "DOUBLE") for name in ("NaN", "Infinity", "-Infinity"))
    nothing = or_(binary(exp.EQ, a, 0), not_(not_nan))
    same_sign = exp.NEQ(this=wrap(binary(exp.GT, a, 0)), expression=wrap(negative))
    return case((nothing, nan), (same_sign, up), (not_(is_null(a)), down))


def by_zero(a: Sql, b: Sql) -> tuple[Sql, Sql]:
    """The case that `b` is zero, with IEEE 754's quotient, of an engine whose texts have a sign of zero."""
    is_negative = binary(exp.EQ, cast(b, "TEXT"), "-0.0")
    return binary(exp.EQ, b, 0), divided_by_zero(a, is_negative, not_nan=not_(call("ISNAN", a)))


def _without_negative_zero(name: str) -> Rule:
    """FLOOR or CEIL, whose zero has no sign, whatever that of the argument."""
    return lambda r, node: binary(exp.Add, call(name, as_double(r, node.args[0])), cast(0, "DOUBLE"))


def bits(kind: type[exp.Binary]) -> Rule:
    """A bitwise operator on two integers."""
    return lambda r, node: binary(kind, *(as_bigint(r, arg) for arg in node.args))


def _only_compared(r: Renderer, node: Call) -> Sql:
    """Refuses a function that engines round differently. Comparisons with constants are solved earlier."""
    raise r.refuse(node, say.ROUNDED_BY_ENGINES, say.COMPARE_WITH_CONSTANT)


def _square_root(r: Renderer, node: Call) -> Sql:
    def build(value: Sql) -> Sql:
        return case((binary(exp.GTE, value, 0), call("SQRT", value)))

    return let(r, as_double(r, node.args[0]), build)


def round_by_text(decimal: Callable[[Sql, int], Sql], double: Callable[[Sql], Sql]) -> Rule:
    """ROUND by the shortest decimal of a double, which its text is.

    `decimal` makes the exact decimal of a double, as a number, for so many digits; `double` makes a double
    again. From 10^17 / 10^digits on a double has no more digits.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        digits = constant_int(node.args[1])

        def build(value: Sql) -> Sql:
            exact = decimal(value, digits)
            sql = call("ROUND", exact, digits) if node.op == "round" else _to_even(r, exact, digits)
            small = binary(exp.LT, call("ABS", value), 10 ** (17 - digits))
            return case((small, double(sql)), default=value)

        return let(r, as_double(r, node.args[0]), build)

    return rule


def _to_even(r: Renderer, exact: Sql, digits: int) -> Sql:
    """A decimal rounded half to even."""

    def build(value: Sql) -> Sql:
        cut = call("TRUNC", value, digits)
        scale = number_literal(10**digits)
        rest = binary(exp.Mul, binary(exp.Sub, value, cut), scale)
        half = binary(exp.EQ, call("ABS", rest), number_literal("0.5"))
        even = binary(
            exp.EQ, exp.Mod(this=exp.Paren(this=binary(exp.Mul, cut, scale)), expression=number_literal(2)), 0
        )
        return case((and_(half, even), cut), default=call("ROUND", value, digits))

    return let(r, exact, build)


RULES: dict[str, Rule] = {
    "sqrt": _square_root,
    **dict.fromkeys(SOLVED_ONLY, _only_compared),
    "bit_and": bits(exp.BitwiseAnd),
    "bit_or": bits(exp.BitwiseOr),
    "bit_xor": bits(exp.BitwiseXor),
    "floor": _without_negative_zero("FLOOR"),
    "ceil": _without_negative_zero("CEIL"),
}
