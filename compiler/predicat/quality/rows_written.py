"""Where the rows of broken bounds go: a file that is written whole, or a table that is replaced whole."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.backends.sql.names import quoted
from predicat.deploy.failures import errors_reported
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import coverage as say
from predicat.diagnostics.writing import replacing
from predicat.explain.show import plain
from predicat.quality.engines import opened_files
from predicat.quality.fold import ROWS
from predicat.quality.rows import Asked

if TYPE_CHECKING:
    import psycopg

# What tables that may be replaced have as their comment or property.
MARK = "predicat: rows of broken bounds"
Rows = Iterable[Sequence[Any]]


def is_file(target: str) -> bool:
    """Whether a target is a file and not a table: by its ending."""
    return Path(target).suffix in _WRITERS


def check_target(target: str, engine: str) -> None:
    """Raise PredicatError for a table on an engine that has none."""
    if engine == "duckdb" and not is_file(target):
        raise PredicatError.of(say.no_duckdb_table(target))


def write_file(target: str, names: Sequence[str], rows: Rows) -> int:
    """Write rows to a file, whole or not at all: their number. Raises OSError."""
    with replacing(Path(target)) as beside, beside.open("w", encoding="utf-8") as to:
        return _WRITERS[Path(target).suffix](to.write, names, rows)


def _csv(write: Callable[[str], object], names: Sequence[str], rows: Rows) -> int:
    """CSV as RFC 4180 has it. A text is in quotes, so that an empty one is not taken for a missing value."""
    count = 0
    write(",".join(map(_cell, names)) + "\n")
    for count, row in enumerate(rows, 1):  # noqa: B007  # the number of rows is the result
        write(",".join(_cell(_value(value)) for value in row) + "\n")
    return count


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return "" if value is None else str(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return '"' + text.replace('"', '""') + '"'


def _json(write: Callable[[str], object], names: Sequence[str], rows: Rows) -> int:
    """An object in each line."""
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  # as above
        data = {name: _value(value) for name, value in zip(names, row, strict=True)}
        write(json.dumps(data, ensure_ascii=False) + "\n")
    return count


def _value(value: Any) -> Any:
    """A value of a key as JSON data, which an engine reads as the same value."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC)
    if isinstance(value, bytes | bytearray | memoryview):
        return rf"\x{bytes(value).hex()}"
    result = plain(value)
    return result if isinstance(result, str | int | float | list | dict | None) else str(result)


_WRITERS: Mapping[str, Callable[[Callable[[str], object], Sequence[str], Rows], int]] = {
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _json,
}


def from_postgres(asked: Asked, connection: psycopg.Connection, target: str) -> int:
    """Write the rows of a PostgreSQL relation to a file, or to a table there: their number. Raises
    PredicatError.
    """
    relation = asked.plan.dataset.relation["postgres"]
    query = asked.sql(exp.to_table(relation, dialect="postgres").sql(dialect="postgres"))
    with errors_reported(connection), connection.transaction():
        connection.execute("SET LOCAL TimeZone = 'UTC'")
        if is_file(target):
            with connection.cursor(name="predicat") as cursor:
                cursor.execute(query.encode())
                return write_file(target, asked.names, cursor)
        return _to_table(connection, target, query)


def _to_table(connection: psycopg.Connection, target: str, query: str) -> int:
    """Replace the rows of a table by those of a query. The table stays if it has their columns, with its
    grants and the views that read it.
    """
    table = ".".join(quoted(part.name, "postgres") for part in exp.to_table(target, dialect="postgres").parts)
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
    """Write the rows of files that DuckDB reads to a file: their number. Raises PredicatError."""
    check_target(target, asked.plan.engine)
    with opened_files(asked.plan, source) as table:
        table.bad()  # copies the files first if DuckDB cannot read them
        flagged, bad = table.with_bad()
        query = asked.sql(flagged, bad)
        found = table.asked(lambda: table.connection.execute(query))
        return write_file(target, asked.names, chain.from_iterable(iter(lambda: found.fetchmany(ROWS), [])))
