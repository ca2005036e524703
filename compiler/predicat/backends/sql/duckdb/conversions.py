"""DuckDB: conversions between types."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    lambda_,
    not_,
    number_literal,
    or_,
    string_literal,
    try_cast,
    variable,
    wrap,
)
from predicat.backends.sql.common import decimals, durations
from predicat.backends.sql.common.conversions import cast_to_date, cast_to_timestamp, quantity
from predicat.backends.sql.common.times import SECOND, between_utc
from predicat.backends.sql.duckdb.calendar import local, micros, try_
from predicat.backends.sql.duckdb.texts import has_pattern
from predicat.backends.sql.duckdb.times import below_a_second, wall
from predicat.backends.sql.renderer import Renderer, let
from predicat.backends.sql.rules import Rule
from predicat.diagnostics.messages import backends as say
from predicat.forms.text_casts import text_of
from predicat.ir.nodes import Call
from predicat.ir.types import BIGINT, DOUBLE, DURATION, STRING, TIMESTAMP
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


def _shape(sql: Sql, pattern: str) -> Sql:
    """One of the patterns of `ir.values`. RE2 has no lookahead, so the year 0000 is tested separately."""
    result = has_pattern(sql, pattern.replace("(?!0000)", ""))
    return and_(result, not_(call("STARTS_WITH", sql, "0000"))) if "(?!0000)" in pattern else result


def _glob(sql: Sql, pattern: str) -> Sql:
    return exp.Glob(this=wrap(sql), expression=string_literal(pattern))


def _only(sql: Sql, characters: str, longest: int) -> Sql:
    """Whether a text has at most `longest` bytes and only these characters, for a cast that accepts more. A
    pattern would take half as long again.
    """
    return and_(binary(exp.LTE, call("STRLEN", sql), longest), not_(_glob(sql, f"*[!{characters}]*")))


def _to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return case((or_(_only(sql, "0-9", 20), _shape(sql, INT_PATTERN)), try_cast(sql, "BIGINT")))
    if arg.type == DOUBLE:
        return try_cast(call("TRUNC", sql), "BIGINT")
    if arg.type == TIMESTAMP:
        return _floor_seconds(sql)
    return cast(sql, "BIGINT")


def _floor_seconds(sql: Sql) -> Sql:
    return binary(exp.IntDiv, binary(exp.Sub, micros(sql), below_a_second(sql)), number_literal(SECOND))


def _to_double(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type != STRING:
        return cast(sql, "DOUBLE")
    value = call(
        "NULLIF",
        call("NULLIF", try_cast(sql, "DOUBLE"), cast("Infinity", "DOUBLE")),
        cast("-Infinity", "DOUBLE"),
    )
    named = exp.In(
        this=wrap(sql),
        expressions=[string_literal("NaN"), string_literal("Infinity"), string_literal("-Infinity")],
    )
    short = binary(exp.LTE, call("STRLEN", sql), DOUBLE_LONGEST)
    # Three hundred digits are not infinite yet.
    plain = (_only(sql, "0-9.", 300), try_cast(sql, "DOUBLE"))
    return case(plain, (and_(short, _shape(sql, DOUBLE_PATTERN)), value), (named, try_cast(sql, "DOUBLE")))


def _to_decimal(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    return case((_shape(sql, DECIMAL_PATTERN), try_cast(sql, str(node.type))))


def _to_string(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if arg.type == DOUBLE:
        raise r.refuse(node, say.DOUBLES_AS_TEXT)
    sql = r.node(arg)
    if arg.type == DURATION:
        return let(r, cast(sql, "BIGINT"), durations.duration_text)
    if arg.type == TIMESTAMP:
        clock = call("STRFTIME", wall(r, node), "%Y-%m-%dT%H:%M:%S")
        return durations.concatenate(clock, durations.fraction(below_a_second(sql)), string_literal("Z"))
    return cast(sql, "TEXT")


def _to_timestamp(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if (text := text_of(node)) is not None:
        return cast_to_timestamp(r, r.node(text), has_pattern)
    sql = r.node(arg)
    if arg.type == STRING:
        value = try_cast(call("UPPER", sql), "TIMESTAMPTZ")
        low, high = number_literal(MIN_SECONDS * SECOND), number_literal(MAX_SECONDS * SECOND + 999_999)
        common = and_(
            _glob(sql, "????-??-??T[0-9]?:??:?[0-9]Z"),
            not_(_glob(sql, "*T24*")),
            binary(exp.GTE, sql, "0001"),
        )
        general = and_(_shape(sql, TIMESTAMP_PATTERN), between(micros(value), low, high))
        return case((common, try_cast(sql, "TIMESTAMPTZ")), (general, value))
    if arg.type == BIGINT:
        inside = between(sql, MIN_SECONDS, MAX_SECONDS)
        return case(
            (inside, between_utc(call("MAKE_TIMESTAMP", try_(binary(exp.Mul, cast(sql, "BIGINT"), SECOND)))))
        )
    return between_utc(cast(sql, "TIMESTAMP"))


def _to_duration(r: Renderer, node: Call) -> Sql:
    """The parts added up as nanoseconds, which decimals of 38 digits hold exactly."""
    sql = r.node(node.args[0])
    part = variable("__part")
    count = try_cast(call("REGEXP_EXTRACT", part, "[0-9.]+"), "DECIMAL(24, 9)")
    unit = cast(durations.nanoseconds(call("REGEXP_EXTRACT", part, "[a-z]+")), "DECIMAL(13)")
    each = call(
        "LIST_TRANSFORM",
        call("REGEXP_EXTRACT_ALL", sql, durations.PART),
        lambda_(binary(exp.Mul, count, unit), "__part"),
    )
    total = call("COALESCE", call("LIST_SUM", each), 0)
    micros = let(
        r,
        try_cast(call("FLOOR", total), "HUGEINT"),
        lambda nanos: case(
            (
                durations.fits_duration(nanos),
                try_cast(binary(exp.IntDiv, nanos, number_literal(1000)), "BIGINT"),
            )
        ),
    )
    return case((_shape(sql, DURATION_PATTERN), durations.signed(sql, micros)))


def _to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if (text := text_of(node)) is not None:
        return cast_to_date(r.node(text))
    sql = r.node(arg)
    if arg.type == STRING:
        common = and_(_glob(sql, "????-??-?[0-9]"), binary(exp.GTE, sql, "0001"))
        return case((or_(common, _shape(sql, DATE_PATTERN)), try_cast(sql, "DATE")))
    return cast(local(sql), "DATE")


RULES: dict[str, Rule] = {
    "to_int": _to_int,
    "to_decimal": decimals.of_numbers(decimals.by_text, _to_decimal),
    "to_double": _to_double,
    "to_string": _to_string,
    "to_timestamp": _to_timestamp,
    "to_duration": _to_duration,
    "to_quantity": quantity(
        lambda sql: _shape(sql, QUANTITY_PATTERN),
        lambda sql, end: call("ENDS_WITH", sql, end),
        lambda digits, power: binary(exp.Mul, try_cast(digits, "DOUBLE"), cast(power, "DOUBLE")),
    ),
    "to_date": _to_date,
}
