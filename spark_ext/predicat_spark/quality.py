"""Coverage on Spark: one pass over a relation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.quality.engines import SAMPLE_ROWS
from predicat.quality.judge import Check, judge
from predicat.quality.measure import Measure, measure
from predicat.quality.plan import Plan, plan
from predicat_spark.jobs import local_session, read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from predicat.catalog import Catalog

_LIMIT = "spark.sql.codegen.hugeMethodLimit"


def on_spark(plan: Plan, source: str | DataFrame, sample: float = 1.0, master: str = "local[*]") -> Measure:
    """Measure a plan on a table, a path or a DataFrame. Raises PredicatError with Spark's text if a query fails."""
    session = local_session(master, f"predicat quality {plan.dataset.name}")
    from pyspark.errors import PySparkException  # noqa: PLC0415  # needs Java's home first

    try:
        frame = read(session, source, plan.dataset) if isinstance(source, str) else source
        part = frame.sample(fraction=sample, seed=0) if sample < 1 else frame
        with _small_methods(frame.sparkSession):
            return measure(plan, lambda masks: _count(part, masks), lambda condition: _rows(plan, frame, condition), sample)
    except PySparkException as error:
        raise PredicatError.of(msg.engine_error("Spark", str(error).strip().splitlines()[0])) from None


@contextmanager
def _small_methods(session: SparkSession) -> Iterator[None]:
    """Keep generated methods small enough for the JIT: a pass over a hundred filters is five times faster for it."""
    before = session.conf.get(_LIMIT, None)
    session.conf.set(_LIMIT, "8000")
    try:
        yield
    finally:
        if before is None:
            session.conf.unset(_LIMIT)
        else:
            session.conf.set(_LIMIT, before)


def _count(frame: DataFrame, masks: Sequence[str]) -> Iterable[Sequence[int]]:
    names = [f"m{place}" for place in range(len(masks))]
    numbered = frame.selectExpr(*(f"{mask} AS {name}" for mask, name in zip(masks, names, strict=True))) if masks else frame
    return [tuple(row) for row in numbered.groupBy(*names).count().collect()]


def _rows(plan: Plan, frame: DataFrame, condition: str) -> list[Mapping[str, Any]]:
    names = dict.fromkeys(decl.column("spark") for row in plan.filters for decl in row.current.predicate.fields.values())
    columns = [f"`{name.replace('`', '``')}`" for name in names] or ["1 AS one"]
    return [row.asDict(recursive=True) for row in frame.where(condition).selectExpr(*columns).limit(SAMPLE_ROWS).collect()]


def check_coverage(catalog: Catalog, dataset: str, source: str | DataFrame, filters: Sequence[str] = ()) -> list[Check]:
    """Every bound of some filters (of all, if none is named) and groups of a dataset on a table, path or DataFrame, in one pass.

    Raises PredicatError with Spark's text if the query fails.
    """
    return judge(catalog, on_spark(plan(catalog, dataset, filters, "spark"), source))
