"""Where rows are counted: PostgreSQL and DuckDB. Spark's part is in `predicat_spark.quality`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.quality.classes import Classes
from predicat.quality.extent import measure_extent
from predicat.quality.measure import Measure, measure
from predicat.quality.plan import Plan

if TYPE_CHECKING:
    import psycopg

SAMPLE_ROWS = 3


def grouped(classes: Classes, source: str) -> str:
    """The query of a pass."""
    words = classes.words()
    columns = ", ".join(f"{word} AS w{place}" for place, word in enumerate(words))
    names = ", ".join(f"w{place}" for place in range(len(words)))
    if not words:
        return f"SELECT count(*) FROM {source}"
    return f"SELECT {names}, count(*) FROM (SELECT {columns} FROM {source}) AS predicat_classes GROUP BY {names}"


def columns_of(plan: Plan) -> str:
    """The columns that the plan's filters read, to show rows by."""
    names = dict.fromkeys(decl.column(plan.engine) for row in plan.filters for decl in row.current.predicate.fields.values())
    return ", ".join(exp.column(name, quoted=True).sql(dialect="postgres") for name in names) or "1 AS one"


def on_postgres(plan: Plan, connection: psycopg.Connection, sample: float = 1.0) -> Measure:
    """Measure a plan on its PostgreSQL relation. Raises PredicatError with the server's text if a query fails."""
    import psycopg  # noqa: PLC0415  # optional

    relation = plan.dataset.relation.get("postgres")
    if relation is None:
        raise PredicatError.of(msg.usage(f"dataset {plan.dataset.name!r} names no PostgreSQL relation"))
    source = exp.to_table(relation, dialect="postgres").sql(dialect="postgres")
    part = f"{source} TABLESAMPLE BERNOULLI ({sample * 100:.6f}) REPEATABLE (0)" if sample < 1 else source

    def count(classes: Classes) -> Iterable[Sequence[int]]:
        return connection.execute(grouped(classes, part).encode()).fetchall()

    def rows(condition: str) -> list[Mapping[str, Any]]:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {columns_of(plan)} FROM {source} WHERE {condition} LIMIT {SAMPLE_ROWS}".encode())
            names = [column.name for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def select(expressions: Sequence[str]) -> Sequence[Any]:
        row: Sequence[Any] | None = connection.execute(f"SELECT {', '.join(expressions)} FROM {source}".encode()).fetchone()
        return row or ()

    try:
        result = measure(plan, count, rows, sample)
        measure_extent(result, plan, select)
    except psycopg.Error as error:
        raise PredicatError.of(msg.engine_error("PostgreSQL", " ".join(str(error).split()))) from None
    return result


def on_duckdb(plan: Plan, source: str, sample: float = 1.0) -> Measure:
    """Measure a plan on a Parquet, CSV or JSON file that DuckDB reads. Raises PredicatError with DuckDB's text if a query fails."""
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    table = exp.Literal.string(source).sql(dialect="duckdb")
    part = f"{table} USING SAMPLE {sample * 100:.6f}% (bernoulli, 0)" if sample < 1 else table
    try:
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            result = measure(plan, lambda classes: connection.execute(grouped(classes, part)).fetchall(),
                             lambda condition: _dicts(connection, f"SELECT {columns_of(plan)} FROM {table} WHERE {condition} LIMIT {SAMPLE_ROWS}"),
                             sample)  # fmt: skip
            measure_extent(result, plan, lambda asked: connection.execute(f"SELECT {', '.join(asked)} FROM {table}").fetchone() or ())
            return result
    except duckdb.Error as error:
        raise PredicatError.of(msg.engine_error("DuckDB", " ".join(str(error).split()))) from None


def _dicts(connection: Any, query: str) -> list[Mapping[str, Any]]:
    found = connection.execute(query)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
