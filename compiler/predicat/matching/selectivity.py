"""An estimate of how many rows pass a test, from the filters alone.

Nothing is known about the rows. But the constants of thousands of filters are a sample of the values that
occur: if filters name 500 values of a field, each of them matches few rows; if an interval spans a tenth of
the bounds that filters name, it matches about a tenth of the rows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field

from predicat.matching.access import Absent, Between, Contains, Equal, Prefix, Present, Test

# With at least this number of bounds their distribution is used as that of the values.
_MIN_BOUNDS = 8


class _Constants(Struct):
    """The constants that filters compare one value with."""

    values: set[Any] = field(default_factory=set[Any])
    texts: set[str] = field(default_factory=set[str])
    bounds: list[Any] = field(default_factory=list[Any])
    sorted: bool = False


class Selectivity:
    """Expected shares of rows, from 0 to 1, of tests of numbered values."""

    def __init__(self, tests: Iterable[tuple[int, Test, bool]], in_arrays: frozenset[int]) -> None:
        self._seen: dict[int, _Constants] = {}
        self._in_arrays = in_arrays
        for slot, test, _ in tests:
            seen = self._seen.setdefault(slot, _Constants())
            match test:
                case Equal():
                    seen.values.update(test.values)
                case Between():
                    seen.bounds += [bound for bound in (test.low, test.high) if bound is not None]
                case Prefix() | Contains():
                    seen.texts.add(test.text)
                case _:
                    pass
        for seen in self._seen.values():
            seen.bounds.sort()

    def share(self, slot: int, test: Test, absent: bool) -> float:
        """The share of the rows for which a test is expected to hold."""
        share = self._of(self._seen[slot], test) + (0.2 if absent else 0.0)
        return min(1.0, share * 3 if slot in self._in_arrays else share)

    @staticmethod
    def _of(seen: _Constants, test: Test) -> float:
        match test:
            case Equal():
                return len(test.values) / (len(seen.values) + 1)
            case Between():
                return _span(seen.bounds, test)
            case Prefix():
                return 1 / (len(seen.texts) + len(seen.values) + 1)
            case Contains():
                return 2 / (len(seen.texts) + len(seen.values) + 2)
            case Absent():
                return 0.4
            case Present():
                return 0.6


def _span(bounds: list[Any], test: Between) -> float:
    """The share of the bounds that lie within an interval."""
    if len(bounds) < _MIN_BOUNDS:
        return 0.5 if test.low is None or test.high is None else 0.3
    start = 0 if test.low is None else bisect_left(bounds, test.low)
    end = len(bounds) if test.high is None else bisect_right(bounds, test.high)
    return (end - start + 1) / (len(bounds) + 1)
