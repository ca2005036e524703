"""What the next day may look like: an interval for a share or a number of rows, out of the days before.

A day differs from the next one by chance, as any sample does, and because the world differs. The first part
follows from the number of rows. The second part can only be measured on several days.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from statistics import fmean, median

from msgspec import Struct

from predicat.quality.statistics import next_share, normal_point, t_point

# Of each interval. A dataset with ten filters has thirty bounds or so: one false alarm in 300 days.
CONFIDENCE = 0.9999
# Days from which their spread is measured. Of fewer days it is guessed.
ENOUGH = 8
# The guess: the accepted rows for each other row may become this many times as many, or as few.
ODDS = 1.4
_WEEKS = 8
# Days that each weekday needs in eight weeks: holidays are missing.
_OF_A_WEEKDAY = 6
# A day this many times further from the median than is usual is out of line.
_FAR = 8.0
# More than one day out of line in ten are not out of line: the data is so.
_IN_LINE = 10
_TREND = 4.0
# The median distance from the median, times this, is the standard deviation of a normal distribution.
TO_SIGMA = 1.4826


class Day(Struct, frozen=True):
    """What was counted on a day: `count` of `rows`. `label` names the day or partition."""

    day: date
    label: str
    count: int
    rows: int

    @property
    def share(self) -> float:
        """The share that was counted."""
        return self.count / self.rows


class Forecast(Struct, frozen=True):
    """The figures that the next day has with CONFIDENCE.

    Attributes:
        low: The least figure.
        high: The greatest figure.
        center: The figure to expect.
        drift: How far the figure may be from that of the day before.
        method: `once`, `few`, `spread`, `weekdays` or `trend`.
        days: The days that it rests on.
        spread: How many times the spread of the days is that of chance; 1 if it is no more than chance.
        left_out: The days that are out of line.
        trend: 1 if the figures rise over the days, -1 if they fall, otherwise 0.
    """

    low: float
    high: float
    center: float
    drift: float
    method: str
    days: Sequence[Day]
    spread: float = 1.0
    left_out: Sequence[Day] = ()
    trend: int = 0


class _Figure(Struct, frozen=True):
    """A day as a number with the standard deviation that chance alone gives it."""

    day: Day
    value: float
    chance: float


class _Pattern(Struct, frozen=True):
    """How the days vary around one center, or around one for each weekday. `extra` is the variance as a
    multiple of that of chance.
    """

    groups: Mapping[int, Sequence[_Figure]]
    extra: float
    left_out: Sequence[Day]
    method: str

    @property
    def days(self) -> list[_Figure]:
        """The days in line, the oldest first."""
        return sorted((item for group in self.groups.values() for item in group), key=_order)

    @property
    def factor(self) -> float:
        """By how much an interval is longer than the standard deviation."""
        return t_point(CONFIDENCE, len(self.days) - len(self.groups))


def share(days: Sequence[Day]) -> Forecast:
    """The share of the next day. `days` are in their order, each with rows."""
    if len(days) < ENOUGH:
        return _few(days)
    usual = median(day.share for day in days)
    if not 0 < usual < 1:
        usual = (sum(day.count for day in days) + 0.5) / (sum(day.rows for day in days) + 1)
    found = _pattern([_Figure(day, day.share, _deviation(usual, day.rows)) for day in days])
    rows = sorted(item.day.rows for item in found.days)
    least = rows[len(rows) // 10]  # a day with few rows varies more

    def interval(group: Sequence[_Figure], extra: float, known: int) -> tuple[float, float]:
        return next_share(sum(item.day.count for item in group), known, least, found.factor, extra)

    return _forecast(found, interval, _deviation(usual, least))


def rows(days: Sequence[Day]) -> Forecast | None:
    """The number of rows of the next day; its drift is a part of that of the day before. None if there are
    too few days.
    """
    if len(days) < ENOUGH:
        return None
    found = _pattern([_Figure(day, math.log(day.rows), 1 / math.sqrt(day.rows)) for day in days])
    chance = fmean(item.chance for item in found.days)

    def interval(group: Sequence[_Figure], extra: float, known: int) -> tuple[float, float]:
        center = fmean(item.value for item in group)
        half = found.factor * chance * math.sqrt(extra * (1 + median(day.rows for day in days) / known))
        return center - half, center + half

    result = _forecast(found, interval, chance)
    return Forecast(
        math.exp(result.low),
        math.exp(result.high),
        math.exp(result.center),
        math.exp(result.drift) - 1,
        *(getattr(result, name) for name in ("method", "days", "spread", "left_out", "trend")),
    )


def _deviation(share: float, rows: int) -> float:
    return math.sqrt(share * (1 - share) / rows)


def _order(figure: _Figure) -> tuple[date, str]:
    return figure.day.day, figure.day.label


def _few(days: Sequence[Day]) -> Forecast:
    """Of too few days for their spread: what chance explains, the days themselves, and the guess."""
    count, total = sum(day.count for day in days), sum(day.rows for day in days)
    low, high = next_share(count, total, min(day.rows for day in days), normal_point(CONFIDENCE))
    center = count / total
    low = _farther(center, min(low, *(day.share for day in days)), 1 / ODDS)
    high = _farther(center, max(high, *(day.share for day in days)), ODDS)
    drift = max(high - center, center - low) * math.sqrt(2)
    return Forecast(low, high, center, drift, "once" if len(days) == 1 else "few", days)


def _farther(center: float, end: float, factor: float) -> float:
    """The end of an interval, farther from the center by the guess. Chance and the difference of days are
    independent, so the squares of their distances add up.
    """
    if not (0 < center < 1 and 0 < end < 1):
        return _odds(end, factor)
    distance = math.hypot(_logit(end) - _logit(center), math.log(factor))
    return _odds(center, math.exp(math.copysign(distance, math.log(factor))))


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _odds(share: float, factor: float) -> float:
    """A share whose odds are multiplied."""
    return share * factor / (share * factor + 1 - share)


def _pattern(figures: Sequence[_Figure]) -> _Pattern:
    """One center, or a center for each weekday if they explain half of the variance."""
    single = _grouped(figures, lambda _: 0, "spread")
    weekdays: dict[int, int] = {}
    for item in figures:
        weekdays[item.day.day.weekday()] = weekdays.get(item.day.day.weekday(), 0) + 1
    span = (figures[-1].day.day - figures[0].day.day).days + 1
    if span < _WEEKS * 7 - 2 or len(weekdays) < 2 or min(weekdays.values()) < _OF_A_WEEKDAY:
        return single
    by_weekday = _grouped(figures, lambda day: day.weekday(), "weekdays")
    return by_weekday if by_weekday.extra < single.extra / 2 else single


def _grouped(figures: Sequence[_Figure], key: Callable[[date], int], method: str) -> _Pattern:
    groups: dict[int, list[_Figure]] = {}
    for item in figures:
        groups.setdefault(key(item.day.day), []).append(item)
    middle = {name: median(item.value for item in group) for name, group in groups.items()}
    distances = [abs(item.value - middle[key(item.day.day)]) / item.chance for item in figures]
    limit = _FAR * max(1.0, TO_SIGMA * median(distances))
    far = [item for item, distance in zip(figures, distances, strict=True) if distance > limit]
    if len(far) > len(figures) // _IN_LINE:
        far = []
    kept = {name: [item for item in group if item not in far] for name, group in groups.items()}
    kept = {name: group for name, group in kept.items() if group}
    squares = sum(
        ((item.value - fmean(other.value for other in group)) / item.chance) ** 2
        for group in kept.values()
        for item in group
    )
    freedom = len(figures) - len(far) - len(kept)
    return _Pattern(kept, max(1.0, squares / freedom), [item.day for item in far], method)


def _forecast(
    found: _Pattern, interval: Callable[[Sequence[_Figure], float, int], tuple[float, float]], chance: float
) -> Forecast:
    """The interval that holds those of all weekdays; with a trend that around the last day."""
    days = found.days
    steps = [later.value - earlier.value for earlier, later in pairwise(days)]
    trend = _trend([item.value for item in days])
    extra, groups, method = found.extra, list(found.groups.values()), found.method
    if trend:
        extra = max(1.0, fmean(step * step for step in steps) / chance**2)
        groups, method = [days[-1:]], "trend"
    known = [sum(item.day.rows for item in group) for group in groups]
    ends = [interval(group, extra, rows) for group, rows in zip(groups, known, strict=True)]
    own = found.factor * chance * math.sqrt(2 * found.extra)
    drift = found.factor * max(chance * math.sqrt(2), math.sqrt(fmean(step * step for step in steps)))
    if method == "weekdays":
        drift = own + _between(found)
    return Forecast(
        min(low for low, _ in ends),
        max(high for _, high in ends),
        days[-1].value if trend else fmean(item.value for item in days),
        drift,
        method,
        [item.day for item in days],
        math.sqrt(extra),
        found.left_out,
        trend,
    )


def _between(found: _Pattern) -> float:
    """The greatest step between the centers of days that follow each other."""
    centers = {name: fmean(item.value for item in group) for name, group in found.groups.items()}
    names = [item.day.day.weekday() for item in found.days]
    return max(abs(centers[one] - centers[other]) for one, other in pairwise(names))


def _trend(values: Sequence[float]) -> int:
    """Whether values rise or fall, by the test of H. B. Mann (1945) and M. G. Kendall."""
    count = len(values)
    score = sum(
        (later > earlier) - (later < earlier)
        for place, earlier in enumerate(values)
        for later in values[place + 1 :]
    )
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    return (score > 0) - (score < 0) if abs(score) > _TREND * deviation else 0
