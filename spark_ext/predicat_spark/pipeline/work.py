"""What all parts of a run share: the session, the catalog, the job, its filters, and how it is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.jobs import TRIES, Job, JobFilter
from predicat.catalog.jobs import problems as job_problems
from predicat.catalog.model import Catalog, Dataset
from predicat.deploy.chosen import Chosen, chosen
from predicat.diagnostics import PredicatError
from predicat.ir.nodes import NOW, reads_now
from predicat.semantics import clock
from predicat_spark.lists import provide
from predicat_spark.pipeline.entries import Entries, Raised
from predicat_spark.pipeline.files import Files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Options(Struct, frozen=True):
    """How a job is run.

    Attributes:
        master: The Spark master.
        conf: Settings of Spark.
        start: Only rows with at least this value in the range field.
        end: Only rows below this value in the range field.
        rebuild: Ignore the checkpoint, read everything again, and replace the sinks.
        retries: How often a temporary failure is retried.
        revision: The revision of the catalog in version control, for the report.
        now: The current time for filters that read it. Default: the start of the run, in a stream that of
            each batch.
        adopt: Folders of sinks may be replaced though they have files that no run has written.
        at_least_once: Rows may be appended to tables that cannot tell whether they were appended before: they
            are there twice if a run is killed while it does that.
    """

    master: str = "local[*]"
    conf: Mapping[str, str] = field(default_factory=dict[str, str])
    start: str | None = None
    end: str | None = None
    rebuild: bool = False
    retries: int = 2
    revision: str | None = None
    now: datetime | None = None
    adopt: bool = False
    at_least_once: bool = False


def resolved(catalog: Catalog, job: Job) -> tuple[Job, list[Chosen]]:
    """The job with the names of all its filters, and these filters. Raises PredicatError."""
    rows = chosen(catalog, job.dataset, job.filters, job.every)
    if not job.filters:
        job = replace(job, filters=tuple(JobFilter(one.name, one.name) for one in rows))
    result = job_problems(job)
    if result:
        raise PredicatError(result)
    return job, rows


def new_run_id() -> str:
    """A name for a run: its time, so that records sort, and a random part."""
    return f"{datetime.now(tz=UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


class Work(Struct, frozen=True):
    """A job on a session. `rows` are its filters."""

    session: SparkSession
    catalog: Catalog
    job: Job
    rows: Sequence[Chosen]
    options: Options
    files: Files
    entries: Entries
    raised: Raised

    @property
    def dataset(self) -> Dataset:
        """The dataset of the job."""
        return self.catalog.datasets[self.job.dataset]


def work_on(
    session: SparkSession,
    catalog: Catalog,
    job: Job,
    rows: Sequence[Chosen],
    options: Options,
    raised: Raised | None = None,
) -> Work:
    """A job on a session, with the lists that its filters read, and one current time for all of it."""
    provide(session, (chosen.node for chosen in rows))
    now = clock.reading(options.now)[NOW.name]  # one for all sinks, passes and retries
    # Other filters keep the SQL that an earlier batch has made.
    rows = [replace(chosen, now=now) if reads_now(chosen.node) else chosen for chosen in rows]
    tries = 1 if job.checkpoint is None else job.tries or TRIES
    entries = Entries(session, catalog, rows, job.label, tries)
    return Work(session, catalog, job, rows, options, Files(session), entries, raised or Raised(session))
