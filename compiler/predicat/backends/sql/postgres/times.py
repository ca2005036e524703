"""PostgreSQL: timestamps, dates and durations.

Columns may contain years that a filter does not support, and infinity. Such values can be compared;
calculations with them give NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeGuard

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    and_,
    at_zone,
    between,
    between_utc,
    binary,
    call,
    case,
    cast,
    number_literal,
)
from predicat.backends.sql.common.comparisons import compare
from predicat.backends.sql.common.times import from_zone, is_in_years, is_in_zones
from predicat.backends.sql.postgres import ranges, runtime
from predicat.backends.sql.postgres.ranges import numeric
from predicat.backends.sql.renderer import Renderer, Rule, constant, let, micros
from predicat.ir.nodes import Call, Field, Literal, Node, Parameter
from predicat.ir.operators import TIME_PARTS
from predicat.ir.types import DATE, TIMESTAMP, Type
from predicat.ir.values import FIRST_MOMENT, LAST_MOMENT, UNITS


def timestamp(value: datetime) -> Sql:
    """A constant timestamp, with its offset from UTC."""
    return cast(value.replace(tzinfo=None).isoformat(sep=" ") + "+00", "TIMESTAMPTZ")


def _literal(kind: Type, value: datetime) -> Sql:
    return cast(value.date().isoformat(), "DATE") if kind == DATE else timestamp(value)


def is_in_supported_years(kind: Type, sql: Sql) -> Sql:
    """Whether a timestamp or a date is within years 1 to 9999."""
    return between(sql, _literal(kind, FIRST_MOMENT), _literal(kind, LAST_MOMENT))


def in_supported_years(r: Renderer, node: Node) -> Sql:
    """A timestamp or a date, NULL outside years 1 to 9999."""
    return _only(r, node, lambda moment: is_in_supported_years(node.type, moment))


def _unless_infinite(r: Renderer, node: Node) -> Sql:
    """A timestamp or a date, NULL if it is infinite."""
    return _only(r, node, lambda moment: call("ISFINITE", moment))


def _only(r: Renderer, node: Node, test: Callable[[Sql], Sql]) -> Sql:
    sql = r.node(node)
    return (
        sql
        if isinstance(node, Literal) or is_of_clock(node)
        else let(r, sql, lambda moment: case((test(moment), moment)))
    )


# --- parts


def _wall(r: Renderer, node: Call) -> Sql:
    """The date and the wall clock of a call's timestamp in its time zone, or in UTC."""
    moment = node.args[0]
    if moment.type == DATE:
        return r.node(moment)
    if len(node.args) == 2:
        return at_zone(in_supported_years(r, moment), r.node(node.args[1]))
    return between_utc(r.node(moment))


def part(name: str) -> Rule:
    """A part of a timestamp in UTC or in a time zone; NULL if it is infinite."""

    def rule(r: Renderer, node: Call) -> Sql:
        result: Sql = exp.Extract(this=exp.Var(this=name), expression=_wall(r, node))
        return cast(call("FLOOR", result) if name == "SECOND" else result, "BIGINT")

    return rule


def _year(r: Renderer, node: Call) -> Sql:
    """The year; NULL for infinity, for which PostgreSQL gives infinity (but NULL for smaller parts)."""
    moment = node.args[0]
    if len(node.args) == 2:  # PostgreSQL counts year 0 as -1
        later = exp.Extract(
            this=exp.Var(this="YEAR"),
            expression=binary(exp.Add, _wall(r, node), cast("400 years", "INTERVAL")),
        )
        return cast(binary(exp.Sub, later, 400), "BIGINT")
    known = _unless_infinite(r, moment)
    return cast(
        exp.Extract(
            this=exp.Var(this="YEAR"), expression=known if moment.type == DATE else between_utc(known)
        ),
        "BIGINT",
    )


def _in_zone(r: Renderer, node: Call) -> Sql:
    """The wall clock in a time zone, as a timestamp."""
    moment, zone = node.args
    known = _only(r, moment, lambda one: is_in_zones(r, one))
    return between_utc(at_zone(known, r.node(zone)))


def _millisecond(r: Renderer, node: Call) -> Sql:
    result = exp.Extract(this=exp.Var(this="MILLISECONDS"), expression=_wall(r, node))
    return cast(call("MOD", call("FLOOR", result), 1000), "BIGINT")


def _trunc(r: Renderer, node: Call) -> Sql:
    return between_utc(call("DATE_TRUNC", constant(node.args[0]), between_utc(r.node(node.args[1]))))


