"""PostgreSQL: conversions between types."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    between_utc,
    binary,
    call,
    case,
    cast,
    is_one_of,
    like,
    not_,
    number_literal,
    or_,
    rlike,
)
from predicat.backends.sql.common import decimals, durations
from predicat.backends.sql.common.conversions import by_type, is_special, let_of, of, quantity, refuse_double
from predicat.backends.sql.postgres import ranges, times
from predicat.backends.sql.postgres.numbers import (
    bigint_or_null,
    exact_of_number,
    ieee,
    let_unless_column,
    nearest,
)
from predicat.backends.sql.postgres.queries import select, value_of
from predicat.backends.sql.postgres.ranges import numeric
from predicat.backends.sql.renderer import Renderer, Rule, let
from predicat.ir.nodes import Call, Literal
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    DecimalType,
)
from predicat.ir.values import (
    DATE_PATTERN,
    DECIMAL_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    DURATION_PATTERN,
    INT_PATTERN,
    MAX_SECONDS,
    MIN_SECONDS,
    QUANTITY_PATTERN,
    TIMESTAMP_PATTERN,
)


def text_to_int(r: Renderer, sql: Sql) -> Sql:
    """A string as BIGINT; NULL if it is not an integer or does not fit."""

    def build(one: Sql) -> Sql:
        value = cast(one, "BIGINT")
        return case(
            (_numeral(one, 18, ""), value),
            (_numeral(one, 18, "-"), value),
            (rlike(one, INT_PATTERN), bigint_or_null(r, numeric(one))),
        )

    return let(r, sql, build)


def _numeral(sql: Sql, longest: int, *rests: str) -> Sql:
    """Whether a string of limited length is a plain decimal number: it has a digit, and nothing else but a
    leading minus and a point.

    This costs a quarter of a regular expression.
    """
    size = between(call("OCTET_LENGTH", sql), 1, longest)
    rest = call("TRANSLATE", sql, "0123456789", "")
    digits = [binary(exp.EQ, rest, rests[0])] if len(rests) == 1 else [is_one_of(rest, *rests)]
    alone = [binary(exp.NEQ, sql, name) for name in rests if name]
    return and_(size, *digits, *alone, *([like(sql, "-%")] if rests[0] == "-" else []))


def _seconds(r: Renderer, node: Call) -> Sql:
    moment = times.in_supported_years(r, node.args[0])
    return cast(call("FLOOR", exp.Extract(this=exp.Var(this="EPOCH"), expression=moment)), "BIGINT")


def _double_to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if ranges.is_part(arg, DOUBLE):
        return ranges.doubles(
            r, arg, lambda leaves: let(r, ieee(r, arg, leaves), _cut), 1e18, then=_truncated
        )
    return let(r, r.node(arg), _cut)


def _cut(sql: Sql) -> Sql:
    """A double truncated to an integer; NULL if it does not fit."""
    limit = cast("9223372036854775808", "DOUBLE")
    inside = and_(binary(exp.GTE, sql, exp.Neg(this=limit)), binary(exp.LT, sql, limit))
    return case((inside, _truncated(cast(sql, "DOUBLE"))))


def _truncated(sql: Sql) -> Sql:
    return cast(call("TRUNC", sql), "BIGINT")


def text_to_double(r: Renderer, sql: Sql) -> Sql:
    """A string as a double; NULL if it is not a number, or too large for a double."""

    def build(one: Sql) -> Sql:
        # NUMERIC has at most 131,072 digits. With an exponent of 1,000 or more the result is zero or NULL.
        far = rlike(one, "[eE][+-]?0*[1-9][0-9]{3}")
        vanishes = rlike(one, "[eE]-|^[+-]?[0.]+[eE]")
        converted = case((far, case((vanishes, cast(0, "DOUBLE")))), *nearest(numeric(one)))
        short = binary(exp.LTE, call("OCTET_LENGTH", one), DOUBLE_LONGEST)
        # A number this short neither overflows nor underflows.
        plain = [(_numeral(one, 300, *rests), cast(one, "DOUBLE")) for rests in (("", "."), ("-", "-."))]
        return case(
            *plain,
            (and_(short, rlike(one, DOUBLE_PATTERN)), converted),
            (is_special(one), cast(one, "DOUBLE")),
        )

    return let(r, sql, build)


# A decimal as a JSON value has it.
_STORED = "^-?[0-9]{1,40}([.][0-9]{1,100})?$"


def text_to_decimal(r: Renderer, sql: Sql, kind: DecimalType, pattern: str = _STORED) -> Sql:
    """A string as a decimal, rounded to the scale; NULL if it has too many digits."""

    def build(one: Sql) -> Sql:
        rounded = call("ROUND", numeric(one), kind.scale)
        within = binary(
            exp.LT, call("ABS", rounded), number_literal(f"1{'0' * (kind.precision - kind.scale)}")
        )
        return case((rlike(one, pattern), case((within, rounded))))

    return let(r, sql, build)


def _to_decimal(r: Renderer, node: Call) -> Sql:
    kind = node.type if isinstance(node.type, DecimalType) else DecimalType(MAX_PRECISION, 0)
    sql = r.node(node.args[0])
    # PostgreSQL converts an untyped constant when it parses the statement, even in a branch not taken.
    text = cast(sql, "TEXT") if isinstance(node.args[0], Literal) else sql
    return text_to_decimal(r, text, kind, DECIMAL_PATTERN)


def _day_text(r: Renderer, node: Call) -> Sql:
    return call("TO_CHAR", cast(times.in_supported_years(r, node.args[0]), "TIMESTAMP"), "YYYY-MM-DD")


def _moment_text(r: Renderer, node: Call) -> Sql:
    moment = r.node(node.args[0])
    micros = cast(exp.Extract(this=exp.Var(this="MICROSECONDS"), expression=moment), "BIGINT")
    clock = between_utc(times.in_supported_years(r, node.args[0]))
    return durations.concatenate(
        call("TO_CHAR", clock, 'YYYY-MM-DD"T"HH24:MI:SS'),
        durations.fraction(durations.remainder_of(micros, 1_000_000)),
        "Z",
    )


def _seconds_to_timestamp(sql: Sql) -> Sql:
    return case((between(sql, MIN_SECONDS, MAX_SECONDS), times.from_seconds(sql)))


def _midnight(r: Renderer, node: Call) -> Sql:
    return between_utc(cast(times.in_supported_years(r, node.args[0]), "TIMESTAMP"))


def text_to_timestamp(r: Renderer, sql: Sql) -> Sql:
    """A string as a timestamp; NULL if it is not a timestamp of the years 1 to 9999."""
    return let_unless_column(r, sql, _text_to_timestamp)


# Lookaheads, counted repetitions and leap years make a pattern three times as slow.
_MOMENT = (
    "^[0-9]+-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]+)?"
    "(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$"
)


def _text_to_timestamp(one: Sql) -> Sql:
    # PostgreSQL rounds to microseconds, a filter truncates. An offset may leave the supported years.
    cut = cast(call("REGEXP_REPLACE", one, "([.][0-9]{6})[0-9]+", "\\1"), "TIMESTAMPTZ")
    short = binary(exp.LTE, call("OCTET_LENGTH", one), 27)  # at most microseconds
    years = and_(like(one, "____-__-__%"), *(not_(like(one, first)) for first in ("0000%", "0001-01-01%")))
    general = case((times.is_in_supported_years(TIMESTAMP, cut), cut))
    value = cast(one, "TIMESTAMPTZ")
    return case(
        (_common_moment(one), value),
        (and_(short, years, rlike(one, _MOMENT)), value),
        (rlike(one, TIMESTAMP_PATTERN), general),
    )


def _common_moment(sql: Sql) -> Sql:
    """Whether a string is a timestamp in whole seconds of UTC, on one of the first 28 days of a month. Each
    test costs a tenth of a regular expression.
    """
    once_each = (not_(like(sql, f"%{sign}%{sign}%")) for sign in "TZ")
    clock = and_(_one_of(sql, 11, "0", "1", "20", "21", "22", "23"), not_(like(sql, "%:%:%:%")))
    others = not_(rlike(sql, "[^-0-9:TZ]|:[6-9]"))
    return and_(like(sql, "____-__-__T__:__:__Z"), *_common_day(sql), clock, *once_each, others)


def _common_day(sql: Sql) -> tuple[Sql, ...]:
    """Whether a string of digits and dashes in their places is one of the first 28 days of a month."""
    month = and_(_one_of(sql, 5, "0", "10", "11", "12"), not_(_one_of(sql, 5, "00")))
    day = and_(_one_of(sql, 8, "0", "1", "2"), not_(_one_of(sql, 8, "00", "29")))
    return (*(not_(like(sql, pattern)) for pattern in ("0000%", "%-%-%-%")), month, day)


def _one_of(sql: Sql, at: int, *parts: str) -> Sql:
    return or_(*(like(sql, "_" * at + part + "%") for part in parts))


def _to_duration(r: Renderer, node: Call) -> Sql:
    """The sum of the parts, which are rows, in nanoseconds."""
    sql = r.node(node.args[0])
    name, part, total = r.fresh_name("t"), r.fresh_name("p"), r.fresh_name("v")
    expression = exp.Paren(this=exp.column(part, table=name))
    count, unit = (exp.Bracket(this=expression, expressions=[number_literal(at)], offset=1) for at in (1, 2))
    added = call("COALESCE", call("SUM", binary(exp.Mul, numeric(count), durations.nanoseconds(unit))), 0)
    rows = exp.Table(
        this=call("REGEXP_MATCHES", sql, "([0-9.]+)([a-z]+)", "g"),
        alias=exp.TableAlias(this=exp.to_identifier(name), columns=[exp.to_identifier(part)]),
    )
    inner = select(exp.alias_(added, total, copy=False), rows).subquery(r.fresh_name("t"), copy=False)
    nanos = exp.column(total)
    micros = case((durations.fits_duration(nanos), cast(call("DIV", nanos, 1000), "BIGINT")))
    result = value_of(durations.signed(sql, micros), inner)
    return case((rlike(sql, DURATION_PATTERN), result))


def text_to_date(r: Renderer, sql: Sql) -> Sql:
    """A string as a date; NULL if it is not a date of the years 1 to 9999."""

    def build(one: Sql) -> Sql:
        value = cast(one, "DATE")
        common = and_(like(one, "____-__-__"), *_common_day(one), not_(rlike(one, "[^-0-9]")))
        return case((common, value), (rlike(one, DATE_PATTERN), value))

    return let_unless_column(r, sql, build)


def _of_text(convert: Callable[[Renderer, Sql], Sql]) -> Rule:
    return lambda r, node: convert(r, r.node(node.args[0]))


RULES: dict[str, Rule] = {
    "to_int": by_type(
        "BIGINT",
        {
            STRING: _of_text(text_to_int),
            DOUBLE: _double_to_int,
            TIMESTAMP: _seconds,
            BOOLEAN: of(lambda sql: cast(cast(sql, "INT"), "BIGINT")),
        },
    ),
    "to_decimal": decimals.of_numbers(exact_of_number, _to_decimal),
    "to_double": by_type("DOUBLE", {STRING: _of_text(text_to_double)}),
    "to_string": by_type(
        "TEXT",
        {DOUBLE: refuse_double, DURATION: durations.to_string, TIMESTAMP: _moment_text, DATE: _day_text},
    ),
    "to_timestamp": by_type(
        "TIMESTAMPTZ",
        {STRING: _of_text(text_to_timestamp), BIGINT: let_of(_seconds_to_timestamp), DATE: _midnight},
    ),
    "to_duration": _to_duration,
    "to_quantity": quantity(
        lambda sql: rlike(sql, QUANTITY_PATTERN),
        lambda sql, end: like(sql, f"%{end}"),
        # Numerics multiply exactly, and hold any number that the pattern matches.
        lambda digits, power: cast(binary(exp.Mul, cast(digits, "DECIMAL"), power), "DOUBLE"),
    ),
    "to_date": by_type(
        "DATE",
        {
            STRING: _of_text(text_to_date),
            TIMESTAMP: of(lambda sql: cast(exp.Paren(this=between_utc(sql)), "DATE")),
        },
    ),
}
