"""Counts the rows that a change gains and loses on Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import PredicatError
from predicat.review.counting import Source
from predicat.review.counting import count as counted
from predicat_spark import failures
from predicat_spark.lists import provide
from predicat_spark.pipeline.source import read
from predicat_spark.sessions import local_session
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from predicat.catalog.model import Dataset
    from predicat.review.counts import Counts
    from predicat.review.questions import Questions

_VIEW = "predicat_source"


def count(source: str, dataset: Dataset, questions: Questions, master: str = "local[*]") -> dict[str, Counts]:
    """The counts of one dataset, read from a table or path, or the reasons why they are not known. Raises
    PredicatError for a source that cannot be read.
    """
    session = local_session(master, f"predicat diff {dataset.name}")
    from pyspark.errors import PySparkException  # noqa: PLC0415  # needs Java's home first

    try:
        frame = read(session, source, dataset)
        with settings(session, READING):
            return count_in(frame, questions, dataset.name)
    except PySparkException as error:
        raise PredicatError.of(failures.diagnostic(error, sensitive=dataset.is_sensitive)) from None


def count_in(frame: DataFrame, questions: Questions, dataset: str) -> dict[str, Counts]:
    """The counts of one dataset in a frame."""
    provide(frame.sparkSession, (node for question in questions.of(dataset) for node in question.nodes))
    frame.createOrReplaceTempView(_VIEW)
    select = partial(_rows, frame, sensitive=dataset in questions.sensitive)
    return counted(questions, dataset, Source(_VIEW, _VIEW, select))


def _rows(frame: DataFrame, sql: str, *, sensitive: bool) -> Sequence[Mapping[str, Any]]:
    """The rows of a query. Raises PredicatError with what Spark says."""
    from pyspark.errors import PySparkException  # noqa: PLC0415  # needs Java's home first

    try:
        return [row.asDict(recursive=True) for row in frame.sparkSession.sql(sql).collect()]
    except PySparkException as error:
        raise PredicatError.of(failures.diagnostic(error, sensitive=sensitive)) from None
