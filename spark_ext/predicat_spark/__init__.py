"""predicat for Spark: sessions with `matches_filter`, Columns, views and SQL functions from a catalog."""

from __future__ import annotations

from predicat_spark.columns import create_functions, create_views, matches_filter
from predicat_spark.jar import ensure_jar
from predicat_spark.java import ensure_java
from predicat_spark.jobs import run, table
from predicat_spark.quality import check_coverage
from predicat_spark.sessions import compile_manifest, configure, install, refresh, session

__all__ = [
    "check_coverage",
    "compile_manifest",
    "configure",
    "create_functions",
    "create_views",
    "ensure_jar",
    "ensure_java",
    "install",
    "matches_filter",
    "refresh",
    "run",
    "session",
    "table",
]
