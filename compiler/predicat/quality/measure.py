"""Counts out of one pass: coverage of every filter and condition, values that are missing, overlaps, gaps of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from predicat.quality.plan import Plan

Counter = Callable[[Sequence[str]], Iterable[Sequence[int]]]
"""Groups the rows of a relation by some expressions: each group's values and, last, its number of rows."""
Sampler = Callable[[str], Sequence[Mapping[str, Any]]]
"""Some rows for which a condition holds."""


@dataclass(slots=True)
class Count:
    """Rows by outcome."""

    true: int = 0
    false: int = 0
    unknown: int = 0

    def add(self, digit: int, rows: int) -> None:
        if digit == 1:
            self.true += rows
        elif digit == 0:
            self.false += rows
        else:
            self.unknown += rows

    @property
    def total(self) -> int:
        return self.true + self.false + self.unknown


@dataclass(slots=True)
class GroupCount:
    """Rows that no filter of a group accepts, and that several do, with samples."""

    gap: int = 0
    overlap: int = 0
    gap_rows: Sequence[Mapping[str, Any]] = ()
    overlap_rows: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True)
class Measure:
    """Everything that was counted of a dataset. `sample` is the share of rows that was looked at; counts are of those."""

    dataset: str
    engine: str
    rows: int = 0
    sample: float = 1.0
    filters: dict[str, Count] = field(default_factory=dict[str, Count])
    accepted: dict[str, int] = field(default_factory=dict[str, int])
    atoms: dict[str, list[tuple[str, Count]]] = field(default_factory=dict[str, list[tuple[str, Count]]])
    nulls: dict[str, int] = field(default_factory=dict[str, int])
    overlaps: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    groups: dict[str, GroupCount] = field(default_factory=dict[str, GroupCount])
    refused: dict[str, str] = field(default_factory=dict[str, str])

    def share(self, name: str) -> float:
        """The share of rows that a filter accepts."""
        return self.accepted[name] / self.rows if self.rows else 0.0

    def overlap(self, one: str, other: str) -> int:
        """Rows that two filters both accept."""
        return self.overlaps.get((one, other) if one <= other else (other, one), 0)

    def jaccard(self, one: str, other: str) -> float:
        """Rows that both accept, as a share of those that either does."""
        both = self.overlap(one, other)
        either = self.accepted[one] + self.accepted[other] - both
        return both / either if either else 0.0

    def contained(self, one: str, other: str) -> float:
        """The share of the first filter's rows that the second accepts."""
        return self.overlap(one, other) / self.accepted[one] if self.accepted[one] else 0.0


def measure(plan: Plan, count: Counter, sample_rows: Sampler | None = None, sample: float = 1.0) -> Measure:
    """Count everything that a plan asks in one pass; `sample_rows` shows rows of gaps and overlaps of groups."""
    found = Measure(plan.dataset.name, plan.engine, sample=sample, refused=dict(plan.refused))
    accepts_unknown = {row.qualified: row.on_unknown == "accept" for row in plan.filters}
    counts = [Count() for _ in plan.items]
    filters = [(place, item.name) for place, item in enumerate(plan.items) if item.kind == "filter"]
    found.accepted = {name: 0 for _, name in filters}
    groups = _groups(plan)
    found.groups = {name: GroupCount() for name in groups}
    for *masks, rows in count(plan.masks()):
        digits = plan.outcomes(masks)
        found.rows += rows
        for place, digit in enumerate(digits):
            counts[place].add(digit, rows)
        taken = sorted(name for place, name in filters if digits[place] == 1 or (digits[place] == 2 and accepts_unknown[name]))
        _accept(found, taken, groups, rows)
    for place, item in enumerate(plan.items):
        if item.kind == "filter":
            found.filters[item.name] = counts[place]
        elif item.kind == "atom":
            found.atoms.setdefault(item.name, []).append((item.text, counts[place]))
        else:
            found.nulls[item.name] = counts[place].true
    if sample_rows is not None:
        _samples(plan, found, groups, sample_rows)
    return found


def _accept(found: Measure, taken: list[str], groups: Mapping[str, Sequence[str]], rows: int) -> None:
    for place, one in enumerate(taken):
        found.accepted[one] += rows
        for other in taken[place + 1 :]:
            found.overlaps[one, other] = found.overlaps.get((one, other), 0) + rows
    chosen = set(taken)
    for name, members in groups.items():
        hits = sum(member in chosen for member in members)
        found.groups[name].gap += rows if hits == 0 else 0
        found.groups[name].overlap += rows if hits > 1 else 0


def _groups(plan: Plan) -> dict[str, list[str]]:
    """The groups all of whose filters are measured."""
    known = {row.qualified for row in plan.filters}
    found: dict[str, list[str]] = {}
    for name, spec in plan.dataset.groups.items():
        members = [f"{plan.dataset.name}.{member.partition('@')[0]}" for member in spec["filters"]]
        if set(members) <= known:
            found[name] = members
    return found


def _samples(plan: Plan, found: Measure, groups: Mapping[str, Sequence[str]], sample_rows: Sampler) -> None:
    taken = {
        item.name: f"COALESCE({item.sql}, {'TRUE' if row.on_unknown == 'accept' else 'FALSE'})"
        for item in plan.items
        for row in plan.filters
        if item.kind == "filter" and item.name == row.qualified
    }
    for name, members in groups.items():
        counted, spec = found.groups[name], plan.dataset.groups[name]
        hits = " + ".join(f"CAST({taken[member]} AS INT)" for member in members)
        if counted.gap and spec.get("exhaustive"):
            counted.gap_rows = sample_rows(f"({hits}) = 0")
        if counted.overlap and spec.get("exclusive"):
            counted.overlap_rows = sample_rows(f"({hits}) > 1")
