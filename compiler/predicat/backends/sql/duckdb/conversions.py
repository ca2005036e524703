"""DuckDB: conversions between types."""

from __future__ import annotations

from functools import partial, reduce

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
    lambda_,
    not_,
    or_,
    string_literal,
    try_cast,
    variable,
    wrap,
)
from predicat.backends.sql.common import decimals, durations
from predicat.backends.sql.common.conversions import (
    by_type,
    cast_to_date,
    cast_to_timestamp,
    is_special,
    of,
    quantity,
    refuse_double,
    text_to_decimal,
)
from predicat.backends.sql.common.times import SECOND, is_in_years
from predicat.backends.sql.duckdb.calendar import local, micros, try_
from predicat.backends.sql.duckdb.texts import has_pattern
from predicat.backends.sql.duckdb.times import below_a_second, wall
from predicat.backends.sql.renderer import Renderer, Rule, let
from predicat.forms.text_casts import text_of
from predicat.ir.nodes import Call
from predicat.ir.types import BIGINT, DATE, DOUBLE, DURATION, STRING, TIMESTAMP
from predicat.ir.values import (
    DATE_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    DURATION_PATTERN,
    INT_PATTERN,
    MAX_SECONDS,
    MIN_SECONDS,
    QUANTITY_PATTERN,
    TIMESTAMP_PATTERN,
)


def _fits(sql: Sql, pattern: str) -> Sql:
    """One of the patterns of `ir.values`. RE2 has no lookahead, so the year 0000 is tested separately."""
    result = has_pattern(sql, pattern.replace("(?!0000)", ""))
    return and_(result, not_(call("STARTS_WITH", sql, "0000"))) if "(?!0000)" in pattern else result


def _glob(sql: Sql, pattern: str) -> Sql:
    return exp.Glob(this=wrap(sql), expression=string_literal(pattern))


def _only(sql: Sql, characters: str, longest: int) -> Sql:
    """Whether a string has at most `longest` bytes and only these characters, for a cast that accepts more.
    This takes two thirds of the time of a regular expression.
    """
    return and_(binary(exp.LTE, call("STRLEN", sql), longest), not_(_glob(sql, f"*[!{characters}]*")))


def _text_to_int(sql: Sql) -> Sql:
    return case((or_(_only(sql, "0-9", 20), _fits(sql, INT_PATTERN)), try_cast(sql, "BIGINT")))


def _whole_seconds(moment: Sql) -> Sql:
    return binary(exp.IntDiv, binary(exp.Sub, micros(moment), below_a_second(moment)), SECOND)


def _text_to_double(sql: Sql) -> Sql:
    value = try_cast(sql, "DOUBLE")
    finite = reduce(partial(call, "NULLIF"), (value, cast("Infinity", "DOUBLE"), cast("-Infinity", "DOUBLE")))
    short = binary(exp.LTE, call("STRLEN", sql), DOUBLE_LONGEST)
    return case(
        (_only(sql, "0-9.", 300), value),  # three hundred digits are not infinite yet
        (and_(short, _fits(sql, DOUBLE_PATTERN)), finite),
        (is_special(sql), value),
    )


def _moment_text(r: Renderer, node: Call) -> Sql:
    clock = call("STRFTIME", wall(r, node), "%Y-%m-%dT%H:%M:%S")
    return durations.concatenate(clock, durations.fraction(below_a_second(r.node(node.args[0]))), "Z")


def _text_to_timestamp(r: Renderer, node: Call) -> Sql:
    if (text := text_of(node)) is not None:
        return cast_to_timestamp(r, r.node(text), has_pattern)
    sql = r.node(node.args[0])
    value = try_cast(call("UPPER", sql), "TIMESTAMPTZ")
    common = and_(
        _glob(sql, "????-??-??T[0-9]?:??:?[0-9]Z"), not_(_glob(sql, "*T24*")), binary(exp.GTE, sql, "0001")
    )
    general = and_(_fits(sql, TIMESTAMP_PATTERN), is_in_years(micros(value)))
    return case((common, try_cast(sql, "TIMESTAMPTZ")), (general, value))


def _seconds_to_timestamp(sql: Sql) -> Sql:
    moment = call("MAKE_TIMESTAMP", try_(binary(exp.Mul, cast(sql, "BIGINT"), SECOND)))
    return case((between(sql, MIN_SECONDS, MAX_SECONDS), between_utc(moment)))


def _to_duration(r: Renderer, node: Call) -> Sql:
    """The sum of the parts in nanoseconds, exact as a decimal of 38 digits."""
    sql, part = r.node(node.args[0]), variable("__part")
    count = try_cast(call("REGEXP_EXTRACT", part, "[0-9.]+"), "DECIMAL(24, 9)")
    unit = cast(durations.nanoseconds(call("REGEXP_EXTRACT", part, "[a-z]+")), "DECIMAL(13)")
    parts = call("REGEXP_EXTRACT_ALL", sql, durations.PART)
    each = call("LIST_TRANSFORM", parts, lambda_(binary(exp.Mul, count, unit), "__part"))
    total = try_cast(call("FLOOR", call("COALESCE", call("LIST_SUM", each), 0)), "HUGEINT")
    return case((_fits(sql, DURATION_PATTERN), durations.signed(sql, let(r, total, _nanos_to_micros))))


def _nanos_to_micros(nanos: Sql) -> Sql:
    return case((durations.fits_duration(nanos), try_cast(binary(exp.IntDiv, nanos, 1000), "BIGINT")))


def _text_to_date(r: Renderer, node: Call) -> Sql:
    if (text := text_of(node)) is not None:
        return cast_to_date(r.node(text))
    sql = r.node(node.args[0])
    common = and_(_glob(sql, "????-??-?[0-9]"), binary(exp.GTE, sql, "0001"))
    return case((or_(common, _fits(sql, DATE_PATTERN)), try_cast(sql, "DATE")))


RULES: dict[str, Rule] = {
    "to_int": by_type(
        "BIGINT",
        {
            STRING: of(_text_to_int),
            DOUBLE: of(lambda sql: try_cast(call("TRUNC", sql), "BIGINT")),
            TIMESTAMP: of(_whole_seconds),
        },
    ),
    "to_decimal": decimals.of_numbers(decimals.by_text, text_to_decimal(_fits)),
    "to_double": by_type("DOUBLE", {STRING: of(_text_to_double)}),
    "to_string": by_type(
        "TEXT", {DOUBLE: refuse_double, DURATION: durations.to_string, TIMESTAMP: _moment_text}
    ),
    "to_timestamp": by_type(
        "TIMESTAMPTZ",
        {
            STRING: _text_to_timestamp,
            BIGINT: of(_seconds_to_timestamp),
            DATE: of(lambda day: between_utc(cast(day, "TIMESTAMP"))),
        },
    ),
    "to_duration": _to_duration,
    "to_quantity": quantity(
        lambda sql: _fits(sql, QUANTITY_PATTERN),
        lambda sql, end: call("ENDS_WITH", sql, end),
        lambda digits, power: binary(exp.Mul, try_cast(digits, "DOUBLE"), cast(power, "DOUBLE")),
    ),
    "to_date": by_type("DATE", {STRING: _text_to_date, TIMESTAMP: of(lambda sql: cast(local(sql), "DATE"))}),
}
