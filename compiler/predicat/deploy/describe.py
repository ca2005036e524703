"""The columns of a file or a table, as fields of a dataset: what `predicat init --from` writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlglot import exp
from sqlglot.errors import SqlglotError

from predicat.deploy import data_files
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import files as say_files
from predicat.ir.types import MAX_PRECISION

if TYPE_CHECKING:
    import psycopg


class Column(Struct, frozen=True):
    """A column: its name, its type in the engine, and the type of its field (None: not supported).

    `member` is the name of the struct member that is not supported, if any. `lacks_zone`: it is a timestamp
    without a time zone, which fields do not support. `cast`: the PostgreSQL type to which a view can cast it.
    """

    name: str
    physical: str
    type: str | None
    member: str = ""
    lacks_zone: bool = False
    cast: str = ""


class Described(Struct, frozen=True):
    """The columns of a file or table, and how a dataset names it: the engine, and the relation there."""

    engine: str
    relation: str
    columns: Sequence[Column]


_SCALARS = {
    "bigint": "BIGINT INT SMALLINT TINYINT UINT USMALLINT UTINYINT",
    "string": "TEXT VARCHAR NVARCHAR",
    "double": "DOUBLE FLOAT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ TIMESTAMPLTZ",
    "json": "JSON JSONB VARIANT",
}
_TYPES = {name: field for field, names in _SCALARS.items() for name in names.split()}
_WIDTHS = {"INT": "int", "SMALLINT": "smallint", "TINYINT": "tinyint", "FLOAT": "float"}
"""Numbers narrower than bigint and double. Only a field has a width, no element of an array or map."""
_CASTS = {**dict.fromkeys(("UUID", "INET", "CHAR", "NAME", "USERDEFINED"), "text"), "JSON": "jsonb"}
"""What a view can make of columns of PostgreSQL. Enums, citext and the like are types of users."""
_LOCAL_TIMES = ("TIMESTAMPNTZ", "TIMESTAMP_NS", "TIMESTAMP_MS", "TIMESTAMP_S")
_OF_DUCKDB = {**dict.fromkeys(_LOCAL_TIMES, "timestamp"), "INT128": "bigint"}
"""Timestamps without a time zone: the sessions are in UTC here, so they are timestamps of UTC. And HUGEINT,
which DuckDB finds in JSON where some whole numbers are negative.
"""
_ANY_DECIMAL = f"decimal({MAX_PRECISION},10)"
"""PostgreSQL's numeric without precision."""


def from_file(path: str) -> Described:
    """The columns of a Parquet, CSV or JSON file, or of a folder of such files. Raises PredicatError."""
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    if "*" not in path and not Path(path).exists():
        raise PredicatError.of(say.no_such_file(path))
    with duckdb.connect() as connection:
        try:
            rows = connection.execute(f"DESCRIBE SELECT * FROM {data_files.source(path)}").fetchall()
        except duckdb.Error as error:
            raise PredicatError.of(say_files.unreadable(path, " ".join(str(error).split()))) from None
    return Described("duckdb", path, columns_of("duckdb", ((row[0], row[1]) for row in rows)))


def from_postgres(connection: psycopg.Connection, table: str | None) -> Described:
    """The columns of a PostgreSQL table or view; without a name, of the only table. Raises PredicatError."""
    from predicat.deploy import relations  # noqa: PLC0415  # needs the driver

    tables = relations.tables(connection)
    if table is None and len(tables) != 1:
        raise PredicatError.of(say.several_tables(tables))
    name = table or tables[0]
    result = relations.find(connection, name)
    if result is None:
        raise PredicatError.of(say.no_table(name, msg.did_you_mean(name, tables)))
    relation = f"{result.schema}.{result.name}"
    return Described(
        "postgres",
        relation,
        columns_of("postgres", ((column.name, column.kind) for column in result.columns)),
    )


def columns_of(engine: str, columns: Iterable[tuple[str, str]]) -> list[Column]:
    """Columns from their names and the type names of an engine (a SQL dialect)."""
    return [_column(engine, name, physical) for name, physical in columns]


def _column(engine: str, name: str, physical: str) -> Column:
    try:
        kind: Any = exp.DataType.build(physical, dialect=engine, udt=True)
    except SqlglotError:
        return Column(name, physical, None)
    field = _WIDTHS.get(_name(kind)) or _of(kind, engine)
    members = (part.name for part in kind.find_all(exp.ColumnDef) if not part.name.isidentifier())
    lacks_zone = field is None and _name(kind) in ("TIMESTAMP", "TIMESTAMPNTZ")
    cast = _CASTS.get(_name(kind), "") if engine == "postgres" and field is None else ""
    array = "[]" if cast and physical.endswith("[]") else ""
    return Column(name, physical, field, "" if field else next(members, ""), lacks_zone, cast + array)


def _name(kind: Any) -> str:
    """The name of a type. sqlglot has none for those of PostgreSQL's own catalogs, such as oid."""
    known = isinstance(kind, exp.DataType) and isinstance(kind.this, exp.DataType.Type)
    return str(kind.this.name) if known else ""


def _of(kind: Any, engine: str) -> str | None:
    """The type of a field for a type of an engine; None if there is none."""
    name = _name(kind)
    if name == "CHAR" and [part.name for part in kind.expressions] == ["1"]:
        return "string"
    if name in _TYPES and not (engine == "postgres" and name == "JSON"):  # has no operators: only jsonb
        return _TYPES[name]
    if engine == "duckdb" and name in _OF_DUCKDB:
        return _OF_DUCKDB[name]
    if name == "DECIMAL":
        precision, scale = (*(int(part.name) for part in kind.expressions), 0, 0)[:2]
        if precision > MAX_PRECISION or scale > precision:
            return None
        return f"decimal({precision},{scale})" if precision else _ANY_DECIMAL
    if name in ("ARRAY", "LIST"):
        element = _of(kind.expressions[0], engine) if kind.expressions else None
        return element and f"array<{element}>"
    if name == "MAP" and _of(kind.expressions[0], engine) == "string":
        value = _of(kind.expressions[1], engine)
        return value and f"map<string, {value}>"
    if name == "STRUCT":
        members = [(part.name, _of(part.kind, engine)) for part in kind.expressions]
        good = all(member and label.isidentifier() for label, member in members)
        return f"struct<{', '.join(f'{label}: {member}' for label, member in members)}>" if good else None
    return None
