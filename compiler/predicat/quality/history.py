"""What is kept of runs, and which earlier runs a run is compared with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

from predicat.catalog.model import Catalog, Filter
from predicat.ir.canonical import meaning_hash
from predicat.quality.checks import OF_ROWS, Check, worst
from predicat.quality.forecast import Day
from predicat.quality.measure import Measure

# One filter (or, under the name of the dataset, all of its rows) in one run, as JSON data.
Entry = dict[str, Any]
# Older days say little about the next one. Thirteen weeks have each weekday thirteen times.
MOST_DAYS = 91
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Series:
    """What makes results comparable: the catalog, dataset, engine and sample, and whether they are of a
    partition.

    A run of a partition is compared with runs of *other* partitions, so that a second try of a partition is
    compared with the same state as the first one.
    """

    def __init__(self, catalog: str, dataset: str, engine: str, partition: str, sample: float) -> None:
        self.key = (catalog, dataset, engine, sample)
        self.partition = partition

    def holds(self, entry: Entry) -> bool:
        """Whether an earlier result is comparable. Results of an older predicat name no catalog: they are."""
        catalog = self.key[0]
        key = (
            entry.get("catalog") or catalog,
            entry["dataset"],
            entry.get("engine"),
            entry.get("sample", 1.0),
        )
        partition = entry["partition"]
        return key == self.key and (
            partition not in ("", self.partition) if self.partition else not partition
        )

    def stated(self, baseline: Iterable[Entry]) -> dict[str, list[Entry]]:
        """The results of a stated baseline by filter, whatever their partition."""
        anywhere = Series(*self.key[:3], "", self.key[3])
        return by_filter([entry for entry in baseline if anywhere.holds({**entry, "partition": ""})])

    def of(self, entries_: Iterable[Entry]) -> dict[str, list[Entry]]:
        """The comparable results by filter, the oldest first."""
        return by_filter([entry for entry in entries_ if self.holds(entry)])


def entries(
    catalog: Catalog,
    measure: Measure,
    series: Series,
    checks: Sequence[Check] = (),
    at: datetime | None = None,
) -> list[Entry]:
    """What is kept of a run: its filters with the version and meaning that was measured, and the rows of the
    dataset.

    Each has a `status`: the worst of its own bounds, for the rows of the dataset of the bounds on their
    number. What failed is never what a later run is compared with.
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
    of_rows = [check.status for check in checks if check.kind in OF_ROWS]
    own: dict[str, list[str]] = {}
    for check in checks:
        own.setdefault(check.name, []).append(check.status)
    return [
        {**run, "status": worst(of_rows), **_dataset(measure)},
        *(
            {**run, "status": worst(own.get(name, ())), **_filter(catalog, measure, name)}
            for name in measure.filters
        ),
    ]


def _dataset(measure: Measure) -> Entry:
    return {
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
    """The day of a result: that with which the name of its partition begins, or that of the run."""
    dated = _DATE.match(partition)
    return date.fromisoformat(dated[0] if dated else str(at)[:10])


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
