"""What is kept of runs, and which earlier runs a run is compared with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

from predicat.catalog.model import Catalog, Filter
from predicat.diagnostics.messages import coverage as say
from predicat.ir.canonical import meaning_hash
from predicat.quality.checks import OF_ROWS, Check, outcome
from predicat.quality.forecast import Day
from predicat.quality.measure import Measure
from predicat.quality.partitions import Part

# One filter (or, under the name of the dataset, all of its rows) in one run, as JSON data.
Entry = dict[str, Any]
# Older days say little about the next one. Thirteen weeks have each weekday thirteen times.
MOST_DAYS = 91
_DATE = re.compile(r"\d{4}-(?:W\d\d|\d\d-\d\d|\d\d\Z)")
_MONTH = len("2026-03")


class Series:
    """What makes results comparable: the catalog, dataset, engine and sample, and whether they are of a
    partition.

    A run of a partition is compared with runs of *other* partitions, so that a second try of a partition is
    compared with the same state as the first one. `by` are the partitions that the catalog declares
    (`Parts.text`): see `PartHistory`.
    """

    def __init__(
        self, catalog: str, dataset: str, engine: str, partition: str, sample: float, by: str = ""
    ) -> None:
        self.key = (catalog, dataset, engine, sample, by)
        self.partition = partition

    def alike(self, entry: Entry) -> bool:
        """Whether an earlier result is of the same series, in any partition. Results of an older predicat
        name no catalog: they are.
        """
        key = (
            entry.get("catalog") or self.key[0],
            entry["dataset"],
            entry.get("engine"),
            entry.get("sample", 1.0),
            entry.get("by") or "",
        )
        return key == self.key

    def holds(self, entry: Entry) -> bool:
        """Whether an earlier result is comparable."""
        partition = entry["partition"]
        return self.alike(entry) and (
            partition not in ("", self.partition) if self.partition else not partition
        )

    def stated(self, baseline: Iterable[Entry]) -> dict[str, list[Entry]]:
        """The results of a stated baseline by filter, whatever their partition."""
        return by_filter([entry for entry in baseline if self.alike(entry)])

    def of(self, entries_: Iterable[Entry]) -> dict[str, list[Entry]]:
        """The comparable results by filter, the oldest first."""
        return by_filter([entry for entry in entries_ if self.holds(entry)])


class PartHistory:
    """The newest result of each filter in each partition. A partition is compared with those before it, so
    that the order in which they are measured does not matter.
    """

    def __init__(self, series: Series, entries_: Iterable[Entry]) -> None:
        self.newest: dict[tuple[str, str], Entry] = {}
        alike = (entry for entry in entries_ if series.alike(entry))
        self.add(sorted(alike, key=lambda entry: str(entry["at"])))

    def add(self, entries_: Iterable[Entry]) -> list[Entry]:
        """Take results in; returns those that differ from what is known."""
        changed: list[Entry] = []
        for entry in entries_:
            key = entry["filter"], entry["partition"]
            known = self.newest.get(key, {})
            names = {*entry, *known} - {"run", "at"}
            if any((entry.get(name) or None) != (known.get(name) or None) for name in names):
                changed.append(entry)
                self.newest[key] = entry
        return changed

    def before(self, part: Part) -> dict[str, list[Entry]]:
        """The results of earlier partitions by filter, in their order."""
        start, result = _start(part), dict[str, list[Entry]]()
        for entry in sorted(self.newest.values(), key=lambda entry: str(entry["start"])):
            if str(entry["start"]) < start:
                result.setdefault(entry["filter"], []).append(entry)
        return result

    def late(self, measure: Measure, part: Part) -> str:
        """What changed in a partition since it was measured; "" if nothing did, or it was not."""
        known = self.newest.get((measure.dataset, part.name))
        if known is None or (known["rows"], known.get("newest")) == (measure.total, measure.newest):
            return ""
        return say.late(known["rows"], str(known["at"]), measure.total)


def _start(part: Part) -> str:
    return part.start.isoformat()


def entries(
    catalog: Catalog,
    measure: Measure,
    series: Series,
    checks: Sequence[Check] = (),
    at: datetime | None = None,
) -> list[Entry]:
    """What is kept of a run: its filters with the version and meaning that was measured, and the rows of the
    dataset.

    Each has a `status`: the worst of its own bounds that were judged, for the rows of the dataset of the
    bounds on their number. What failed is never what a later run is compared with.
    """
    run = {
        "run": uuid4().hex,
        "at": (at or datetime.now(tz=UTC)).isoformat(timespec="seconds"),
        "catalog": series.key[0],
        "dataset": measure.dataset,
        "engine": measure.engine,
        "partition": series.partition,
        "sample": measure.sample,
    }
    if measure.part is not None:
        run |= {"by": series.key[-1], "start": _start(measure.part)}
    of_rows = [check.status for check in checks if check.kind in OF_ROWS]
    own: dict[str, list[str]] = {}
    for check in checks:
        own.setdefault(check.name, []).append(check.status)
    return [
        {**run, "status": outcome(of_rows), **_dataset(measure)},
        *(
            {**run, "status": outcome(own.get(name, ())), **_filter(catalog, measure, name)}
            for name in measure.filters
        ),
    ]


def _dataset(measure: Measure) -> Entry:
    newest = {} if measure.part is None or measure.newest is None else {"newest": measure.newest}
    return {
        **newest,
        "filter": measure.dataset,
        "version": 0,
        "rows": measure.total,
        "accepted": measure.total,
        "true": measure.total,
        "false": 0,
        "unknown": 0,
    }


def _filter(catalog: Catalog, measure: Measure, name: str) -> Entry:
    filter_, count = catalog.known[name], measure.filters[name]
    return {
        "filter": name,
        "version": filter_.latest,
        "hash": meaning_hash(filter_.current.predicate.node, filter_.on_unknown),
        "rows": measure.rows,
        "accepted": measure.accepted[name],
        "true": count.true,
        "false": count.false,
        "unknown": count.unknown,
        "atoms": [
            {"text": text, "true": atom.true, "false": atom.false, "unknown": atom.unknown}
            for text, atom in measure.atoms.get(name, ())
        ],
    }


def same_meaning(filter_: Filter, entry: Mapping[str, Any]) -> bool:
    """Whether an earlier result is of the meaning that the filter has now."""
    meaning = meaning_hash(filter_.current.predicate.node, filter_.on_unknown)
    return bool(entry.get("hash", meaning) == meaning and entry["version"] == filter_.latest)


def day_of(partition: str, at: datetime | str) -> date:
    """The first day of a result: that with which the name of its partition begins (a date, a week such as
    `2026-W09` or a month such as `2026-03`), or that of the run.
    """
    dated = _DATE.match(partition)
    if dated is None:
        return date.fromisoformat(str(at)[:10])
    return date.fromisoformat(dated[0] if len(dated[0]) > _MONTH else f"{dated[0]}-01")


def is_month(partition: str) -> bool:
    """Whether a partition is a month by its name."""
    return len(partition) == _MONTH and _DATE.match(partition) is not None


def hour_of(partition: str) -> str:
    """The hour in the name of a partition that is one; "" for others."""
    return partition[10:13] if _DATE.match(partition) and partition[10:11] == "T" else ""


def days(entries_: Iterable[Mapping[str, Any]], key: str) -> list[Day]:
    """The last result of each day or partition, the oldest first: a count by its key, and the rows."""
    known: dict[tuple[date, str], Day] = {}
    for entry in entries_:
        label, day = str(entry["partition"]), day_of(str(entry["partition"]), entry["at"])
        known[day, label] = Day(day, label or str(day), int(entry[key]), int(entry["rows"]))
    return [known[name] for name in sorted(known)]


def by_filter(entries_: Iterable[Entry], partition: str | None = None) -> dict[str, list[Entry]]:
    """The results of each filter, the oldest first; of one partition if it is named."""
    result: dict[str, list[Entry]] = {}
    for entry in sorted(entries_, key=lambda entry: str(entry["at"])):
        if partition is None or entry["partition"] == partition:
            result.setdefault(entry["filter"], []).append(entry)
    return result


def last_accepted(entries_: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The newest result with rows that did not fail; None if there is none."""
    return next(
        (item for item in reversed(entries_) if item.get("status") != "fail" and item.get("rows", 1)), None
    )
