"""Conversions that several dialects share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    between,
    binary,
    call,
    case,
    cast,
    concatenated,
    is_one_of,
    try_cast,
)
from predicat.backends.sql.renderer import Renderer, Rule, let, let_always
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, STRING, DecimalType, Type
from predicat.ir.values import DECIMAL_PATTERN, FIRST_MOMENT, LAST_MOMENT, QUANTITY_POWERS, QUANTITY_UNITS


def by_type(otherwise: str, rules: Mapping[Type, Rule]) -> Rule:
    """A conversion with rules for some types of its argument, and a cast for the others.

    A column of decimals may have fewer digits than its field. A string has those of the field.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        (arg, *_) = node.args
        if arg.type in rules:
            return rules[arg.type](r, node)
        narrow = node.type == STRING and isinstance(arg.type, DecimalType) and not isinstance(arg, Literal)
        return cast(cast(r.node(arg), str(arg.type)) if narrow else r.node(arg), otherwise)

    return rule


def of(build: Callable[[Sql], Sql]) -> Rule:
    """A rule that needs nothing but the SQL of its argument."""
    return lambda r, node: build(r.node(node.args[0]))


def let_of(build: Callable[[Sql], Sql], value: Callable[[Sql], Sql] = lambda sql: sql) -> Rule:
    """A rule that uses the SQL of its argument, or a value computed from it, several times."""
    return lambda r, node: let(r, value(r.node(node.args[0])), build)


def text_to_decimal(fits: Callable[[Sql, str], Sql]) -> Rule:
    """A string as a decimal; NULL if it does not match the pattern, or has too many digits."""

    def rule(r: Renderer, node: Call) -> Sql:
        sql = r.node(node.args[0])
        return case((fits(sql, DECIMAL_PATTERN), try_cast(sql, str(node.type))))

    return rule


def refuse_double(r: Renderer, node: Call) -> Sql:
    """Raise Unsupported: each engine formats doubles in its own way."""
    raise r.refuse(node, say.DOUBLES_AS_TEXT)


def quantity(
    is_one: Callable[[Sql], Sql], ends: Callable[[Sql, str], Sql], product: Callable[[Sql, Sql], Sql]
) -> Rule:
    """A quantity such as `1.5Gi` as a number. A decimal unit becomes an exponent, a binary one a factor.
    `is_one` tests for the pattern of quantities; other strings give NULL.
    """

    def build(sql: Sql) -> Sql:
        exponents = sql
        for unit, exponent in QUANTITY_UNITS.items():
            exponents = call("REPLACE", exponents, unit, exponent)
        digits = call("TRANSLATE", sql, "KMGTPEi", "")
        exa = call("REPLACE", sql, "E", "e18")
        read = case((ends(sql, "i"), digits), (ends(sql, "E"), exa), default=exponents)
        powers = [(ends(sql, unit), cast(power, "BIGINT")) for unit, power in QUANTITY_POWERS.items()]
        return case((is_one(sql), product(read, case(*powers, default=1))))

    return lambda r, node: let(r, r.node(node.args[0]), build)


def to_whole_number(rounded: str) -> Rule:
    """A double as an integer, if the engine's rounding function does not change it."""

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


def is_special(sql: Sql) -> Sql:
    """Whether a string is CEL's spelling of NaN or an infinity."""
    return is_one_of(sql, "NaN", "Infinity", "-Infinity")


def truth_value(sql: Sql) -> Sql:
    """A string as a boolean, by CEL's spellings; NULL for any other string."""
    yes = is_one_of(sql, "true", "TRUE", "True", "t", "1")
    no = is_one_of(sql, "false", "FALSE", "False", "f", "0")
    return case((yes, True), (no, False))


# SQL's casts of strings to dates and timestamps (`predicat.forms.text_casts`) have one pattern. It extracts
# the date or timestamp without the spaces around it. For other strings it gives the empty string, for which
# each cast fails. The engine then decides whether the day exists.
_BLANKS = r"[ \t\n\x0B\f\r]*"
_DAY = "-[0-9]{2}-[0-9]{2}"
_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_CLOCK = "[ Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]"
_SECONDS = ":[0-5][0-9](?:[.][0-9]{1,9})?"
_ANY_ZONE = "(?:[Zz]|[+-][0-9]{2}(?::[0-9]{2})?)"
_DATE = rf"\A{_BLANKS}({_YEAR}{_DAY})(?:{_CLOCK}(?:{_SECONDS}{_ANY_ZONE}?)?)?{_BLANKS}\z"
_ZONE = "(?:[Zz]|[+-](?:0[0-9]|1[0-4])(?::[0-5][0-9])?)"
_MOMENT = rf"\A{_BLANKS}([0-9]{{4}}{_DAY}(?:{_CLOCK}(?:{_SECONDS}{_ZONE}?)?)?){_BLANKS}\z"


def _found(text: Sql, pattern: str) -> Sql:
    return call("REGEXP_EXTRACT", text, pattern, 1)


def cast_to_date(text: Sql) -> Sql:
    """A string as a date. The string may go on with a time."""
    return try_cast(_found(text, _DATE), "DATE")


def cast_to_timestamp(r: Renderer, text: Sql, matches: Callable[[Sql, str], Sql]) -> Sql:
    """A string as a timestamp of the years 1 to 9999. A missing time is midnight, a missing zone UTC.

    `matches` tests for a pattern.
    """

    def read(sql: Sql) -> Sql:
        length = binary(exp.Add, call("LENGTH", sql), 1)
        rest = call("SUBSTRING", "0000-00-00T00:00:00Z", length)
        ending = case((matches(sql, r"[.][0-9]+\z"), "Z"), default=rest)
        return try_cast(concatenated(sql, ending), "TIMESTAMPTZ")

    def known(moment: Sql) -> Sql:
        first, last = (r.dialect.timestamp(end) for end in (FIRST_MOMENT, LAST_MOMENT))
        return case((between(moment, first, last), moment))

    sql = call("UPPER", _found(text, _MOMENT))
    return let_always(r, let_always(r, sql, read), known)


RULES: dict[str, Rule] = {"to_boolean": of(truth_value), "to_whole": to_whole_number("TRUNC")}
