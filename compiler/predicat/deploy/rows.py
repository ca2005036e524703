"""Puts rows of declared fields into a temporary table of PostgreSQL or DuckDB, and evaluates SQL on them in bulk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import ArrayType, MapType, StructType, Type

if TYPE_CHECKING:
    import duckdb
    import psycopg

Rows = Sequence[Mapping[str, Any]]
Columns = list[list[Any]]
"""The values of each expression, row by row."""
TABLE = "predicat_rows"
_POSTGRES = {"string": "text", "double": "double precision", "timestamp": "timestamptz", "json": "jsonb"}
_DUCKDB = {"string": "varchar", "timestamp": "timestamptz"}


def postgres_type(kind: Type) -> str:
    """The PostgreSQL column type that holds values of a type."""
    if isinstance(kind, ArrayType):
        return f"{postgres_type(kind.element)}[]"
    if isinstance(kind, MapType | StructType):
        return "jsonb"
    return _POSTGRES.get(str(kind), str(kind))


def duckdb_type(kind: Type) -> str:
    """The DuckDB column type that holds values of a type."""
    if isinstance(kind, ArrayType):
        return f"{duckdb_type(kind.element)}[]"
    if isinstance(kind, MapType):
        return f"map(varchar, {duckdb_type(kind.value)})"
    if isinstance(kind, StructType):
        return f"struct({', '.join(f'{_quoted(name)} {duckdb_type(inner)}' for name, inner in kind.fields)})"
    return _DUCKDB.get(str(kind), str(kind))


def on_postgres(connection: psycopg.Connection, fields: Sequence[FieldDecl], rows: Rows, expressions: Sequence[str]) -> Columns:
    """The values of SQL expressions on rows, in the order of the rows."""
    fill_postgres(connection, fields, rows)
    found = connection.execute(f"SELECT {', '.join(expressions)} FROM {TABLE} ORDER BY __id".encode()).fetchall()
    return [list(column) for column in zip(*found, strict=True)]


def fill_postgres(connection: psycopg.Connection, fields: Sequence[FieldDecl], rows: Rows) -> None:
    """A new temporary table with the rows, and `__id` to keep their order."""
    columns = ", ".join(["__id bigint", *(f"{_quoted(decl.column('postgres'))} {postgres_type(decl.type)}" for decl in fields)])
    marks = ", ".join(["%s", *(f"%s::{postgres_type(decl.type)}" for decl in fields)])
    values = [(index, *(_document(row.get(decl.name), decl.type) for decl in fields)) for index, row in enumerate(rows)]
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}".encode())
        cursor.execute(f"CREATE TEMPORARY TABLE {TABLE} ({columns})".encode())
        cursor.executemany(f"INSERT INTO {TABLE} VALUES ({marks})".encode(), values)


def on_duckdb(fields: Sequence[FieldDecl], rows: Rows, expressions: Sequence[str]) -> Columns:
    """The values of SQL expressions on rows, in the order of the rows. Raises PredicatError if DuckDB is not installed."""
    if find_spec("duckdb") is None:
        raise PredicatError.of(msg.missing_extra("DuckDB", "duckdb"))
    import duckdb  # noqa: PLC0415  # optional

    with duckdb.connect() as connection:
        fill_duckdb(connection, fields, rows)
        found = connection.execute(f"SELECT {', '.join(expressions)} FROM {TABLE} ORDER BY __id").fetchall()
    return [list(column) for column in zip(*found, strict=True)]


def fill_duckdb(connection: duckdb.DuckDBPyConnection, fields: Sequence[FieldDecl], rows: Rows) -> None:
    """A new table with the rows, and `__id` to keep their order."""
    columns = ", ".join(["__id bigint", *(f"{_quoted(decl.column('duckdb'))} {duckdb_type(decl.type)}" for decl in fields)])
    marks = ", ".join("?" for _ in range(len(fields) + 1))
    connection.execute(f"CREATE TABLE {TABLE} ({columns})")
    for index, row in enumerate(rows):
        connection.execute(f"INSERT INTO {TABLE} VALUES ({marks})", [index, *(_duckdb_value(row.get(decl.name), decl.type) for decl in fields)])


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="postgres")


def _document(value: Any, kind: Type) -> Any:
    if value is not None and (isinstance(kind, MapType | StructType) or str(kind) == "json"):
        return json.dumps(value, default=str)
    return value


def _duckdb_value(value: Any, kind: Type) -> Any:
    if value is None:
        return None
    if isinstance(kind, MapType):
        return {"key": list(value), "value": list(value.values())}
    return json.dumps(value) if str(kind) == "json" else value
