"""Incremental runs: Structured Streaming reads what is new and ends. Its checkpoint alone knows what was
read.

Spark repeats a batch whose end it did not note. Each batch is a run with a name of its own, so that one whose
record is there is not done again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from predicat.catalog.jobs import Job
from predicat.catalog.model import Catalog
from predicat.deploy.chosen import Chosen
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat_spark.pipeline.commit import record_path, records
from predicat_spark.pipeline.report import COUNTS, FilterReport, Report
from predicat_spark.pipeline.run import Options, Run
from predicat_spark.pipeline.source import read_source
from predicat_spark.sessions import load_classes
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def run_stream(
    session: SparkSession, catalog: Catalog, job: Job, rows: Sequence[Chosen], options: Options
) -> Report:
    """Read what is new in the source of a job, in one or more batches, each all or nothing. Raises
    PredicatError.
    """
    if options.start is not None or options.end is not None:
        raise PredicatError.of(
            msg.usage(
                "--from and --to are for jobs without a checkpoint: rows outside would count as read",
                "run it without --checkpoint",
            )
        )
    if not job.sinks:
        raise PredicatError.of(
            msg.usage("a job with a checkpoint needs a sink", "add sinks: to the job, or --out")
        )
    mode = "append" if job.mode == "overwrite" else job.mode
    with settings(session, READING):
        reading = read_source(session, job.source, catalog.datasets[job.dataset], streaming=True)
        work = Run(session, catalog, job, rows, options)
        recovered = work.recover()
        place = _generation(work, job, rebuild=options.rebuild)
        reports: list[Report] = []
        raised: list[BaseException] = []

        def batch(frame: DataFrame, number: int) -> None:
            try:
                load_classes(frame.sparkSession)
                run = f"{_stream(work, place)}-{number:06d}"
                part = Run(frame.sparkSession, catalog, job, rows, options)
                if not work.files.exists(record_path(part.state, run)):
                    first = options.rebuild and number == 0
                    reports.append(
                        part.batch(
                            replace(reading, frame=frame),
                            run,
                            mode="overwrite" if first else mode,
                            checkpoint=place,
                        )
                    )
            except BaseException as error:
                raised.append(error)
                raise

        query = (
            reading.frame.writeStream.foreachBatch(batch)
            .option("checkpointLocation", place)
            .trigger(availableNow=True)
            .start()
        )
        try:
            query.awaitTermination()
        except Exception:
            if raised:
                raise raised[0] from None
            raise
        finally:
            query.stop()
    report = _sum(reports) if reports else _nothing(job, rows, mode)
    report.recovered = recovered + report.recovered
    return report


def _generation(work: Run, job: Job, *, rebuild: bool) -> str:
    """The folder of the checkpoint: that of the newest record, or a fresh one after a rebuild."""
    root = work.files.whole(str(job.checkpoint))
    known = [
        row.checkpoint
        for row in records(work.files, work.state, work.job.label)
        if row.checkpoint and row.checkpoint.startswith(f"{root}/")
    ]
    number = int(known[-1].rpartition("/")[2]) if known else 0
    if not rebuild:
        return f"{root}/{number}"
    fresh = f"{root}/{number + 1}"
    work.files.delete(fresh)  # of a rebuild that was killed
    return fresh


def _stream(work: Run, place: str) -> str:
    """The name that Spark has given the stream of a checkpoint."""
    return str(json.loads(work.files.read(f"{place}/metadata"))["id"])[:13]


def _sum(reports: Sequence[Report]) -> Report:
    """The report of all batches."""
    total = reports[-1]
    for other in reports[:-1]:
        total = _added(total, other)
    total.batches = len(reports)
    total.changes = reports[0].changes
    return total


def _added(one: Report, other: Report) -> Report:
    for row, more in zip(one.filters, other.filters, strict=True):
        for key in COUNTS:
            setattr(row, key, getattr(row, key) + getattr(more, key))
    for sink, more_sink in zip(one.sinks, other.sinks, strict=True):
        for key in ("written", "files", "bytes", "seconds"):
            setattr(sink, key, getattr(sink, key) + getattr(more_sink, key))
    for key in ("rows", "rows_read", "bytes_read", "seconds", "bad_rows"):
        setattr(one, key, getattr(one, key) + getattr(other, key))
    one.seconds = round(one.seconds, 3)
    known = {cell.column: cell for cell in one.bad_cells}
    for cell in other.bad_cells:
        if cell.column in known:
            known[cell.column].cells += cell.cells
        else:
            one.bad_cells.append(cell)
    return one


def _nothing(job: Job, rows: Sequence[Chosen], mode: str) -> Report:
    """The report of a run that found nothing new."""
    filters = [
        FilterReport(
            row.name,
            row.row.qualified,
            row.number,
            row.row.versions[row.number].language,
            0,
            0,
            0,
            0,
            hash=row.meaning,
        )
        for row in rows
    ]
    return Report(
        "",
        job.dataset,
        job.qualified if job.name else None,
        str(job.source),
        mode,
        0,
        0,
        0,
        "one",
        0.0,
        filters,
        batches=0,
    )
