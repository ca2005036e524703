"""Coverage on Spark: one pass over a relation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.quality.engines import SAMPLE_ROWS
from predicat.quality.extent import measure_extent
from predicat.quality.judge import Check, judge
from predicat.quality.measure import Measure, measure
from predicat.quality.plan import Plan, plan
from predicat_spark.jobs import local_session, read
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from predicat.catalog import Catalog
    from predicat.quality.classes import Classes

_SETTINGS = {
    "spark.sql.codegen.hugeMethodLimit": "8000",  # what the JVM does not compile is five times slower than no generated code
    "spark.sql.shuffle.partitions": "16",  # groups are few
}


def on_spark(plan: Plan, source: str | DataFrame, sample: float = 1.0, master: str = "local[*]") -> Measure:
    """Measure a plan on a table, a path or a DataFrame. Raises PredicatError with Spark's text if a query fails."""
    from pyspark.errors import PySparkException  # noqa: PLC0415  # optional

    try:
        if isinstance(source, str):
            frame = read(local_session(master, f"predicat quality {plan.dataset.name}"), source, plan.dataset)
        else:
            frame = source
        part = frame.sample(fraction=sample, seed=0) if sample < 1 else frame
        with settings(frame.sparkSession, {**READING, **_SETTINGS}):
            result = measure(plan, lambda classes: _count(part, classes), lambda condition: _rows(plan, frame, condition), sample)
            measure_extent(result, plan, lambda expressions: frame.selectExpr(*expressions).head() or ())
            return result
    except PySparkException as error:
        raise PredicatError.of(msg.engine_error("Spark", str(error).strip().splitlines()[0])) from None


def _count(frame: DataFrame, classes: Classes) -> Iterable[Sequence[int]]:
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # Spark's own name for them; needs Java's home first

    words: dict[str, Column] = {}
    for key, (word, bit) in zip(classes.keys, classes.places(), strict=True):
        once = F.expr(f"CAST({key.sql} AS BIGINT)")
        # Said twice, an expression becomes a method of its own, which the JVM compiles; all in one method would be too long for it.
        number = F.shiftleft(once.bitwiseOR(once), bit)
        name = f"w{word}"
        words[name] = words[name].bitwiseOR(number) if name in words else number
    numbered = frame.select(*(word.alias(name) for name, word in words.items())) if words else frame
    counted = numbered.groupBy(*words).count()
    if not extras.installed("pyarrow"):
        return [tuple(row) for row in counted.collect()]
    return list(zip(*(column.to_pylist() for column in counted.toArrow().columns), strict=True))


def _rows(plan: Plan, frame: DataFrame, condition: str) -> list[Mapping[str, Any]]:
    names = dict.fromkeys(decl.column("spark") for row in plan.filters for decl in row.current.predicate.fields.values())
    columns = [f"`{name.replace('`', '``')}`" for name in names] or ["1 AS one"]
    return [row.asDict(recursive=True) for row in frame.where(condition).selectExpr(*columns).limit(SAMPLE_ROWS).collect()]


def check_coverage(catalog: Catalog, dataset: str, source: str | DataFrame, filters: Sequence[str] = ()) -> list[Check]:
    """Every bound of some filters (of all, if none is named) and groups of a dataset on a table, path or DataFrame, in one pass.

    Raises PredicatError with Spark's text if the query fails.
    """
    return judge(catalog, on_spark(plan(catalog, dataset, filters, "spark"), source))
