"""Moments of local times."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

# A local time is less than a day away from its moment.
_DAY = timedelta(days=1)
# The offset of a zone is looked up so often: none changes twice meanwhile.
_STEP = timedelta(minutes=15)
_MICROSECOND = timedelta(microseconds=1)


def moment_of(clocks: datetime, zone: str) -> datetime | None:
    """The timestamp of a local time in a zone; None if the local time is skipped or occurs twice."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # few filters name a zone

    shown = clocks.replace(tzinfo=ZoneInfo(zone))
    try:
        first, second = (shown.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    except OverflowError:
        return None
    return first if first == second else None


@lru_cache(maxsize=1024)
def skipping(zone: str, near: datetime) -> tuple[datetime, ...]:
    """The local times, as times in UTC, that follow on those that a zone skips, near a moment: the moments of
    local times fall only there (see `predicat.semantics.calendar.from_zone`).
    """
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # as above

    return tuple(_skipping(ZoneInfo(zone), near))


def _skipping(zone: tzinfo, near: datetime) -> Iterator[datetime]:
    def ahead(moment: datetime) -> timedelta:
        return moment.astimezone(zone).utcoffset() or timedelta()

    try:
        start, end = near - 2 * _DAY, near + 2 * _DAY
        before = ahead(start)
        while start < end:
            after = ahead(start + _STEP)
            if after > before:
                low, high = start, start + _STEP
                while high - low > _MICROSECOND:
                    middle = low + (high - low) // 2
                    low, high = (middle, high) if ahead(middle) == before else (low, middle)
                yield high + after
            start, before = start + _STEP, after
    except OverflowError:  # near the ends of the calendar
        return
