"""Timestamps (microseconds since 1970), dates (days since 1970) and durations (microseconds) as integers, in
UTC.

The calendar is integer arithmetic. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
civil_from_days.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from predicat.ir.values import MAX_SECONDS, MIN_SECONDS, PERIOD_MONTHS, UNITS, UNITS_OF_NEXT
from predicat.proof.smt.terms import z3

SECOND = 1_000_000
DAY = 86_400 * SECOND
# The first and last timestamp, in the years 1 to 9999.
FIRST, LAST = MIN_SECONDS * SECOND, MAX_SECONDS * SECOND + SECOND - 1
FIRST_DAY, LAST_DAY = MIN_SECONDS // 86_400, MAX_SECONDS // 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_ONE = date(1970, 1, 1)


def number_of(value: datetime | date | timedelta) -> int:
    """The integer of a constant timestamp, date or duration."""
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    if isinstance(value, datetime):
        return (value - _EPOCH) // timedelta(microseconds=1)
    return (value - _DAY_ONE).days


def moment_of(number: int) -> datetime:
    """The timestamp of an integer."""
    return _EPOCH + timedelta(microseconds=number)


def day_of(number: int) -> date:
    """The date of an integer."""
    return _DAY_ONE + timedelta(days=number)


def part(name: str, term: Any, *, day: bool) -> Any | None:
    """A part, such as `hour`, of a timestamp, or with `day` of a date; None if the part does not exist."""
    days = term if day else term / DAY
    if name in UNITS and not day:
        return (term / UNITS[name]) % UNITS_OF_NEXT[name]
    if name == "day_of_week":
        return (days + 4) % 7
    if name in ("year", "month", "day"):
        return _civil(days)[name]
    return None


def truncate(unit: str, term: Any) -> Any | None:
    """A timestamp truncated to a unit; None for an unknown unit."""
    if unit in UNITS:
        return term - term % UNITS[unit]
    if unit == "day":
        return term - term % DAY
    days = term / DAY
    if unit == "week":
        return (days - (days + 3) % 7) * DAY
    if unit == "month":
        return (days - _civil(days)["day"] + 1) * DAY
    if unit in ("quarter", "year"):
        parts = _civil(days)
        return (
            _first_of_month(
                parts["year"], (parts["month"] - 1) / 3 * 3 + 1 if unit == "quarter" else z3.IntVal(1)
            )
            * DAY
        )
    return None


def number_in(unit: str, term: Any) -> Any:
    """The number of the month, quarter or year of a timestamp, counted consecutively from year 0."""
    parts = _civil(term / DAY)
    if unit == "year":
        return parts["year"]
    return parts["year"] * (12 // PERIOD_MONTHS[unit]) + (parts["month"] - 1) / PERIOD_MONTHS[unit]


def _first_of_month(year: Any, month: Any) -> Any:
    """The first day of a month (days_from_civil), as days since 1970."""
    shifted = z3.If(month <= 2, year - 1, year)
    era = shifted / 400
    yoe = shifted - era * 400
    doy = (153 * z3.If(month > 2, month - 3, month + 9) + 2) / 5
    return era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468


def _civil(days: Any) -> dict[str, Any]:
    shifted = days + 719_468
    era = shifted / 146_097
    doe = shifted - era * 146_097
    yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365
    doy = doe - (365 * yoe + yoe / 4 - yoe / 100)
    mp = (5 * doy + 2) / 153
    month = z3.If(mp < 10, mp + 3, mp - 9)
    return {
        "year": yoe + era * 400 + z3.If(month <= 2, 1, 0),
        "month": month,
        "day": doy - (153 * mp + 2) / 5 + 1,
    }
