"""The first row of a DataFrame that a filter accepts, and Kafka offsets to start from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from predicat.api import Predicate
from predicat.deploy.columns import check_fields
from predicat.diagnostics.messages import deploy as say
from predicat.ir.types import MAX_PRECISION
from predicat.seeking import Found
from predicat.seeking import starting_offsets as as_json
from predicat.seeking.found import KAFKA_COLUMNS
from predicat_spark.columns import matches_filter
from predicat_spark.lists import provide
from predicat_spark.names import quoted
from predicat_spark.pipeline.progress import Metrics
from predicat_spark.pipeline.source import column_types

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# The first slice of the order is this share of it; each next one is twice as wide.
_FIRST_PART = 64
_POSITION = {"file": "_metadata.file_path", "row_number": "_metadata.row_index"}


def seek(frame: DataFrame, filter_: str | Predicate | Column, order_by: str | None = None) -> Found:
    """The first accepted row. Rows for which the filter is UNKNOWN are not accepted.

    With `order_by`, Spark reads growing slices of the order, from the smallest value on, until a slice has an
    accepted row. Sources with statistics (Parquet, ORC, tables) skip rows outside the slice, so later rows
    are never read. Rows whose `order_by` is NULL come last.

    Args:
        frame: The rows.
        filter_: The name of a filter, as for `matches_filter`; or a predicate, or a condition.
        order_by: The column whose smallest value is first. Default: the order in which Spark reads the rows.

    Returns:
        The row, its file and row number if the rows come directly from files, and how much Spark read. Spark
        Connect does not report how much it read.

    Raises:
        pyspark.errors.AnalysisException: There is no such filter or column.
        PredicatError: A column has another type than the predicate's field.
    """
    accepted = _condition(frame, filter_)
    with _reading(frame) as read:
        row = _first(frame, accepted, order_by)
        rows, size = read()
    if row is None:
        return Found(None, {}, size, rows)
    position = {name: row.pop(name) for name in _hidden() if name in row}
    return Found(
        row, {name.removeprefix("__predicat_"): value for name, value in position.items()}, size, rows
    )


def starting_offsets(frame: DataFrame, filter_: str | Predicate | Column) -> str:
    """`startingOffsets` for Spark's Kafka source: the first accepted offset of each partition, as JSON.

    Args:
        frame: Records with the columns `topic`, `partition` and `offset`.
        filter_: As for `seek`.
    """
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # the usual name; optional

    topic, partition, offset = KAFKA_COLUMNS
    first = F.min(F.when(_condition(frame, filter_), F.col(offset)))
    return as_json(tuple(row) for row in frame.groupBy(topic, partition).agg(first).collect())


def _condition(frame: DataFrame, filter_: str | Predicate | Column) -> Column:
    from pyspark.sql import SparkSession  # noqa: PLC0415  # optional
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # the usual name; optional

    if isinstance(filter_, str):
        return matches_filter(filter_)
    if not isinstance(filter_, Predicate):
        return filter_
    check_fields("spark", say.DATA_FRAME, column_types(frame), filter_.fields.values())
    provide(SparkSession.active(), [filter_.node])
    return F.expr(filter_.sql("spark"))


def _first(frame: DataFrame, accepted: Column, order_by: str | None) -> dict[str, Any] | None:
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # the usual name; optional

    whole = _with_position(frame)
    if order_by is None:
        return _one(whole.where(accepted))
    order = F.col(quoted(order_by))
    least, most = frame.agg(F.min(order), F.max(order)).first() or (None, None)
    kind = frame.select(order).schema[0].dataType  # a literal of Python is a timestamp with time zone
    for low, high in _slices(least, most):
        inside = order >= F.lit(low).cast(kind) if low is not None else F.lit(True)
        before = order < F.lit(high).cast(kind) if high is not None else order.isNotNull()
        row = _one(whole.where(inside & before & accepted).orderBy(order))
        if row is not None:
            return row
    return _one(whole.where(order.isNull() & accepted))


def _one(frame: DataFrame) -> dict[str, Any] | None:
    row = frame.limit(1).first()
    return row.asDict() if row is not None else None


def _slices(least: Any, most: Any) -> Iterator[tuple[Any, Any]]:
    """Intervals that hold every value: the lower end (None: no end) is in them, the upper one is not.

    The first one has no lower end: a local time of Python does not tell which of the two hours is meant when
    clocks go back.
    """
    if isinstance(least, bool) or not isinstance(least, int | float | Decimal | date | datetime):
        if least is not None:
            yield None, None
        return
    with localcontext(prec=2 * MAX_PRECISION):
        ends = _ends(least, most)
    yield from pairwise([None, *ends, None])


def _ends(least: Any, most: Any) -> list[Any]:
    """Where one slice ends and the next one begins."""
    ends: list[Any] = []
    end, width = least, _width(least, most)
    while width and width < most - end:  # a sum may be later than the last date of Python
        end += width
        ends.append(end)
        width *= 2
    return ends


def _width(least: Any, most: Any) -> Any:
    """How wide the first slice is, in the type of the order: Spark pushes no comparison with another type."""
    if isinstance(least, int):
        return (most - least) // _FIRST_PART
    if isinstance(least, Decimal):
        return ((most - least) / _FIRST_PART).quantize(least)
    if isinstance(least, date) and not isinstance(least, datetime):
        return timedelta(days=(most - least).days // _FIRST_PART)
    return (most - least) / _FIRST_PART


def _hidden() -> list[str]:
    return [f"__predicat_{name}" for name in _POSITION]


def _with_position(frame: DataFrame) -> DataFrame:
    """The rows with their file and number in it, if they come straight from files."""
    from pyspark.errors import AnalysisException  # noqa: PLC0415  # needs Java's home first
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # the usual name; optional

    columns = [F.col(path).alias(name) for name, path in zip(_hidden(), _POSITION.values(), strict=True)]
    try:
        result = frame.select("*", *columns)
        _ = result.schema
    except AnalysisException:
        return frame
    return result


@contextmanager
def _reading(frame: DataFrame) -> Iterator[Any]:
    """What Spark reads meanwhile: rows and bytes, None for a client of Spark Connect."""
    session: Any = frame.sparkSession
    if not hasattr(session, "_jvm"):
        yield lambda: (None, None)
        return
    try:
        metrics = Metrics(session)
    except TypeError:  # the jar of the extension is not on the class path
        yield lambda: (None, None)
        return
    with metrics:
        yield lambda: metrics.now(settle=True)[:2]
