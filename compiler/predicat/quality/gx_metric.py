"""The metric behind all expectations about filters: one pass over a batch, however many expectations ask.

Importing this module imports Great Expectations, which takes seconds, so only `expectations` does.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.data_context.data_context.context_factory import project_manager
from great_expectations.exceptions.exceptions import DataContextRequiredError
from great_expectations.execution_engine.pandas_execution_engine import PandasExecutionEngine
from great_expectations.execution_engine.sparkdf_execution_engine import SparkDFExecutionEngine
from great_expectations.execution_engine.sqlalchemy_execution_engine import SqlAlchemyExecutionEngine
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
from msgspec import Struct
from msgspec.structs import replace

from predicat.backends.sql import shown
from predicat.catalog.load import load_catalog
from predicat.catalog.model import Catalog, Dataset
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.reading import repository_of
from predicat.ir.nodes import FieldDecl
from predicat.quality.engines import (
    SAMPLE_ROWS,
    aggregates,
    columns_of,
    count_rows,
    on_duckdb,
    opened_files,
)
from predicat.quality.extent import measure_extent
from predicat.quality.measure import Measure, breaking, measure
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
    root = repository_of(place.parent) or place.parent
    return place.relative_to(root).as_posix()


def _state(folder: Path) -> tuple[object, ...]:
    """What the files of a catalog and its macros are like."""
    files = [
        file
        for place in (folder, folder.parent / "macros")
        for file in sorted(place.rglob("*"))
        if file.is_file()
    ]
    return tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


@lru_cache(maxsize=16)
def _loaded(folder: Path, state: tuple[object, ...]) -> Catalog:
    del state  # the key of the cache alone
    return load_catalog(folder, tests=False)


@lru_cache(maxsize=64)
def _planned(folder: Path, state: tuple[object, ...], dataset: str, engine: str) -> Plan:
    return plan(_loaded(folder, state), dataset, (), engine)


def _plan(kwargs: Mapping[str, Any], engine: str) -> Plan:
    """What to ask of an engine. The catalog is read again when one of its files or of the macros changed."""
    folder = find_catalog(kwargs["catalog"])
    return _planned(folder, _state(folder), kwargs["dataset"], engine)


def _on_spark(engine: Any, domain: Any, questions: Plan) -> Measure:
    frame, _, _ = engine.get_compute_domain(domain, MetricDomainTypes.TABLE)
    # The compiler does not depend on Spark.
    found: Measure = importlib.import_module("predicat_spark.quality").on_spark(questions, frame)
    return found


def _on_pandas(engine: Any, domain: Any, questions: Plan) -> Measure:
    with _as_file(engine, domain, questions) as (of_file, file):
        return on_duckdb(of_file, file)


def _on_postgres(engine: Any, domain: Any, questions: Plan) -> Measure:
    with _batch(engine, domain, questions) as (source, run):

        def rows(condition: str) -> Sequence[Mapping[str, Any]]:
            query = _select(questions, source, columns_of(questions), condition, SAMPLE_ROWS)
            return [dict(row) for row in run(query).mappings()]

        result = measure(questions, count_rows(questions, source, run), rows)
        measure_extent(
            result,
            questions,
            lambda asked, keys: list(run(aggregates(asked, keys, questions.rows_of(source)))),
        )
        return result


def _metric(dialect: str, measured: Callable[[Any, Any, Plan], Measure]) -> Callable[..., Any]:
    """The measure of a batch by an engine, as Great Expectations calls it."""

    def metric(
        cls: type,  # noqa: ARG001  # Great Expectations passes it by name
        execution_engine: Any,
        metric_domain_kwargs: Any,
        metric_value_kwargs: Any,
        **_: Any,
    ) -> Measure | EngineFailure:
        try:
            return measured(execution_engine, metric_domain_kwargs, _plan(metric_value_kwargs, dialect))
        except PredicatError as error:
            return EngineFailure(error.diagnostics[0].message)

    return metric


class PredicatCoverage(TableMetricProvider):
    """The measure of a dataset of a catalog on a batch."""

    metric_name = METRIC
    value_keys = ("catalog", "dataset")
    _spark = metric_value(engine=SparkDFExecutionEngine)(_metric("spark", _on_spark))
    _pandas = metric_value(engine=PandasExecutionEngine)(_metric("duckdb", _on_pandas))
    _sqlalchemy = metric_value(engine=SqlAlchemyExecutionEngine)(_metric("postgres", _on_postgres))


# Runs a query over a batch.
_Run = Callable[[str], Any]


@contextmanager
def _batch(engine: Any, domain: Any, questions: Plan) -> Iterator[tuple[str, _Run]]:
    """A batch of a SQL data source as an item of FROM, and what runs a query. Raises PredicatError with the
    server's text, in which no value of a sensitive field is.
    """
    import sqlalchemy  # noqa: PLC0415  # comes with GX's SQL engines
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415  # as above

    selectable, _, _ = engine.get_compute_domain(domain, MetricDomainTypes.TABLE)
    query = (
        selectable
        if isinstance(selectable, sqlalchemy.Select)
        else sqlalchemy.select(sqlalchemy.text("*")).select_from(selectable)
    )
    percent = "%%" if engine.dialect.paramstyle in ("format", "pyformat") else "%"
    text = str(query.compile(dialect=engine.dialect, compile_kwargs={"literal_binds": True}))
    try:
        with engine.get_connection() as connection:
            yield (
                f"({text.replace(percent, '%')}) AS batch",
                lambda sql: connection.exec_driver_sql(sql.replace("%", percent)),
            )
    except SQLAlchemyError as error:
        told, state = getattr(error, "orig", error), getattr(getattr(error, "orig", None), "sqlstate", None)
        hides = questions.dataset.is_sensitive
        seen = shown.of_engine(" ".join(str(told).split()), state or type(told).__name__, sensitive=hides)
        raise PredicatError.of(msg.engine_error("PostgreSQL", seen)) from None


def _select(questions: Plan, source: str, columns: str, condition: str, most: int | None) -> str:
    """A query of rows that are counted and for which a condition holds."""
    limit = "" if most is None else f" LIMIT {most}"
    return f"SELECT {columns} FROM {questions.rows_of(source)} WHERE {condition}{limit}"


def index_columns(dataset: Dataset, engine: str) -> list[str]:
    """The key by which any expectation may name rows: its columns, without expressions and sensitive ones."""
    key = [dataset.fields[name] for name in dataset.key]
    return [decl.column(engine) for decl in key if not (decl.sensitive or decl.expression(engine))]


def breaking_rows(
    engine: Any,
    domain: Any,
    kwargs: Mapping[str, Any],
    bound: tuple[str, str],
    asked: Sequence[str],
    most: int | None,
) -> tuple[list[str], list[dict[str, Any]]]:
    """The rows of a batch that count against a bound (the arguments of `measure.breaking`), at most `most`:
    the names of columns, and these of each row. They are those that are asked for and the key of the dataset.
    Sensitive ones are masked.

    Raises PredicatError for a name of no declared field, and with the engine's text.
    """
    questions = _plan(kwargs, _dialect(engine))
    decls = dict.fromkeys(_declared(questions, name) for name in (*asked, *questions.dataset.key))
    names = [
        decl.name if decl.expression(questions.engine) else decl.column(questions.engine) for decl in decls
    ]
    if not decls:
        return [], []
    columns, condition = shown.columns(decls, questions.engine), breaking(questions, *bound)
    return names, _ROWS[questions.engine](engine, domain, questions, columns, condition, most)


def _rows_on_spark(
    engine: Any, domain: Any, questions: Plan, columns: Sequence[str], condition: str, most: int | None
) -> list[dict[str, Any]]:
    frame, _, _ = engine.get_compute_domain(domain, MetricDomainTypes.TABLE)
    spark = importlib.import_module("predicat_spark.quality")
    found: list[dict[str, Any]] = spark.rows_where(questions, frame, condition, columns, most)
    return found


def _rows_on_postgres(
    engine: Any, domain: Any, questions: Plan, columns: Sequence[str], condition: str, most: int | None
) -> list[dict[str, Any]]:
    with _batch(engine, domain, questions) as (source, run):
        found = run(_select(questions, source, ", ".join(columns), condition, most))
        return [dict(row) for row in found.mappings()]


def _rows_of_pandas(
    engine: Any, domain: Any, questions: Plan, columns: Sequence[str], condition: str, most: int | None
) -> list[dict[str, Any]]:
    with _as_file(engine, domain, questions) as (of_file, file), opened_files(of_file, file) as table:
        query = _select(questions, table.sql, ", ".join(columns), condition, most)
        found = table.asked(lambda: table.connection.execute(query))
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


_ROWS: Mapping[str, Callable[..., list[dict[str, Any]]]] = {
    "spark": _rows_on_spark,
    "postgres": _rows_on_postgres,
    "duckdb": _rows_of_pandas,
}
# The dialect of each engine of Great Expectations.
_DIALECTS = (
    (SparkDFExecutionEngine, "spark"),
    (PandasExecutionEngine, "duckdb"),
    (SqlAlchemyExecutionEngine, "postgres"),
)


def _dialect(engine: Any) -> str:
    return next(dialect for kind, dialect in _DIALECTS if isinstance(engine, kind))


@contextmanager
def _as_file(engine: Any, domain: Any, questions: Plan) -> Iterator[tuple[Plan, str]]:
    """A pandas batch as a file that DuckDB reads, and the plan for it. None, NaN and NaT are missing values.

    Raises PredicatError for a column whose values have several types, or a time with nanoseconds.
    """
    extras.require("pyarrow")
    import pyarrow as pa  # noqa: PLC0415  # optional
    from pyarrow import parquet  # noqa: PLC0415  # as above

    frame, _, _ = engine.get_compute_domain(domain, MetricDomainTypes.TABLE)
    with TemporaryDirectory(prefix="predicat-") as folder:
        file = str(Path(folder) / "batch.parquet")
        try:
            parquet.write_table(
                pa.Table.from_pandas(frame, preserve_index=False), file, coerce_timestamps="us"
            )
        except pa.ArrowException as error:
            hides = questions.dataset.is_sensitive
            text = shown.of_engine(str(error), type(error).__name__, sensitive=hides)
            raise PredicatError.of(msg.engine_error("pyarrow", text)) from None
        yield replace(questions, dataset=replace(questions.dataset, files={})), file


def _declared(questions: Plan, name: str) -> FieldDecl:
    """The field of a name, which may be that of its column."""
    fields, engine = questions.dataset.fields, questions.engine
    for decl in fields.values():
        if name.lower() in (decl.name.lower(), decl.column(engine).lower()):
            return decl
    raise PredicatError.of(say.no_key_field(questions.dataset.name, name, msg.did_you_mean(name, fields)))
