"""Incremental runs: Structured Streaming reads what is new and ends, or goes on until it is stopped. Its
checkpoint alone knows what was read.

Spark repeats a batch whose end it did not note. Each batch is a run with a name of its own, so that one whose
record is there is not done again.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from predicat.catalog.jobs import Job
from predicat.catalog.model import Catalog
from predicat.deploy.chosen import Chosen
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat_spark.pipeline.commit import record_path, records
from predicat_spark.pipeline.report import Report
from predicat_spark.pipeline.run import Options, Run, resolved, run_job
from predicat_spark.pipeline.source import read_source
from predicat_spark.sessions import load_classes
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter


_LOOK = 1
"""Seconds between looks at whether a stream was stopped."""


class Following(Struct, frozen=True):
    """How a stream goes on: a batch every so many `seconds`. `told` hears of each batch, and may end the
    stream by returning False. `newer` is asked before each batch for another catalog and job: their
    filters and sinks hold from this batch on, its source and checkpoint stay. It returns None for no change.
    """

    seconds: float = 1.0
    told: Callable[[Report], bool | None] | None = None
    newer: Callable[[], tuple[Catalog, Job] | None] | None = None


def stream(
    catalog: Catalog, job: Job, options: Options | None = None, following: Following | None = None
) -> Report:
    """Run a job with a checkpoint until Ctrl-C or SIGTERM, or until `told` returns False.

    Each batch of new rows is committed as a run with a record of its own, once even if Spark repeats it.
    Returns the sum of all batches. Raises PredicatError.
    """
    if job.checkpoint is None:
        raise PredicatError.of(
            msg.usage(
                "a stream needs a checkpoint, in which Spark notes what was read",
                "add checkpoint: to the job, or --checkpoint",
            )
        )
    return run_job(catalog, job, options, following or Following())


def run_stream(
    session: SparkSession,
    catalog: Catalog,
    job: Job,
    rows: Sequence[Chosen],
    options: Options,
    following: Following | None = None,
) -> Report:
    """Read what is new in the source of a job, in one or more batches, each all or nothing; then end,
    unless the job is `following`. Raises PredicatError.
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
        total = _nothing(work, mode)
        raised: list[BaseException] = []
        over = threading.Event()
        asked = _Asked(catalog, job, rows, following)

        def batch(frame: DataFrame, number: int) -> None:
            if over.is_set():  # to return would note the batch as done
                raise InterruptedError
            try:
                load_classes(frame.sparkSession)
                run = f"{_stream(work, place)}-{number:06d}"
                part = Run(frame.sparkSession, *asked.now(), options)
                if not work.files.exists(record_path(part.state, run)):
                    first = options.rebuild and number == 0
                    report = part.batch(
                        replace(reading, frame=frame),
                        run,
                        mode="overwrite" if first else mode,
                        checkpoint=place,
                    )
                    keep = following is None or following.told is None or following.told(report)
                    _add(total, report)
                    if keep is False:
                        over.set()
            except BaseException as error:
                raised.append(error)
                raise

        writer = reading.frame.writeStream.foreachBatch(batch).option("checkpointLocation", place)
        try:
            _until(writer, over, following)
        except Exception:
            if raised:
                raise raised[0] from None
            raise
    total.recovered = recovered + total.recovered
    return total


class _Asked:
    """The catalog and job of the next batch."""

    def __init__(
        self, catalog: Catalog, job: Job, rows: Sequence[Chosen], following: Following | None
    ) -> None:
        self._found = (catalog, job, rows)
        self._newer = following.newer if following is not None else None

    def now(self) -> tuple[Catalog, Job, Sequence[Chosen]]:
        found = self._newer() if self._newer is not None else None
        if found is not None:
            catalog, job = found
            first = self._found[1]
            job = replace(job, source=first.source, checkpoint=first.checkpoint, state=first.state)
            self._found = (catalog, *resolved(catalog, job))
        return self._found


def _until(writer: DataStreamWriter, over: threading.Event, following: Following | None) -> None:
    """Wait for the end of a stream: that of its source, or until it is stopped. Raises what it failed of."""
    if following is None:
        query = writer.trigger(availableNow=True).start()
    else:
        query = writer.trigger(processingTime=f"{round(following.seconds * 1000)} milliseconds").start()
    try:
        with _stopped_by_signals(over) if following is not None else nullcontext():
            while not over.is_set() and not query.awaitTermination(_LOOK):
                pass
    except Exception:
        if not over.is_set():
            raise
    finally:
        query.stop()


@contextmanager
def _stopped_by_signals(over: threading.Event) -> Iterator[None]:
    """Ctrl-C and SIGTERM are the usual end of a stream, and no error; PySpark would cancel all jobs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {kind: signal.signal(kind, lambda *_: over.set()) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


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


def _add(total: Report, more: Report) -> None:
    """Add a batch to the report of all of them; the newest one gives what cannot be added."""
    before = {(row.name, row.hash): row for row in total.filters}
    for new in more.filters:
        row = before.get((new.name, new.hash))
        if row is None:
            total.filters.append(new)
            continue
        for key, value in new.counts.items():
            setattr(row, key, getattr(row, key) + value)
    known = {(sink.kind, sink.place): sink for sink in total.sinks}
    for sink in more.sinks:
        if (old := known.get((sink.kind, sink.place))) is None:
            total.sinks.append(sink)
            continue
        for key in ("written", "files", "bytes", "seconds"):
            setattr(old, key, getattr(old, key) + getattr(sink, key))
    for key in ("rows", "rows_read", "bytes_read", "seconds", "bad_rows"):
        setattr(total, key, getattr(total, key) + getattr(more, key))
    total.seconds = round(total.seconds, 3)
    cells = {cell.column: cell for cell in total.bad_cells}
    for cell in more.bad_cells:
        if cell.column in cells:
            cells[cell.column].cells += cell.cells
        else:
            total.bad_cells.append(cell)
    if total.batches == 0:
        total.started = more.started
    total.changes += more.changes
    total.run, total.mode, total.passes, total.record = more.run, more.mode, more.passes, more.record
    total.recovered += more.recovered
    total.batches += 1


def _nothing(work: Run, mode: str) -> Report:
    """The report of a run that has found nothing new so far."""
    job = work.job
    filters = work.filter_reports([(0, 0, 0, 0)] * len(work.rows))
    name = job.qualified if job.name else None
    return Report("", job.dataset, name, str(job.source), mode, 0, 0, 0, "one", 0.0, filters, batches=0)
