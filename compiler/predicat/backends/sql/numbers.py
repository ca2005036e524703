"""Rules for numbers that several dialects share."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    binary,
    call,
    case,
    cast,
    is_null,
    not_,
    number_literal,
    or_,
    string_literal,
    wrap,
)
from predicat.backends.sql.renderer import Renderer, Rule, let
from predicat.backends.sql.widths import as_double
from predicat.ir.nodes import Call, Node
from predicat.ir.types import BIGINT
from predicat.ir.values import QUANTITY_POWERS, QUANTITY_UNITS


def divided_by_zero(a: Sql, negative: Sql, *, not_nan: Sql) -> Sql:
    """IEEE 754's quotient of `a` by a zero: NaN, or an infinity by the signs of both. `negative` says
    whether the zero is.
    """
    nan, up, down = (cast(string_literal(name), "DOUBLE") for name in ("NaN", "Infinity", "-Infinity"))
    nothing = or_(binary(exp.EQ, a, number_literal(0)), not_(not_nan))
    same_sign = exp.NEQ(this=wrap(binary(exp.GT, a, number_literal(0))), expression=wrap(negative))
    return case((nothing, nan), (same_sign, up), (not_(is_null(a)), down))


def without_negative_zero(name: str) -> Rule:
    """FLOOR or CEIL, whose zero has no sign, whatever that of the argument."""
    return lambda r, node: binary(
        exp.Add, call(name, as_double(r, node.args[0])), cast(number_literal(0), "DOUBLE")
    )


def quantity(
    is_one: Callable[[Sql], Sql], ends: Callable[[Sql, str], Sql], product: Callable[[Sql, Sql], Sql]
) -> Rule:
    """A quantity such as `1.5Gi` as a number: the text with its decimal unit as an exponent, times its binary
    unit. `is_one` tests for the pattern of quantities; other texts give NULL.
    """

    def build(sql: Sql) -> Sql:
        exponents = sql
        for unit, exponent in QUANTITY_UNITS.items():
            exponents = call("REPLACE", exponents, string_literal(unit), string_literal(exponent))
        digits = call("TRANSLATE", sql, string_literal("KMGTPEi"), string_literal(""))
        exa = call("REPLACE", sql, string_literal("E"), string_literal("e18"))
        read = case((ends(sql, "i"), digits), (ends(sql, "E"), exa), default=exponents)
        powers = [
            (ends(sql, unit), cast(number_literal(power), "BIGINT"))
            for unit, power in QUANTITY_POWERS.items()
        ]
        return case((is_one(sql), product(read, case(*powers, default=number_literal(1)))))

    return lambda r, node: let(r, r.node(node.args[0]), build)


def to_whole_number(rounded: str) -> Rule:
    """A double as a whole number where the engine's function that rounds leaves it as it is."""

    def rule(r: Renderer, node: Call) -> Sql:
        def build(number: Node) -> Sql:
            sql = r.node(number)
            return case(
                (
                    binary(exp.EQ, sql, call(rounded, sql)),
                    r.call(Call(BIGINT, "to_int", (number,), node.span)),
                )
            )

        return r.let_node(node.args[0], build)

    return rule


def to_boolean(sql: Sql) -> Sql:
    """A text as a truth value, by CEL's words for it; NULL for any other text."""
    yes = exp.In(
        this=wrap(sql), expressions=[string_literal(word) for word in ("true", "TRUE", "True", "t", "1")]
    )
    no = exp.In(
        this=wrap(sql), expressions=[string_literal(word) for word in ("false", "FALSE", "False", "f", "0")]
    )
    return case((yes, exp.Boolean(this=True)), (no, exp.Boolean(this=False)))
