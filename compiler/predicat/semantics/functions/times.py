"""Functions of timestamps, dates and durations. A result beyond the years 1 to 9999 is UNKNOWN."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from predicat.ir.nodes import Call
from predicat.ir.values import LONGEST, UNITS
from predicat.semantics import arithmetic, calendar
from predicat.semantics.closures import Choose, Function, constant

_PARTS: dict[str, Callable[[Any], int]] = {
    "year": lambda moment: moment.year,
    "month": lambda moment: moment.month,
    "day": lambda moment: moment.day,
    "day_of_week": lambda moment: moment.isoweekday() % 7,
    "day_of_year": lambda moment: moment.timetuple().tm_yday,
    "hour": lambda moment: moment.hour,
    "minute": lambda moment: moment.minute,
    "second": lambda moment: moment.second,
    "millisecond": lambda moment: moment.microsecond // 1000,
}


def _part(name: str) -> Choose:
    read = _PARTS[name]

    def build(node: Call) -> Function:
        if len(node.args) == 1:
            return read
        zone = ZoneInfo(constant(node))

        def local(moment: datetime, _zone: str) -> int:
            try:
                return read(moment.astimezone(zone))
            except OverflowError:  # in year 0 or 10000 there; the calendar comes again after 400 years
                cycle = 400 if moment.year == 1 else -400
                return read(moment.replace(year=moment.year + cycle).astimezone(zone)) - (
                    cycle if name == "year" else 0
                )

        return local

    return build


def _in_zone(node: Call) -> Function:
    zone = ZoneInfo(constant(node) or "UTC")
    return lambda moment, _zone: calendar.in_zone(moment, zone)


def _from_zone(node: Call) -> Function:
    zone = ZoneInfo(constant(node) or "UTC")
    return lambda clocks, _zone: calendar.from_zone(clocks, zone)


def _truncate(unit: str, moment: datetime) -> datetime:
    """A timestamp (UTC) truncated to a unit of time."""
    clock = {"hour": 1, "minute": 2, "second": 3}.get(unit)
    if clock is not None:
        minute, second = moment.minute if clock > 1 else 0, moment.second if clock > 2 else 0
        return moment.replace(minute=minute, second=second, microsecond=0)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    match unit:
        case "week":
            return day - timedelta(days=day.weekday())  # the first day of year 1 is a Monday
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)
        case _:
            return day


def _add_days(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def _multiple(length: timedelta, count: int) -> timedelta | None:
    micros = length // timedelta(microseconds=1) * count
    return timedelta(microseconds=micros) if abs(micros) <= LONGEST else None


FUNCTIONS: dict[str, Function] = {
    "date_trunc": _truncate,
    "time_of_day": calendar.time_of_day,
    "in_units": lambda unit, value: arithmetic.int_div(value // timedelta(microseconds=1), UNITS[unit]),
    "add_days": _add_days,
    "multiple": _multiple,
    "days_between": lambda a, b: (a - b).days,
    "add_months": calendar.add_months,
    "last_day": calendar.last_day,
    "to_micros": calendar.to_micros,
    "from_micros": calendar.from_micros,
    "format_time": calendar.formatted,
}
CHOSEN: dict[str, Choose] = {
    **{name: _part(name) for name in _PARTS},
    "in_zone": _in_zone,
    "from_zone": _from_zone,
}
