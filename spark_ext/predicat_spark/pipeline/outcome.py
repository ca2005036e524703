"""What a run has done: its record, which is kept, and its report, which is shown."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct, to_builtins

from predicat.backends.sql.shown import MASK, sensitive_columns
from predicat.diagnostics.messages.tables import RECORD
from predicat.files import finding
from predicat.ir.canonical import meaning_hash
from predicat_spark.pipeline.commit import Record, Target
from predicat_spark.pipeline.progress import Metrics
from predicat_spark.pipeline.report import BadCells, EntryError, FilterReport, Report, SinkReport
from predicat_spark.pipeline.routed import Counts
from predicat_spark.pipeline.source import Reading, small_files
from predicat_spark.pipeline.work import Work


class Batch(Struct, frozen=True):
    """The input of a batch and its targets.

    Attributes:
        run: Its name.
        reading: The rows.
        targets: The places that they go to.
        metrics: What Spark counts while the source is read.
        checkpoint: The folder in which a stream notes what was read; None for a job that reads all.
        started: When it began, and the same moment on the clock that never goes back, in seconds.
    """

    run: str
    reading: Reading
    targets: list[Target]
    metrics: Metrics
    checkpoint: str | None
    started: datetime
    clock: float


def filter_reports(work: Work, counts: Counts | None = None) -> list[FilterReport]:
    """The report of each filter, with its counts; without `counts` they are 0."""
    numbers = counts.filters if counts is not None else [(0, 0, 0, 0)] * len(work.rows)
    places = {entry.place for entry in work.entries.found}
    waiting, expired = (counts.waiting, counts.expired) if counts is not None else ([], [])
    retried = counts.retried if counts is not None else {}
    return [
        FilterReport(
            chosen.name,
            chosen.filter.qualified,
            chosen.number,
            chosen.filter.versions[chosen.number].language,
            accepted,
            None if work.job.matching else rejected,
            None if work.job.matching else unknown,
            None if work.job.matching else guarded,
            params=dict(chosen.params),
            hash=chosen.meaning,
            rescheduled=sum(waiting[place : place + 1]) if place in places else None,
            dead_letter=sum(expired[place : place + 1]) if place in places else None,
            retried=retried.get(chosen.name, 0) if place in places else 0,
        )
        for place, (chosen, (accepted, rejected, unknown, guarded)) in enumerate(
            zip(work.rows, numbers, strict=True)
        )
    ]


def bad_cells(work: Work, reading: Reading, counts: Counts) -> list[BadCells]:
    """The columns with values that did not convert, with some of these values as people see them."""
    hidden = sensitive_columns(work.dataset.fields.values(), "spark")
    hidden |= {RECORD} if hidden else frozenset()
    return [
        BadCells(cell.column, count, [MASK] if cell.column.lower() in hidden else samples)
        for cell, count, samples in zip(reading.cells, counts.cells, counts.samples, strict=True)
        if count
    ]


def _with_places(work: Work, batch: Batch, cells: list[BadCells]) -> list[BadCells]:
    """The same with the file and line of some cells, if the files are at hand: Spark does not know them."""
    form = batch.reading.form
    files = small_files(work.job.source.paths) if form is not None and batch.checkpoint is None else []
    if form is None or not cells or not files:
        return cells
    columns = {decl.column("spark"): decl for decl in work.dataset.fields.values()}
    named = {column.lower(): decl.name for column, decl in columns.items()}
    counts = {named.get(row.column.lower(), row.column): row.cells for row in cells}
    found = finding.samples(files, form, columns, counts)
    result: list[BadCells] = []
    for row in cells:
        few = found.get(named.get(row.column.lower(), row.column), [])
        texts = row.samples if row.column == RECORD else [sample.text for sample in few]
        result.append(
            BadCells(row.column, row.cells, texts, [sample.place for sample in few]) if few else row
        )
    return result


def _mode(work: Work, targets: Sequence[Target]) -> str:
    return next((target.mode for target in targets if target.rows != "waiting"), work.job.mode)


def record_of(work: Work, batch: Batch, counts: Counts) -> Record:
    """The record of a batch, for the next run and for audits."""
    hashes = {
        row.qualified: meaning_hash(row.current.predicate.node, row.on_unknown)
        for row in work.catalog.filters()
    }
    digest = hashlib.sha256(repr(sorted(hashes.items())).encode()).hexdigest()[:16]
    bad = {
        "rows": counts.bad_rows,
        "mode": work.job.bad_records,
        "cells": {row.column: row.cells for row in bad_cells(work, batch.reading, counts)},
    }
    return Record(
        batch.run,
        work.job.dataset,
        work.job.qualified if work.job.name else None,
        batch.started.isoformat(),
        datetime.now(tz=UTC).isoformat(),
        str(work.job.source),
        _mode(work, batch.targets),
        {"revision": work.options.revision, "hash": digest},
        counts.rows,
        [to_builtins(row) for row in filter_reports(work, counts)],
        batch.targets,
        bad,
        batch.checkpoint,
    )


def report_of(work: Work, batch: Batch, counts: Counts, *, many: bool) -> Report:
    """The report of a batch. `many`: each sink had a reading of its own."""
    rows, size, *_ = batch.metrics.now()
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
        for row in batch.targets
        if row.rows != "waiting"
    ]
    return Report(
        batch.run,
        work.job.dataset,
        work.job.qualified if work.job.name else None,
        str(work.job.source),
        _mode(work, batch.targets),
        counts.rows,
        rows,
        size,
        "many" if many else "one",
        round(time.monotonic() - batch.clock, 3),
        filter_reports(work, counts),
        sinks,
        counts.bad_rows,
        _with_places(work, batch, bad_cells(work, batch.reading, counts)),
        started=batch.started.isoformat(),
        errors=[EntryError(*what, *about) for what, about in work.raised.take().items()],
        lag_seconds=_lag(counts.newest),
    )


def _lag(newest: int | None) -> float | None:
    """Seconds since the newest time among the rows of a batch."""
    return None if newest is None else round(time.time() - newest / 1e6, 3)
