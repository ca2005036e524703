"""The values of a domain by the outcome of a test: intervals of ordinals, or an automaton of texts.

All operations on tests of one value are products of such partitions. Sets are partitions with the labels True
and False.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product as combinations
from itertools import starmap
from typing import Any

from msgspec import Struct

from predicat.values import automaton
from predicat.values.automaton import Label, Machine, Opaque, Table, tabulated
from predicat.values.domain import Domain

# The most intervals of a partition.
MOST_PIECES = 60_000
# The most automata of one union: their states multiply.
_MOST_TABLES = 8


class Some(Struct, frozen=True):
    """The label of values that have one of several labels, and it is not known which."""

    labels: frozenset[Label]


def choices(label: Label) -> Iterable[Label]:
    """The labels that a label may stand for."""
    return label.labels if isinstance(label, Some) else (label,)


def some(labels: Iterable[Label]) -> Label:
    """One of several labels; if there is only one, that one."""
    known = frozenset(own for label in labels for own in choices(label))
    return next(iter(known)) if len(known) == 1 else Some(known)


class Cycle(Struct, frozen=True):
    """The labels of an interval in which they repeat: `labels[n]` for ordinals whose remainder is at least
    `starts[n]`. A label may be a cycle with a shorter period, of which this one is a multiple.

    `outcomes` has all labels inside.
    """

    period: int
    starts: tuple[int, ...]
    labels: tuple[Label, ...]
    outcomes: frozenset[Label]

    def at(self, ordinal: int) -> Label:
        """The label of an ordinal, which may be a cycle."""
        return self.labels[bisect_right(self.starts, ordinal % self.period) - 1]

    def column(self, ordinals: Iterable[int]) -> list[Label]:
        """The labels of some ordinals, which may be cycles."""
        starts, labels, period = self.starts, self.labels, self.period
        return [labels[bisect_right(starts, ordinal % period) - 1] for ordinal in ordinals]

    def pieces(self, low: int, high: int) -> Iterator[tuple[int, int, Label]]:
        """The first and the last ordinal of each piece of a range and its label, as far as pieces differ."""
        turn, place = low - low % self.period, bisect_right(self.starts, low % self.period) - 1
        ends = (*self.starts[1:], self.period)
        while (start := turn + self.starts[place]) <= min(high, low + self.period):
            yield max(start, low), min(turn + ends[place] - 1, high), self.labels[place]
            place = (place + 1) % len(ends)
            turn += 0 if place else self.period


def cycle(period: int, starts: Iterable[int], labels: Iterable[Label]) -> Label:
    """A cycle; if it has one label only, that one."""
    cells = line(starts, labels)
    if len(cells.labels) == 1:
        return cells.labels[0]
    return Cycle(period, cells.starts, cells.labels, frozenset(_inside(cells.labels)))


def _inside(labels: Iterable[Label]) -> Iterator[Label]:
    """The labels, and those of cycles."""
    for label in labels:
        yield from label.outcomes if isinstance(label, Cycle) else (label,)


class Line(Struct, frozen=True):
    """Intervals in order: `labels[n]` from the ordinal `starts[n]` on. No two neighbours have one label."""

    starts: tuple[Any, ...]
    labels: tuple[Label, ...]

    def at(self, ordinal: Any) -> Label:
        """The label of an ordinal, which may be a cycle."""
        return self.labels[bisect_right(self.starts, ordinal) - 1]

    def within(self, low: Any, end: Any) -> Iterator[tuple[Any, Label]]:
        """The intervals of a part of the domain, which has no end if that is None."""
        first = bisect_right(self.starts, low) - 1
        for start, label in zip(self.starts[first:], self.labels[first:], strict=True):
            if end is None or start < end:
                yield max(start, low), label

    @property
    def has_cycles(self) -> bool:
        """Whether labels repeat inside of an interval."""
        return any(isinstance(label, Cycle) for label in self.labels)


class Partition(Struct, frozen=True):
    """A label for each value of a domain.

    Attributes:
        domain: The values with an ordinal.
        cells: Their labels.
        others: The labels of NULL and of values without an ordinal: NaN, or what is before and behind the
            calendar.
    """

    domain: Domain
    cells: Line | Table
    others: tuple[Label, ...]

    def labels(self) -> Iterator[Label]:
        """The labels that occur."""
        yield from self.others
        yield from _inside(self.cells.labels)

    def of(self, value: Any) -> Label:
        """The label of a value."""
        if value is None:
            return self.others[0]
        if isinstance(self.cells, Table):
            machine = self.cells.machine()
            return machine.label(machine.run(value))
        if isinstance(value, float) and math.isnan(value):
            return self.others[1]
        ordinal = self.domain.ordinal(value)
        label = self.cells.at(ordinal)
        while isinstance(label, Cycle):
            label = label.at(ordinal)
        return label

    def line(self, *, repeats: bool = False) -> Line:
        """The intervals, in which no label repeats unless it may. Raises Opaque for others."""
        if isinstance(self.cells, Table) or (self.cells.has_cycles and not repeats):
            raise Opaque
        return self.cells

    def intervals(self) -> list[tuple[Any, Any]]:
        """The members of a set: the first ordinal of each interval and the first one behind it, which is None
        at the end of the domain. Raises Opaque for automata, and for sets that repeat.
        """
        cells = self.line()
        pieces = zip(cells.starts, [*cells.starts[1:], None], cells.labels, strict=True)
        return [(start, end) for start, end, label in pieces if label is True]

    def member(self) -> Any:
        """A value with an ordinal that is in the set; None if there is none, or none is known."""
        if isinstance(self.cells, Table):
            return automaton.shortest_texts([self.cells]).get((True,))
        known = [] if self.cells.has_cycles else self.intervals()
        return next((self.domain.value(start) for start, _ in known), None)


def partition(values: Domain, cells: Line | Table, null: Label, nan: Label, beyond: Label) -> Partition:
    """The partition with the labels of NULL, of NaN, and of what is before and behind the calendar, as far as
    a domain has such values.
    """
    numbers = (nan,) if values.others else ()
    return Partition(values, cells, (null, *numbers, *(() if values.closed_below else (beyond, beyond))))


def uniform(values: Domain, label: Label, null: Label) -> Partition:
    """One label for all values but NULL."""
    return partition(values, Line((values.least,), (label,)), null, label, label)


def line(starts: Iterable[Any], labels: Iterable[Label]) -> Line:
    """Intervals, with neighbours that have one label as one."""
    kept: list[Any] = []
    own: list[Label] = []
    for start, label in zip(starts, labels, strict=True):
        if not own or own[-1] != label or type(own[-1]) is not type(label):
            kept.append(start)
            own.append(label)
    return Line(tuple(kept), tuple(own))


def product(
    parts: Sequence[Partition], change: Callable[..., Label], *, of_choices: bool = True
) -> Partition:
    """The partition of what `change` makes of the labels of several. Raises Opaque if it is too large.

    `change` is asked about each label that one may stand for, or, without `of_choices`, about that one.
    """
    changed = _of_choices(change) if of_choices else change
    others = tuple(starmap(changed, zip(*(part.others for part in parts), strict=True)))
    lines = [part.cells for part in parts if isinstance(part.cells, Line)]
    if len(lines) < len(parts):
        machines = [machine_of(part.cells) for part in parts]
        return Partition(parts[0].domain, tabulated(automaton.product(machines, changed)), others)
    starts = sorted({start for cells in lines for start in cells.starts})
    if len(starts) > MOST_PIECES:
        raise Opaque
    domain = parts[0].domain
    pieces: list[tuple[Any, Label]] = []
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        last = domain.greatest if end is None else end - 1 if isinstance(end, int) else end
        pieces += _cut(start, last, [cells.at(start) for cells in lines])
        if len(pieces) > MOST_PIECES:
            raise Opaque
    labels = [_joined(own, changed) for _, own in pieces]
    return Partition(domain, unrolled([start for start, _ in pieces], labels, domain.greatest), others)


def spread(cells: Line, low: int, high: int) -> Line:
    """The intervals of a short range, without cycles."""
    pieces: list[tuple[int, Label]] = []
    for start, label in cells.within(low, high + 1):
        for at in range(start, high + 1) if isinstance(label, Cycle) else (start,):
            own = label
            while isinstance(own, Cycle):
                own = own.at(at)
            pieces.append((at, own))
    return line(*zip(*dict(pieces).items(), strict=True))


def _cut(low: Any, high: Any, labels: Sequence[Label]) -> Iterator[tuple[Any, Sequence[Label]]]:
    """The parts of an interval and their labels, without cycles that are longer than it."""
    longer = [isinstance(one, Cycle) and one.period > high - low + 1 for one in labels]
    if not any(longer):
        yield low, labels
        return
    cycles = [label for label, is_longer in zip(labels, longer, strict=True) if is_longer]
    starts = sorted({start for one in cycles for start, _, _ in one.pieces(low, high)})
    for start, end in zip(starts, [*starts[1:], high + 1], strict=True):
        own = [one.at(start) if is_longer else one for one, is_longer in zip(labels, longer, strict=True)]
        yield from _cut(start, end - 1, own)


def _of_choices(change: Callable[..., Label]) -> Callable[..., Label]:
    def changed(*labels: Label) -> Label:
        if not any(isinstance(label, Some) for label in labels):
            return change(*labels)
        return some(change(*row) for row in combinations(*map(choices, labels)))

    return changed


def _joined(labels: Sequence[Label], change: Callable[..., Label]) -> Label:
    """The label of an interval in which some labels repeat: those of the longest period outside, the others
    inside. Periods that are no multiples of each other become one that is.
    """
    cycles = [label for label in labels if isinstance(label, Cycle)]
    if not cycles:
        return change(*labels)
    longest = max(one.period for one in cycles)
    period = (
        longest
        if all(longest % one.period == 0 for one in cycles)
        else math.lcm(*(one.period for one in cycles))
    )
    split = [isinstance(one, Cycle) and (period != longest or one.period == period) for one in labels]
    parts = [one for one, is_split in zip(labels, split, strict=True) if is_split]
    if sum(len(one.starts) * (period // one.period) for one in parts) > MOST_PIECES:
        raise Opaque
    starts = sorted(
        {turn + at for one in parts for turn in range(0, period, one.period) for at in one.starts}
    )
    columns = [
        one.column(starts) if is_split else [one] * len(starts)
        for one, is_split in zip(labels, split, strict=True)
    ]
    known = {inside: _joined(inside, change) for inside in dict.fromkeys(zip(*columns, strict=True))}
    result = [known[inside] for inside in zip(*columns, strict=True)]
    cells = unrolled(starts, result, period - 1)
    return cycle(period, cells.starts, cells.labels)


def unrolled(starts: Sequence[Any], labels: Sequence[Label], last: Any) -> Line:
    """Intervals, without cycles in those that are shorter than their period: each label occurs."""
    pieces: list[tuple[Any, Label]] = []
    for start, end, label in zip(starts, [*starts[1:], None], labels, strict=True):
        if isinstance(label, Cycle):
            pieces += _turned(start, last if end is None else end - 1, label)
        else:
            pieces.append((start, label))
    if len(pieces) > MOST_PIECES:
        raise Opaque
    return line([start for start, _ in pieces], [label for _, label in pieces])


def _turned(low: int, high: int, label: Label) -> Iterator[tuple[int, Label]]:
    if not isinstance(label, Cycle) or high - low + 1 >= label.period:
        yield low, label
        return
    for start, end, own in label.pieces(low, high):
        yield from _turned(start, end, own)


def relabelled(part: Partition, change: Callable[[Label], Label]) -> Partition:
    """The partition with each label changed."""
    return product([part], change)


def any_of(sets: Sequence[Partition]) -> Partition:
    """The union of sets, two at a time, so that many are as quick as few. Raises Opaque if they are too
    large.
    """
    if sum(isinstance(part.cells, Table) for part in sets) > _MOST_TABLES:
        raise Opaque
    while len(sets) > 1:
        pairs = [sets[place : place + 2] for place in range(0, len(sets), 2)]
        sets = [product(pair, lambda *labels: True in labels) for pair in pairs]
    return sets[0]


def is_within(narrow: Partition, wide: Partition) -> bool:
    """Whether all members of a set are in another one. False, too, if that is too large a question."""
    try:
        beyond = product([narrow, wide], lambda inside, around: inside and not around)
    except Opaque:
        return False
    return True not in beyond.labels()


def machine_of(cells: Line | Table) -> Machine:
    """The automaton of a partition of texts."""
    return cells.machine() if isinstance(cells, Table) else _of_line(cells)


def _of_line(cells: Line) -> Machine:
    """The automaton of intervals of texts. A state is a text that one of their ends begins with, or the
    number of the interval that has all that follows.
    """
    starts = cells.starts
    begun = {start[:size] for start in starts for size in range(len(start) + 1)}
    cuts = frozenset(edge for start in starts for char in start for edge in (ord(char), ord(char) + 1))

    def number(text: str) -> int:
        return bisect_right(starts, text) - 1

    def step(state: str | int, code: int) -> str | int:
        if isinstance(state, int):
            return state
        longer = state + chr(code)
        return longer if longer in begun else number(longer)

    def label(state: str | int) -> Label:
        return cells.labels[state if isinstance(state, int) else number(state)]

    return Machine(cuts, "", step, label)
