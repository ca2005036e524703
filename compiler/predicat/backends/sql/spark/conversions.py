"""Spark: conversions between types."""

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
    or_,
    rlike,
    string_literal,
    try_cast,
    variable,
)
from predicat.backends.sql.common import decimals, durations
from predicat.backends.sql.common.conversions import (
    by_type,
    cast_to_date,
    cast_to_timestamp,
    is_special,
    let_of,
    of,
    quantity,
    refuse_double,
    text_to_decimal,
    to_whole_number,
)
from predicat.backends.sql.renderer import Renderer, Rule, function
from predicat.backends.sql.spark import calendar
from predicat.forms.text_casts import text_of
from predicat.ir.nodes import Call
from predicat.ir.types import BIGINT, DATE, DOUBLE, DURATION, STRING, TIMESTAMP
from predicat.ir.values import (
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    DURATION_PATTERN,
    FIRST_MOMENT,
    LAST_MOMENT,
    MAX_SECONDS,
    MIN_SECONDS,
    QUANTITY_PATTERN,
)


def _fits(sql: Sql, pattern: str) -> Sql:
    """Whether a string matches a pattern of `ir.values`. Java's `$` also matches before a last line break."""
    return rlike(sql, pattern.removesuffix("$").replace("^", "\\A", 1) + "\\z")


def _text_to_int(sql: Sql) -> Sql:
    return case((_digits(sql), try_cast(sql, "BIGINT")))


def _double_to_int(sql: Sql) -> Sql:
    limit = cast("9.223372036854775808E18", "DOUBLE")
    inside = and_(binary(exp.GTE, sql, exp.Neg(this=limit)), binary(exp.LT, sql, limit))
    return case((inside, cast(sql, "BIGINT")))


def _text_to_double(sql: Sql) -> Sql:
    short = binary(exp.LTE, call("OCTET_LENGTH", sql), DOUBLE_LONGEST)
    # NULL for a number that overflows: TRY_CAST turns it into infinity, and infinity modulo infinity is NaN.
    value = call("NANVL", binary(exp.Mod, try_cast(sql, "DOUBLE"), cast("Infinity", "DOUBLE")), exp.Null())
    return case(
        (and_(short, _decimal(sql), _byte(sql, -1, "9")), value),
        (and_(short, _fits(sql, DOUBLE_PATTERN)), value),
        (is_special(sql), try_cast(sql, "DOUBLE")),
    )


def _text_to_timestamp(r: Renderer, node: Call) -> Sql:
    if (text := text_of(node)) is not None:
        return cast_to_timestamp(r, r.node(text), rlike)
    sql = r.node(node.args[0])
    # TRY_CAST checks days and hours, but does not support a lower-case t or z.
    common = _shaped(sql, "____-_____T_____:_9Z")
    value = try_cast(sql, "TIMESTAMPTZ")
    # An offset may leave the supported years.
    inside = and_(binary(exp.GTE, sql, "0001-01-02"), binary(exp.LT, sql, "9999-12-31"))
    upper = try_cast(call("UPPER", sql), "TIMESTAMPTZ")
    known = between(upper, r.dialect.timestamp(FIRST_MOMENT), r.dialect.timestamp(LAST_MOMENT))
    return case(
        (common, value),
        (and_(inside, rlike(sql, _MOMENT)), value),
        (and_(rlike(sql, f"(?i){_MOMENT}"), or_(inside, known)), upper),
    )


def _seconds_to_timestamp(sql: Sql) -> Sql:
    return case((between(sql, MIN_SECONDS, MAX_SECONDS), call("TIMESTAMP_SECONDS", sql)))


def _to_duration(sql: Sql) -> Sql:
    """A string as a duration: the sum of its parts in nanoseconds, in types that Spark neither rounds nor
    overflows. NULL if it is not a duration or too long.
    """
    part, total = variable("__part"), variable("__total")
    count = try_cast(call("REGEXP_EXTRACT", part, "[0-9.]+", 0), "DECIMAL(24, 9)")
    unit = cast(durations.nanoseconds(call("REGEXP_EXTRACT", part, "[a-z]+", 0)), "DECIMAL(13)")
    more = cast(binary(exp.Mul, count, unit), "DECIMAL(37, 9)")
    added = lambda_(try_cast(binary(exp.Add, total, more), "DECIMAL(37, 9)"), "__total", "__part")
    micros = lambda_(case((durations.fits_duration(total), binary(exp.IntDiv, total, 1000))), "__total")
    parts = call("REGEXP_EXTRACT_ALL", sql, durations.PART, 0)
    result = call("AGGREGATE", parts, cast(0, "DECIMAL(37, 9)"), added, micros)
    return case((_fits(sql, DURATION_PATTERN), durations.signed(sql, result)))


