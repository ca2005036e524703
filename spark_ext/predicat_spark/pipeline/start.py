"""Starts a job: one run, or a stream for a job with a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.jobs import Job, JobFilter, Sink, Source
from predicat.catalog.model import Catalog
from predicat.deploy.chosen import dataset_of
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat_spark import failures
from predicat_spark.names import quoted
from predicat_spark.pipeline.report import Report
from predicat_spark.pipeline.run import Run
from predicat_spark.pipeline.source import Reading, located, read_source
from predicat_spark.pipeline.stream import Following, run_stream
from predicat_spark.pipeline.work import Options, new_run_id, resolved
from predicat_spark.sessions import local_session
from predicat_spark.settings import READING, settings


class Input(Struct, frozen=True):
    """A source as on the command line.

    Attributes:
        text: The name of a table, or a path.
        format: The format of the files. Default: by their names.
        options: Options of Spark for the format.
        schema: The columns of the files in Spark DDL, if the files have no schema.
    """

    text: str
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    schema: str | None = None


def locate(input_: Input, master: str, conf: Mapping[str, str]) -> Source:
    """The table or path that an input names. Raises PredicatError if both exist, or neither."""
    session = local_session(master, "predicat run", conf, jar=True)
    with failures.telling():
        return located(session, input_.text, input_.format, dict(input_.options), input_.schema)


def run(
    catalog: Catalog,
    dataset: str,
    names: Sequence[str],
    source: str | Source,
    out: str | Path | None = None,
    master: str = "local[*]",
    tables: str | None = None,
    *,
    adopt: bool = False,
    at_least_once: bool = False,
    **more: Any,
) -> Report:
    """Run filters of a dataset on Spark, and write the accepted rows of each filter.

    Args:
        catalog: The catalog.
        dataset: The name of the dataset.
        names: Names of filters and subscriptions.
        source: A table or a path. Columns of CSV and JSON files are converted to the types of the catalog.
        out: Write one subfolder per filter to this folder (any Hadoop path). Default: only count.
        master: The Spark master.
        tables: Write one table per filter, named `tables` and the name of the filter.
        adopt: Replace the folder of a filter even if it has files that no run has written.
        at_least_once: Append to tables even if their rows may be there twice after a kill.
        **more: Other attributes of `Job`, such as `mode`, `bad_records` and `passes`.

    Returns:
        The report with the counts of each filter.

    Raises:
        PredicatError: The run failed. No sink is changed.
    """
    dataset_of(catalog, dataset)
    sinks = []
    if out is not None:
        sinks.append(Sink("path", f"{str(out).rstrip('/')}/{{filter}}"))
    if tables is not None:
        sinks.append(Sink("table", f"{tables}{{filter}}"))
    session = local_session(master, f"predicat {dataset}", jar=True)
    with failures.telling():
        place = located(session, source) if isinstance(source, str) else source
    filters = tuple(JobFilter(name, name) for name in names)
    job = Job("", dataset, place, filters, tuple(sinks), **more)
    return run_job(catalog, job, Options(master=master, adopt=adopt, at_least_once=at_least_once))


def run_job(
    catalog: Catalog, job: Job, options: Options | None = None, following: Following | None = None
) -> Report:
    """Run a job.

    Args:
        catalog: The catalog.
        job: The job, as `job_of` returns it.
        options: How to run it. Default: `Options()`.
        following: For a job with a checkpoint: keep running as a stream. Default: stop after the new rows.

    Returns:
        The report with the counts of each filter.

    Raises:
        PredicatError: The run failed. The sinks are not changed, or the message says what the next run
            completes.
    """
    options = options or Options()
    job, rows = resolved(catalog, job)
    session = local_session(options.master, f"predicat {job.name or job.dataset}", options.conf, jar=True)
    dataset = catalog.datasets[job.dataset]
    with failures.telling(sensitive=dataset.is_sensitive), settings(session, READING):
        if job.checkpoint is not None:
            return run_stream(session, catalog, job, rows, options, following)
        reading = between(catalog, job, read_source(session, job.source, dataset), options)
        return Run(session, catalog, job, rows, options).batch(reading, new_run_id())


def stream(
    catalog: Catalog, job: Job, options: Options | None = None, following: Following | None = None
) -> Report:
    """Run a job with a checkpoint until Ctrl-C or SIGTERM, or until `Following.told` returns False.

    Each batch of new rows is a run with its own record. It is written once, even if Spark repeats it. The
    arguments and errors are those of `run_job`. Returns the sum of all batches.
    """
    if job.checkpoint is None:
        raise PredicatError.of(say.stream_without_checkpoint())
    return run_job(catalog, job, options, following or Following())


def between(catalog: Catalog, job: Job, reading: Reading, options: Options) -> Reading:
    """The rows of a backfill: from `start` on and before `end`, by the job's column of that."""
    if options.start is None and options.end is None:
        return reading
    if job.range is None:
        raise PredicatError.of(say.no_range())
    decl = catalog.datasets[job.dataset].fields.get(job.range)
    if decl is None:
        raise PredicatError.of(say.no_range_field(job.range, catalog.datasets[job.dataset].fields))
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # its usual name; needs Java's home first

    column = F.col(quoted(decl.column("spark")))
    frame = reading.frame
    for value, low in ((options.start, True), (options.end, False)):
        if value is not None:
            bound = F.lit(value).try_cast(str(decl.type))
            if reading.frame.sparkSession.range(1).select(bound).head()[0] is None:  # type: ignore[index]  # one row
                raise PredicatError.of(say.bad_range_value(value, str(decl.type), job.range))
            frame = frame.where(column >= bound if low else column < bound)
    return replace(reading, frame=frame)
