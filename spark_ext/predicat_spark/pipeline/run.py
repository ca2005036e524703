"""Runs a job: read once, evaluate the filters, stage the rows of each sink, then commit all or none."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from predicat.catalog.jobs import NAMED, WITH_NAME, Job
from predicat.catalog.model import Catalog
from predicat.deploy.chosen import Chosen
from predicat.deploy.columns import problems as column_problems
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import deploy as deploy_say
from predicat.diagnostics.messages import entries as entry_say
from predicat.diagnostics.messages import pipeline as say
from predicat_spark import failures
from predicat_spark.pipeline import settle
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
from predicat_spark.pipeline.entries import Raised
from predicat_spark.pipeline.interrupts import Interrupts
from predicat_spark.pipeline.outcome import Batch, bad_cells, record_of, report_of
from predicat_spark.pipeline.passes import Passes
from predicat_spark.pipeline.places import roots, state_folder, targets_of, urls
from predicat_spark.pipeline.progress import Metrics
from predicat_spark.pipeline.report import Report
from predicat_spark.pipeline.routed import Counts
from predicat_spark.pipeline.source import Reading, kinds_of
from predicat_spark.pipeline.work import Options, new_run_id, work_on

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_UNCHANGED = "no sink was changed"
# Records of a job that are kept, the newest ones.
_KEPT = 100


class Repeated(Exception):
    """A batch was committed before."""


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
        waits: Callable[[], bool] | None = None,
    ) -> None:
        """`waits`: whether to wait on while another run writes to the same place."""
        self.work, self.waits = work_on(session, catalog, job, rows, options, raised), waits
        self.state = state_folder(self.work)
        self.passes = Passes(self.work)

    def recover(self) -> list[str]:
        """Complete or undo killed runs of this job. Returns a message for each."""
        work, run = self.work, new_run_id()
        targets = targets_of(work, run, "append", None)
        with self._place(run, targets, records(work.files, self.state, work.job.label)) as place:
            return place.recover(settle.settler(work.session, work.files, urls(work), targets))

    def batch(
        self, reading: Reading, run: str, *, mode: str | None = None, checkpoint: str | None = None
    ) -> Report:
        """Read, evaluate, write and commit one batch of rows. Raises Repeated if it was committed before."""
        started, clock = datetime.now(tz=UTC), time.monotonic()
        self._check(reading)
        self.work.entries.check()
        targets = targets_of(self.work, run, mode or self.work.job.mode, checkpoint)
        settle.check(
            self.work.session,
            self.work.files,
            targets,
            urls(self.work),
            reading,
            adopt=self.work.options.adopt,
            at_least_once=self.work.options.at_least_once,
        )
        batch = Batch(run, reading, targets, Metrics(self.work.session), checkpoint, started, clock)
        return self._committed(batch) if targets else self._counted(batch)

    def _counted(self, batch: Batch) -> Report:
        """A batch without a sink: its rows are counted only."""
        counts, _ = self.passes.stage(batch.reading, [], batch.run, batch.metrics)
        self._refuse_bad(batch.reading, counts)
        return report_of(self.work, batch, counts, many=False)

    def _committed(self, batch: Batch) -> Report:
        work, files = self.work, self.work.files
        known = records(files, self.state, work.job.label)
        with Interrupts(work.session) as interrupts, self._place(batch.run, batch.targets, known) as place:
            recovered = place.recover(settle.settler(work.session, files, urls(work), batch.targets))
            if files.exists(record_path(self.state, batch.run)):
                raise Repeated  # by another process, which wrote to this place until now
            before = known[-1] if known else None
            changes = self._changes(before)
            counts, many = self._staged(place, interrupts, batch, before)
            record = record_of(work, batch, counts)
            place.write(record)
            settle.settle(work.session, files, place, record, urls(work))
            prune(files, self.state, [*known, record], _KEPT)
            report = report_of(work, batch, counts, many=many)
            report.record = record_path(self.state, batch.run)
            report.recovered, report.changes = recovered, changes
            return report

    def _place(self, run: str, targets: Sequence[Target], known: Sequence[Record]) -> Workplace:
        """The places of a run, and those where the one before was killed, which may have had other sinks."""
        files, left = self.work.files, [one for record in known[-1:] for one in record.targets]
        former = {root for root in roots(left) if files.exists(staging(root, known[-1].run))}
        return Workplace(files, run, self.state, [*roots(targets), *former], self.waits)

    def _staged(
        self, place: Workplace, interrupts: Interrupts, batch: Batch, before: Record | None
    ) -> tuple[Counts, bool]:
        """Stage the rows of all targets: the counts, and whether each had a reading of its own. If it fails
        or is interrupted, nothing is left, and no place was changed.
        """
        try:
            place.begin()
            many = self.passes.reads_for_each(batch.reading, batch.targets, before)
            counts, written = self.passes.stage(
                batch.reading, batch.targets, batch.run, batch.metrics, many=many
            )
            self._refuse_bad(batch.reading, counts)
            for target, files in zip(batch.targets, written, strict=True):
                target.files = files
            tidy(self.work.files, batch.targets)
            place.check()
            interrupts.check()
        except BaseException as error:
            place.clear()
            # An interrupt amid a call of the JVM comes back as an error of the connection.
            if interrupts.struck or isinstance(error, KeyboardInterrupt):
                raise KeyboardInterrupt(_UNCHANGED) from None
            if isinstance(error, Exception):
                raise failures.hinted(error, _UNCHANGED, sensitive=self.work.dataset.is_sensitive) from None
            raise
        return counts, many

    def _check(self, reading: Reading) -> None:
        """The source has the columns that filters read, of the types that the catalog declares. Raises
        PredicatError.
        """
        job, entries = self.work.job, self.work.entries
        latest = [replace(chosen.filter, latest=chosen.number) for chosen in self.work.rows]
        problems = column_problems("spark", str(job.source), kinds_of(reading.frame, latest), latest)
        problems += [
            say.no_partition_column(name, reading.columns)
            for sink in job.sinks
            for name in sink.partition_by
            if name not in reading.columns and not (name == NAMED and sink.rows in WITH_NAME)
        ]
        if entries and job.passes == "many":
            problems.append(entry_say.no_reading_each())
        if (job.matching or entries) and NAMED in (name.lower() for name in reading.columns):
            problems.append(deploy_say.column_of_filters(NAMED))
        if problems:
            raise PredicatError(problems)

    def _refuse_bad(self, reading: Reading, counts: Counts) -> None:
        if self.work.job.bad_records == "fail" and counts.bad_rows:
            cells = [
                (column.column, column.cells, column.samples)
                for column in bad_cells(self.work, reading, counts)
            ]
            raise PredicatError.of(say.bad_records(counts.bad_rows, cells))

    def _changes(self, record: Record | None) -> list[str]:
        """Which filters mean something else than in a record."""
        before = {row["name"]: row for row in record.filters} if record is not None else {}
        changes: list[str] = []
        for row in self.work.rows:
            old = before.get(row.name)
            if record is not None and old is not None and old["hash"] != row.meaning:
                since, incremental = record.committed[:16], self.work.job.checkpoint is not None
                changes.append(
                    say.meaning_changed(row.name, since, old["version"], row.number, incremental=incremental)
                )
        return changes
