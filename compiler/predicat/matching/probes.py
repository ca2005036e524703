"""The tables of an index: each maps a value of a row to the buckets of filters that it may satisfy."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from predicat.matching.access import Between

# The number of characters by which texts are indexed that are searched inside others.
_GRAM = 3

# What is known of a row: its fields under the keys of variables, and, under numbers, what was computed of
# it.
Values = dict[Any, Any]
Check = Callable[[Values], Any]
Hits = list["Bucket"]
Probe = Callable[[Values, Hits], None]
Lookup = Callable[[Any, Hits], None]
# What is done with the value of a key of a map.
Member = Callable[[Any, Values, Hits], None]


class Bucket(Struct, eq=False):
    """Filters that a row may satisfy: those to verify, with their remaining conditions, and probes that find
    more.
    """

    leaf: list[tuple[int, tuple[Check, ...]]] = field(default_factory=list[tuple[int, tuple[Check, ...]]])
    probes: list[Probe] = field(default_factory=list[Probe])


def equality(placed: Mapping[Any, Bucket]) -> Lookup:
    """A look-up by the value itself. None is a missing value."""
    if placed.keys() == {None}:
        return _absence(placed[None])
    get = placed.get

    def look(value: Any, hits: Hits) -> None:
        tests = get(value)
        if tests is not None:
            hits.append(tests)

    return look


def _absence(bucket: Bucket) -> Lookup:
    """A look-up that finds its bucket for None. Any other value may be one that is no key, such as a list."""

    def look(value: Any, hits: Hits) -> None:
        if value is None:
            hits.append(bucket)

    return look


def presence(bucket: Bucket) -> Lookup:
    """A look-up that finds its bucket for every value but None."""

    def look(value: Any, hits: Hits) -> None:
        if value is not None:
            hits.append(bucket)

    return look


def prefixes(placed: Mapping[str, Bucket]) -> Lookup:
    """A look-up of a string by its prefixes: one table per length."""
    tables = _by_length(placed)

    def look(value: Any, hits: Hits) -> None:
        if value is None:
            return
        for length, table in tables:
            tests = table.get(value[:length])
            if tests is not None:
                hits.append(tests)

    return look


def substrings(placed: Mapping[str, Bucket]) -> Lookup:
    """A look-up of a string by its substrings of a few characters."""
    tables = _by_length(placed)

    def look(value: Any, hits: Hits) -> None:
        if value is None:
            return
        for length, table in tables:
            grams = {value[at : at + length] for at in range(len(value) - length + 1)}
            hits.extend(table[gram] for gram in grams & table.keys())

    return look


def _by_length(placed: Mapping[str, Bucket]) -> list[tuple[int, dict[str, Bucket]]]:
    tables: dict[int, dict[str, Bucket]] = {}
    for text, bucket in placed.items():
        tables.setdefault(len(text), {})[text] = bucket
    return sorted(tables.items())


def gram(text: str) -> str:
    """The part of a string by which it is found: its middle, where strings differ most."""
    start = max((len(text) - _GRAM) // 2, 0)
    return text[start : start + _GRAM]


class Intervals:
    """A segment tree over the bounds of intervals: it finds the intervals around a value in O(log n).

    For bounds b0 < b1 < ..., the leaves of the tree are: the values below b0, b0 itself, the values between
    b0 and b1, and so on. NaN and a missing value have places of their own.
    """

    def __init__(self, tests: Iterable[Between]) -> None:
        bounds = {bound for test in tests for bound in (test.low, test.high) if bound is not None}
        self.bounds: list[Any] = sorted(bounds)
        self.size = 2 * len(self.bounds) + 1
        self.nodes: dict[int, Bucket] = {}

    def places(self, test: Between) -> list[int]:
        """The nodes of the tree that together hold an interval; NaN's is 0."""
        start = 0 if test.low is None else 2 * self._at(test.low) + (1 if test.low_closed else 2)
        end = self.size if test.high is None else 2 * self._at(test.high) + (2 if test.high_closed else 1)
        positions = [0] if test.nan else []
        start, end = start + self.size, end + self.size
        while start < end:
            if start & 1:
                positions.append(start)
                start += 1
            if end & 1:
                end -= 1
                positions.append(end)
            start, end = start >> 1, end >> 1
        return positions

    def _at(self, bound: Any) -> int:
        return bisect_left(self.bounds, bound)

    def lookup(self, nodes: Mapping[int, Bucket]) -> Lookup:
        """How a value finds its buckets, given those of the nodes."""
        bounds, size, most = self.bounds, self.size, len(self.bounds)
        tree = [nodes.get(number) for number in range(2 * size)]
        of_nan = tree[0]

        def look(value: Any, hits: Hits) -> None:
            if value is None:
                return
            if value != value:  # noqa: PLR0124  # NaN
                if of_nan is not None:
                    hits.append(of_nan)
                return
            at = bisect_left(bounds, value)
            place = size + 2 * at + (at < most and bounds[at] == value)
            while place:
                entries = tree[place]
                if entries is not None:
                    hits.append(entries)
                place >>= 1

        return look


def probe(read: Check, lookups: Sequence[Lookup]) -> Probe:
    """A value of the row, and the tables that it is looked up in."""
    if len(lookups) == 1:
        (only,) = lookups
        return lambda values, hits: only(read(values), hits)

    def run(values: Values, hits: Hits) -> None:
        value = read(values)
        for look in lookups:
            look(value, hits)

    return run


def of_member(lookups: Sequence[Lookup]) -> Member:
    """The tables that the value of a key is looked up in."""

    def run(member: Any, _values: Values, hits: Hits) -> None:
        for look in lookups:
            look(member, hits)

    return run


def of_values(inner: Probe) -> Member:
    """A probe of a value that is computed from the value of a key."""
    return lambda _member, values, hits: inner(values, hits)


def gate(
    read: Check, keyed: Mapping[str, Sequence[Member]], member_of: Callable[[dict[str, Any], str], Any]
) -> Probe:
    """The probes of only those keys that the map or JSON object of the row has."""
    names = keyed.keys()

    def run(values: Values, hits: Hits) -> None:
        value = read(values)
        if type(value) is dict:
            for key in value.keys() & names:
                member = member_of(value, key)
                for inner in keyed[key]:
                    inner(member, values, hits)

    return run


def elements(read: Check, name: str, inner: Sequence[Probe]) -> Probe:
    """The probes of each element of an array, which they read by a variable's name."""

    def run(values: Values, hits: Hits) -> None:
        items = read(values)
        if isinstance(items, list):
            for item in items:
                within = {**values, name: item}
                for probe_element in inner:
                    probe_element(within, hits)

    return run
