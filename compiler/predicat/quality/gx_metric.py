"""The metric behind all expectations about filters: one pass over a batch, however many expectations ask.

Importing this module imports Great Expectations, which takes seconds, so only `expectations` does.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.data_context.data_context.context_factory import project_manager
from great_expectations.exceptions.exceptions import DataContextRequiredError
from great_expectations.execution_engine.sparkdf_execution_engine import SparkDFExecutionEngine
from great_expectations.execution_engine.sqlalchemy_execution_engine import SqlAlchemyExecutionEngine
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
from msgspec import Struct

from predicat.catalog.load import load_catalog
from predicat.catalog.model import Catalog
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import review as say
from predicat.quality.engines import SAMPLE_ROWS, columns_of, count_rows
from predicat.quality.measure import Measure, measure
from predicat.quality.plan import Plan, plan

METRIC = "table.predicat_coverage"
# The environment variable with the catalog folder, where it is not found from the working directory or
# the project.
CATALOG = "PREDICAT_CATALOG"


class EngineFailure(Struct, frozen=True):
    """What an engine answered instead of figures. A metric that raises would be tried three times, and end
    as a plain failure.
    """

    text: str


def find_catalog(folder: str) -> Path:
    """The catalog that a suite names by a relative path.

    It is looked for above the Great Expectations project, then in the working directory and above it; the
    variable
    PREDICAT_CATALOG goes before all. Raises PredicatError if it is nowhere.
    """
    stated = os.environ.get(CATALOG)
    if stated:
        return Path(stated)
    if Path(folder).is_absolute():
        return Path(folder)
    places = list(dict.fromkeys(start / folder for start in _starts()))
    for place in places:
        if place.is_dir():
            return place
    raise PredicatError.of(say.no_catalog(folder, Path.cwd(), CATALOG))


def _starts() -> Iterator[Path]:
    try:
        root = getattr(project_manager.get_current_project(), "root_directory", None)
    except DataContextRequiredError:
        root = None
    if root:
        yield from Path(root).resolve().parents
    here = Path.cwd()
    yield from (here, *here.parents)


def portable(folder: Path) -> str:
    """The catalog folder as a suite names it: relative to the root of the repository, or to the folder
    around the catalog.
    """
    place = folder.resolve()
    root = next((parent for parent in place.parents if (parent / ".git").exists()), place.parent)
    return place.relative_to(root).as_posix()


def read_catalog(folder: Path) -> Catalog:
    """The catalog in a folder; read again when one of its files or of the macros changed."""
    files = [
        file
        for place in (folder, folder.parent / "macros")
        for file in sorted(place.rglob("*"))
        if file.is_file()
    ]
    state = tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    return _loaded(folder, state)


@lru_cache(maxsize=16)
def _loaded(folder: Path, state: tuple[object, ...]) -> Catalog:
    del state  # the key of the cache alone
    return load_catalog(folder, tests=False)


def _plan(kwargs: Mapping[str, Any], engine: str) -> Plan:
    return plan(read_catalog(find_catalog(kwargs["catalog"])), kwargs["dataset"], (), engine)


class PredicatCoverage(TableMetricProvider):
    """The measure of a dataset of a catalog on a batch."""

    metric_name = METRIC
    value_keys = ("catalog", "dataset")

    @metric_value(engine=SparkDFExecutionEngine)
    def _spark(
        cls,  # noqa: N805  # Great Expectations passes the class
        execution_engine: Any,
        metric_domain_kwargs: Any,
        metric_value_kwargs: Any,
        **_: Any,  # GX makes it a class method
    ) -> Measure | EngineFailure:
        frame, _, _ = execution_engine.get_compute_domain(metric_domain_kwargs, MetricDomainTypes.TABLE)
        try:
            # The compiler does not depend on Spark.
            spark = importlib.import_module("predicat_spark.quality")
            result: Measure = spark.on_spark(_plan(metric_value_kwargs, "spark"), frame)
        except PredicatError as error:
            return EngineFailure(error.diagnostics[0].message)
        return result

    @metric_value(engine=SqlAlchemyExecutionEngine)
    def _sqlalchemy(
        cls,  # noqa: N805  # Great Expectations passes the class
        execution_engine: Any,
        metric_domain_kwargs: Any,
        metric_value_kwargs: Any,
        **_: Any,  # GX makes it a class method
    ) -> Measure | EngineFailure:
        import sqlalchemy  # noqa: PLC0415  # comes with GX's SQL engines
        from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415  # as above

        selectable, _, _ = execution_engine.get_compute_domain(metric_domain_kwargs, MetricDomainTypes.TABLE)
        with_row_condition = isinstance(selectable, sqlalchemy.Select)
        query = (
            selectable
            if with_row_condition
            else sqlalchemy.select(sqlalchemy.text("*")).select_from(selectable)
        )
        source = (
            f"({query.compile(dialect=execution_engine.dialect, compile_kwargs={'literal_binds': True})}) "
            "AS batch"
        )
        escape = "%%" if execution_engine.dialect.paramstyle in ("format", "pyformat") else "%"
        try:
            questions = _plan(metric_value_kwargs, "postgres")
            with execution_engine.get_connection() as connection:

                def run(sql: str) -> Any:
                    return connection.exec_driver_sql(sql.replace("%", escape))

                def rows(condition: str) -> Sequence[Mapping[str, Any]]:
                    sql = (
                        f"SELECT {columns_of(questions)} FROM {questions.rows_of(source)} "
                        f"WHERE {condition} LIMIT {SAMPLE_ROWS}"
                    )
                    return [dict(row) for row in run(sql).mappings()]

                return measure(questions, count_rows(questions, source, run), rows)
        except PredicatError as error:
            return EngineFailure(error.diagnostics[0].message)
        except SQLAlchemyError as error:
            return EngineFailure(" ".join(str(getattr(error, "orig", error)).split()))
