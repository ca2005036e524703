"""Moments of local times."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

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
    try:
        start, end = near - 2 * _DAY, near + 2 * _DAY
        before = _ahead(zone, start)
        while start < end:
            after = _ahead(zone, start + _STEP)
            if after > before:
                yield _first_other(zone, start, start + _STEP, before)[0] + after
            start, before = start + _STEP, after
    except OverflowError:  # near the ends of the calendar
        return


# --- all changes of a zone

# The years after which the rules of a zone repeat: their days are whole weeks.
PERIOD = 400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HEADER = struct.Struct(">4s16x6l")
# The months of the two rules of the last line of a zone's file.
_RULES = re.compile(r",M([0-9]+)[.][^,]*,M([0-9]+)[.]")
Changes = tuple[tuple[datetime, timedelta], ...]


@lru_cache(maxsize=64)
def changes(zone: str) -> tuple[Changes, Changes] | None:
    """The moments from which a zone has an offset: all until the first of the second tuple; the second ones,
    of `PERIOD` years, repeat to the end of the calendar. None for rules that are not known to repeat.

    They are all. The file of a zone lists each change but those of the rules in its last line (RFC 9636),
    which are two in a year. These are months apart, so that there is at most one between two months' starts.
    """
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # as above

    listed, rules = _listed(zone)
    months = _RULES.search(rules)
    if "," in rules and (months is None or (int(months[1]) - int(months[2])) % 12 not in range(3, 10)):
        return None
    own = ZoneInfo(zone)
    first = datetime(1, 1, 2, tzinfo=UTC)
    last = listed[-1] if listed else first
    year = last.year + 2
    singles = [last, *(month for month in _month_starts(last.year, year) if month > last)]
    cycle = _month_starts(year, year + PERIOD)
    found = [(moment, _ahead(own, moment)) for moment in (first, *listed)]
    start = cycle[0]
    return (
        _without_repeats([*found, *_searched(own, singles)], start),
        ((start, _ahead(own, start)), *_without_repeats(_searched(own, cycle), cycle[-1])),
    )


def _ahead(zone: tzinfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _month_starts(first: int, end: int) -> list[datetime]:
    """The first days of months of some years, and that of the year behind them."""
    found = [datetime(year, month, 1, tzinfo=UTC) for year in range(first, end) for month in range(1, 13)]
    return [*found, datetime(end, 1, 1, tzinfo=UTC)]


def _searched(zone: tzinfo, moments: list[datetime]) -> list[tuple[datetime, timedelta]]:
    """The changes between moments, of which no two have more than one between them."""
    result = []
    for low, high in pairwise(moments):
        before = _ahead(zone, low)
        if _ahead(zone, high) != before:
            result.append(_first_other(zone, low, high, before))
    return result


def _first_other(
    zone: tzinfo, low: datetime, high: datetime, before: timedelta
) -> tuple[datetime, timedelta]:
    while high - low > _MICROSECOND:
        middle = low + (high - low) // 2
        low, high = (middle, high) if _ahead(zone, middle) == before else (low, middle)
    return high, _ahead(zone, high)


def _without_repeats(found: list[tuple[datetime, timedelta]], end: datetime) -> Changes:
    return tuple(
        one
        for place, one in enumerate(found)
        if one[0] < end and (not place or found[place - 1][1] != one[1])
    )


def _listed(zone: str) -> tuple[list[datetime], str]:
    """The changes that the file of a zone lists, and its last line. Format: RFC 9636."""
    data = _file(zone)
    _, *counts = _HEADER.unpack_from(data)
    leap_and_type = (counts[0], counts[1], 8 * counts[2], 5 * counts[3], 6 * counts[4], counts[5])
    second = _HEADER.size + sum(leap_and_type)
    _, utc, standard, leaps, times, kinds, chars = _HEADER.unpack_from(data, second)
    start = second + _HEADER.size
    seconds = struct.unpack_from(f">{times}q", data, start)
    footer = data[start + utc + standard + 12 * leaps + 9 * times + 6 * kinds + chars :]
    calendar = range(-62_135_510_400, 253_402_214_400)
    moments = [_EPOCH + timedelta(seconds=one) for one in seconds if one in calendar]
    return moments, footer.decode("ascii").strip()


def _file(zone: str) -> bytes:
    from importlib import resources  # noqa: PLC0415  # few filters name a zone
    from zoneinfo import TZPATH  # noqa: PLC0415

    for folder in TZPATH:
        if (path := Path(folder, zone)).is_file():
            return path.read_bytes()
    return resources.files("tzdata").joinpath("zoneinfo", *zone.split("/")).read_bytes()
