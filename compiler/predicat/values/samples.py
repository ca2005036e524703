"""A readable value for each combination of outcomes that a value can have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from predicat.values.automaton import Label, shortest_texts, tabulated
from predicat.values.domain import TEXTS, Domain
from predicat.values.partition import Cycle, Line, Partition, machine_of, product
from predicat.values.preimage import narrowed

Labels = tuple[Label, ...]
# What makes a text the next one behind another, if it is not too much.
_BEHIND = ("a", "0", " ")


def samples(parts: Sequence[Partition], column: Domain | None = None) -> Iterator[tuple[Labels, Any]]:
    """The combinations of labels of partitions, each with a value that has them: NULL last.

    Args:
        parts: Partitions of one domain.
        column: The values that a column can hold, if they are fewer. Integers of a column have the same
            ordinals.

    Raises Opaque if there are too many.
    """
    known: dict[Labels, Any] = {}
    if all(isinstance(part.cells, Line) for part in parts):
        joint = product(parts, lambda *labels: labels, of_choices=False)
        _of_line(joint if column is None else narrowed(joint, column), known)
        others = joint.others
    else:
        tables = [
            part.cells if not isinstance(part.cells, Line) else tabulated(machine_of(part.cells))
            for part in parts
        ]
        known = shortest_texts(tables)
        others = tuple(zip(*(part.others for part in parts), strict=True))
    yield from known.items()
    if parts[0].domain.others:
        yield others[1], math.nan
    yield others[0], None


def _of_line(part: Partition, known: dict[Labels, Any]) -> None:
    values, cells = part.domain, part.cells
    assert isinstance(cells, Line)  # noqa: S101  # of two lines
    for start, end, label in zip(cells.starts, [*cells.starts[1:], None], cells.labels, strict=True):
        if values is TEXTS:
            known.setdefault(label, _text(start, end))
            continue
        high = values.greatest if end is None else end - 1
        if isinstance(label, Cycle):
            _of_cycle(values, start, high, label, known)
        elif label not in known:
            known[label] = values.value(_simple(values, start, high))


def _of_cycle(values: Domain, low: int, high: int, label: Cycle, known: dict[Labels, Any]) -> None:
    """Add the labels that are not there yet. Of negative integers those near zero are the most readable."""
    is_mirrored = values.closed_below and high < 0
    begin = (
        max(low, high - label.period + 1) if is_mirrored else 0 if low <= 0 <= high - label.period else low
    )
    pieces = label.pieces(begin, high)
    for start, last, own in reversed([*pieces]) if is_mirrored else pieces:
        if known.keys() >= label.outcomes:
            return
        if isinstance(own, Cycle):
            _of_cycle(values, start, last, own, known)
        elif own not in known:
            known[own] = values.value(last if is_mirrored else start)


def _text(start: str, end: str | None) -> str:
    """A readable text of an interval."""
    if not start.endswith("\0"):
        return start
    near = (start[:-1] + char for char in _BEHIND)
    return next((text for text in near if end is None or text < end), start)


def _simple(values: Domain, low: int, high: int) -> int:
    """An ordinal of an interval with a readable value."""
    if low <= 0 <= high:
        return 0
    if values.others:
        return _simple_number(values, low, high)
    return low if low > 0 else high


def _simple_number(values: Domain, low: int, high: int) -> int:
    least, most = values.value(low), values.value(high)
    if not (math.isinf(least) and math.isinf(most)):
        near = math.ceil(least) if not math.isinf(least) else math.floor(most)
        key: int = values.ordinal(float(near)) if abs(near) < 2**53 else low
        if low <= key <= high:
            return key
    return low if not math.isinf(least) else high