def _text_to_date(r: Renderer, node: Call) -> Sql:
    if (text := text_of(node)) is not None:
        return cast_to_date(r.node(text))
    sql = r.node(node.args[0])
    return case((_shaped(sql, "____-__-_9"), try_cast(sql, "DATE")))


def _digits(sql: Sql) -> Sql:
    """Whether a string of at most 20 bytes starts with a minus, a point, a slash or a digit, and ends with a
    digit.

    Casts to numbers also accept a plus, and spaces and control characters around the number.
    """
    first = and_(binary(exp.GTE, sql, "-"), binary(exp.LT, sql, ":"))
    return and_(first, binary(exp.LTE, call("OCTET_LENGTH", sql), 20), _byte(sql, -1, "9"))


def _decimal(sql: Sql) -> Sql:
    """Whether the start of a string may be that of a decimal number: no space, no plus, and no hexadecimal
    prefix ('0x', '-0X').
    """

    def compared(kind: type[exp.Binary], other: str) -> Sql:
        return binary(kind, sql, other)

    minus = or_(and_(compared(exp.GTE, "-"), compared(exp.LT, "-0F")), compared(exp.GTE, "-1"))
    return or_(and_(compared(exp.LT, "0F"), or_(compared(exp.GTE, "."), minus)), compared(exp.GTE, "1"))


def _shaped(sql: Sql, shape: str) -> Sql:
    """Whether a string is at least '0001' and has the length of the shape in bytes, and its bytes except at
    underscores.

    A shape contains only the bytes that exclude other formats of TRY_CAST: with '____-' the year has four
    digits, and no sign or spaces.
    """
    size = binary(exp.EQ, call("OCTET_LENGTH", sql), len(shape))
    places = (_byte(sql, index, byte) for index, byte in enumerate(shape, 1) if byte != "_")
    return and_(size, binary(exp.GTE, sql, "0001"), *places)


def _byte(sql: Sql, index: int, byte: str) -> Sql:
    """Whether a string has a byte at a position; '9' matches any digit. Bytes are not decoded, so this costs
    an eighth of LIKE.
    """
    result = call("SUBSTRING", cast(sql, "BINARY"), index, 1)
    return between(result, _hex("0"), _hex("9")) if byte == "9" else binary(exp.EQ, result, _hex(byte))


def _hex(byte: str) -> Sql:
    return exp.HexString(this=f"{ord(byte):X}")


_MOMENT = (
    r"\A(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:[.][0-9]{1,9})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])\z"
)


def _moment_text(micros: Sql) -> Sql:
    # DATE_FORMAT would read the wall clock in the session's time zone, which may skip that hour.
    clock = call("SUBSTRING", call("REPLACE", cast(calendar.wall_clock(micros), "STRING"), " ", "T"), 1, 19)
    return durations.concatenate(
        clock, durations.fraction(call("PMOD", micros, 1_000_000)), string_literal("Z")
    )


RULES: dict[str, Rule] = {
    "to_int": by_type(
        "BIGINT", {STRING: of(_text_to_int), DOUBLE: of(_double_to_int), TIMESTAMP: function("UNIX_SECONDS")}
    ),
    "to_whole": to_whole_number("RINT"),
    "to_decimal": decimals.of_numbers(decimals.converted, text_to_decimal(_fits)),
    "to_double": by_type("DOUBLE", {STRING: of(_text_to_double)}),
    "to_string": by_type(
        "STRING",
        {
            DOUBLE: refuse_double,
            DURATION: let_of(durations.duration_text),
            TIMESTAMP: let_of(_moment_text, calendar.micros),
        },
    ),
    "to_timestamp": by_type(
        "TIMESTAMPTZ",
        {STRING: _text_to_timestamp, BIGINT: of(_seconds_to_timestamp), DATE: of(calendar.midnight)},
    ),
    "to_duration": of(_to_duration),
    "to_quantity": quantity(
        lambda sql: _fits(sql, QUANTITY_PATTERN),
        lambda sql, end: call("ENDSWITH", sql, end),
        lambda digits, power: binary(exp.Mul, try_cast(digits, "DOUBLE"), power),
    ),
    "to_date": by_type("DATE", {STRING: _text_to_date, TIMESTAMP: of(calendar.utc_date)}),
}
