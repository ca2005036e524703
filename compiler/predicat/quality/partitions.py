"""Partitions of a dataset: the hours, days, weeks or months of a field, each with the moments at which it
begins and ends.

The moments are worked out here, from the time zone database, and engines compare values with them: so every
engine splits at the same moment, whatever it knows about time zones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from msgspec import Struct

from predicat.catalog.model import Partition
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import coverage as say

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


class Part(Struct, frozen=True):
    """A partition: its name, and its first moment and the one after its last (UTC)."""

    name: str
    start: datetime
    end: datetime


class Parts(Struct, frozen=True):
    """Partitions in order. `cuts` are the moments at which a value gets into a partition (its number), or out
    of all of them (-1).
    """

    of: Partition
    parts: tuple[Part, ...]
    cuts: tuple[tuple[datetime, int], ...]

    def spans(self, number: int | None = None) -> list[tuple[datetime, datetime]]:
        """The intervals of a partition, by its number, or that of all together."""
        if number is None:
            return [(self.cuts[0][0], self.cuts[-1][0])]
        return [(start, end) for (start, part), (end, _) in pairwise(self.cuts) if part == number]

    @property
    def text(self) -> str:
        """What makes partitions comparable, as text."""
        return f"{self.of.field} by {self.of.by} in {self.of.zone or 'UTC'}"


class _Unit(Struct, frozen=True):
    """A length of partitions.

    Attributes:
        floor: Where the partition of a local time begins.
        following: Where the next one begins.
        name: The name of one, by where it begins and the offset of its zone from UTC.
        longest: No partition is longer.
    """

    floor: Callable[[datetime], datetime]
    following: Callable[[datetime], datetime]
    name: Callable[[datetime, timedelta], str]
    longest: timedelta


def _midnight(local: datetime) -> datetime:
    return local.replace(hour=0, minute=0, second=0, microsecond=0)


def _hour_name(local: datetime, offset: timedelta) -> str:
    """Of the two hours that are one hour on the clocks when they are put back, each has its offset."""
    minutes = offset // timedelta(minutes=1)
    sign, ahead = ("-", -minutes) if minutes < 0 else ("+", minutes)
    return f"{local:%Y-%m-%dT%H}{sign}{ahead // 60:02}:{ahead % 60:02}"


_UNITS = {
    "hour": _Unit(
        lambda local: local.replace(minute=0, second=0, microsecond=0),
        lambda local: local + _HOUR,
        _hour_name,
        _HOUR,
    ),
    "day": _Unit(_midnight, lambda local: local + _DAY, lambda local, _: f"{local:%Y-%m-%d}", _DAY),
    "week": _Unit(
        lambda local: _midnight(local) - local.weekday() * _DAY,
        lambda local: local + 7 * _DAY,
        lambda local, _: f"{local:%G-W%V}",
        7 * _DAY,
    ),
    "month": _Unit(
        lambda local: _midnight(local).replace(day=1),
        lambda local: (local + 31 * _DAY).replace(day=1),
        lambda local, _: f"{local:%Y-%m}",
        31 * _DAY,
    ),
}


def in_range(of: Partition, text: str) -> Parts:
    """The partitions of a range such as `2026-01-01..2026-03-01`, both ends included, or of one name.

    Raises PredicatError for another text, and if the range has no partition.
    """
    first, _, last = text.partition("..")
    start, (_, end) = _local(of, first, text)[0], _local(of, last or first, text)
    wide = 2 * _UNITS[of.by].longest + 2 * _DAY
    found = [
        item
        for item in _intervals(of, start - wide, end + wide)
        if item.local < end and _UNITS[of.by].following(item.local) > start
    ]
    if not found:
        raise PredicatError.of(say.no_partitions(text))
    return _parts(of, found)


def newest(of: Partition, count: int, now: datetime) -> Parts:
    """The last partitions that have ended."""
    wide = (count + 2) * _UNITS[of.by].longest + 2 * _DAY
    local = now.astimezone(UTC).replace(tzinfo=None)
    found = list(_intervals(of, local - wide, local + wide))
    ended = [part for part in _parts(of, found).parts if part.end <= now][-count:]
    names = {part.name for part in ended}
    return _parts(of, [item for item in found if item.name in names])


def up_to(of: Partition, count: int, moment: datetime) -> Parts:
    """The partition of a moment, and those before it; some are behind it."""
    return newest(of, count, moment + _UNITS[of.by].longest + _DAY)


def since(parts: Parts, moment: datetime) -> Parts:
    """The partitions that end behind a moment."""
    first = sum(part.end <= moment for part in parts.parts)
    cuts = [(start, number - first if number >= first else -1) for start, number in parts.cuts]
    begin = next(place for place, (_, number) in enumerate(cuts) if number >= 0)
    return Parts(parts.of, parts.parts[first:], tuple(cuts[begin:]))


# A time of a range: a day, a month, a week of ISO 8601, or an hour, which may have an offset.
_TIME = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)\Z|(?P<hour>\d{4}-\d\d-\d\dT\d\d)(?:[+-]\d\d:\d\d)?\Z"
    r"|(?P<month>\d{4}-\d\d)\Z|(?P<week>\d{4}-W\d\d)\Z"
)
# What follows a name to make it the text of its first moment.
_REST = {"day": "", "hour": ":00", "month": "-01", "week": "-1"}


def _local(of: Partition, text: str, whole: str) -> tuple[datetime, datetime]:
    """The local time at which a day, hour, week or month begins and ends."""
    match = _TIME.match(text.strip())
    found = {key: value for key, value in match.groupdict().items() if value} if match else {}
    for unit, name in found.items():
        if unit != "hour" or of.by == "hour":
            with suppress(ValueError):
                start = datetime.fromisoformat(name + _REST[unit])
                return start, _UNITS[unit].following(start)
    raise PredicatError.of(say.bad_partitions(whole, of.by))


class _Interval(Struct, frozen=True):
    """Moments of one partition, which begins at a local time."""

    start: datetime
    end: datetime
    local: datetime
    name: str


def _intervals(of: Partition, start: datetime, end: datetime) -> Iterator[_Interval]:
    """The intervals of partitions between two moments (in UTC, without a zone). A partition has several where
    clocks were put back past its beginning.
    """
    unit = _UNITS[of.by]
    for first, last, offset in _periods(of.zone or "UTC", start, end):
        at = first
        while at < last:
            local = unit.floor(at + offset)
            until = min(unit.following(local) - offset, last)
            yield _Interval(at, until, local, unit.name(local, offset))
            at = until


def _periods(zone: str, start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime, timedelta]]:
    """The periods in which a zone has one offset from UTC. None has two changes within an hour."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # few datasets have partitions

    info = ZoneInfo(zone)

    def ahead(moment: datetime) -> timedelta:
        return moment.replace(tzinfo=UTC).astimezone(info).utcoffset() or timedelta()

    since = at = start
    while at < end:
        after = min(at + _HOUR, end)
        if ahead(after) != ahead(at):
            change = _first(lambda moment: ahead(moment) != ahead(at), at, after)  # noqa: B023  # called now
            yield since, change, ahead(at)
            since = change
        at = after
    yield since, end, ahead(since)


def _first(holds: Callable[[datetime], bool], low: datetime, high: datetime) -> datetime:
    """The first second after `low` from which a test holds."""
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // timedelta(seconds=2) * timedelta(seconds=1)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _parts(of: Partition, found: Sequence[_Interval]) -> Parts:
    """Partitions out of their intervals, in order."""
    own: dict[str, list[_Interval]] = {}
    for item in found:
        own.setdefault(item.name, []).append(item)
    parts = tuple(Part(name, _utc(items[0].start), _utc(items[-1].end)) for name, items in own.items())
    number = {name: place for place, name in enumerate(own)}
    cuts: list[tuple[datetime, int]] = []
    for one, following in zip(found, [*(item.start for item in found[1:]), None], strict=True):
        cuts.append((one.start, number[one.name]))
        if one.end != following:
            cuts.append((one.end, -1))
    turns = [cut for before, cut in pairwise([(found[0].start, -1), *cuts]) if cut[1] != before[1]]
    return Parts(of, parts, tuple((_utc(moment), place) for moment, place in turns))


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
