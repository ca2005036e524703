"""The tables of an index: each takes the values of a row to the buckets of the filters that they may
satisfy.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from predicat.matching.access import Between

GRAM = 3
"""The number of characters by which texts are indexed that are searched inside others."""

Values = dict[Any, Any]
"""What is known of a row: its fields under the keys of variables, and, under numbers, what was computed of
it.
"""
Check = Callable[[Values], Any]
Hits = list["Bucket"]
Probe = Callable[[Values, Hits], None]
Lookup = Callable[[Any, Hits], None]
Member = Callable[[Any, Values, Hits], None]
"""What is done with the value of a key of a map."""


class Bucket(Struct, eq=False):
    """Filters that a row may satisfy: some to verify, with what is left of them; some to find by further
    probes.
    """

    leaf: list[tuple[int, tuple[Check, ...]]] = field(default_factory=list[tuple[int, tuple[Check, ...]]])
    probes: list[Probe] = field(default_factory=list[Probe])


def equality(placed: Mapping[Any, Bucket]) -> Lookup:
    """By the value itself. None is an absent value."""
    get = placed.get

    def look(value: Any, hits: Hits) -> None:
        tests = get(value)
        if tests is not None:
            hits.append(tests)

    return look


def presence(bucket: Bucket) -> Lookup:
    """Any value that is there."""

    def look(value: Any, hits: Hits) -> None:
        if value is not None:
            hits.append(bucket)

    return look


def prefixes(placed: Mapping[str, Bucket]) -> Lookup:
    """A text by what it begins with: one table for each length."""
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
    """A text by the short texts that occur in it."""
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
    """The part of a text by which it is found: its middle, where texts differ most."""
    start = max((len(text) - GRAM) // 2, 0)
    return text[start : start + GRAM]


class Intervals:
    """A segment tree over the bounds of intervals: a value reaches those that hold it in O(log n).

    The places of the tree are, for bounds b0 < b1 < ..., the values below b0, b0 itself, those between b0 and
    b1, and so on. NaN and an absent value reach what was put there for them.
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
    """A probe of what is computed of the value of a key."""
    return lambda _member, values, hits: inner(values, hits)


def gate(read: Check, keyed: Mapping[str, Sequence[Member]]) -> Probe:
    """The probes of those keys only that a map or a JSON object of the row has."""
    names = keyed.keys()

    def run(values: Values, hits: Hits) -> None:
        value = read(values)
        if type(value) is dict or isinstance(value, Mapping):
            for key in value.keys() & names:
                member = value[key]
                for inner in keyed[key]:
                    inner(member, values, hits)

    return run


def elements(read: Check, name: str, inner: Sequence[Probe]) -> Probe:
    """The probes of each element of an array, which they know under a name."""

    def run(values: Values, hits: Hits) -> None:
        items = read(values)
        if isinstance(items, list):
            for item in items:
                within = {**values, name: item}
                for probe_element in inner:
                    probe_element(within, hits)

    return run
