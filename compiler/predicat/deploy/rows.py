"""Puts rows of declared fields into a temporary table of PostgreSQL or DuckDB, and evaluates SQL on them
in bulk.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from predicat.backends.column_types import duckdb_type
from predicat.backends.sql.column_forms import engine_type, stored_type, stored_value
from predicat.backends.sql.names import quoted
from predicat.diagnostics import extras
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import DOUBLE, JSON, ArrayType, MapType, StructType, Type

if TYPE_CHECKING:
    import duckdb
    import psycopg

Rows = Sequence[Mapping[str, Any]]
# The values of each expression, row by row.
Columns = list[list[Any]]
# Composite types of PostgreSQL, by their members: what each is called.
Structs = dict[str, str]
TABLE = "predicat_rows"
_POSTGRES = {"string": "text", "double": "double precision", "timestamp": "timestamptz", "json": "jsonb"}


def postgres_type(kind: Type, structs: Structs | None = None) -> str:
    """The PostgreSQL column type for values of a type. `structs` collects its composite types."""
    structs = {} if structs is None else structs
    if isinstance(kind, ArrayType):
        return f"{postgres_type(kind.element, structs)}[]"
    if isinstance(kind, StructType):
        inner = [
            f"{quoted(name, 'postgres')} {postgres_type(member, structs)}" for name, member in kind.fields
        ]
        return structs.setdefault(f"({', '.join(inner)})", f"pg_temp.predicat_struct_{len(structs)}")
    name = str(kind)
    if name.startswith("enum("):
        return structs.setdefault(f"ENUM {name[4:]}", f"pg_temp.predicat_struct_{len(structs)}")
    return "jsonb" if isinstance(kind, MapType) else _POSTGRES.get(name, name)


# The types of columns that are declared narrower than their type, where PostgreSQL has another name.
_POSTGRES_WIDTHS = {"tinyint": "smallint", "float": "real"}


def on_postgres(
    connection: psycopg.Connection, fields: Sequence[FieldDecl], rows: Rows, expressions: Sequence[str]
) -> Columns:
    """The values of SQL expressions on rows, in the order of the rows."""
    fill_postgres(connection, fields, rows)
    result = connection.execute(
        f"SELECT {', '.join(expressions)} FROM {TABLE} ORDER BY __id".encode()
    ).fetchall()
    return [list(column) for column in zip(*result, strict=True)]


def fill_postgres(connection: psycopg.Connection, fields: Sequence[FieldDecl], rows: Rows) -> None:
    """A new temporary table with the rows, and `__id` to keep their order. Each row is one JSON array on
    its way.
    """
    structs: Structs = {}
    columns = ", ".join(
        [
            "__id bigint",
            *(
                f"{quoted(decl.column('postgres'), 'postgres')} {_column_type(decl, structs)}"
                for decl in fields
            ),
        ]
    )
    values = ", ".join(
        [
            "(d ->> 0)::bigint",
            *(
                _read(f"d -> {at}", engine_type("postgres", decl), structs)
                for at, decl in enumerate(fields, 1)
            ),
        ]
    )
    documents = [
        [index, *(_listed(stored_value("postgres", decl, row.get(decl.name)), decl.type) for decl in fields)]
        for index, row in enumerate(rows)
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}".encode())
        for members, name in structs.items():
            cursor.execute(f"DROP TYPE IF EXISTS {name} CASCADE".encode())
            cursor.execute(f"CREATE TYPE {name} AS {members}".encode())
        cursor.execute(f"CREATE TEMPORARY TABLE {TABLE} ({columns})".encode())
        statement = f"INSERT INTO {TABLE} SELECT {values} FROM (SELECT %s::jsonb AS d) AS given"
        cursor.executemany(statement.encode(), [(json.dumps(document),) for document in documents])


def _column_type(decl: FieldDecl, structs: Structs) -> str:
    if decl.stored in _POSTGRES_WIDTHS:
        return _POSTGRES_WIDTHS[decl.stored]
    return stored_type("postgres", decl, lambda kind: postgres_type(kind, structs))


def _read(document: str, kind: Type, structs: Structs) -> str:
    """The SQL for a value of a type from the JSON that `_listed` makes of it."""
    if isinstance(kind, ArrayType):
        items = f"SELECT {_read('e', kind.element, structs)} FROM JSONB_ARRAY_ELEMENTS({document}) AS e"
        return f"CASE WHEN JSONB_TYPEOF({document}) = 'array' THEN ARRAY({items}) END"
    if isinstance(kind, StructType):
        members = ", ".join(
            _read(f"{document} -> {index}", inner, structs) for index, (_, inner) in enumerate(kind.fields)
        )
        return (
            f"CASE WHEN JSONB_TYPEOF({document}) = 'array' THEN "
            f"ROW({members})::{postgres_type(kind, structs)} END"
        )
    if isinstance(kind, MapType) or kind == JSON:
        return f"NULLIF({document}, 'null')"
    if str(kind) == "json":  # the column of `json_text`
        return f"NULLIF({document}, 'null')::json"
    return f"({document} #>> '{{}}')::{postgres_type(kind, structs)}"


def _listed(value: Any, kind: Type) -> Any:
    """A value as JSON; a struct is the list of its members."""
    match kind:
        case StructType(members) if value is not None:
            return [_listed(value.get(name), inner) for name, inner in members]
        case ArrayType(inner) if value is not None:
            return [_listed(item, inner) for item in value]
        case _ if kind == DOUBLE and value is not None:
            return repr(value)  # the numbers of jsonb have no negative zero
        case _:
            return _document(value)


def _document(value: Any) -> Any:
    """A value as JSON; a string for types that JSON lacks, which PostgreSQL casts to the column's type."""
    match value:
        case dict():
            return {key: _document(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_document(inner) for inner in value]
        case date():
            return value.isoformat()
        case Decimal():
            return f"{value:f}"
        case float() if not math.isfinite(value):
            return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
        case _:
            return value


def on_duckdb(fields: Sequence[FieldDecl], rows: Rows, expressions: Sequence[str]) -> Columns:
    """The values of SQL expressions on rows, in the order of the rows. Raises PredicatError if DuckDB is
    not installed.
    """
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    with duckdb.connect() as connection:
        fill_duckdb(connection, fields, rows)
        result = connection.execute(f"SELECT {', '.join(expressions)} FROM {TABLE} ORDER BY __id").fetchall()
    return [list(column) for column in zip(*result, strict=True)]


def fill_duckdb(connection: duckdb.DuckDBPyConnection, fields: Sequence[FieldDecl], rows: Rows) -> None:
    """A new table with the rows, and `__id` to keep their order."""
    columns = ", ".join(
        [
            "__id bigint",
            *(
                f"{quoted(decl.column('duckdb'), 'postgres')} {stored_type('duckdb', decl, duckdb_type)}"
                for decl in fields
            ),
        ]
    )
    marks = ", ".join("?" for _ in range(len(fields) + 1))
    connection.execute(f"CREATE TABLE {TABLE} ({columns})")
    for index, row in enumerate(rows):
        connection.execute(
            f"INSERT INTO {TABLE} VALUES ({marks})",
            [index, *(_duckdb_column(decl, row.get(decl.name)) for decl in fields)],
        )


def _duckdb_column(decl: FieldDecl, value: Any) -> Any:
    return _duckdb_value(stored_value("duckdb", decl, value), decl.type)


def _duckdb_value(value: Any, kind: Type) -> Any:
    if value is None:
        return None
    match kind:
        case MapType(inner):
            return {"key": list(value), "value": [_duckdb_value(item, inner) for item in value.values()]}
        case StructType(members):
            return {name: _duckdb_value(value.get(name), inner) for name, inner in members}
        case ArrayType(inner):
            return [_duckdb_value(item, inner) for item in value]
        case _:
            return json.dumps(value) if kind == JSON else value
