"""Expectations of Great Expectations about filters, all fed by one metric: one pass over a batch, however many there are.

Importing this module registers them; it imports Great Expectations, which takes seconds, so nothing else does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.execution_engine.sparkdf_execution_engine import SparkDFExecutionEngine
from great_expectations.execution_engine.sqlalchemy_execution_engine import SqlAlchemyExecutionEngine
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
from msgspec import Struct

from predicat.catalog.load import load_catalog
from predicat.catalog.model import Catalog
from predicat.diagnostics import PredicatError
from predicat.quality.engines import grouped
from predicat.quality.measure import Measure, measure
from predicat.quality.plan import plan
from predicat.quality.statistics import drifted

METRIC = "table.predicat_coverage"


class EngineFailure(Struct, frozen=True):
    """What an engine said instead of figures. A metric that raises would be tried three times, and end as a plain failure."""

    text: str


@lru_cache(maxsize=16)
def _catalog(folder: str) -> Catalog:
    return load_catalog(Path(folder), tests=False)


class PredicatCoverage(TableMetricProvider):
    """The measure of a dataset of a catalog on a batch."""

    metric_name = METRIC
    value_keys = ("catalog", "dataset")

    @metric_value(engine=SparkDFExecutionEngine)
    def _spark(cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, **_: Any) -> Measure | EngineFailure:  # noqa: N805  # GX makes it one
        import importlib  # noqa: PLC0415  # the compiler does not depend on Spark

        frame, _, _ = execution_engine.get_compute_domain(metric_domain_kwargs, MetricDomainTypes.TABLE)
        try:
            asked = plan(_catalog(metric_value_kwargs["catalog"]), metric_value_kwargs["dataset"], (), "spark")
            found: Measure = importlib.import_module("predicat_spark.quality").on_spark(asked, frame)
        except PredicatError as error:
            return EngineFailure(error.diagnostics[0].message)
        return found

    @metric_value(engine=SqlAlchemyExecutionEngine)
    def _sqlalchemy(cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, **_: Any) -> Measure | EngineFailure:  # noqa: N805  # GX makes it one
        import sqlalchemy  # noqa: PLC0415  # comes with GX's SQL engines
        from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415  # as above

        selectable, _, _ = execution_engine.get_compute_domain(metric_domain_kwargs, MetricDomainTypes.TABLE)
        query = sqlalchemy.select(sqlalchemy.text("*")).select_from(selectable)
        source = f"({query.compile(dialect=execution_engine.dialect, compile_kwargs={'literal_binds': True})}) AS batch"
        try:
            asked = plan(_catalog(metric_value_kwargs["catalog"]), metric_value_kwargs["dataset"], (), "postgres")
            with execution_engine.get_connection() as connection:
                escape = "%%" if execution_engine.dialect.paramstyle in ("format", "pyformat") else "%"
                return measure(asked, lambda classes: connection.exec_driver_sql(grouped(classes, source).replace("%", escape)).fetchall())
        except PredicatError as error:
            return EngineFailure(error.diagnostics[0].message)
        except SQLAlchemyError as error:
            return EngineFailure(" ".join(str(getattr(error, "orig", error)).split()))


class _FilterExpectation(BatchExpectation):
    """What they have in common: the catalog and dataset that the metric asks for."""

    catalog: str
    dataset: str

    metric_dependencies: ClassVar[tuple[str, ...]] = (METRIC,)
    domain_keys: ClassVar[tuple[str, ...]] = ("batch_id",)

    def _figures(self, metrics: Mapping[str, Any]) -> Measure:
        found = metrics[METRIC]
        if isinstance(found, EngineFailure):
            raise RuntimeError(found.text)  # noqa: TRY004  # GX shows it as an exception, not as a failed expectation
        assert isinstance(found, Measure)  # noqa: S101  # nothing else comes
        return found

    def _known(self, found: Measure, name: str) -> str:
        qualified = name if "." in name else f"{self.dataset}.{name}"
        if qualified not in found.filters:
            raise RuntimeError(f"{qualified} was not measured: {found.refused.get(qualified, 'there is no such filter')}")
        return qualified


def _within(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


class ExpectFilterCoverageToBeBetween(_FilterExpectation):
    """Expect the rows that a filter accepts to lie between bounds: shares (0 to 1) or numbers of rows, each may be left out."""

    filter: str
    min_share: float | None = None
    max_share: float | None = None
    min_rows: int | None = None
    max_rows: int | None = None

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "filter", "min_share", "max_share", "min_rows", "max_rows")

    def _validate(self, metrics: dict[str, Any], runtime_configuration: Any = None, execution_engine: Any = None) -> dict[str, Any]:
        found = self._figures(metrics)
        name = self._known(found, self.filter)
        share, accepted = found.share(name), found.accepted[name]
        holds = _within(share, self.min_share, self.max_share) and _within(accepted, self.min_rows, self.max_rows)
        return {"success": holds, "result": {"observed_value": share, "details": {"accepted": accepted, "rows": found.rows}}}


class ExpectFilterUnknownRateToBeAtMost(_FilterExpectation):
    """Expect the rows for which a filter is UNKNOWN to be at most a share (0 to 1), a number of rows, or both."""

    filter: str
    max_share: float | None = None
    max_rows: int | None = None

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "filter", "max_share", "max_rows")

    def _validate(self, metrics: dict[str, Any], runtime_configuration: Any = None, execution_engine: Any = None) -> dict[str, Any]:
        found = self._figures(metrics)
        unknown = found.filters[self._known(found, self.filter)].unknown
        share = unknown / found.rows if found.rows else 0.0
        holds = _within(share, None, self.max_share) and _within(unknown, None, self.max_rows)
        return {"success": holds, "result": {"observed_value": share, "details": {"unknown": unknown, "rows": found.rows}}}


class _GroupExpectation(_FilterExpectation):
    group: str

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "group")
    counted: ClassVar[str] = ""

    def _validate(self, metrics: dict[str, Any], runtime_configuration: Any = None, execution_engine: Any = None) -> dict[str, Any]:
        found = self._figures(metrics)
        if self.group not in found.groups:
            raise RuntimeError(f"{self.dataset}.{self.group} was not measured: there is no such group, or a filter of it could not be measured")
        rows = getattr(found.groups[self.group], self.counted)
        return {"success": rows == 0, "result": {"observed_value": rows}}


class ExpectFiltersToBeMutuallyExclusive(_GroupExpectation):
    """Expect no row to be accepted by more than one filter of a group of the catalog."""

    counted: ClassVar[str] = "overlap"


class ExpectFiltersToBeCollectivelyExhaustive(_GroupExpectation):
    """Expect every row to be accepted by a filter of a group of the catalog."""

    counted: ClassVar[str] = "gap"


class ExpectFilterCoverageToBeStable(_FilterExpectation):
    """Expect the share of rows that a filter accepts to stay near a baseline: moves count from `min_change` on, and only if the
    95 % intervals of both do not meet."""

    filter: str
    baseline_accepted: int
    baseline_rows: int
    min_change: float

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "filter", "baseline_accepted", "baseline_rows", "min_change")

    def _validate(self, metrics: dict[str, Any], runtime_configuration: Any = None, execution_engine: Any = None) -> dict[str, Any]:
        found = self._figures(metrics)
        name = self._known(found, self.filter)
        moved = drifted((self.baseline_accepted, self.baseline_rows), (found.accepted[name], found.rows), self.min_change)
        return {"success": not moved, "result": {"observed_value": found.share(name), "details": {"baseline": self.baseline_accepted / self.baseline_rows}}}


EXPECTATIONS: Sequence[type[BatchExpectation]] = (
    ExpectFilterCoverageToBeBetween, ExpectFilterUnknownRateToBeAtMost, ExpectFiltersToBeMutuallyExclusive,
    ExpectFiltersToBeCollectivelyExhaustive, ExpectFilterCoverageToBeStable,
)  # fmt: skip
"""Every expectation about filters."""
