"""Counts of many predicates over a batch of rows at once, as sets of bits: bit n of a number is for row
(or group) n.

AND, OR and NOT of predicates are the operators of Python's whole numbers, so sixty thousand rows take some
microseconds
each time. This module uses plain data and the standard library alone: Spark takes it to executors on which
predicat is not
installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

# Rows or groups that are looked at together: this bounds the memory.
ROWS = 1 << 16
# Keys in one 64-bit number where each has a byte of its own.
LANES = 8

# Where a predicate is TRUE, and where FALSE; UNKNOWN elsewhere.
Outcome = tuple[int, int]
# A key and two tables of 256 characters, by its class: "1" where the condition is TRUE, and where it is
# UNKNOWN.
Part = tuple[int, bytes, bytes]


class Program(NamedTuple):
    """What to count. Steps name earlier steps by their numbers, so each shared part is worked out once.

    `steps` are `("leaf", parts)`, `("const", (value,))`, `("and" | "or" | "not" | "is_true", numbers)`.
    `items` are the
    steps whose outcomes are counted; `filters` are places in `items`, each with whether it accepts UNKNOWN;
    `groups` are
    places in `filters`. `places` are the keys of the partition with, for each of their classes, a number; the
    greatest of these is the place in `parts`, which has the partition.
    """

    keys: int
    steps: tuple[tuple[str, tuple[Any, ...]], ...]
    items: tuple[int, ...]
    filters: tuple[tuple[int, bool], ...]
    groups: tuple[tuple[int, ...], ...]
    places: tuple[tuple[int, tuple[int, ...]], ...] = ()
    parts: tuple[int, ...] = ()


class Totals(NamedTuple):
    """Counts of rows: all, TRUE and FALSE of each item, accepted of each filter, of each pair of filters, and
    the gap and
    overlap of each group. Pairs are in the order (0, 1), (0, 2), ..., (1, 2), ...
    """

    rows: int
    true: list[int]
    false: list[int]
    accepted: list[int]
    pairs: list[int]
    gaps: list[int]
    overlaps: list[int]

    def flat(self) -> list[int]:
        """The counts one after the other; of two batches they can be added."""
        return [self.rows, *(count for part in self[1:] for count in part)]


def _sizes(program: Program) -> tuple[int, ...]:
    """How many counts each part of the totals has."""
    filters, groups = len(program.filters), len(program.groups)
    return (len(program.items), len(program.items), filters, filters * (filters - 1) // 2, groups, groups)


def zeros(program: Program) -> list[int]:
    """The flat counts of no rows."""
    return [0] * (1 + sum(_sizes(program)))


def totals_of(program: Program, flat: Sequence[int]) -> Totals:
    """The counts out of their flat form."""
    parts: list[list[int]] = []
    start = 1
    for size in _sizes(program):
        parts.append(list(flat[start : start + size]))
        start += size
    return Totals(int(flat[0]), *parts)


def add(sums: Iterable[Sequence[int]]) -> list[int]:
    """Flat counts of several batches, added."""
    result: list[int] = []
    for flat in sums:
        result = [one + other for one, other in zip(result, flat, strict=True)] if result else list(flat)
    return result


def outcomes(program: Program, codes: Sequence[bytes], rows: int) -> list[Outcome]:
    """Where each step is TRUE and where FALSE, by Kleene logic. `codes` has the class of each row, key by
    key.
    """
    every = (1 << rows) - 1
    outcomes_: list[Outcome] = []
    for kind, of in program.steps:
        if kind == "leaf":
            outcomes_.append(_leaf(of, codes, every))
        elif kind == "const":
            outcomes_.append((every if of[0] is True else 0, every if of[0] is False else 0))
        elif kind == "not":
            true, false = outcomes_[of[0]]
            outcomes_.append((false, true))
        elif kind == "is_true":
            true, _ = outcomes_[of[0]]
            outcomes_.append((true, every & ~true))
        else:
            outcomes_.append(_join(kind, [outcomes_[number] for number in of]))
    return outcomes_


def _leaf(parts: Iterable[Part], codes: Sequence[bytes], every: int) -> Outcome:
    true = unknown = 0
    for key, is_true, is_unknown in parts:
        true |= int(codes[key].translate(is_true), 2)
        unknown |= int(codes[key].translate(is_unknown), 2)
    return true, every & ~(true | unknown)


def _join(kind: str, parts: Sequence[Outcome]) -> Outcome:
    true, false = parts[0]
    for more, less in parts[1:]:
        true, false = (true & more, false | less) if kind == "and" else (true | more, false & less)
    return true, false


def parts_of(program: Program, codes: Sequence[Sequence[int]]) -> Iterator[int]:
    """The partition of each row, by its classes of the keys of the partition."""
    tables = [map(table.__getitem__, code) for (_, table), code in zip(program.places, codes, strict=True)]
    return map(program.parts.__getitem__, map(max, *tables) if len(tables) > 1 else tables[0])


def split(
    program: Program, codes: Sequence[bytes], counts: Sequence[int] | None = None
) -> Iterator[tuple[int, Sequence[bytes], Sequence[int] | None]]:
    """A batch by partitions; all of it is of partition 0 if there are none."""
    if not program.places:
        yield 0, codes, counts
        return
    by_part: dict[int, list[int]] = {}
    for row, part in enumerate(parts_of(program, [codes[key] for key, _ in program.places])):
        by_part.setdefault(part, []).append(row)
    for part, rows in by_part.items():
        if len(by_part) == 1:
            yield part, codes, counts
            return
        own = [bytes(map(code.__getitem__, rows)) for code in codes]
        yield part, own, None if counts is None else [counts[row] for row in rows]


def add_batch(
    program: Program,
    sums: dict[int, list[int]],
    codes: Sequence[bytes],
    counts: Sequence[int] | None = None,
    rows: int | None = None,
) -> None:
    """Add a batch to the flat counts of each partition."""
    for part, own, numbers in split(program, codes, counts):
        flat = fold(program, own, numbers, rows if not program.places else None).flat()
        sums[part] = add([sums[part], flat]) if part in sums else flat


def fold(
    program: Program, codes: Sequence[bytes], counts: Sequence[int] | None = None, rows: int | None = None
) -> Totals:
    """The counts of one batch. `counts` has the number of rows of each group; without it each is one
    row.
    """
    size = len(counts) if counts is not None else rows if rows is not None else len(codes[0])
    every = (1 << size) - 1
    planes = None if counts is None else [_plane(counts, bit) for bit in range(max(counts).bit_length())]

    def count(rows: int) -> int:
        if planes is None or not rows:
            return rows.bit_count()
        return sum((rows & plane).bit_count() << bit for bit, plane in enumerate(planes))

    results = outcomes(program, codes, size)
    items = [results[step] for step in program.items]
    accepted = [
        every & ~items[item][1] if accepts_unknown else items[item][0]
        for item, accepts_unknown in program.filters
    ]
    gaps, overlaps = _group_sets(program, accepted, every)
    return Totals(
        count(every),
        [count(true) for true, _ in items],
        [count(false) for _, false in items],
        [count(rows) for rows in accepted],
        [count(one & other) for place, one in enumerate(accepted) for other in accepted[place + 1 :]],
        [count(gap) for gap in gaps],
        [count(overlap) for overlap in overlaps],
    )


def _group_sets(program: Program, accepted: Sequence[int], every: int) -> tuple[list[int], list[int]]:
    """Where no filter of a group accepts, and where several do."""
    gaps, overlaps = [], []
    for members in program.groups:
        once = twice = 0
        for member in members:
            once, twice = once | accepted[member], twice | once & accepted[member]
        gaps.append(every & ~once)
        overlaps.append(twice)
    return gaps, overlaps


def _plane(counts: Sequence[int], bit: int) -> int:
    return int(bytes(48 + (count >> bit & 1) for count in counts), 2)


def lanes(program: Program, words: Sequence[bytes]) -> list[bytes]:
    """The classes of each key out of columns of 64-bit little-endian numbers, in which each key has a
    byte.
    """
    return [words[key // LANES][key % LANES :: LANES] for key in range(program.keys)]


def folder(program: Program) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What Spark runs on each of its partitions: Arrow batches of words in, for each partition of ours a row
    with its counts out.
    """

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa  # noqa: PLC0415  # on the executor

        sums: dict[int, list[int]] = {}
        for batch in batches:
            if batch.num_rows:
                words = [_bytes(column) for column in batch.columns]
                add_batch(program, sums, lanes(program, words), rows=batch.num_rows)
        counts = pa.array(list(sums.values()), pa.list_(pa.int64()))
        parts = pa.array(list(sums), pa.int64())
        yield pa.RecordBatch.from_arrays([parts, counts], ["part", "counts"])

    return run


def _bytes(column: Any) -> bytes:
    """The numbers of a column without NULLs, as they are in memory."""
    start = 8 * column.offset
    return bytes(memoryview(column.buffers()[1])[start : start + 8 * len(column)])
