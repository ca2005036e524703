"""Operators whose results repeat: remainders, and the parts of a date or a time in UTC.

Each rises within spans of its argument: `day` within a month, `hour` within a day, `mod` by 7 within seven
integers. So its preimages are found within one span of each length, and repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

from predicat.ir.nodes import Call, Literal
from predicat.ir.types import DATE
from predicat.ir.values import UNITS, UNITS_OF_NEXT
from predicat.values.automaton import Label, Opaque
from predicat.values.domain import DAY, Domain, turns
from predicat.values.partition import Line, cycle, line

# The days of 400 years, which are whole weeks: the calendar repeats.
_DAYS = 146_097
_YEARS = range(1970, 2370)
_MOST_REMAINDERS = 1_000_000
# The first Sunday, in days from 1 January 1970.
_SUNDAY = 3

# The first ordinals of spans in one period, and the first one behind them.
Spans = tuple[int, ...]


@lru_cache
def _months() -> Spans:
    days = [(date(year, month, 1) - date(1970, 1, 1)).days for year in _YEARS for month in range(1, 13)]
    return (*days, _DAYS)


def _years() -> Spans:
    return _months()[::12]


def _from_zero(length: int) -> Spans:
    return (0, length)


def _in_days(days: Spans) -> Spans:
    return tuple(day * DAY for day in days)


# The parts of a date, with the spans of days in which each rises.
OF_DAYS: dict[str, Callable[[], Spans]] = {
    "day_of_week": lambda: (_SUNDAY, _SUNDAY + 7),
    "day": _months,
    "month": _years,
    "day_of_year": _years,
}
# The parts of a time of day, with the microseconds in which each rises.
OF_TIMES = {"time_of_day": DAY, **{unit: UNITS[unit] * UNITS_OF_NEXT[unit] for unit in UNITS}}
# Operators whose results repeat.
PERIODIC = frozenset((*OF_DAYS, *OF_TIMES, "mod"))

# The units of truncated times, with the ordinals at which they start.
_MONDAY = 4
_OF_UNITS: dict[str, Callable[[], Spans]] = {
    **{unit: partial(_from_zero, UNITS[unit]) for unit in ("hour", "minute", "second")},
    "day": partial(_from_zero, DAY),
    "week": lambda: (_MONDAY * DAY, (_MONDAY + 7) * DAY),
    "month": lambda: _in_days(_months()),
    "quarter": lambda: _in_days(_months()[::3]),
    "year": lambda: _in_days(_years()),
}

# From an ordinal of an argument to a label, or to the ordinal of a result.
Function = Callable[[int], Any]


def cycles(node: Call, values: Domain, result: Function, label: Function, cuts: Sequence[Any]) -> Line:
    """The preimage of a partition under a periodic operator of UTC.

    Args:
        node: The operator with its argument and constants.
        values: The values of the argument.
        result: The ordinal of the result for an ordinal of the argument.
        label: The label of that result.
        cuts: The ordinals of results at which labels change.
    """
    constants = [arg.value for arg in node.args[1:] if isinstance(arg, Literal)]
    if node.op == "mod":
        return _remainders(constants, values, result, label, cuts)
    unit = 1 if node.args[0].type == DATE or node.op in OF_TIMES else DAY
    spans = (0, OF_TIMES[node.op]) if node.op in OF_TIMES else OF_DAYS[node.op]()
    return Line((values.least,), (_repeated(spans, unit, result, label, cuts),))


def _remainders(
    constants: Sequence[Any], values: Domain, result: Function, label: Function, cuts: Sequence[Any]
) -> Line:
    """Remainders have the sign of the integer: those of negative ones rise from the one after a multiple."""
    by = abs(constants[0]) if constants and isinstance(constants[0], int) else 0
    if not 0 < by <= _MOST_REMAINDERS:
        raise Opaque
    labels = [_repeated(spans, 1, result, label, cuts) for spans in ((1 - by, 1), (0, by))]
    return line((values.least, 0), labels)


def _repeated(spans: Spans, unit: int, result: Function, label: Function, cuts: Sequence[Any]) -> Label:
    period = spans[-1] - spans[0]
    inside: dict[int, list[tuple[int, Label]]] = {}
    pieces: dict[int, Label] = {}
    for start, end in pairwise(spans):
        own = inside.get(end - start)
        if own is None:
            found = turns(lambda at: result(at * unit), cuts, start, end - 1)
            own = inside[end - start] = [(at - start, label(at * unit)) for at in found]
        pieces.update(((start + at) % period * unit, one) for at, one in own)
    ordered = sorted(pieces)
    labels = [pieces[at] for at in ordered]
    if ordered[0]:
        ordered, labels = [0, *ordered], [labels[-1], *labels]
    return cycle(period * unit, ordered, labels)


def since_start(unit: str, label: Callable[[int], Label]) -> Label:
    """The labels of timestamps by whether they are the start of their unit, or behind it."""
    spans = _OF_UNITS[unit]()
    period = spans[-1] - spans[0]
    starts = sorted({(start + at) % period for start in spans[:-1] for at in (0, 1)} | {0})
    return cycle(period, starts, map(label, starts))
