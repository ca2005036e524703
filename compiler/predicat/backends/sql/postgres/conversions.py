"""PostgreSQL: conversions between types."""

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
    like,
    not_,
    number_literal,
    or_,
    rlike,
    string_literal,
    wrap,
)
from predicat.backends.sql.common import decimals, durations
from predicat.backends.sql.common.conversions import quantity
from predicat.backends.sql.common.times import between_utc
from predicat.backends.sql.postgres import ranges, times
from predicat.backends.sql.postgres.numbers import (
    bigint_or_null,
    exact_of_number,
    ieee,
    let_unless_column,
    nearest,
)
from predicat.backends.sql.postgres.ranges import numeric
from predicat.backends.sql.renderer import Renderer, let
from predicat.backends.sql.rules import Rule
from predicat.diagnostics.messages import backends as say
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
    """A text as BIGINT; NULL if it is not an integer or does not fit."""

    def build(one: Sql) -> Sql:
        value = cast(one, "BIGINT")
        return case(
            (_numeral(one, 18, ""), value),
            (_numeral(one, 18, "-"), value),
            (rlike(one, INT_PATTERN), bigint_or_null(r, numeric(one))),
        )

    return let(r, sql, build)


def _numeral(sql: Sql, longest: int, *rests: str) -> Sql:
    """Whether a text is at most so long, has a digit, and leaves one of these without its digits: a minus,
    which is in front, and a point.

    That costs a quarter of a pattern.
    """
    size = between(call("OCTET_LENGTH", sql), 1, longest)
    rest = call("TRANSLATE", sql, "0123456789", "")
    digits = (
        [binary(exp.EQ, rest, rests[0])]
        if len(rests) == 1
        else [exp.In(this=rest, expressions=list(map(string_literal, rests)))]
    )
    alone = [binary(exp.NEQ, sql, name) for name in rests if name]
    return and_(size, *digits, *alone, *([like(sql, string_literal("-%"))] if rests[0] == "-" else []))


def to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if arg.type == TIMESTAMP:
        return cast(
            call(
                "FLOOR", exp.Extract(this=exp.Var(this="EPOCH"), expression=times.in_supported_years(r, arg))
            ),
            "BIGINT",
        )
    if ranges.is_part(arg, DOUBLE):
        return ranges.doubles(r, arg, lambda leaves: let(r, ieee(r, arg, leaves), _cut), 18, then=_truncated)
    sql = r.node(arg)
    if arg.type == STRING:
        return text_to_int(r, sql)
    if arg.type == DOUBLE:
        return let(r, sql, _cut)
    if arg.type == BOOLEAN:
        return cast(cast(sql, "INT"), "BIGINT")
    return cast(sql, "BIGINT")


def _cut(sql: Sql) -> Sql:
    """A double without its decimals, or NULL where that does not fit."""
    limit = cast("9223372036854775808", "DOUBLE")
    inside = and_(binary(exp.GTE, sql, exp.Neg(this=limit)), binary(exp.LT, sql, limit))
    return case((inside, _truncated(cast(sql, "DOUBLE"))))


def _truncated(sql: Sql) -> Sql:
    return cast(call("TRUNC", sql), "BIGINT")


def text_to_double(r: Renderer, sql: Sql) -> Sql:
    """A text as a double; NULL if it is not a number, or too large for a double."""

    def build(one: Sql) -> Sql:
        # NUMERIC ends at 131,072 digits. An exponent from 1,000 on leaves zero, or nothing.
        far = rlike(one, "[eE][+-]?0*[1-9][0-9]{3}")
        vanishes = rlike(one, "[eE]-|^[+-]?[0.]+[eE]")
        converted = case((far, case((vanishes, cast(0, "DOUBLE")))), *nearest(numeric(one)))
        words = exp.In(
            this=wrap(one),
            expressions=[string_literal("NaN"), string_literal("Infinity"), string_literal("-Infinity")],
        )
        short = binary(exp.LTE, call("OCTET_LENGTH", one), DOUBLE_LONGEST)
        # So short, it is neither infinite nor vanishes.
        plain = [(_numeral(one, 300, *rests), cast(one, "DOUBLE")) for rests in (("", "."), ("-", "-."))]
        return case(
            *plain, (and_(short, rlike(one, DOUBLE_PATTERN)), converted), (words, cast(one, "DOUBLE"))
        )

    return let(r, sql, build)


