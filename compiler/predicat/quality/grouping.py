"""How rows reach the counts: grouped by an engine where groups are few, else in batches, so that memory is
bounded.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from predicat.quality.classes import Classes
from predicat.quality.fold import ROWS, Program, Totals, add_batch, lanes, totals_of, zeros

# Up to this number of groups the engine groups the rows without looking at a sample.
FEW = 2 * ROWS
# Rows that are looked at to guess how many groups there are.
_SAMPLED = 20_000
# The engine groups if a group of the sample has at least this number of rows on average.
_REPEATS = 4

# Rows of the numbers that `Classes.packed_keys` gives.
Words = Sequence[Sequence[int]]


def few_groups(classes: Classes, sample: Callable[[int], Words]) -> bool:
    """Whether rows are worth grouping. `sample` gives the words of some rows; it is asked only where the
    bound does not tell.
    """
    if classes.most <= FEW:
        return True
    rows = sample(_SAMPLED)
    return len(set(map(tuple, rows))) * _REPEATS <= len(rows)


def codes(classes: Classes, columns: Sequence[Sequence[int]]) -> list[bytes]:
    """The class of each row, key by key, out of columns of packed words."""
    return [
        bytes([number >> bit & (1 << key.width) - 1 for number in columns[word]])
        for key, (word, bit) in zip(classes.keys, classes.key_offsets(), strict=True)
    ]


# The counts of each partition by its number; all are of partition 0 if there are none.
TotalsOfParts = Mapping[int, Totals]


def grouped(program: Program, classes: Classes, rows: Iterable[Sequence[int]]) -> TotalsOfParts:
    """The counts out of groups: each group's words and, last, its number of rows."""
    sums: dict[int, list[int]] = {}
    for *words, counts in _columns(rows):
        add_batch(program, sums, codes(classes, words), counts)
    return totals_of_parts(program, sums)


def streamed(program: Program, batches: Iterable[Sequence[bytes]]) -> TotalsOfParts:
    """The counts out of batches of rows: for each key the class of each row."""
    sums: dict[int, list[int]] = {}
    for batch in batches:
        add_batch(program, sums, batch)
    return totals_of_parts(program, sums)


def totals_of_parts(program: Program, sums: Mapping[int, Sequence[int]]) -> TotalsOfParts:
    """The counts out of their flat form; zeros of partitions without rows."""
    parts = {part for part in program.parts if part >= 0} or {0}
    return {part: totals_of(program, sums.get(part, zeros(program))) for part in {*parts, *sums}}


def in_batches(program: Program, rows: Iterable[Sequence[int]]) -> Iterator[list[bytes]]:
    """Rows of words, in which each key has a byte, as batches of classes."""
    for columns in _columns(rows):
        yield lanes(program, [array("q", column).tobytes() for column in columns])


def _columns(rows: Iterable[Sequence[int]]) -> Iterator[list[tuple[int, ...]]]:
    """Columns of as many rows as are looked at together."""
    remaining = iter(rows)
    while batch := list(islice(remaining, ROWS)):
        yield list(zip(*batch, strict=True))
