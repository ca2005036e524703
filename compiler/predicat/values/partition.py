"""The values of a domain by the outcome of a test: intervals of ordinals, or an automaton of texts.

All operations on tests of one value are products of such partitions. Sets are partitions with the labels True
and False.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from predicat.values import automaton
from predicat.values.automaton import Label, Machine, Opaque, Table, tabulated
from predicat.values.domain import Domain

# The most intervals of a partition.
MOST_PIECES = 20_000


# The most automata of one union: their states multiply.
_MOST_TABLES = 8


class Line(Struct, frozen=True):
    """Intervals in order: `labels[n]` from the ordinal `starts[n]` on. No two neighbours have one label."""

    starts: tuple[Any, ...]
    labels: tuple[Label, ...]

    def at(self, ordinal: Any) -> Label:
        """The label of an ordinal."""
        return self.labels[bisect_right(self.starts, ordinal) - 1]


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
        yield from self.cells.labels

    def of(self, value: Any) -> Label:
        """The label of a value that has an ordinal."""
        if isinstance(self.cells, Line):
            return self.cells.at(self.domain.ordinal(value))
        machine = self.cells.machine()
        return machine.label(machine.run(value))

    def intervals(self) -> list[tuple[Any, Any]]:
        """The members of a set: the first ordinal of each interval and the first one behind it, which is None
        at the end of the domain. Raises Opaque for automata.
        """
        if not isinstance(self.cells, Line):
            raise Opaque
        ends = [*self.cells.starts[1:], None]
        pieces = zip(self.cells.starts, ends, self.cells.labels, strict=True)
        return [(start, end) for start, end, label in pieces if label is True]

    def member(self) -> Any:
        """A value with an ordinal that is in the set; None if there is none, or none is known."""
        if isinstance(self.cells, Line):
            return next((self.domain.value(start) for start, _ in self.intervals()), None)
        return automaton.shortest_texts([self.cells]).get((True,))


def line(starts: Iterable[Any], labels: Iterable[Label]) -> Line:
    """Intervals, with neighbours that have one label as one."""
    kept: list[Any] = []
    own: list[Label] = []
    for start, label in zip(starts, labels, strict=True):
        if not own or own[-1] is not label:
            kept.append(start)
            own.append(label)
    return Line(tuple(kept), tuple(own))


def product(parts: Sequence[Partition], change: Callable[..., Label]) -> Partition:
    """The partition of what `change` makes of the labels of several. Raises Opaque if it is too large."""
    others = tuple(change(*labels) for labels in zip(*(part.others for part in parts), strict=True))
    lines = [part.cells for part in parts if isinstance(part.cells, Line)]
    if len(lines) < len(parts):
        machines = [_machine(part.cells) for part in parts]
        return Partition(parts[0].domain, tabulated(automaton.product(machines, change)), others)
    starts = sorted({start for cells in lines for start in cells.starts})
    if len(starts) > MOST_PIECES:
        raise Opaque
    labels = [change(*(cells.at(start) for cells in lines)) for start in starts]
    return Partition(parts[0].domain, line(starts, labels), others)


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


def _machine(cells: Line | Table) -> Machine:
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