_STORED = "^-?[0-9]{1,40}([.][0-9]{1,100})?$"
"""A decimal as a JSON value has it."""


def text_to_decimal(r: Renderer, sql: Sql, kind: DecimalType, pattern: str = _STORED) -> Sql:
    """A text as a column of decimals holds it: rounded, and nothing where it has too many digits."""

    def build(one: Sql) -> Sql:
        rounded = call("ROUND", numeric(one), kind.scale)
        within = binary(
            exp.LT, call("ABS", rounded), number_literal(f"1{'0' * (kind.precision - kind.scale)}")
        )
        return case((rlike(one, pattern), case((within, rounded))))

    return let(r, sql, build)


def to_decimal(r: Renderer, node: Call) -> Sql:
    kind = node.type if isinstance(node.type, DecimalType) else DecimalType(MAX_PRECISION, 0)
    sql = r.node(node.args[0])
    # A constant is read as the type that it is cast to, wherever it stands.
    text = cast(sql, "TEXT") if isinstance(node.args[0], Literal) else sql
    return text_to_decimal(r, text, kind, DECIMAL_PATTERN)


def to_double(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    return text_to_double(r, sql) if arg.type == STRING else cast(sql, "DOUBLE")


def to_string(r: Renderer, node: Call) -> Sql:
    if node.args[0].type == DOUBLE:
        raise r.refuse(node, say.DOUBLES_AS_TEXT)
    sql = r.node(node.args[0])
    if node.args[0].type == DURATION:
        return let(r, cast(sql, "BIGINT"), durations.duration_text)
    if node.args[0].type == TIMESTAMP:
        clock = call(
            "TO_CHAR", between_utc(times.in_supported_years(r, node.args[0])), 'YYYY-MM-DD"T"HH24:MI:SS'
        )
        micros = cast(exp.Extract(this=exp.Var(this="MICROSECONDS"), expression=sql), "BIGINT")
        return durations.concatenate(
            clock, durations.fraction(durations.remainder_of(micros, 1_000_000)), string_literal("Z")
        )
    if node.args[0].type == DATE:
        return call("TO_CHAR", cast(times.in_supported_years(r, node.args[0]), "TIMESTAMP"), "YYYY-MM-DD")
    return cast(sql, "TEXT")


def to_timestamp(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return text_to_timestamp(r, sql)
    if arg.type == BIGINT:
        return let(
            r, sql, lambda one: case((between(one, MIN_SECONDS, MAX_SECONDS), times.from_seconds(one)))
        )
    return between_utc(cast(times.in_supported_years(r, arg), "TIMESTAMP"))


def text_to_timestamp(r: Renderer, sql: Sql) -> Sql:
    """A text as a timestamp; NULL if it is not a timestamp of years 1 to 9999."""
    return let_unless_column(r, sql, _text_to_timestamp)


# Lookaheads, counts and leap years make a pattern three times as slow.
_MOMENT = (
    "^[0-9]+-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]+)?"
    "(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$"
)


def _text_to_timestamp(one: Sql) -> Sql:
    # PostgreSQL rounds to microseconds; the meaning is to cut. An offset may lead out of the years that there
    # are.
    cut = cast(call("REGEXP_REPLACE", one, "([.][0-9]{6})[0-9]+", "\\1"), "TIMESTAMPTZ")
    short = binary(exp.LTE, call("OCTET_LENGTH", one), 27)  # at most microseconds
    years = and_(
        like(one, string_literal("____-__-__%")),
        *(not_(like(one, string_literal(first))) for first in ("0000%", "0001-01-01%")),
    )
    general = case((times.is_in_supported_years(TIMESTAMP, cut), cut))
    value = cast(one, "TIMESTAMPTZ")
    return case(
        (_common_moment(one), value),
        (and_(short, years, rlike(one, _MOMENT)), value),
        (rlike(one, TIMESTAMP_PATTERN), general),
    )


def _common_moment(sql: Sql) -> Sql:
    """Whether a text is a moment of the first 28 days of a month in whole seconds of UTC, by tests that
    cost a tenth of a pattern each.
    """
    once_each = (not_(like(sql, string_literal(f"%{sign}%{sign}%"))) for sign in "TZ")
    clock = and_(
        _one_of(sql, 11, "0", "1", "20", "21", "22", "23"), not_(like(sql, string_literal("%:%:%:%")))
    )
    others = not_(rlike(sql, "[^-0-9:TZ]|:[6-9]"))
    return and_(
        like(sql, string_literal("____-__-__T__:__:__Z")), *_common_day(sql), clock, *once_each, others
    )


def _common_day(sql: Sql) -> tuple[Sql, ...]:
    """What holds of the first 28 days of a month, in a text of digits and dashes in their places."""
    month = and_(_one_of(sql, 5, "0", "10", "11", "12"), not_(_one_of(sql, 5, "00")))
    day = and_(_one_of(sql, 8, "0", "1", "2"), not_(_one_of(sql, 8, "00", "29")))
    return (*(not_(like(sql, string_literal(pattern))) for pattern in ("0000%", "%-%-%-%")), month, day)


def _one_of(sql: Sql, at: int, *parts: str) -> Sql:
    return or_(*(like(sql, string_literal("_" * at + part + "%")) for part in parts))


def to_duration(r: Renderer, node: Call) -> Sql:
    """The parts, as rows, added up as nanoseconds."""
    sql = r.node(node.args[0])
    table, part, total = r.fresh_name("t"), r.fresh_name("p"), r.fresh_name("v")
    count, unit = (
        exp.Bracket(
            this=exp.Paren(this=exp.column(part, table=table)), expressions=[number_literal(place)], offset=1
        )
        for place in (1, 2)
    )
    added = call("COALESCE", call("SUM", binary(exp.Mul, numeric(count), durations.nanoseconds(unit))), 0)
    rows = exp.Table(
        this=call("REGEXP_MATCHES", sql, "([0-9.]+)([a-z]+)", "g"),
        alias=exp.TableAlias(this=exp.to_identifier(table), columns=[exp.to_identifier(part)]),
    )
    inner = (
        exp.Select(expressions=[exp.alias_(added, total, copy=False)])
        .from_(rows, copy=False)
        .subquery(r.fresh_name("t"), copy=False)
    )
    nanos = exp.column(total)
    micros = case((durations.fits_duration(nanos), cast(call("DIV", nanos, 1000), "BIGINT")))
    result = (
        exp.Select(expressions=[durations.signed(sql, micros)]).from_(inner, copy=False).subquery(copy=False)
    )
    return case((rlike(sql, DURATION_PATTERN), result))


to_quantity = quantity(
    lambda sql: rlike(sql, QUANTITY_PATTERN),
    lambda sql, end: like(sql, string_literal(f"%{end}")),
    lambda digits, power: cast(binary(exp.Mul, cast(digits, "DECIMAL"), power), "DOUBLE"),
)
"""As numerics, which multiply exactly and hold any number of the pattern."""


def to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type != STRING:
        return cast(exp.Paren(this=between_utc(sql)), "DATE")
    return text_to_date(r, sql)


def text_to_date(r: Renderer, sql: Sql) -> Sql:
    """A text as a date; NULL if it is not a date of years 1 to 9999."""

    def build(one: Sql) -> Sql:
        value = cast(one, "DATE")
        common = and_(like(one, string_literal("____-__-__")), *_common_day(one), not_(rlike(one, "[^-0-9]")))
        return case((common, value), (rlike(one, DATE_PATTERN), value))

    return let_unless_column(r, sql, build)


RULES: dict[str, Rule] = {
    "to_int": to_int,
    "to_decimal": decimals.of_numbers(exact_of_number, to_decimal),
    "to_double": to_double,
    "to_string": to_string,
    "to_timestamp": to_timestamp,
    "to_duration": to_duration,
    "to_quantity": to_quantity,
    "to_date": to_date,
}
