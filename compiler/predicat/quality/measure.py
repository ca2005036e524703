"""Counts out of one pass: coverage of every filter and condition, values that are missing, overlaps, gaps
of groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from msgspec import Struct, field
from sqlglot import exp

from predicat.backends.sql.builders import Sql, binary, call, cast, number_literal
from predicat.files.bad_cells import BadCells
from predicat.quality.fold import Totals, add, totals_of, zeros
from predicat.quality.grouping import TotalsOfParts
from predicat.quality.partitions import Part
from predicat.quality.plan import CountedPredicate, Plan, members
from predicat.quality.program import MISSING

# Some rows for which a condition holds.
Sampler = Callable[[str], Sequence[Mapping[str, Any]]]


class Count(Struct):
    """Rows by outcome."""

    true: int = 0
    false: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        """All rows."""
        return self.true + self.false + self.unknown


class GroupCount(Struct):
    """Rows that no filter of a group accepts, and that several do, with samples."""

    gap: int = 0
    overlap: int = 0
    gap_rows: Sequence[Mapping[str, Any]] = ()
    overlap_rows: Sequence[Mapping[str, Any]] = ()


class Measure(Struct):
    """Everything that was counted of a dataset. `sample` is the share of rows that was looked at; counts are
    of those.

    `accepted` has the rows of each filter, `versions` those of earlier versions (`flights.late@1`) of filters
    watched for drift.
    `refused` are filters that cannot be measured by their definition, `errors` filters that an engine could
    not run, each with the reason.
    `total` is the number of all rows, estimated where only a sample was looked at and the catalog asks for no
    count of rows. `newest`
    is the newest value of the freshness field in seconds since 1970, None where there is none. `bad` has the
    cells of files that are no values of their fields: they count as missing.

    `parts` has the figures of each partition, if they were asked for, `part` the partition that the figures
    are of. `unplaced` is the number of rows that have no value for their partition.
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
    errors: dict[str, str] = field(default_factory=dict[str, str])
    total: int = 0
    newest: float | None = None
    bad: BadCells = field(default_factory=BadCells)
    part: Part | None = None
    parts: list[Measure] = field(default_factory=list["Measure"])
    unplaced: int = 0

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


def measure(
    plan: Plan, totals: TotalsOfParts, sample_rows: Sampler | None = None, sample: float = 1.0
) -> Measure:
    """The figures of a plan out of its counts, and those of its partitions; `sample_rows` shows rows of gaps
    and overlaps of groups.
    """
    own = {part: count for part, count in totals.items() if part >= 0}
    every = totals_of(plan.program, add([zeros(plan.program), *(count.flat() for count in own.values())]))
    result = _measure(plan, every, sample)
    if plan.parts is None:
        if sample_rows is not None:
            _samples(plan, result, sample_rows)
        return result
    result.unplaced = totals[MISSING].rows if MISSING in totals else 0
    shown = dict.fromkeys(plan.groups, 0)
    for number, part in reversed(list(enumerate(plan.parts.parts))):
        found = _measure(plan, own[number], sample)
        found.part = part
        if sample_rows is not None:
            condition = plan.part_sql(number)
            _samples(plan, found, lambda rows: sample_rows(f"({rows}) AND ({condition})"), shown)  # noqa: B023  # called now
        result.parts.insert(0, found)
    return result


def _measure(plan: Plan, totals: Totals, sample: float) -> Measure:
    result = Measure(plan.dataset.name, plan.engine, totals.rows, sample, refused=dict(plan.refused))
    names = [filter_.qualified for filter_ in plan.filters]
    result.accepted = dict(zip(names, totals.accepted, strict=True))
    for item, true, false in zip(plan.items, totals.true, totals.false, strict=True):
        _add(
            result,
            item,
            Count(true, false, totals.rows - true - false),
            accepts_unknown=item.name.partition("@")[0] in plan.accepting_unknown,
        )
    for (one, other), both in zip(combinations(names, 2), totals.pairs, strict=True):
        if both:
            result.overlaps[(one, other) if one <= other else (other, one)] = both
    for name, gap, overlap in zip(plan.groups, totals.gaps, totals.overlaps, strict=True):
        result.groups[name] = GroupCount(gap, overlap)
    return result


def _add(result: Measure, item: CountedPredicate, count: Count, *, accepts_unknown: bool) -> None:
    if item.kind == "filter":
        result.filters[item.name] = count
    elif item.kind == "atom":
        result.atoms.setdefault(item.name, []).append((item.text, count))
    elif item.kind == "version":
        result.versions[item.name] = count.true + (count.unknown if accepts_unknown else 0)
    else:
        result.nulls[item.name] = count.true


# Of how many partitions rows of a broken group are shown, the newest first.
_SHOWN = 3


def _samples(plan: Plan, measure: Measure, sample_rows: Sampler, shown: dict[str, int] | None = None) -> None:
    for name in plan.groups:
        counted, spec = measure.groups[name], plan.dataset.groups[name]
        broken = (counted.gap and spec.exhaustive) or (counted.overlap and spec.exclusive)
        if shown is not None and broken:
            shown[name] += 1
        if not spec.filters or not broken or (shown is not None and shown[name] > _SHOWN):
            continue
        if counted.gap and spec.exhaustive:
            counted.gap_rows = sample_rows(breaking(plan, "exhaustive", name))
        if counted.overlap and spec.exclusive:
            counted.overlap_rows = sample_rows(breaking(plan, "exclusive", name))


def breaking(plan: Plan, kind: str, name: str) -> str:
    """The condition of the rows that count against a bound, as SQL.

    Args:
        plan: The plan of the dataset.
        kind: The bound: `at_least`, `at_most`, `unknown_at_most`, `exclusive` or `exhaustive`.
        name: The filter (`dataset.filter`), or the group by its name in the dataset.
    """
    return plan.dialect.text(_BREAKING[kind](plan, name))


def _accepted(plan: Plan, name: str) -> Sql:
    accepts_unknown = exp.Boolean(this=name in plan.accepting_unknown)
    return call("COALESCE", plan.dialect.tree(plan.condition(name)), accepts_unknown)


def _acceptors(plan: Plan, group: str) -> Sql:
    """The number of filters of a group that accept a row."""
    first, *others = [cast(_accepted(plan, name), "int") for name in members(plan.dataset, group)]
    total: Sql = first
    for hit in others:
        total = exp.Add(this=total, expression=hit)
    return total


def _unknown(plan: Plan, name: str) -> Sql:
    return exp.Is(this=exp.Paren(this=plan.dialect.tree(plan.condition(name))), expression=exp.Null())


_BREAKING: Mapping[str, Callable[[Plan, str], Sql]] = {
    "at_least": lambda plan, name: exp.Not(this=_accepted(plan, name)),
    "at_most": _accepted,
    "unknown_at_most": _unknown,
    "exclusive": lambda plan, group: binary(exp.GT, _acceptors(plan, group), number_literal(1)),
    "exhaustive": lambda plan, group: binary(exp.EQ, _acceptors(plan, group), number_literal(0)),
}