# --- the time of day


def _clock(r: Renderer, node: Call) -> Sql:
    return cast(exp.Paren(this=between_utc(r.node(node.args[0]))), "TIME")


def _time_of_day(r: Renderer, node: Call) -> Sql:
    """The microseconds since midnight; NULL if the timestamp is infinite."""
    return cast(_micros(_clock(r, node)), "BIGINT")


def _of_clocks(r: Renderer, op: str, left: Node, right: Node) -> Sql | None:
    """A comparison of times of day with each other or with a constant; None for other values."""
    sides = [_clock_or_constant(r, side) for side in (left, right)]
    one, other = sides
    return binary(COMPARISON_NODES[op], one, other) if one is not None and other is not None else None


def _clock_or_constant(r: Renderer, node: Node) -> Sql | None:
    if isinstance(node, Call) and node.op == "time_of_day":
        return _clock(r, node)
    length = _constant_duration(r, node)
    if length is None or not timedelta(0) <= length < timedelta(days=1):
        return None
    return cast((FIRST_MOMENT + length).time().isoformat(), "TIME")


# --- timestamps and durations


def _micros(sql: Sql) -> Sql:
    """The microseconds of an interval, or of a timestamp since 1970, as an exact numeric."""
    return binary(exp.Mul, exp.Extract(this=exp.Var(this="EPOCH"), expression=sql), 1_000_000)


def difference(r: Renderer, left: Node, right: Node) -> Sql:
    """The microseconds between two timestamps; NULL unless both are within years 1 to 9999."""
    return cast(_micros(interval_between(r, left, right)), "BIGINT")


def interval_between(r: Renderer, left: Node, right: Node) -> Sql:
    """The interval between two timestamps; NULL unless both are within years 1 to 9999."""
    if r.runtime is not None and _is_moment(left) and _is_moment(right):
        return runtime.called("elapsed", r.node(left), r.node(right))
    return exp.Paren(this=binary(exp.Sub, in_supported_years(r, left), in_supported_years(r, right)))


def comparison(op: str) -> Rule:
    """A comparison. A difference of timestamps and a constant are compared as intervals."""

    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if _is_difference(left) and (length := _constant_duration(r, right)) is not None:
            return binary(COMPARISON_NODES[op], interval_between(r, *left.args), _interval(length))
        if _is_difference(right) and (length := _constant_duration(r, left)) is not None:
            return binary(COMPARISON_NODES[op], _interval(length), interval_between(r, *right.args))
        clocks = _of_clocks(r, op, left, right)
        return compare(r, op, left, right) if clocks is None else clocks

    return rule


def _is_moment(node: Node) -> bool:
    """Whether a timestamp is a column, a constant or the current time."""
    return isinstance(node, Field | Literal | Parameter)


def _is_difference(node: Node) -> TypeGuard[Call]:
    return isinstance(node, Call) and node.op == "sub" and node.args[0].type == TIMESTAMP


def _constant_duration(r: Renderer, node: Node) -> timedelta | None:
    return (
        node.value
        if isinstance(node, Literal) and isinstance(node.value, timedelta) and not r.parameterize
        else None
    )


def _interval(length: timedelta) -> Sql:
    """A constant interval, in hours, not in days: the length of a day depends on the session's time zone."""
    size = micros(length)
    seconds, rest = divmod(abs(size), 1_000_000)
    shown = f"{'-' if size < 0 else ''}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return cast(f"{shown}.{rest:06}" if rest else shown, "INTERVAL")


_YEARS = 365 * 86_400_000_000


def shifted(r: Renderer, operator: type[exp.Binary], left: Node, right: Node) -> Sql:
    """A timestamp plus or minus a duration; NULL if it or the result is outside years 1 to 9999."""
    length = _constant_duration(r, right)
    if length is not None and is_of_clock(
        Call(TIMESTAMP, "add" if operator is exp.Add else "sub", (left, right))
    ):
        return binary(operator, r.node(left), _interval(length))
    return let(r, r.node(left), lambda one: _shifted(r, operator, one, right))


