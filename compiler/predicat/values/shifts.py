"""Partitions under operators that add a constant, or divide by one: also those that repeat."""

from __future__ import annotations

from functools import lru_cache

from predicat.values.automaton import Label, Opaque
from predicat.values.domain import Domain
from predicat.values.partition import Cycle, Line, cycle, line


def moved(cells: Line, by: int, values: Domain) -> Line:
    """The intervals of what is less by a number of ordinals. The first and the last label have no end."""
    known = {values.least: turned(cells.labels[0], by)}
    for start, label in zip(cells.starts[1:], cells.labels[1:], strict=True):
        if start - by <= values.greatest:
            known[max(start - by, values.least)] = turned(label, by)
    return line(known, known.values())


def turned(label: Label, by: int) -> Label:
    """The labels of what is less by a number of ordinals."""
    if not isinstance(label, Cycle):
        return label
    return _turned_cycle(label, by % label.period)


@lru_cache(maxsize=64)
def _turned_cycle(label: Cycle, by: int) -> Label:
    pieces = zip(label.starts, label.labels, strict=True)
    return in_turn(label.period, {(start - by) % label.period: turned(own, by) for start, own in pieces})


def in_turn(period: int, pieces: dict[int, Label]) -> Label:
    """The cycle of pieces by where they start. The last one reaches into the next turn."""
    starts = sorted(pieces)
    before = () if starts[0] == 0 else (0,)
    return cycle(period, (*before, *starts), [pieces[at] for at in (*starts[-1:] * len(before), *starts)])


def summed(cells: Line, by: int, results: Domain, values: Domain, missing: Label) -> Line:
    """The intervals of the arguments of a sum with a constant, which has no value beyond its domain."""
    own = moved(cells, by, values)
    low, end = max(results.least - by, values.least), min(results.greatest - by, values.greatest) + 1
    before = [(values.least, missing)] if low > values.least else []
    after = [(end, missing)] if end <= values.greatest else []
    pieces = [*before, *own.within(low, end), *after]
    return line([at for at, _ in pieces], [label for _, label in pieces])


def divided(cells: Line, by: int, values: Domain, *, truncates: bool) -> Line:
    """The intervals of what is divided by a positive number and rounded down, or towards zero."""
    if not truncates:
        return _stretched(cells, by, 0, values)
    below = _stretched(cells, by, by - 1, values).within(values.least, 0)
    pieces = [*below, *_stretched(cells, by, 0, values).within(0, None)]
    return line([at for at, _ in pieces], [label for _, label in pieces])


def multiplied(cells: Line, by: int, values: Domain) -> Line:
    """The intervals of what is multiplied by a positive number. Raises Opaque for other periods."""
    known = {values.least: _thinned(cells.labels[0], by)}
    for start, label in zip(cells.starts[1:], cells.labels[1:], strict=True):
        if -(-start // by) <= values.greatest:
            known[max(-(-start // by), values.least)] = _thinned(label, by)
    return line(known, known.values())


def _thinned(label: Label, by: int) -> Label:
    if not isinstance(label, Cycle):
        return label
    if by % label.period == 0:
        return _thinned(label.at(0), by)
    if label.period % by:
        raise Opaque
    pieces = [(-(-start // by), own) for start, own in zip(label.starts, label.labels, strict=True)]
    return in_turn(
        label.period // by, {at: _thinned(own, by) for at, own in pieces if at * by < label.period}
    )


def _stretched(cells: Line, by: int, before: int, values: Domain) -> Line:
    known = {values.least: _stretched_label(cells.labels[0], by, before)}
    for start, label in zip(cells.starts[1:], cells.labels[1:], strict=True):
        if start * by - before <= values.greatest:
            known[max(start * by - before, values.least)] = _stretched_label(label, by, before)
    return line(known, known.values())


def _stretched_label(label: Label, by: int, before: int) -> Label:
    if not isinstance(label, Cycle):
        return label
    pieces = zip(label.starts, label.labels, strict=True)
    period = label.period * by
    return in_turn(
        period, {(start * by - before) % period: _stretched_label(own, by, before) for start, own in pieces}
    )
