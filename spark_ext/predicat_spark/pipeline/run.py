"""Runs a job: read once, evaluate the filters, stage the rows of each sink, then put all in place or none."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from predicat.catalog.jobs import NAMED, PER_FILTER, TRIES, WITH_NAME, Job, JobFilter, Sink
from predicat.catalog.jobs import problems as job_problems
from predicat.catalog.model import Catalog
from predicat.deploy.chosen import Chosen, chosen
from predicat.deploy.columns import problems as column_problems
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import entries as entry_say
from predicat.ir.canonical import meaning_hash
from predicat.ir.nodes import NOW, reads_now
from predicat.ir.types import TIMESTAMP
from predicat.semantics import clock
from predicat_spark.lists import provide
from predicat_spark.pipeline import entries as put_off
from predicat_spark.pipeline import failures, settle
from predicat_spark.pipeline.commit import (
    Record,
    Target,
    Workplace,
    prune,
    record_path,
    records,
    staging,
    tidy,
)
from predicat_spark.pipeline.entries import Entries, Raised
from predicat_spark.pipeline.files import Files
from predicat_spark.pipeline.interrupts import Interrupts
from predicat_spark.pipeline.lease import FOLDER
from predicat_spark.pipeline.progress import Metrics, bar
from predicat_spark.pipeline.report import BadCells, EntryError, FilterReport, Report, SinkReport
from predicat_spark.pipeline.routed import Counts, Output, Written, routed, timed
from predicat_spark.pipeline.source import Reading, column_types

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_WIDE = 10
"""How many times the columns that filters read a source has, where a few sinks may be cheaper with a
reading for each.
"""
_COLUMNS = 50
_UNCHANGED = "no sink was changed"
WAITING_ROWS = "rescheduled"
"""The ending of the folder of rows that wait, beside the checkpoint."""
_KEPT = 100
"""Records of a job that are kept, the newest ones."""
_FEW = 3
_SHARE = 0.02
"""At most this share of the rows went to each sink in the run before."""


class Options(Struct, frozen=True):
    """How a job is run, beside what it says: between which values of its range, how often a failure that may
    pass is tried again.

    `now` is the current time for filters that read it (default: the clock at the start of the run; a stream
    has that of each batch). `revision` is that of the catalog in version control. `rebuild` forgets what an
    incremental job has read.
    """

    master: str = "local[*]"
    conf: Mapping[str, str] = field(default_factory=dict[str, str])
    start: str | None = None
    end: str | None = None
    rebuild: bool = False
    retries: int = 2
    revision: str | None = None
    now: datetime | None = None


def resolved(catalog: Catalog, job: Job) -> tuple[Job, list[Chosen]]:
    """The job with the names of all its filters, and these filters. Raises PredicatError."""
    rows = chosen(catalog, job.dataset, job.filters, job.every)
    if not job.filters:
        job = replace(job, filters=tuple(JobFilter(row.name, row.name) for row in rows))
    found = job_problems(job)
    if found:
        raise PredicatError(found)
    return job, rows


def new_run_id() -> str:
    """A name for a run: its time, so that records sort, and a random part."""
    return f"{datetime.now(tz=UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


class Run:
    """One job on one session; an incremental job runs a batch after another."""

    def __init__(
        self,
        session: SparkSession,
        catalog: Catalog,
        job: Job,
        rows: Sequence[Chosen],
        options: Options,
        raised: Raised | None = None,
    ) -> None:
        provide(session, (row.node for row in rows))
        now = clock.reading(options.now)[NOW.name]  # one for all sinks, passes and retries
        # Other filters keep the SQL that an earlier batch has made.
        self.rows = [replace(row, now=now) if reads_now(row.node) else row for row in rows]
        self.session, self.catalog, self.job, self.options = session, catalog, job, options
        self.files = Files(session)
        self.state = self._state()
        tries = 1 if job.checkpoint is None else job.tries or TRIES
        self.entries = Entries(session, catalog, self.rows, job.label, tries)
        self.retried: dict[str, int] = {}
        self.raised = raised or Raised(session)

    def recover(self) -> list[str]:
        """Complete or undo the runs that were killed in the places of this job; says what was done."""
        run = new_run_id()
        targets = self._targets(run, "append", None)
        with Workplace(self.files, run, self.state, _roots(targets)) as place:
            return place.recover(settle.settler(self.session, self.files, self._urls(), targets))

    def batch(
        self, reading: Reading, run: str, *, mode: str | None = None, checkpoint: str | None = None
    ) -> Report:
        """Read, evaluate, write and commit one batch of rows."""
        started, clock = datetime.now(tz=UTC), time.monotonic()
        self._check(reading)
        self.entries.check()
        targets = self._targets(run, mode or self.job.mode, checkpoint)
        settle.check(self.session, self.files, targets, self._urls(), reading)
        with Metrics(self.session) as metrics:
            if not targets:
                counts, passes = self._pass(reading, [], run, metrics)[0], "one"
                self._refuse_bad(reading, counts)
                return self._report(run, reading, counts, targets, metrics, passes, started, clock)
            with (
                Interrupts(self.session) as interrupts,
                Workplace(self.files, run, self.state, _roots(targets)) as place,
            ):
                recovered = place.recover(settle.settler(self.session, self.files, self._urls(), targets))
                known = records(self.files, self.state, self.job.label)
                before = known[-1] if known else None
                changes = self._changes(before)
                counts, many = self._staged(place, interrupts, reading, targets, run, metrics, before)
                record = self._record(run, counts, reading, targets, started, checkpoint)
                place.write(record)
                settle.settle(self.session, self.files, place, record, self._urls())
                prune(self.files, self.state, [*known, record], _KEPT)
                report = self._report(
                    run, reading, counts, targets, metrics, "many" if many else "one", started, clock
                )
                report.record, report.recovered, report.changes = (
                    record_path(self.state, run),
                    recovered,
                    changes,
                )
                return report

    def _staged(
        self,
        place: Workplace,
        interrupts: Interrupts,
        reading: Reading,
        targets: Sequence[Target],
        run: str,
        metrics: Metrics,
        before: Record | None,
    ) -> tuple[Counts, bool]:
        """Stage the rows of all targets: the counts, and whether each had a reading of its own. If it fails
        or is interrupted, nothing is left, and no place was changed.
        """
        try:
            place.begin()
            many = self._many(reading, targets, before)
            counts, written = self._pass(reading, targets, run, metrics, many=many)
            self._refuse_bad(reading, counts)
            for target, found in zip(targets, written, strict=True):
                target.files = found
            tidy(self.files, targets)
            place.check()
            interrupts.check()
        except BaseException as error:
            place.clear()
            # An interrupt amid a call of the JVM comes back as an error of the connection.
            if interrupts.struck or isinstance(error, KeyboardInterrupt):
                raise KeyboardInterrupt(_UNCHANGED) from None
            if isinstance(error, Exception):
                raise failures.hinted(error, _UNCHANGED) from None
            raise
        return counts, many

    # --- the pass

    def _pass(
        self, reading: Reading, targets: Sequence[Target], run: str, metrics: Metrics, *, many: bool = False
    ) -> tuple[Counts, list[list[Written]]]:
        """Count and write, again after a failure that may pass."""
        outputs = [self._output(target) for target in targets]
        with bar(metrics, self.job.name or self.job.dataset):
            for attempt in range(self.options.retries + 1):
                try:
                    return (
                        self._readings(reading, outputs, run)
                        if many
                        else self._reading(reading, outputs, targets, run)
                    )
                except Exception as error:  # noqa: BLE001  # Spark's errors have no common base that Java's errors share
                    if attempt == self.options.retries or not failures.is_transient(error):
                        raise failures.told(error) from None
                    time.sleep(2**attempt)
        raise AssertionError

    def _reading(
        self, reading: Reading, outputs: Sequence[Output], targets: Sequence[Target], run: str
    ) -> tuple[Counts, list[list[Written]]]:
        """One reading of the source for all; rows that wait for an entry filter are offered to it again."""
        matching = self.job.matching
        reading = timed(reading, self._time())
        if not self.entries and not any(target.rows in put_off.ROWS for target in targets):
            return routed(
                self.session, reading, self.rows, outputs, run, apart=self._apart, matching=matching
            )
        errors = self.raised.accumulator()
        labels = [row.name for row in self.rows]
        first = self.entries.first(reading, apart=self._apart, errors=errors)
        rows = self.entries.rows(matching=matching)
        counts, written = routed(
            self.session, first, rows, outputs, run, apart=self._apart, matching=matching, labels=labels
        )
        if reading.empty:
            written = [[] for _ in outputs]  # no file without rows
        waiting, removed = self._waiting(targets)
        if waiting is not None:
            again = self.entries.again(reading, waiting, removed, errors=errors)
            rows = self.entries.rows(matching=matching, again=True)
            places = [
                place for place, output in enumerate(outputs) if output.rows not in ("unmatched", "bad")
            ]
            offered = [outputs[place] for place in places]
            labels += removed
            more, files = routed(
                self.session, again, rows, offered, run, apart=False, matching=matching, labels=labels
            )
            counts.add(more)
            for place, found in zip(places, files, strict=True):
                written[place] += [file for file in found if file.rows]
        return counts, written

    def _waiting(self, targets: Sequence[Target]) -> tuple[DataFrame | None, list[str]]:
        """The rows that wait, and the names of filters that they wait for and that the job does not have."""
        place = next((target.place for target in targets if target.rows == "waiting"), None)
        if place is None or not any(name.endswith(".parquet") for name in self.files.names(place)):
            return None, []
        frame = self.session.read.parquet(place)
        self.retried = {row[NAMED]: row["count"] for row in frame.groupBy(NAMED).count().collect()}
        removed = sorted(name for name in self.retried if not self.entries.named(name))
        return (frame if self.retried else None), removed

    def _readings(
        self, reading: Reading, outputs: Sequence[Output], run: str
    ) -> tuple[Counts, list[list[Written]]]:
        """A reading for the counts, and one for each sink, whose condition Spark pushes down."""
        told = timed(reading, self._time())
        counts, _ = routed(self.session, told, self.rows, [], run, apart=self._apart)
        written: list[list[Written]] = []
        for output in outputs:
            rows, part, sink = self.rows, reading, output
            if output.filter is not None:
                rows = [self.rows[output.filter]]
                sink = replace(output, filter=0)
                part = replace(reading, frame=reading.frame.where(_CONDITIONS[output.rows](rows[0])))
            written += routed(self.session, part, rows, [sink], run, apart=self._apart)[1]
        return counts, written

    def _many(self, reading: Reading, targets: Sequence[Target], before: Record | None) -> bool:
        """Whether each sink gets a reading of its own: as asked, or where few sinks took few rows of a wide
        columnar source in the run before.

        Then its condition is pushed down, and of most rows only the columns are read that filters read.
        """
        if self.job.passes != "auto":
            return self.job.passes == "many"
        if self.entries:
            return False
        if (
            before is None
            or len(targets) > _FEW
            or reading.cells
            or any(target.rows not in PER_FILTER for target in targets)
        ):
            return False
        read = {
            decl.column("spark")
            for row in self.rows
            for decl in row.row.versions[row.number].predicate.fields.values()
        }
        wide = len(reading.columns) >= max(_COLUMNS, _WIDE * len(read))
        return (
            wide
            and all(target.count <= _SHARE * before.rows for target in before.targets)
            and settle.is_columnar(reading.frame)
        )

    @property
    def _apart(self) -> bool:
        return self.job.bad_records == "quarantine"

    def _output(self, target: Target) -> Output:
        place = next((index for index, row in enumerate(self.rows) if row.name == target.filter), None)
        kind = target.format if target.kind == "path" else "parquet"
        options = target.options if target.kind == "path" else {}
        return Output(
            target.rows,
            place,
            target.staged,
            kind,
            options,
            target.partition_by if target.kind == "path" else (),
        )

    # --- checks

    def _check(self, reading: Reading) -> None:
        """The source has the columns that filters read, of the types that the catalog declares."""
        latest = [replace(row.row, latest=row.number) for row in self.rows]
        found = column_problems("spark", str(self.job.source), column_types(reading.frame), latest)
        found += [
            msg.usage(
                f"the rows have no column {name!r} for partition_by", msg.did_you_mean(name, reading.columns)
            )
            for sink in self.job.sinks
            for name in sink.partition_by
            if name not in reading.columns and not (name == NAMED and sink.rows in WITH_NAME)
        ]
        if self.entries and self.job.passes == "many":
            found.append(entry_say.no_reading_each())
        if (self.job.matching or self.entries) and NAMED in (name.lower() for name in reading.columns):
            found.append(say.column_of_filters(NAMED))
        if found:
            raise PredicatError(found)

    def _refuse_bad(self, reading: Reading, counts: Counts) -> None:
        if self.job.bad_records == "fail" and counts.bad_rows:
            said = "; ".join(
                f"{cell.column}: {cell.cells:,} (such as {', '.join(map(repr, cell.samples))})"
                for cell in self._bad(reading, counts)
            )
            hint = "fix the source, or use --bad-records permissive or quarantine"
            raise PredicatError.of(msg.bad_records(counts.bad_rows, said, hint))

    def _changes(self, record: Record | None) -> list[str]:
        """Which filters mean something else than in a record."""
        before = {row["name"]: row for row in record.filters} if record is not None else {}
        said: list[str] = []
        for row in self.rows:
            old = before.get(row.name)
            if record is not None and old is not None and old["hash"] != row.meaning:
                which = (
                    f"version {old['version']} then, {row.number} now"
                    if old["version"] != row.number
                    else f"version {row.number} has another meaning"
                )
                hint = (
                    "; existing rows stay: --rebuild computes them again"
                    if self.job.checkpoint is not None
                    else ""
                )
                said.append(
                    f"{row.name} accepts other rows than in the run of {record.committed[:16]} "
                    f"({which}){hint}"
                )
        return said

    # --- places

    def _state(self) -> str:
        """Where the records are: as the job says, else in the folder that holds the sinks, else in the
        warehouse.
        """
        if self.job.state is not None:
            return self.files.whole(self.job.state)
        paths = [
            self.files.whole(_base(sink.target))
            if "{" in sink.target
            else _parent(self.files.whole(sink.target))
            for sink in self.job.sinks
            if sink.kind == "path"
        ]
        if paths:
            return min(paths, key=len)
        warehouse = self.session.conf.get("spark.sql.warehouse.dir")
        return self.files.whole(f"{warehouse}/{FOLDER}_runs/{self.job.name or self.job.dataset}")

    def _targets(self, run: str, mode: str, checkpoint: str | None) -> list[Target]:
        found = self._waiting_rows(run, checkpoint)
        for sink in self.job.sinks:
            for name in self._names(sink):
                place = self._place(sink, name)
                root = _parent(place) if sink.kind == "path" else self.state
                last = place.rpartition("/")[2] if sink.kind == "path" else f"{sink.kind}-{len(found)}"
                staged = f"{staging(root, run)}/{last}"
                url = settle.shown(sink.url) if sink.url else None
                found.append(
                    Target(
                        sink.kind,
                        place,
                        sink.rows,
                        name,
                        mode,
                        sink.format,
                        staged,
                        dict(sink.options),
                        sink.partition_by,
                        url,
                    )
                )
        return found

    def _waiting_rows(self, run: str, checkpoint: str | None) -> list[Target]:
        """The place of the rows that entry filters want again, beside the checkpoint of the stream."""
        if checkpoint is None or not (self.entries or self.files.exists(f"{checkpoint}-{WAITING_ROWS}")):
            return []
        place = f"{checkpoint}-{WAITING_ROWS}"
        staged = f"{staging(_parent(place), run)}/{WAITING_ROWS}"
        return [Target("path", place, "waiting", None, "overwrite", "parquet", staged)]

    def _names(self, sink: Sink) -> Sequence[str | None]:
        if sink.rows not in PER_FILTER:
            return [None]
        return [row.name for row in self.rows if not sink.filters or row.name in sink.filters]

    def _place(self, sink: Sink, name: str | None) -> str:
        safe = (name or "").replace("/", "-").replace(":", "-") if sink.kind == "path" else name or ""
        place = sink.place(safe)
        return self.files.whole(place) if sink.kind == "path" else place

    def waits(self, checkpoint: str) -> bool:
        """Whether rows may wait for an entry filter."""
        place = f"{checkpoint}-{WAITING_ROWS}"
        return self.files.exists(place) and any(name.endswith(".parquet") for name in self.files.names(place))

    def _time(self) -> str | None:
        """The column of the time of a row: that of the job's range, if it is a timestamp."""
        decl = self.catalog.datasets[self.job.dataset].fields.get(self.job.range or "")
        return decl.column("spark") if decl is not None and decl.type == TIMESTAMP else None

    def _mode(self, targets: Sequence[Target]) -> str:
        return next((target.mode for target in targets if target.rows != "waiting"), self.job.mode)

    def _urls(self) -> dict[str, str]:
        """The servers of sinks, by what records say of them."""
        return {settle.shown(sink.url): sink.url for sink in self.job.sinks if sink.url}

    # --- what is told

    def filter_reports(self, counts: Counts | None = None) -> list[FilterReport]:
        """What is told of each filter, with its counts; without any, these are 0."""
        numbers = counts.filters if counts is not None else [(0, 0, 0, 0)] * len(self.rows)
        places = {entry.place for entry in self.entries.found}
        waiting, expired = (counts.waiting, counts.expired) if counts is not None else ([], [])
        return [
            FilterReport(
                row.name,
                row.row.qualified,
                row.number,
                row.row.versions[row.number].language,
                accepted,
                None if self.job.matching else rejected,
                None if self.job.matching else unknown,
                None if self.job.matching else guarded,
                params=dict(row.params),
                hash=row.meaning,
                rescheduled=sum(waiting[place : place + 1]) if place in places else None,
                dead_letter=sum(expired[place : place + 1]) if place in places else None,
                retried=self.retried.get(row.name, 0) if place in places else 0,
            )
            for place, (row, (accepted, rejected, unknown, guarded)) in enumerate(
                zip(self.rows, numbers, strict=True)
            )
        ]

    def _bad(self, reading: Reading, counts: Counts) -> list[BadCells]:
        return [
            BadCells(cell.column, count, samples)
            for cell, count, samples in zip(reading.cells, counts.cells, counts.samples, strict=True)
            if count
        ]

    def _record(
        self,
        run: str,
        counts: Counts,
        reading: Reading,
        targets: list[Target],
        started: datetime,
        checkpoint: str | None,
    ) -> Record:
        hashes = {
            row.qualified: meaning_hash(row.current.predicate.node, row.on_unknown)
            for row in self.catalog.filters()
        }
        digest = hashlib.sha256(repr(sorted(hashes.items())).encode()).hexdigest()[:16]
        bad = {
            "rows": counts.bad_rows,
            "mode": self.job.bad_records,
            "cells": {row.column: row.cells for row in self._bad(reading, counts)},
        }
        return Record(
            run,
            self.job.dataset,
            self.job.qualified if self.job.name else None,
            started.isoformat(),
            datetime.now(tz=UTC).isoformat(),
            str(self.job.source),
            self._mode(targets),
            {"revision": self.options.revision, "hash": digest},
            counts.rows,
            [to_builtins(row) for row in self.filter_reports(counts)],
            targets,
            bad,
            checkpoint,
        )

    def _report(
        self,
        run: str,
        reading: Reading,
        counts: Counts,
        targets: Sequence[Target],
        metrics: Metrics,
        passes: str,
        started: datetime,
        clock: float,
    ) -> Report:
        rows, size, *_ = metrics.now(settle=True)
        sinks = [
            SinkReport(
                row.kind,
                row.place,
                row.rows,
                row.filter,
                row.count,
                len(row.files),
                sum(file.bytes for file in row.files),
                round(row.seconds, 3),
            )
            for row in targets
            if row.rows != "waiting"
        ]
        return Report(
            run,
            self.job.dataset,
            self.job.qualified if self.job.name else None,
            str(self.job.source),
            self._mode(targets),
            counts.rows,
            rows,
            size,
            passes,
            round(time.monotonic() - clock, 3),
            self.filter_reports(counts),
            sinks,
            counts.bad_rows,
            self._bad(reading, counts),
            started=started.isoformat(),
            errors=[EntryError(*what, *about) for what, about in self.raised.take().items()],
            lag_seconds=_lag(counts.newest),
        )


_CONDITIONS: dict[str, Callable[[Chosen], str]] = {
    "accepted": lambda row: f"({row.sql}) IS NOT FALSE" if row.accepts_unknown else row.sql,
    "rejected": lambda row: f"NOT ({row.sql})",
    "unknown": lambda row: f"({row.sql}) IS NULL",
}


def _lag(newest: int | None) -> float | None:
    """Seconds since the newest time among the rows of a batch."""
    return None if newest is None else round(time.time() - newest / 1e6, 3)


def _roots(targets: Sequence[Target]) -> list[str]:
    """The folders in which rows are staged."""
    return [target.staged.rpartition(f"/{FOLDER}/")[0] for target in targets]


def _base(path: str) -> str:
    """The part of a path before the folder of a filter."""
    return path.partition("{")[0].rstrip("/")


def _parent(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]
