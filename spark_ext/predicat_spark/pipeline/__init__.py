"""`predicat run`: one reading of a source, the rows of every filter in their places, all or nothing."""

from predicat.catalog.jobs import Job, JobFilter, Sink, Source
from predicat_spark.pipeline.report import Report, table
from predicat_spark.pipeline.start import Input, locate, run, run_job, stream
from predicat_spark.pipeline.stream import Following
from predicat_spark.pipeline.work import Options

__all__ = [
    "Following",
    "Input",
    "Job",
    "JobFilter",
    "Options",
    "Report",
    "Sink",
    "Source",
    "locate",
    "run",
    "run_job",
    "stream",
    "table",
]
