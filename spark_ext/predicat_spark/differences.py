"""Counts the rows that a change gains and loses on Spark, all filters in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from predicat.diagnostics import PredicatError
from predicat.review.counts import FETCHED, CountQuery, Counts, distinct
from predicat_spark import failures
from predicat_spark.lists import provide
from predicat_spark.pipeline.source import read
from predicat_spark.sessions import local_session
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from predicat.catalog.model import Dataset


# Questions counted in one aggregate: more make Spark's generated method too long for the JIT.
CHUNK = 25


def count(
    source: str, dataset: Dataset, queries: Sequence[CountQuery], master: str = "local[*]"
) -> dict[str, Counts]:
    """The counts and samples of some questions about one dataset, read from a table or path. Raises
    PredicatError.
    """
    session = local_session(master, f"predicat diff {dataset.name}")
    from pyspark.errors import PySparkException  # noqa: PLC0415  # needs Java's home first

    try:
        frame = read(session, source, dataset)
        with settings(session, READING):
            return _counts(frame, queries)
    except PySparkException as error:
        raise PredicatError.of(failures.diagnostic(error, sensitive=dataset.is_sensitive)) from None


def _counts(frame: DataFrame, queries: Sequence[CountQuery]) -> dict[str, Counts]:
    provide(frame.sparkSession, (node for question in queries for node in question.nodes))
    result: dict[str, Counts] = {}
    for start in range(0, len(queries), CHUNK):
        chunk = queries[start : start + CHUNK]
        columns = ["count(*) AS total"]
        for index, question in enumerate(chunk):
            columns += [
                f"count_if({question.before}) AS b{index}",
                f"count_if({question.after}) AS a{index}",
                f"count_if({question.gained}) AS g{index}",
                f"count_if({question.lost}) AS l{index}",
            ]
        row = frame.selectExpr(*columns).first()
        assert row is not None  # noqa: S101  # an aggregate has one row
        for index, question in enumerate(chunk):
            gained, lost = row[f"g{index}"], row[f"l{index}"]
            samples = [
                _sample(frame, question, part) if size else []
                for part, size in ((question.gained, gained), (question.lost, lost))
            ]
            result[question.name] = Counts(
                row["total"],
                row[f"b{index}"],
                row[f"a{index}"],
                gained,
                lost,
                gained_rows=distinct(samples[0]),
                lost_rows=distinct(samples[1]),
            )
    return result


def _sample(frame: DataFrame, question: CountQuery, condition: str) -> list[dict[str, object]]:
    columns = list(question.columns) or ["1 AS row"]
    return [
        row.asDict(recursive=True)
        for row in frame.where(condition).selectExpr(*columns).limit(FETCHED).collect()
    ]
