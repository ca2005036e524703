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
    number_literal,
    or_,
    rlike,
    string_literal,
    try_cast,
    wrap,
)
from predicat.backends.sql.common import decimals, durations
from predicat.backends.sql.common.conversions import (
    cast_to_date,
    cast_to_timestamp,
    quantity,
    to_whole_number,
)
from predicat.backends.sql.renderer import Renderer, let
from predicat.backends.sql.rules import Rule
from predicat.backends.sql.spark import calendar
from predicat.backends.sql.spark.calendar import MICROS_OF_DAY
from predicat.diagnostics.messages import backends as say
from predicat.forms.text_casts import text_of
from predicat.ir.nodes import Call
from predicat.ir.types import BIGINT, DOUBLE, DURATION, STRING, TIMESTAMP
from predicat.ir.values import (
    DECIMAL_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    DURATION_PATTERN,
    FIRST_MOMENT,
    LAST_MOMENT,
    MAX_SECONDS,
    MIN_SECONDS,
    QUANTITY_PATTERN,
)


def _shape(pattern: str) -> str:
    """One of the patterns of `ir.values`, exact at both ends: Java's `$` also matches before a last line
    end.
    """
    return pattern.removesuffix("$").replace("^", "\\A", 1) + "\\z"


def _to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return case((_digits(sql), try_cast(sql, "BIGINT")))
    if arg.type == DOUBLE:
        limit = cast("9.223372036854775808E18", "DOUBLE")
        inside = and_(binary(exp.GTE, sql, exp.Neg(this=limit)), binary(exp.LT, sql, limit))
        return case((inside, cast(sql, "BIGINT")))
    if arg.type == TIMESTAMP:
        return call("UNIX_SECONDS", sql)
    return cast(sql, "BIGINT")