def _shifted(r: Renderer, operator: type[exp.Binary], one: Sql, right: Node) -> Sql:
    length = _constant_duration(r, right)
    if length is not None:
        ahead = length if operator is exp.Add else -length
        return _within(one, ahead, TIMESTAMP, binary(operator, one, _interval(length)))

    def build(size: Sql) -> Sql:
        # The product of an interval and a number is exact if it is an integer number of seconds, or below a
        # second.
        parts = [ranges.operation(exp.Div, size, number_literal(1_000_000)), binary(exp.Mod, size, 1_000_000)]
        second, rest = (
            binary(exp.Mul, count, cast(unit, "INTERVAL"))
            for count, unit in zip(parts, ("1 second", "1 microsecond"), strict=True)
        )
        years = between(one, *(timestamp(datetime(year, 1, 1, tzinfo=UTC)) for year in (1000, 9000)))
        near = and_(years, between(size, -999 * _YEARS, 999 * _YEARS))
        total = binary(operator, _micros(case((is_in_supported_years(TIMESTAMP, one), one))), numeric(size))
        return case((near, binary(operator, binary(operator, one, second), rest)), default=moment(r, total))

    return let(r, ranges.widened(r, right), build)


def _within(one: Sql, ahead: timedelta, kind: Type, moved: Sql) -> Sql:
    """`moved`, which is `one` shifted by `ahead`; NULL unless both are within years 1 to 9999."""
    if abs(ahead) > LAST_MOMENT - FIRST_MOMENT:
        return cast(exp.Null(), "DATE" if kind == DATE else "TIMESTAMPTZ")
    low, high = (_literal(kind, _later_moment(bound, -ahead)) for bound in (FIRST_MOMENT, LAST_MOMENT))
    return case((between(one, low, high), moved))


def _later_moment(moment: datetime, by: timedelta) -> datetime:
    """A timestamp shifted by a duration, limited to the first and the last supported timestamp."""
    try:
        return moment + by
    except OverflowError:
        return LAST_MOMENT if by > timedelta() else FIRST_MOMENT


def moment(r: Renderer, micros: Sql) -> Sql:
    """A timestamp from microseconds since 1970; NULL outside years 1 to 9999."""

    def build(sql: Sql) -> Sql:
        seconds = call("FLOOR", ranges.operation(exp.Div, sql, number_literal(1_000_000)))
        rest = binary(exp.Sub, sql, binary(exp.Mul, seconds, 1_000_000))
        clock = binary(exp.Mul, cast(rest, "INT"), cast("1 microsecond", "INTERVAL"))
        return case((is_in_years(sql), binary(exp.Add, from_seconds(seconds), clock)))

    return let(r, micros, build)


def from_seconds(sql: Sql) -> Sql:
    """A timestamp from integer seconds since 1970. For years 1 to 9999 these seconds, and the microseconds
    computed from them, are exact as doubles.
    """
    return call("TO_TIMESTAMP", cast(sql, "DOUBLE"))


# --- dates


_DAYS = (LAST_MOMENT - FIRST_MOMENT).days


def _add_days(r: Renderer, node: Call) -> Sql:
    day, count = node.args
    first = _literal(DATE, FIRST_MOMENT)
    if isinstance(count, Literal) and isinstance(count.value, int) and not r.parameterize:
        if is_of_clock(node):
            sign = exp.Add if count.value >= 0 else exp.Sub
            return binary(sign, r.node(day), abs(count.value))
        ahead = timedelta(max(-_DAYS - 1, min(count.value, _DAYS + 1)))
        return let(
            r, r.node(day), lambda start: _within(start, ahead, DATE, binary(exp.Add, start, ahead.days))
        )

    def build(start: Sql, days: Sql) -> Sql:
        place = binary(exp.Add, binary(exp.Sub, start, first), cast(days, "INT"))
        moved = case((between(place, 0, _DAYS), binary(exp.Add, first, place)))
        return case((and_(is_in_supported_years(DATE, start), between(days, -_DAYS, _DAYS)), moved))

    return let(r, r.node(day), lambda start: let(r, r.node(count), lambda days: build(start, days)))


def _days_between(r: Renderer, node: Call) -> Sql:
    return cast(exp.Paren(this=binary(exp.Sub, *(_unless_infinite(r, arg) for arg in node.args))), "BIGINT")


def _in_units(r: Renderer, node: Call) -> Sql:
    return ranges.operation(
        exp.Div, cast(r.node(node.args[1]), "BIGINT"), number_literal(UNITS[constant(node.args[0])])
    )


RULES: dict[str, Rule] = {
    **{op: part(op.upper()) for op in TIME_PARTS},
    "year": _year,
    "day_of_week": part("DOW"),
    "day_of_year": part("DOY"),
    "millisecond": _millisecond,
    "date_trunc": _trunc,
    "in_zone": _in_zone,
    "from_zone": from_zone,
    "time_of_day": _time_of_day,
    "in_units": _in_units,
    "add_days": _add_days,
    "days_between": _days_between,
}
