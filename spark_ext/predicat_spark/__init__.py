"""predicat for Spark: sessions with `matches_filter`, Columns, views, SQL functions, the pipeline and
coverage.

A filter accepts a row if its predicate is TRUE. `matches_filter` is TRUE or FALSE, never NULL: an UNKNOWN row
is not accepted, unless the filter has `on_unknown: accept`.
"""

from predicat.deploy.chosen import job_of
from predicat_spark.columns import create_functions, create_views, matches_filter
from predicat_spark.jar import ensure_jar, write_jar
from predicat_spark.java import ensure_java
from predicat_spark.matching import (
    count_matching_filters,
    matching_filter_ids,
    matching_filter_names,
    matching_filters,
    matching_subscriptions,
)
from predicat_spark.pipeline import Following, Job, JobFilter, Options, Report, Sink, Source, table
from predicat_spark.pipeline.events import Events, prometheus
from predicat_spark.pipeline.start import Input, locate, run, run_job, stream
from predicat_spark.quality import check_coverage, rows_of
from predicat_spark.seeking import seek, starting_offsets
from predicat_spark.sessions import compile_manifest, configure, install, refresh, session

__all__ = [
    "Events",
    "Following",
    "Input",
    "Job",
    "JobFilter",
    "Options",
    "Report",
    "Sink",
    "Source",
    "check_coverage",
    "compile_manifest",
    "configure",
    "count_matching_filters",
    "create_functions",
    "create_views",
    "ensure_jar",
    "ensure_java",
    "install",
    "job_of",
    "locate",
    "matches_filter",
    "matching_filter_ids",
    "matching_filter_names",
    "matching_filters",
    "matching_subscriptions",
    "prometheus",
    "refresh",
    "rows_of",
    "run",
    "run_job",
    "seek",
    "session",
    "starting_offsets",
    "stream",
    "table",
    "write_jar",
]
