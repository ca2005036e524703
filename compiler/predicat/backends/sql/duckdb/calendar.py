"""DuckDB: months, microseconds and formats of times, in UTC whatever the time zone of the session."""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import (
    Sql,
    at_zone,
    between,
    between_utc,
    binary,
    call,
    case,
    cast,
    known_wall_clock,
    try_cast,
)
from predicat.backends.sql.common.times import (
    add_months,
    from_micros,
    from_zone,
    is_in_years,
    is_in_zones,
    to_micros,
)
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.renderer import Renderer, Rule, constant, let
from predicat.ir.nodes import Call
from predicat.ir.types import DATE, Type
from predicat.semantics import calendar


def try_(sql: Sql) -> Sql:
    """TRY: NULL if an operation fails.

    Only the outermost operation may fail, not a part of its operand: DuckDB computes a part that also occurs
    elsewhere only once, outside this TRY. For the same reason an operation inside a guarded CASE needs TRY.
    """
    return call("TRY", sql)


def micros(sql: Sql) -> Sql:
    """The microseconds of a timestamp since 1970."""
    return call("EPOCH_US", sql)


def moment(count: Sql) -> Sql:
    """A timestamp of microseconds since 1970; NULL outside years 1 to 9999."""
    return case((is_in_years(count), between_utc(call("MAKE_TIMESTAMP", count))))


def local(sql: Sql) -> Sql:
    """The local time of a timestamp in UTC, fifteen times as fast as AT TIME ZONE."""
    known = known_wall_clock(sql)
    return call("MAKE_TIMESTAMP", micros(sql)) if known is None else known


def in_zone(sql: Sql, zone: Sql) -> Sql:
    """The wall clock of a timestamp in a zone. In files that Spark wrote, timestamps are TIMESTAMP without a
    zone, for which AT TIME ZONE alone has the opposite meaning.
    """
    return at_zone(cast(sql, "TIMESTAMPTZ"), zone)


def _in_zone(r: Renderer, node: Call) -> Sql:
    """The wall clock in a time zone, as a timestamp."""
    start, zone = node.args
    if is_of_clock(start):
        return between_utc(at_zone(r.node(start), r.node(zone)))
    known = let(r, r.node(start), lambda one: case((is_in_zones(r, one), one)))
    return between_utc(in_zone(known, r.node(zone)))


def _time_of_day(r: Renderer, node: Call) -> Sql:
    return micros(cast(local(r.node(node.args[0])), "TIME"))


def _moved(one: Sql, kind: Type, length: Sql) -> Sql:
    if kind == DATE:
        return cast(try_(binary(exp.Add, one, length)), "DATE")
    return between_utc(try_(binary(exp.Add, local(one), length)))


def _last_day(r: Renderer, node: Call) -> Sql:
    low, high = (r.literal(DATE, end) for end in (date.min, date.max))
    return let(r, r.node(node.args[0]), lambda one: case((between(one, low, high), call("LAST_DAY", one))))


def _format_time(r: Renderer, node: Call) -> Sql:
    pattern = "".join(
        {"L": "%g", "f": "%f"}.get(letter, f"%{letter}") if letter else said.replace("%", "%%")
        for letter, said in calendar.pieces(constant(node.args[0]))
    )
    return call("STRFTIME", local(r.node(node.args[1])), pattern)


RULES: dict[str, Rule] = {
    "add_months": add_months(_moved, lambda months: call("TO_MONTHS", try_cast(months, "INT")), as_bigint),
    "last_day": _last_day,
    "to_micros": to_micros(micros),
    "from_micros": from_micros(moment),
    "in_zone": _in_zone,
    "from_zone": from_zone,
    "time_of_day": _time_of_day,
    "format_time": _format_time,
}
