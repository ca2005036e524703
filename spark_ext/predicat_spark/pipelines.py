"""Filters inside of a project of Spark Declarative Pipelines (Spark 4.1 and later).

The server needs the jar and the manifest: `spark-pipelines run --jars predicat-spark.jar --conf
spark.predicat.manifest=target/manifest.json`. Inside of a flow of your own, `predicat_spark.matches_filter`
is the condition. What is here defines a table for each of many filters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat_spark.columns import matches_filter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Read = Callable[[], "DataFrame"]


def materialized_views(
    names: Sequence[str], source: Read | str, prefix: str = "", **options: Any
) -> list[str]:
    """Define a materialized view for each filter, with the rows that it accepts; returns their names.

    `source` is the name of a table, or a function that reads. `options` are those of
    `pyspark.pipelines.materialized_view`.
    """
    return _define("materialized_view", names, source, prefix, options, streaming=False)


def streaming_tables(names: Sequence[str], source: Read | str, prefix: str = "", **options: Any) -> list[str]:
    """Define a streaming table for each filter: each new row of the source is read once. Arguments are
    those of `materialized_views`.
    """
    return _define("table", names, source, prefix, options, streaming=True)


def routed_tables(
    manifest: str | Path,
    group: str,
    source: Read | str,
    prefix: str = "",
    *,
    streaming: bool = False,
    **options: Any,
) -> list[str]:
    """Define a table for each filter of a group (`dataset.group`) of a manifest; returns their names.
    Raises PredicatError.
    """
    dataset, _, name = group.rpartition(".")
    groups = (
        json.loads(Path(manifest).read_text(encoding="utf-8"))["datasets"].get(dataset, {}).get("groups", {})
    )
    if name not in groups:
        raise PredicatError.of(say.no_group(group, groups))
    members = [member if "." in member else f"{dataset}.{member}" for member in groups[name]["filters"]]
    return (streaming_tables if streaming else materialized_views)(members, source, prefix, **options)


def _define(
    kind: str,
    names: Sequence[str],
    source: Read | str,
    prefix: str,
    options: dict[str, Any],
    *,
    streaming: bool,
) -> list[str]:
    from pyspark import pipelines  # noqa: PLC0415  # Spark 4.1 and later

    defined: list[str] = []
    for name in names:
        target = prefix + name.rpartition(".")[2].replace("@", "_")
        getattr(pipelines, kind)(name=target, **options)(_flow(name, source, streaming=streaming))
        defined.append(target)
    return defined


def _flow(name: str, source: Read | str, *, streaming: bool) -> Read:
    def flow() -> DataFrame:
        return _read(source, streaming=streaming).where(matches_filter(name))

    flow.__name__ = name.rpartition(".")[2].replace("@", "_")
    return flow


def _read(source: Read | str, *, streaming: bool) -> DataFrame:
    if not isinstance(source, str):
        return source()
    from pyspark.sql import SparkSession  # noqa: PLC0415  # optional

    session = SparkSession.active()
    return session.readStream.table(source) if streaming else session.read.table(source)
