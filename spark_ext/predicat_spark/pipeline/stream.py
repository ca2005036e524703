"""Incremental runs: Structured Streaming reads what is new and ends, or goes on until it is stopped. Its
checkpoint alone knows what was read.

Spark repeats a batch whose end it did not note. Each batch is a run with a name of its own, so that one whose
record is there is not done again.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from predicat.catalog.jobs import Job
from predicat.catalog.model import Catalog
from predicat.deploy.chosen import Chosen
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat_spark.pipeline import progress
from predicat_spark.pipeline.commit import record_path, records
from predicat_spark.pipeline.files import Files
from predicat_spark.pipeline.outcome import filter_reports
from predicat_spark.pipeline.places import rows_wait, waiting_place
from predicat_spark.pipeline.report import Report
from predicat_spark.pipeline.run import Repeated, Run
from predicat_spark.pipeline.source import Reading, read_source
from predicat_spark.pipeline.work import Options, Work, new_run_id, resolved
from predicat_spark.sessions import load_classes
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter


# Seconds between looks at whether a stream was stopped.
_LOOK = 1


class Following(Struct, frozen=True):
    """How a stream runs.

    Attributes:
        seconds: The time between two batches.
        told: A function that gets the report of each batch. It ends the stream by returning False.
        newer: A function that is called before each batch. It returns a new catalog and job, whose filters
            and sinks are used from this batch on, or None for no change. The source and the checkpoint stay.
    """

    seconds: float = 1.0
    told: Callable[[Report], bool | None] | None = None
    newer: Callable[[], tuple[Catalog, Job] | None] | None = None


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
        raise PredicatError.of(say.checkpoint_and_range())
    if not job.sinks:
        raise PredicatError.of(say.checkpoint_without_sink())
    with settings(session, READING):
        _check_source(Files(session), job)
        reading = read_source(session, job.source, catalog.datasets[job.dataset], streaming=True)
        over = threading.Event()
        run = Run(session, catalog, job, rows, options, waits=_waiting(over, following))
        recovered = run.recover()
        batches = _Batches(run, reading, rows, following, over)
        writer = progress.observed(reading.frame, batches.place).writeStream.foreachBatch(batches.batch)
        try:
            _until(writer.option("checkpointLocation", batches.place), batches, following)
            if following is None and batches.waits and batches.total.batches == 0:
                batches.offer()
        except Exception:
            if batches.raised:
                raise batches.raised[0] from None
            raise
        finally:
            progress.ended(session, batches.place)
    batches.total.recovered = recovered + batches.total.recovered
    return batches.total


def _check_source(files: Files, job: Job) -> None:
    """Raise PredicatError for a single file: Spark looks for new files in folders."""
    for path in job.source.paths:
        if files.exists(path) and not files.is_folder(path):
            raise PredicatError.of(say.checkpoint_and_file(path))


class _Batches:
    """The batches of a stream: those that Spark brings, and between them rows that wait for a filter."""

    def __init__(
        self,
        run: Run,
        reading: Reading,
        rows: Sequence[Chosen],
        following: Following | None,
        over: threading.Event,
    ) -> None:
        work, self.over, self._waits = run.work, over, run.waits
        self._work, self._reading, self._following = work, reading, following
        self._mode = "append" if work.job.mode == "overwrite" else work.job.mode
        self.place = _generation(run, rebuild=work.options.rebuild)
        self.total = _nothing(work, self._mode)
        self.raised: list[BaseException] = []
        self._asked = _NextFilters(work.catalog, work.job, rows, following)
        self._turn, self._ended = threading.Lock(), time.monotonic()
        self.waits = rows_wait(work, self.place)

    def batch(self, frame: DataFrame, number: int) -> None:
        """Commit a batch of new rows under its own name."""
        if self.over.is_set():  # to return would note the batch as done
            raise InterruptedError
        with self._keeping_errors():
            load_classes(frame.sparkSession)
            first = self._work.options.rebuild and number == 0
            run = f"{_stream(self._work, self.place)}-{number:06d}"
            mode = "overwrite" if first else self._mode
            self._commit(frame.sparkSession, replace(self._reading, frame=frame), run, mode)

    def offer(self) -> None:
        """Offer rows that wait to their filters, in a batch without new rows."""
        with self._keeping_errors():
            session = self._work.session
            none = session.createDataFrame([], self._reading.frame.schema)
            self._commit(session, replace(self._reading, frame=none, empty=True), new_run_id(), self._mode)

    def is_idle(self, seconds: float) -> bool:
        """Whether rows wait and no batch has come for some time."""
        since = time.monotonic() - self._ended
        return self.waits and not self._turn.locked() and since > max(seconds, _LOOK)

    def _commit(self, session: SparkSession, reading: Reading, run: str, mode: str) -> None:
        """Commit a batch, unless it was committed before."""
        with self._turn:
            part = Run(session, *self._asked.now(), self._work.options, self._work.raised, self._waits)
            if self._work.files.exists(record_path(part.state, run)):
                return
            try:
                report = part.batch(reading, run, mode=mode, checkpoint=self.place)
            except Repeated:
                return
            report_to = self._following.told if self._following is not None else None
            keep = report_to(report) if report_to is not None else None
            self.total.add(report)
            progress.report_batch(session, self.place, report)
            self.waits, self._ended = (
                any(filter_report.rescheduled for filter_report in report.filters),
                time.monotonic(),
            )
            if keep is False:
                self.over.set()

    @contextmanager
    def _keeping_errors(self) -> Iterator[None]:
        """Keep the exception: Spark would report it as a text only."""
        try:
            yield
        except BaseException as error:
            self.raised.append(error)
            raise


class _NextFilters:
    """The catalog and job of the next batch."""

    def __init__(
        self, catalog: Catalog, job: Job, rows: Sequence[Chosen], following: Following | None
    ) -> None:
        self._current = (catalog, job, rows)
        self._newer = following.newer if following is not None else None

    def now(self) -> tuple[Catalog, Job, Sequence[Chosen]]:
        newer = self._newer() if self._newer is not None else None
        if newer is not None:
            catalog, job = newer
            first = self._current[1]
            job = replace(job, source=first.source, checkpoint=first.checkpoint, state=first.state)
            self._current = (catalog, *resolved(catalog, job))
        return self._current


def _until(writer: DataStreamWriter, batches: _Batches, following: Following | None) -> None:
    """Wait for the end of a stream: that of its source, or until it is stopped. Meanwhile rows that wait are
    offered again where no batch comes. Raises what it failed of.
    """
    over = batches.over
    if following is None:
        query = writer.trigger(availableNow=True).start()
    else:
        query = writer.trigger(processingTime=f"{round(following.seconds * 1000)} milliseconds").start()
    try:
        with _stopped_by_signals(over) if following is not None else nullcontext():
            while not over.is_set() and not query.awaitTermination(_LOOK):
                if following is not None and batches.is_idle(following.seconds):
                    _beside(batches.offer)
    except Exception:
        if not over.is_set():
            raise
    finally:
        query.stop()


def _waiting(over: threading.Event, following: Following | None) -> Callable[[], bool] | None:
    """A stream that goes on waits for others that write to its sinks, until it is stopped."""
    return (lambda: not over.is_set()) if following is not None else None


def _beside(work: Callable[[], None]) -> None:
    """Run a function in another thread, where no signal interrupts it. Raises what it raises."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


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


def _generation(run: Run, *, rebuild: bool) -> str:
    """The folder of the checkpoint: that of the newest record, or a fresh one after a rebuild."""
    files, job = run.work.files, run.work.job
    root = files.whole(str(job.checkpoint))
    known = [
        record.checkpoint
        for record in records(files, run.state, job.label)
        if record.checkpoint and record.checkpoint.startswith(f"{root}/")
    ]
    number = int(known[-1].rpartition("/")[2]) if known else 0
    if not rebuild:
        return f"{root}/{number}"
    fresh = f"{root}/{number + 1}"
    for place in (fresh, waiting_place(fresh)):
        files.delete(place)  # of a rebuild that was killed
    return fresh


def _stream(work: Work, place: str) -> str:
    """The name that Spark has given the stream of a checkpoint."""
    return str(json.loads(work.files.read(f"{place}/metadata"))["id"])[:13]


def _nothing(work: Work, mode: str) -> Report:
    """The report of a run that has found nothing new so far."""
    job = work.job
    filters = filter_reports(work)
    name = job.qualified if job.name else None
    return Report("", job.dataset, name, str(job.source), mode, 0, 0, 0, "one", 0.0, filters, batches=0)
