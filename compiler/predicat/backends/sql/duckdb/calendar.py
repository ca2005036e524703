"""DuckDB: months, microseconds and formats of times, in UTC whatever the time zone of the session."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    number_literal,
    try_cast,
)
from predicat.backends.sql.common import zones
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.renderer import Renderer, constant, let
from predicat.backends.sql.rules import Rule
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import DATE, TIMESTAMP, Type
from predicat.ir.values import MAX_SECONDS, MIN_SECONDS
from predicat.semantics import calendar

_MILLION = 1_000_000


def try_(sql: Sql) -> Sql:
    """TRY: NULL if an operation fails.

    No part of the operand may fail: DuckDB computes a part that also occurs elsewhere once, outside of this
    TRY. An operation behind the guard of a CASE needs TRY too, for the same reason.
    """
    return call("TRY", sql)


def micros(sql: Sql) -> Sql:
    """The microseconds of a timestamp since 1970."""
    return call("EPOCH_US", sql)


def moment(count: Sql) -> Sql:
    """A timestamp from microseconds since 1970, or NULL outside years 1 to 9999."""
    low, high = number_literal(MIN_SECONDS * _MILLION), number_literal(MAX_SECONDS * _MILLION + 999_999)
    return case((between(count, low, high), utc(call("MAKE_TIMESTAMP", count))))


def utc(sql: Sql) -> Sql:
    """Between a timestamp and its wall clock in UTC, either way, whatever the session's time zone."""
    return zones.utc(sql)


def local(sql: Sql) -> Sql:
    """The wall clock of a timestamp in UTC; AT TIME ZONE takes fifteen times as long."""
    known = zones.wall_clock(sql)
    return call("MAKE_TIMESTAMP", micros(sql)) if known is None else known


def _in_zone(r: Renderer, node: Call) -> Sql:
    """The wall clock in a time zone, as a timestamp."""
    moment, zone = node.args
    if is_of_clock(moment):
        return utc(zones.at_zone(r.node(moment), r.node(zone)))
    low, high = (r.dialect.timestamp(end) for end in (calendar.FIRST_IN_ZONES, calendar.LAST_IN_ZONES))
    known = let(r, r.node(moment), lambda one: case((between(one, low, high), one)))
    return utc(zones.at_zone(known, r.node(zone)))


def _time_of_day(r: Renderer, node: Call) -> Sql:
    return micros(cast(local(r.node(node.args[0])), "TIME"))


def _add_months(r: Renderer, node: Call) -> Sql:
    start, count = node.args
    return let(r, r.node(start), lambda one: _later(r, node, one, start.type, count))


def _later(r: Renderer, node: Call, one: Sql, kind: Type, count: Node) -> Sql:
    if isinstance(count, Literal) and isinstance(count.value, int) and not r.parameterize:
        bounds = calendar.months_between_bounds(count.value)
        if bounds is None:
            return cast(exp.Null(), "DATE" if kind == DATE else "TIMESTAMPTZ")
        moved = _moved(one, kind, cast(f"{count.value} months", "INTERVAL"))
        if is_of_clock(node):
            return moved
        low, high = (
            _literal(r, kind, day, end) for day, end in zip(bounds, (time.min, time.max), strict=True)
        )
        return case((between(one, low, high), moved))

    def shifted(months: Sql) -> Sql:
        most = calendar.MOST_MONTHS
        low, high = (_literal(r, kind, *end) for end in ((date.min, time.min), (date.max, time.max)))
        near = and_(between(months, -most, most), between(one, low, high))
        later = case((near, _moved(one, kind, call("TO_MONTHS", try_cast(months, "INT")))))
        return let(r, later, lambda found: case((between(found, low, high), found)))

    return let(r, as_bigint(r, count), shifted)


def _literal(r: Renderer, kind: Type, day: date, clock: time) -> Sql:
    return r.literal(DATE, day) if kind == DATE else r.dialect.timestamp(datetime.combine(day, clock, UTC))


def _moved(one: Sql, kind: Type, length: Sql) -> Sql:
    if kind == DATE:
        return cast(try_(binary(exp.Add, one, length)), "DATE")
    return utc(try_(binary(exp.Add, local(one), length)))


def _last_day(r: Renderer, node: Call) -> Sql:
    low, high = (r.literal(DATE, end) for end in (date.min, date.max))
    return let(r, r.node(node.args[0]), lambda one: case((between(one, low, high), call("LAST_DAY", one))))


def _to_micros(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    return micros(sql) if node.args[0].type == TIMESTAMP else sql


def _from_micros(r: Renderer, node: Call) -> Sql:
    return let(r, as_bigint(r, node.args[0]), moment)


def _format_time(r: Renderer, node: Call) -> Sql:
    pattern = "".join(
        {"L": "%g", "f": "%f"}.get(letter, f"%{letter}") if letter else said.replace("%", "%%")
        for letter, said in calendar.pieces(constant(node.args[0]))
    )
    return call("STRFTIME", local(r.node(node.args[1])), pattern)


RULES: dict[str, Rule] = {
    "add_months": _add_months,
    "last_day": _last_day,
    "to_micros": _to_micros,
    "from_micros": _from_micros,
    "in_zone": _in_zone,
    "time_of_day": _time_of_day,
    "format_time": _format_time,
}
