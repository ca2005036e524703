"""What is usual for a day: an interval for its figure, out of the days before and with their weekdays.

The statistics are medians, so that days out of line and holidays move nothing. A change that lasts is the new
level when it has the majority of the last seven days.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median

from msgspec import Struct

from predicat.quality.forecast import TO_SIGMA, Day
from predicat.quality.statistics import normal_point, t_point

# Days before one is judged, and how many of them have its weekday.
ENOUGH = 14
OF_A_WEEKDAY = 2
_WEEK = 7
# The variance of a median of some figures is this part of that of one figure, divided by their number.
_OF_MEDIAN = math.pi / 2


class Scale(Struct, frozen=True):
    """A scale on which figures vary alike: the figure of a day there, its figure for people out of it, and
    the standard deviation that chance alone gives.
    """

    value: Callable[[Day], float]
    shown: Callable[[float], float]
    chance: Callable[[Day], float]


# Shares by F. J. Anscombe's transformation (`statistics.next_share`); numbers of rows by their logarithm.
SHARE = Scale(
    lambda day: math.asin(math.sqrt((day.count + 0.375) / (day.rows + 0.75))),
    lambda value: math.sin(min(max(value, 0.0), math.pi / 2)) ** 2,
    lambda day: 0.5 / math.sqrt(day.rows),
)
ROWS = Scale(
    lambda day: math.log(day.rows + 0.5),
    lambda value: math.exp(value) - 0.5,
    lambda day: (day.rows or 1) ** -0.5,
)


class Usual(Struct, frozen=True):
    """The interval in which the figure of a day is usual, in units for people.

    Attributes:
        low: Its least figure.
        high: Its greatest figure.
        holds: Whether the day is usual.
        holiday: Whether it is only usual as another weekday, and the day before was usual.
    """

    low: float
    high: float
    holds: bool
    holiday: bool


def missing(days: Sequence[Day], today: Day) -> tuple[int, int]:
    """How many days there are and must be before a day is judged: days of its weekday if there are enough
    others. The first number is at least the second if it is judged.
    """
    if len(days) < ENOUGH:
        return len(days), ENOUGH
    return sum(day.day.weekday() == today.day.weekday() for day in days), OF_A_WEEKDAY


def usual(days: Sequence[Day], today: Day, rate: float, scale: Scale = SHARE) -> Usual:
    """What is usual for a day.

    Args:
        days: The days before it, in their order, as many as `missing` asks for.
        today: The day. It is no part of what it is judged by.
        rate: The share of usual days that are outside of the interval: false alarms.
        scale: SHARE, or ROWS for the number of rows.
    """
    values = [scale.value(day) for day in days]
    centers = [median(values[max(place - 3, 0) : place + 4]) for place in range(len(values))]
    by_weekday: dict[int, list[float]] = {}
    for day, value, center in zip(days, values, centers, strict=True):
        by_weekday.setdefault(day.day.weekday(), []).append(value - center)
    offsets = {weekday: median(group) for weekday, group in by_weekday.items()}
    level = [value - offsets[day.day.weekday()] for day, value in zip(days, values, strict=True)]
    steps = [level[place] - median(level[place - _WEEK : place]) for place in range(_WEEK, len(level))]
    step = median(steps)
    spread = TO_SIGMA * median(abs(item - step) for item in steps)
    own = len(by_weekday[today.day.weekday()])
    # The steps hold the error of the level, and fit the offsets that are made of them.
    fitted = math.sqrt((1 + _OF_MEDIAN / own) / (1 - 1 / own))
    chance = scale.chance(today) * math.sqrt(1 + _OF_MEDIAN / _WEEK + _OF_MEDIAN / own)
    half = max(t_point(1 - rate, max(len(steps) // 3, 5)) * spread * fitted, normal_point(1 - rate) * chance)
    middle = median(level[-_WEEK:]) + step

    distances = {weekday: abs(scale.value(today) - middle - each) / half for weekday, each in offsets.items()}
    distance, center = distances[today.day.weekday()], middle + offsets[today.day.weekday()]
    holiday = abs(steps[-1] - step) <= half and min(distances.values()) <= 1 < distance
    return Usual(scale.shown(center - half), scale.shown(center + half), distance <= 1 or holiday, holiday)
