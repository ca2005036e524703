"""Counts out of one pass: coverage of every filter and condition, values that are missing, overlaps, gaps of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct, field

from predicat.quality.classes import Classes
from predicat.quality.groups import Groups
from predicat.quality.plan import Plan

Counter = Callable[[Classes], Iterable[Sequence[int]]]
"""Groups the rows of a relation by the words of their classes: each group's words and, last, its number of rows."""
Sampler = Callable[[str], Sequence[Mapping[str, Any]]]
"""Some rows for which a condition holds."""
BATCH = 1 << 16
"""Groups of rows that are looked at together."""


class Count(Struct):
    """Rows by outcome."""

    true: int = 0
    false: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        return self.true + self.false + self.unknown


class GroupCount(Struct):
    """Rows that no filter of a group accepts, and that several do, with samples."""

    gap: int = 0
    overlap: int = 0
    gap_rows: Sequence[Mapping[str, Any]] = ()
    overlap_rows: Sequence[Mapping[str, Any]] = ()


class Measure(Struct):
    """Everything that was counted of a dataset. `sample` is the share of rows that was looked at; counts are of those.

    `accepted` has the rows of each filter, `versions` those of earlier versions (`flights.late@1`) of filters watched for drift.
    `total` is the number of all rows, estimated where only a sample was looked at and the catalog asks for no count of rows. `newest`
    is the newest value of the freshness field in seconds since 1970, None where there is none.
    """

    dataset: str
    engine: str
    rows: int = 0
    sample: float = 1.0
    filters: dict[str, Count] = field(default_factory=dict[str, Count])
    accepted: dict[str, int] = field(default_factory=dict[str, int])
    versions: dict[str, int] = field(default_factory=dict[str, int])
    atoms: dict[str, list[tuple[str, Count]]] = field(default_factory=dict[str, list[tuple[str, Count]]])
    nulls: dict[str, int] = field(default_factory=dict[str, int])
    overlaps: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    groups: dict[str, GroupCount] = field(default_factory=dict[str, GroupCount])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    total: int = 0
    newest: float | None = None

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
    counts = [Count() for _ in plan.items]
    found.accepted = {row.qualified: 0 for row in plan.filters}
    groups = _groups(plan)
    found.groups = {name: GroupCount() for name in groups}
    rows = iter(count(plan.classes))
    while batch := list(islice(rows, BATCH)):
        _add(plan, found, counts, Groups(plan.classes, batch), groups)
    lenient = plan.lenient
    for place, item in enumerate(plan.items):
        if item.kind == "filter":
            found.filters[item.name] = counts[place]
        elif item.kind == "atom":
            found.atoms.setdefault(item.name, []).append((item.text, counts[place]))
        elif item.kind == "version":
            found.versions[item.name] = counts[place].true + (counts[place].unknown if item.name.partition("@")[0] in lenient else 0)
        else:
            found.nulls[item.name] = counts[place].true
    if sample_rows is not None:
        _samples(plan, found, groups, sample_rows)
    return found


def _add(plan: Plan, found: Measure, counts: Sequence[Count], rows: Groups, groups: Mapping[str, Sequence[str]]) -> None:
    lenient = plan.lenient
    taken: dict[str, int] = {}
    found.rows += rows.count(rows.all)
    for item, count in zip(plan.items, counts, strict=True):
        true, false = rows.outcome(item.node)
        count.true += rows.count(true)
        count.false += rows.count(false)
        count.unknown += rows.count(rows.all & ~(true | false))
        if item.kind == "filter":
            taken[item.name] = rows.all & ~false if item.name in lenient else true
    names = sorted(taken)
    for place, one in enumerate(names):
        found.accepted[one] += rows.count(taken[one])
        for other in names[place + 1 :]:
            both = rows.count(taken[one] & taken[other])
            if both:
                found.overlaps[one, other] = found.overlaps.get((one, other), 0) + both
    for name, members in groups.items():
        once = twice = 0
        for member in members:
            once, twice = once | taken[member], twice | once & taken[member]
        found.groups[name].gap += rows.count(rows.all & ~once)
        found.groups[name].overlap += rows.count(twice)


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
    lenient = plan.lenient
    for name, members in groups.items():
        counted, spec = found.groups[name], plan.dataset.groups[name]
        hits = " + ".join(f"CAST(COALESCE({plan.sql(member)}, {'TRUE' if member in lenient else 'FALSE'}) AS INT)" for member in members)
        if counted.gap and spec.get("exhaustive"):
            counted.gap_rows = sample_rows(f"({hits}) = 0")
        if counted.overlap and spec.get("exclusive"):
            counted.overlap_rows = sample_rows(f"({hits}) > 1")
