"""PostgreSQL: conversions between types."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql import durations
from predicat.backends.sql.base import Renderer, Sql, between, binary, both, case, cast, fn, number, once, rlike, text, wrap
from predicat.backends.sql.postgres import plain, times
from predicat.backends.sql.postgres.numbers import ieee, in_range
from predicat.backends.sql.postgres.plain import numeric
from predicat.backends.sql.postgres.texts import shape
from predicat.ir.nodes import Call
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, DURATION, STRING, TIMESTAMP
from predicat.ir.values import (
    DATE_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    DURATION_PATTERN,
    INT_PATTERN,
    MAX_SECONDS,
    MIN_SECONDS,
    TIMESTAMP_PATTERN,
)


def text_to_int(r: Renderer, sql: Sql) -> Sql:
    return once(r, sql, lambda one: case((rlike(one, shape(INT_PATTERN)), in_range(r, numeric(one.copy())))))


def to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return text_to_int(r, sql)
    if arg.type == DOUBLE:
        if isinstance(arg, Call) and plain.is_part(arg, DOUBLE):
            return plain.doubles(r, arg, lambda leaves: once(r, ieee(r, arg, leaves), _cut), 18, then=_truncated)
        return once(r, sql, _cut)
    if arg.type == TIMESTAMP:
        return cast(fn("FLOOR", exp.Extract(this=exp.Var(this="EPOCH"), expression=times.known(r, arg))), "BIGINT")
    if arg.type == BOOLEAN:
        return cast(cast(sql, "INT"), "BIGINT")
    return cast(sql, "BIGINT")


def _cut(sql: Sql) -> Sql:
    """A double without its decimals, or NULL where that does not fit."""
    limit = cast(text("9223372036854775808"), "DOUBLE")
    inside = both(binary(exp.GTE, sql, exp.Neg(this=limit)), binary(exp.LT, sql.copy(), limit.copy()))
    return case((inside, _truncated(cast(sql.copy(), "DOUBLE"))))


def _truncated(sql: Sql) -> Sql:
    return cast(fn("TRUNC", sql), "BIGINT")


def text_to_double(r: Renderer, sql: Sql) -> Sql:
    def build(one: Sql) -> Sql:
        value = numeric(one.copy())
        size = fn("ABS", value)
        tiny = binary(exp.LT, size, number("2.4703282292062328e-324"))
        fits = binary(exp.LT, size.copy(), number("1.7976931348623158e308"))
        zero = cast(number(0), "DOUBLE")
        # NUMERIC ends at 131,072 digits. An exponent from 1,000 on leaves zero, or nothing.
        far = rlike(one.copy(), "[eE][+-]?0*[1-9][0-9]{3}")
        vanishes = rlike(one.copy(), "[eE]-|^[+-]?[0.]+[eE]")
        converted = case((far, case((vanishes, zero))), (tiny, zero.copy()), (fits, cast(value.copy(), "DOUBLE")))
        named = exp.In(this=wrap(one.copy()), expressions=[text("NaN"), text("Infinity"), text("-Infinity")])
        short = binary(exp.LTE, fn("OCTET_LENGTH", one), number(DOUBLE_LONGEST))
        return case((both(short, rlike(one.copy(), shape(DOUBLE_PATTERN))), converted), (named, cast(one.copy(), "DOUBLE")))

    return once(r, sql, build)


def to_double(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    return text_to_double(r, sql) if arg.type == STRING else cast(sql, "DOUBLE")


def to_string(r: Renderer, node: Call) -> Sql:
    if node.args[0].type == DOUBLE:
        raise r.refuse(node, "the engines write a double differently")
    sql = r.node(node.args[0])
    if node.args[0].type == DURATION:
        return once(r, cast(sql, "BIGINT"), durations.duration_text)
    if node.args[0].type == TIMESTAMP:
        clock = fn("TO_CHAR", times.utc(times.known(r, node.args[0])), text('YYYY-MM-DD"T"HH24:MI:SS'))
        micros = cast(exp.Extract(this=exp.Var(this="MICROSECONDS"), expression=sql), "BIGINT")
        return durations.joined(clock, durations.fraction(durations.remainder(micros, 1_000_000)), text("Z"))
    if node.args[0].type == DATE:
        return fn("TO_CHAR", cast(times.known(r, node.args[0]), "TIMESTAMP"), text("YYYY-MM-DD"))
    return cast(sql, "TEXT")


def to_timestamp(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        # PostgreSQL rounds to microseconds; the meaning is to cut.
        cut = fn("REGEXP_REPLACE", sql.copy(), text("([.][0-9]{6})[0-9]+"), text("\\1"))
        return case((rlike(sql, shape(TIMESTAMP_PATTERN)), cast(cut, "TIMESTAMPTZ")))
    if arg.type == BIGINT:
        return once(r, sql, lambda one: case((between(one, number(MIN_SECONDS), number(MAX_SECONDS)), times.of_seconds(one.copy()))))
    return times.utc(cast(times.known(r, arg), "TIMESTAMP"))


def to_duration(r: Renderer, node: Call) -> Sql:
    """The parts, as rows, added up as nanoseconds."""
    sql = r.node(node.args[0])
    table, part, total = r.fresh("t"), r.fresh("p"), r.fresh("v")
    count, unit = (exp.Bracket(this=exp.Paren(this=exp.column(part, table=table)), expressions=[number(place)], offset=1) for place in (1, 2))
    added = fn("COALESCE", fn("SUM", binary(exp.Mul, numeric(count), durations.nanoseconds(unit))), number(0))
    rows = exp.Table(this=fn("REGEXP_MATCHES", sql, text("([0-9.]+)([a-z]+)"), text("g")), alias=exp.TableAlias(
        this=exp.to_identifier(table), columns=[exp.to_identifier(part)]))  # fmt: skip
    inner = exp.Select(expressions=[exp.alias_(added, total)]).from_(rows).subquery(r.fresh("t"))
    nanos = exp.column(total)
    micros = case((durations.short(nanos), cast(fn("DIV", nanos.copy(), number(1000)), "BIGINT")))
    found = exp.Select(expressions=[durations.signed(sql.copy(), micros)]).from_(inner).subquery()
    return case((rlike(sql.copy(), shape(DURATION_PATTERN)), found))


def to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return case((rlike(sql, shape(DATE_PATTERN)), cast(sql.copy(), "DATE")))
    return cast(exp.Paren(this=times.utc(sql)), "DATE")