def _to_double(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type != STRING:
        return cast(sql, "DOUBLE")
    short = binary(exp.LTE, call("OCTET_LENGTH", sql), DOUBLE_LONGEST)
    # NULL for a number beyond the doubles, which TRY_CAST takes for infinity: only of infinity is the
    # remainder of infinity NaN.
    value = call("NANVL", binary(exp.Mod, try_cast(sql, "DOUBLE"), cast("Infinity", "DOUBLE")), exp.Null())
    named = exp.In(
        this=wrap(sql),
        expressions=[string_literal("NaN"), string_literal("Infinity"), string_literal("-Infinity")],
    )
    odd = and_(short, rlike(sql, _shape(DOUBLE_PATTERN)))
    return case(
        (and_(short, _decimal(sql), _byte(sql, -1, "9")), value),
        (odd, value),
        (named, try_cast(sql, "DOUBLE")),
    )


def _to_decimal(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    return case((rlike(sql, _shape(DECIMAL_PATTERN)), try_cast(sql, str(node.type))))


def _to_timestamp(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if (text := text_of(node)) is not None:
        return cast_to_timestamp(r, r.node(text), rlike)
    sql = r.node(arg)
    if arg.type == STRING:
        # TRY_CAST knows the days and the hours, but neither a small t nor a small z.
        common = _shaped(sql, "____-_____T_____:_9Z")
        value = try_cast(sql, "TIMESTAMPTZ")
        # An offset may lead out of the years that there are.
        inside = and_(binary(exp.GTE, sql, "0001-01-02"), binary(exp.LT, sql, "9999-12-31"))
        upper = try_cast(call("UPPER", sql), "TIMESTAMPTZ")
        known = between(upper, r.dialect.timestamp(FIRST_MOMENT), r.dialect.timestamp(LAST_MOMENT))
        return case(
            (common, value),
            (and_(inside, rlike(sql, _MOMENT)), value),
            (and_(rlike(sql, f"(?i){_MOMENT}"), or_(inside, known)), upper),
        )
    if arg.type == BIGINT:
        return case((between(sql, MIN_SECONDS, MAX_SECONDS), call("TIMESTAMP_SECONDS", sql)))
    return call("TIMESTAMP_MICROS", binary(exp.Mul, cast(call("UNIX_DATE", sql), "BIGINT"), MICROS_OF_DAY))


def _to_duration(r: Renderer, node: Call) -> Sql:
    """The parts added up as nanoseconds; the types are such that Spark neither rounds nor overflows."""
    sql = r.node(node.args[0])
    total, part = (exp.to_identifier(name, quoted=True) for name in ("__total", "__part"))
    one, sum_ = exp.Column(this=part), exp.Column(this=total)
    count = try_cast(call("REGEXP_EXTRACT", one, "[0-9.]+", 0), "DECIMAL(24, 9)")
    unit = cast(durations.nanoseconds(call("REGEXP_EXTRACT", one, "[a-z]+", 0)), "DECIMAL(13)")
    more = cast(binary(exp.Mul, count, unit), "DECIMAL(37, 9)")
    added = exp.Lambda(
        this=try_cast(binary(exp.Add, sum_, more), "DECIMAL(37, 9)"), expressions=[total, part]
    )
    micros = case((durations.fits_duration(sum_), exp.IntDiv(this=sum_, expression=number_literal(1000))))
    parts = call("REGEXP_EXTRACT_ALL", sql, durations.PART, 0)
    result = call(
        "AGGREGATE", parts, cast(0, "DECIMAL(37, 9)"), added, exp.Lambda(this=micros, expressions=[total])
    )
    return case((rlike(sql, _shape(DURATION_PATTERN)), durations.signed(sql, result)))


def _to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if (text := text_of(node)) is not None:
        return cast_to_date(r.node(text))
    sql = r.node(arg)
    if arg.type == STRING:
        return case((_shaped(sql, "____-__-_9"), try_cast(sql, "DATE")))
    return calendar.utc_date(sql)


def _digits(sql: Sql) -> Sql:
    """Whether a text of at most 20 bytes starts with a minus, a point, a slash or a digit, and ends with a
    digit.

    Casts to numbers take spaces and controls around the number, and a plus.
    """
    first = and_(binary(exp.GTE, sql, "-"), binary(exp.LT, sql, ":"))
    return and_(first, binary(exp.LTE, call("OCTET_LENGTH", sql), 20), _byte(sql, -1, "9"))


def _decimal(sql: Sql) -> Sql:
    """Whether a text starts as a decimal number does: not with a space, a plus, or as hexadecimal digits
    do ('0x', '-0X').
    """

    def compared(kind: type[exp.Binary], other: str) -> Sql:
        return binary(kind, sql, other)

    minus = or_(and_(compared(exp.GTE, "-"), compared(exp.LT, "-0F")), compared(exp.GTE, "-1"))
    return or_(and_(compared(exp.LT, "0F"), or_(compared(exp.GTE, "."), minus)), compared(exp.GTE, "1"))


def _shaped(sql: Sql, shape: str) -> Sql:
    """Whether a text from '0001' on has this length in bytes, and these bytes where the shape has no
    underscore.

    A shape names only the places that leave TRY_CAST no other reading: after '____-' the year has four digits
    and neither sign nor spaces.
    """
    size = binary(exp.EQ, call("OCTET_LENGTH", sql), len(shape))
    places = (_byte(sql, index, byte) for index, byte in enumerate(shape, 1) if byte != "_")
    return and_(size, binary(exp.GTE, sql, "0001"), *places)


def _byte(sql: Sql, index: int, byte: str) -> Sql:
    """Whether a text has a byte at a position; '9' matches any digit. Bytes are not decoded, so this costs an
    eighth of LIKE.
    """
    result = call("SUBSTRING", cast(sql, "BINARY"), index, 1)
    return between(result, _hex("0"), _hex("9")) if byte == "9" else binary(exp.EQ, result, _hex(byte))


def _hex(byte: str) -> Sql:
    return exp.HexString(this=f"{ord(byte):X}")


_MOMENT = (
    r"\A(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:[.][0-9]{1,9})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])\z"
)


def _to_string(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if arg.type == DOUBLE:
        raise r.refuse(node, say.DOUBLES_AS_TEXT)
    sql = r.node(arg)
    if arg.type == DURATION:
        return let(r, sql, durations.duration_text)
    if arg.type == TIMESTAMP:
        return let(r, call("UNIX_MICROS", sql), _moment_text)
    return cast(sql, "STRING")


def _moment_text(micros: Sql) -> Sql:
    # DATE_FORMAT would read the wall clock in the session's time zone, which may lack that hour.
    clock = call("SUBSTRING", call("REPLACE", cast(calendar.wall_clock(micros), "STRING"), " ", "T"), 1, 19)
    return durations.concatenate(
        clock, durations.fraction(call("PMOD", micros, 1_000_000)), string_literal("Z")
    )


RULES: dict[str, Rule] = {
    "to_int": _to_int,
    "to_whole": to_whole_number("RINT"),
    "to_decimal": decimals.of_numbers(decimals.converted, _to_decimal),
    "to_double": _to_double,
    "to_string": _to_string,
    "to_timestamp": _to_timestamp,
    "to_duration": _to_duration,
    "to_quantity": quantity(
        lambda sql: rlike(sql, _shape(QUANTITY_PATTERN)),
        lambda sql, end: call("ENDSWITH", sql, end),
        lambda digits, power: binary(exp.Mul, try_cast(digits, "DOUBLE"), power),
    ),
    "to_date": _to_date,
}
