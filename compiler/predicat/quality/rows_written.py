"""Where the rows of broken bounds go: a file that is written whole, or a table that is replaced whole."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.backends.sql.names import quoted
from predicat.deploy.failures import errors_reported
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import coverage as say
from predicat.diagnostics.writing import replacing
from predicat.explain.show import plain
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, TIMESTAMP, Type
from predicat.quality.engines import as_problems, opened_files
from predicat.quality.fold import ROWS
from predicat.quality.rows import COLUMNS, Asked

if TYPE_CHECKING:
    import duckdb
    import psycopg

# What tables that may be replaced have as their comment or property.
MARK = "predicat: rows of broken bounds"
Rows = Iterable[Sequence[Any]]
# A table; one of DuckDB comes with the file of its database.
_TABLE = re.compile(r"[^/\\]+")
_OF_DATABASE = re.compile(r"(.+\.(?:duckdb|db)):([^/\\]+)")
_TABLES = {"duckdb": (_OF_DATABASE, say.A_TABLE_OF_DUCKDB)}


def is_file(target: str) -> bool:
    """Whether a target is a file and not a table: by its ending."""
    return Path(target).suffix in _WRITERS


def check_target(target: str, engine: str) -> None:
    """Raise PredicatError for what is neither a file nor a table of an engine."""
    pattern, table = _TABLES.get(engine, (_TABLE, say.A_TABLE))
    if not is_file(target) and not pattern.fullmatch(target):
        raise PredicatError.of(say.no_target_of_rows(target, table))


def write_file(target: str, asked: Asked, rows: Rows) -> int:
    """Write rows to a file, whole or not at all: their number. Raises OSError."""
    with replacing(Path(target)) as beside:
        return _WRITERS[Path(target).suffix](beside, asked, rows)


def _csv(beside: Path, asked: Asked, rows: Rows) -> int:
    """CSV as RFC 4180 has it. A text is in quotes, so that an empty one is not taken for a missing value."""
    with beside.open("w", encoding="utf-8") as to:
        to.write(",".join(map(_cell, asked.names)) + "\n")
        return sum(to.write(",".join(_cell(_value(value)) for value in row) + "\n") > 0 for row in rows)


def _cell(value: Any) -> str:
    if isinstance(value, int | float | None):
        return _text(value) or ""
    return '"' + (_text(value) or "").replace('"', '""') + '"'


def _json(beside: Path, asked: Asked, rows: Rows) -> int:
    """An object in each line."""
    with beside.open("w", encoding="utf-8") as to:
        objects = (dict(zip(asked.names, map(_value, row), strict=True)) for row in rows)
        return sum(to.write(json.dumps(one, ensure_ascii=False) + "\n") > 0 for one in objects)


def _parquet(beside: Path, asked: Asked, rows: Rows) -> int:
    """Parquet, in which keys have their types; those of types that it lacks are texts."""
    extras.require("pyarrow")
    import pyarrow as pa  # noqa: PLC0415  # optional
    from pyarrow import parquet  # noqa: PLC0415  # as above

    types: dict[Type, Any] = {
        BIGINT: pa.int64(),
        DOUBLE: pa.float64(),
        BOOLEAN: pa.bool_(),
        DATE: pa.date32(),
        TIMESTAMP: pa.timestamp("us", "UTC"),
    }
    fields = [asked.plan.dataset.fields[name].type for name in asked.plan.dataset.key]
    kinds = [types.get(kind, pa.string()) for kind in fields] + [pa.string()] * len(COLUMNS)
    schema = pa.schema(list(zip(asked.names, kinds, strict=True)))
    count, some = 0, iter(rows)
    with parquet.ParquetWriter(beside, schema) as writer:
        while batch := list(islice(some, ROWS)):
            columns = zip(*batch, strict=True)
            arrays = [
                pa.array(map(_text, column) if kind == pa.string() else column, kind)
                for column, kind in zip(columns, kinds, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            count += len(batch)
    return count


def _text(value: Any) -> str | None:
    """A value as a text."""
    given = _value(value)
    return given if given is None or isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _value(value: Any) -> Any:
    """A value of a key as JSON data, which an engine reads as the same value."""
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC)
    if isinstance(value, bytes | bytearray | memoryview):
        return rf"\x{bytes(value).hex()}"
    result = plain(value)
    return result if isinstance(result, str | int | float | list | dict | None) else str(result)


_WRITERS: Mapping[str, Callable[[Path, Asked, Rows], int]] = {
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _json,
    ".parquet": _parquet,
}


def from_postgres(asked: Asked, connection: psycopg.Connection, target: str) -> int:
    """Write the rows of a PostgreSQL relation to a file, or to a table there: their number. Raises
    PredicatError.
    """
    relation = asked.plan.dataset.relation["postgres"]
    query = asked.sql(exp.to_table(relation, dialect="postgres").sql(dialect="postgres"))
    sensitive = asked.plan.dataset.is_sensitive
    with errors_reported(connection, sensitive=sensitive), connection.transaction():
        connection.execute("SET LOCAL TimeZone = 'UTC'")
        if is_file(target):
            with connection.cursor(name="predicat") as cursor:
                cursor.itersize = ROWS
                cursor.execute(query.encode())
                return write_file(target, asked, cursor)
        return _to_table(connection, target, query)


def _to_table(connection: psycopg.Connection, target: str, query: str) -> int:
    """Replace the rows of a table by those of a query. The table stays if it has their columns, with its
    grants and the views that read it.
    """
    table = exp.to_table(target, dialect="postgres").sql(dialect="postgres")
    found = connection.execute(
        "SELECT obj_description(oid, 'pg_class') FROM pg_class WHERE oid = to_regclass(%s)", (table,)
    ).fetchone()
    if found is not None and found[0] != MARK:
        raise PredicatError.of(say.not_our_table(target))
    if found is not None and _columns(connection, f"SELECT * FROM {table}") == _columns(connection, query):
        connection.execute(f"DELETE FROM {table}".encode())
        return connection.execute(f"INSERT INTO {table} {query}".encode()).rowcount
    connection.execute(f"DROP TABLE IF EXISTS {table}".encode())
    made = connection.execute(f"CREATE TABLE {table} AS {query}".encode())
    connection.execute(f"COMMENT ON TABLE {table} IS '{MARK}'".encode())
    return made.rowcount


def _columns(connection: psycopg.Connection, query: str) -> list[tuple[str, int]]:
    """The columns of a query with their types."""
    found = connection.execute(f"SELECT * FROM ({query}) AS predicat_3 LIMIT 0".encode()).description
    return [(column.name, column.type_code) for column in found or ()]


def from_duckdb(asked: Asked, source: str, target: str) -> int:
    """Write the rows of files that DuckDB reads to a file, or to a table of a database (`FILE.duckdb:TABLE`):
    their number. Raises PredicatError.
    """
    with opened_files(asked.plan, source) as table:
        table.bad()  # copies the files first if DuckDB cannot read them
        query = asked.sql(*table.with_bad())
        if not is_file(target):
            with as_problems(sensitive=asked.plan.dataset.is_sensitive, reads=""):
                return _to_database(table.connection, target, query)
        found = table.asked(lambda: table.connection.execute(query))
        return write_file(target, asked, chain.from_iterable(iter(lambda: found.fetchmany(ROWS), [])))


def _to_database(connection: duckdb.DuckDBPyConnection, target: str, query: str) -> int:
    """Replace a table of a database of DuckDB by the rows of a query."""
    file, _, name = target.rpartition(":")
    connection.execute(f"ATTACH {exp.Literal.string(file).sql(dialect='duckdb')} AS predicat_to")
    connection.execute("USE predicat_to")
    connection.execute("BEGIN")
    parts = exp.to_table(name, dialect="duckdb").parts
    place = [parts[-2].name if len(parts) > 1 else "main", parts[-1].name]
    found = connection.execute(_KNOWN, place).fetchone()
    if found is not None and found[0] != MARK:
        raise PredicatError.of(say.not_our_table(target))
    table = ".".join(quoted(part, "duckdb") for part in place)
    made = connection.execute(f"CREATE OR REPLACE TABLE {table} AS {query}").fetchone()
    connection.execute(f"COMMENT ON TABLE {table} IS '{MARK}'")
    connection.execute("COMMIT")
    return int(made[0]) if made is not None else 0


# The comment of a table or view by its schema and name.
_KNOWN = """SELECT comment FROM (
    SELECT database_name, schema_name, table_name, comment FROM duckdb_tables()
    UNION ALL SELECT database_name, schema_name, view_name, comment FROM duckdb_views()
) WHERE database_name = 'predicat_to' AND lower(schema_name) = lower(?) AND lower(table_name) = lower(?)"""
