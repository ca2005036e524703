"""Months, time zones and formats of timestamps, and for which values they are UNKNOWN."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
# So many months are more than there are between any two dates.
MOST_MONTHS = 9999 * 12


def add_months(moment: Any, months: int) -> Any:
    """A number of months later, at the same time of day. A day that the month lacks becomes its last day."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return None
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def months_between_bounds(months: int) -> tuple[date, date] | None:
    """The first and the last date that can be moved by a number of months; None if no date can."""
    if abs(months) >= MOST_MONTHS:
        return None
    first, last = date.min, date.max
    if months < 0:
        first = add_months(first, -months)
    else:
        last = add_months(date(9999, 12, 1), -months)
        last = last.replace(day=monthrange(last.year, last.month)[1])
    return first, last


def last_day(day: date) -> date:
    """The last day of the month."""
    return day.replace(day=monthrange(day.year, day.month)[1])


# Between them the local time of every zone is within the years 1 to 9999: zones are less than a day off.
FIRST_IN_ZONES, LAST_IN_ZONES = (
    datetime(1, 1, 2, tzinfo=UTC),
    datetime(9999, 12, 30, 23, 59, 59, 999_999, tzinfo=UTC),
)


def in_zone(moment: datetime, zone: tzinfo) -> datetime | None:
    """The local time in a zone, as a timestamp of UTC; None near the ends of the calendar."""
    if not FIRST_IN_ZONES <= moment <= LAST_IN_ZONES:
        return None
    return moment.astimezone(zone).replace(tzinfo=UTC, fold=0)


def from_zone(clocks: datetime, zone: tzinfo) -> datetime | None:
    """The moment of a local time (a timestamp of UTC) in a zone, as PostgreSQL's and DuckDB's AT TIME ZONE
    have it; None near the ends of the calendar.

    Of a local time that occurs twice it is the second one, and one that is skipped is read with the offset
    before: both are the later one of the moments that the two offsets give.
    """
    if not FIRST_IN_ZONES <= clocks <= LAST_IN_ZONES:
        return None
    return max(clocks.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


def time_of_day(moment: datetime) -> timedelta:
    """The time since midnight (UTC)."""
    return moment - moment.replace(hour=0, minute=0, second=0, microsecond=0)


def to_micros(value: datetime | timedelta) -> int:
    """The microseconds since 1970, or of a duration."""
    return (value - _EPOCH if isinstance(value, datetime) else value) // _MICRO


def from_micros(count: int) -> datetime | None:
    """The timestamp of a number of microseconds since 1970."""
    try:
        return _EPOCH + timedelta(microseconds=count)
    except OverflowError:
        return None


# --- formats

# The parts of a format that are numbers, with their digits: as in strftime, and L for milliseconds.
DIGITS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "L": 3, "f": 6, "j": 3}
# The names of days and months, in English.
NAMES = {"a": "%a", "A": "%A", "b": "%b", "B": "%B"}
_PIECE = re.compile(r"%(.)|([^%]+)", re.DOTALL)


def pieces(pattern: str) -> list[tuple[str, str]]:
    """The parts of a format: (letter, "") and ("", text). Raises ValueError for an unknown letter."""
    pieces_: list[tuple[str, str]] = []
    for match in _PIECE.finditer(pattern):
        letter, text = match[1], match[2]
        if letter == "%":
            letter, text = None, "%"
        if letter is not None and letter not in DIGITS and letter not in NAMES:
            raise ValueError(letter)
        if letter is None and pieces_ and not pieces_[-1][0]:
            pieces_[-1] = ("", pieces_[-1][1] + text)
        else:
            pieces_.append((letter or "", text or ""))
    return pieces_


def is_in_order(pattern: str) -> bool:
    """Whether formatted timestamps sort like timestamps: the year first, then smaller and smaller units."""
    letters = [letter for letter, _ in pieces(pattern) if letter]
    return bool(letters) and any(
        letters == list(order[: len(letters)]) for order in ("YmdHMSL", "YmdHMSf", "YjHMSf")
    )


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def formatted(pattern: str, moment: datetime) -> str:
    """A timestamp (UTC) as a string in a format."""
    values = {
        "Y": moment.year,
        "m": moment.month,
        "d": moment.day,
        "H": moment.hour,
        "M": moment.minute,
        "S": moment.second,
        "L": moment.microsecond // 1000,
        "f": moment.microsecond,
        "j": moment.timetuple().tm_yday,
    }
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    names = {"a": day[:3], "A": day, "b": month[:3], "B": month}
    return "".join(
        text if not letter else f"{values[letter]:0{DIGITS[letter]}}" if letter in DIGITS else names[letter]
        for letter, text in pieces(pattern)
    )
