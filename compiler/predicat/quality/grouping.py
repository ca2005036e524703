"""How rows reach the counts: grouped by an engine where groups are few, else in batches, so that memory is
bounded.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from predicat.quality.classes import Classes
from predicat.quality.fold import ROWS, Program, Totals, add, fold, lanes, totals_of, zeros

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


def grouped(program: Program, classes: Classes, rows: Iterable[Sequence[int]]) -> Totals:
    """The counts out of groups: each group's words and, last, its number of rows."""
    return _summed(
        program, (fold(program, codes(classes, words), counts) for *words, counts in _columns(rows))
    )


def streamed(program: Program, batches: Iterable[Sequence[bytes]]) -> Totals:
    """The counts out of batches of rows: for each key the class of each row."""
    return _summed(program, (fold(program, batch) for batch in batches))


def in_batches(program: Program, rows: Iterable[Sequence[int]]) -> Iterator[list[bytes]]:
    """Rows of words, in which each key has a byte, as batches of classes."""
    for columns in _columns(rows):
        yield lanes(program, [array("q", column).tobytes() for column in columns])


def _columns(rows: Iterable[Sequence[int]]) -> Iterator[list[tuple[int, ...]]]:
    """Columns of as many rows as are looked at together."""
    remaining = iter(rows)
    while batch := list(islice(remaining, ROWS)):
        yield list(zip(*batch, strict=True))


def _summed(program: Program, parts: Iterable[Totals]) -> Totals:
    return totals_of(program, add(_flat(program, parts)))


def _flat(program: Program, parts: Iterable[Totals]) -> Iterator[list[int]]:
    """Counts in their flat form, zeros first: a relation without rows has counts, too."""
    yield zeros(program)
    for part in parts:
        yield part.flat()
