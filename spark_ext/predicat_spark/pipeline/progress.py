"""How far a run is, from Spark's own metrics: a bar on a terminal, a line now and then in a pipe. And what
the batches of a stream did, as metrics of Spark and in the progress of its query.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import waiting
from predicat.diagnostics.messages import pipeline as say
from predicat_spark.pipeline.report import Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SECONDS = 0.3


class Metrics:
    """Spark's metrics while the source is read."""

    def __init__(self, session: SparkSession) -> None:
        java: Any = session.sparkContext._jsc  # noqa: SLF001  # PySpark has no public way to the JVM
        jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # as above
        self.java: Any = jvm.org.apache.spark.sql.predicat.RunMetrics(java.sc())

    def __enter__(self) -> Metrics:  # noqa: PYI034  # no subclasses
        self.java.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):  # the JVM may be gone
            self.java.now(True)  # a call of Java: all that has happened is counted
            self.java.stop()

    def now(self, *, settle: bool = False) -> tuple[int, int, int, int]:
        """Rows read, bytes read, tasks done, tasks in all; with `settle` when all that has
        happened is counted.
        """
        rows, size, done, tasks = self.java.now(settle)
        return int(rows), int(size), int(done), int(tasks)


@contextmanager
def bar(metrics: Metrics, label: str) -> Iterator[None]:
    """A progress bar of Spark's tasks on a terminal; elsewhere a line now and then."""
    if not sys.stderr.isatty():
        with waiting.reported(label, lambda: say.rows_read(metrics.now()[0])):
            yield
        return
    from rich.console import Console  # noqa: PLC0415  # only on a terminal
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn  # noqa: PLC0415  # as above

    over = threading.Event()

    def look(progress: Progress, task: TaskID) -> None:
        while not over.wait(_SECONDS):
            with suppress(Exception):  # the work itself tells what is wrong
                rows, _, done, tasks = metrics.now()
                progress.update(task, completed=done, total=max(tasks, 1), rows=say.rows_read(rows))

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} tasks"),
        TextColumn("{task.fields[rows]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        thread = threading.Thread(
            target=look, args=(progress, progress.add_task(label, total=None, rows="")), daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


# --- streams


def observed(frame: DataFrame, stream: str) -> DataFrame:
    """The rows of a stream. The counts of its batches are in the `observedMetrics` of the query's progress,
    under the name `predicat`.
    """
    from pyspark.sql.classic.dataframe import DataFrame as Classic  # noqa: PLC0415  # half a second

    session = frame.sparkSession
    return Classic(_counts(session).observed(frame._jdf, stream), session)  # noqa: SLF001  # as above


def report_batch(session: SparkSession, stream: str, report: Report) -> None:
    """Report the counts of a batch to Spark."""
    filters = [
        {"name": filter_report.name, **filter_report.counts, "hit_rate": report.hit_rate(filter_report)}
        for filter_report in sorted(report.filters, key=lambda filter_report: -filter_report.accepted)
    ]
    batch = {"rows": report.rows, "seconds": report.seconds, "lag_seconds": report.lag_seconds}
    _counts(session).told(stream, report.job or report.dataset, json.dumps({**batch, "filters": filters}))


def ended(session: SparkSession, stream: str) -> None:
    """The metrics of a stream end with it."""
    with suppress(Exception):  # the JVM may be gone
        _counts(session).ended(stream)


def _counts(session: SparkSession) -> Any:
    jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # as above
    return jvm.org.apache.spark.sql.predicat.StreamCounts
