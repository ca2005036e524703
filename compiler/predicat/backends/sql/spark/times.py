"""Spark: parts of times and calculations with days."""

from __future__ import annotations

from datetime import timedelta

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import Sql, between, binary, call, case, cast
from predicat.backends.sql.common.times import FIRST_DAY, LAST_DAY
from predicat.backends.sql.renderer import Renderer, Rule, constant, constant_int, let
from predicat.backends.sql.spark import calendar
from predicat.ir.nodes import Call
from predicat.ir.types import DATE, TIMESTAMP
from predicat.ir.values import PERIOD_LENGTHS, UNITS


def _seconds(unit: int, name: str, above: int) -> Rule:
    """A part of the time of day; in UTC it is computed from the seconds since 1970."""

    def rule(r: Renderer, node: Call) -> Sql:
        if len(node.args) == 2:
            return call(name, _wall(r, node))
        rest = call("PMOD", call("UNIX_SECONDS", r.node(node.args[0])), above)
        return binary(exp.IntDiv, rest, unit) if unit > 1 else rest

    return rule


def _calendar(name: str) -> Rule:
    """A part of the date; for a timestamp in UTC, from its day."""

    def rule(r: Renderer, node: Call) -> Sql:
        moment = node.args[0]
        return call(
            name,
            r.node(Call(DATE, "to_date", (moment,), node.span))
            if moment.type == TIMESTAMP and len(node.args) == 1
            else _wall(r, node),
        )

    return rule


def _wall(r: Renderer, node: Call) -> Sql:
    """The wall clock as TIMESTAMP_NTZ, independent of the session's time zone; a date is unchanged."""
    moment = node.args[0]
    sql = r.node(moment)
    if moment.type == DATE:
        return sql
    wall = calendar.wall_clock(call("UNIX_MICROS", sql))
    return wall if len(node.args) == 1 else call("CONVERT_TIMEZONE", "UTC", r.node(node.args[1]), wall)


def _day_of_week(r: Renderer, node: Call) -> Sql:
    return binary(exp.Sub, _calendar("DAYOFWEEK")(r, node), 1)


def _millisecond(r: Renderer, node: Call) -> Sql:
    micros = call("UNIX_MICROS", r.node(node.args[0]))
    return binary(exp.IntDiv, call("PMOD", micros, 1_000_000), 1000)


def _trunc(r: Renderer, node: Call) -> Sql:
    """The start of a period in UTC. DATE_TRUNC would read it in the session's time zone."""
    unit, moment = constant(node.args[0]), node.args[1]
    length = None if unit == "week" else PERIOD_LENGTHS.get(unit)
    if length is None:
        day = call("TRUNC", calendar.utc_date(r.node(moment)), unit.upper())
        return calendar.midnight(day)
    past = length // timedelta(microseconds=1)
    return let(
        r,
        call("UNIX_MICROS", r.node(moment)),
        lambda micros: call("TIMESTAMP_MICROS", binary(exp.Sub, micros, call("PMOD", micros, past))),
    )


def _add_days(r: Renderer, node: Call) -> Sql:
    day, count = r.args(node)
    if is_of_clock(node):
        days = constant_int(node.args[1])
        return call("DATE_ADD", day, count) if days >= 0 else call("DATE_SUB", day, -days)
    total = call("TRY_ADD", cast(call("UNIX_DATE", day), "BIGINT"), count)
    inside = between(total, FIRST_DAY, LAST_DAY)
    return case((inside, call("DATE_FROM_UNIX_DATE", cast(total, "INT"))))


def _days_between(r: Renderer, node: Call) -> Sql:
    return call("DATEDIFF", *r.args(node))


def _in_units(r: Renderer, node: Call) -> Sql:
    return binary(exp.IntDiv, r.node(node.args[1]), UNITS[constant(node.args[0])])


RULES: dict[str, Rule] = {
    "year": _calendar("YEAR"),
    "month": _calendar("MONTH"),
    "day": _calendar("DAYOFMONTH"),
    "day_of_week": _day_of_week,
    "day_of_year": _calendar("DAYOFYEAR"),
    "hour": _seconds(3600, "HOUR", 86_400),
    "minute": _seconds(60, "MINUTE", 3600),
    "second": _seconds(1, "SECOND", 60),
    "millisecond": _millisecond,
    "date_trunc": _trunc,
    "in_units": _in_units,
    "add_days": _add_days,
    "days_between": _days_between,
}
