"""predicat for Spark: sessions with `matches_filter`, Columns, views and SQL functions from a catalog."""

from __future__ import annotations

from predicat_spark.jar import ensure_jar
from predicat_spark.java import ensure_java
from predicat_spark.jobs import run, table
from predicat_spark.sessions import compile_manifest, configure, install, refresh, session

__all__ = ["compile_manifest", "configure", "ensure_jar", "ensure_java", "install", "refresh", "run", "session", "table"]
