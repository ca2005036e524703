"""The columns of a file or a table, as fields of a dataset: what `predicat init --from` writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from predicat.backends.column_types import ColumnType, column_type, declared_type
from predicat.catalog.file_formats import ANY, FileFormat
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import tables as say_tables
from predicat.files import duckdb_tables, inference, records
from predicat.ir.types import MAX_PRECISION

if TYPE_CHECKING:
    import duckdb
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
    """The columns of a file or table, and how a dataset names it: the engine, the relation there, and how the
    file is written. `strange_dates` are its columns of dates that cannot be read as dates.
    """

    engine: str
    relation: str
    columns: Sequence[Column]
    form: FileFormat = ANY
    strange_dates: Sequence[str] = ()


# What a view can make of columns of PostgreSQL, by kinds of types. Enums, citext and the like are types of
# users.
_CASTS = {
    **dict.fromkeys(("uuid", "inet", "char", "name", "user_type"), "text"),
    "json_text": "jsonb",
    "numeric": f"numeric({MAX_PRECISION},10)",
}


def from_file(path: str) -> Described:
    """The columns of a Parquet, CSV or JSON file, or of a folder of such files. Raises PredicatError."""
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        try:
            form, types, strange = _in_file(connection, path)
        except duckdb.Error as error:
            raise PredicatError.of(say_files.unreadable(path, " ".join(str(error).split()))) from None
    return Described("duckdb", path, columns_of("duckdb", types.items()), form, strange)


def _in_file(
    connection: duckdb.DuckDBPyConnection, path: str
) -> tuple[FileFormat, dict[str, str], list[str]]:
    """How a file is written, as far as it is not the usual way, DuckDB's names of its types, and its columns
    of dates that are none.
    """
    form = ANY if _is_utf8(path) else FileFormat(encoding="cp1252")
    with duckdb_tables.opened(connection, path, form, ()) as table:
        if table.form.kind != "csv":
            return ANY, table.found_types(), []
        delim = records.layout(table.files[0], table.form).form.delim
        if delim != "," and not records.plain_name(table.files[0]).endswith(".tsv"):
            form = replace(form, delim=delim)
        if delim != "," and inference.decimal_comma(table):
            form = replace(form, decimal=",")
        table.form = replace(form, kind="csv")
        types, strange = inference.types_of_cells(table), inference.strange_dates(table)
        if form.decimal == ",":
            table.form = replace(table.form, thousands=".")
            marked = inference.types_of_cells(table)
            form, types = (form, types) if marked == types else (replace(form, thousands="."), marked)
        return form, types, strange


def _is_utf8(path: str) -> bool:
    """Whether the first file of a path that is text is in UTF-8, or begins with the mark of UTF-16."""
    file = records.files_of(path)[0]
    form = records.format_of(file)
    if form is None or form.kind != "csv":
        return True
    try:
        with records.opened(file, form.encoding) as text:
            for _ in text:
                pass
    except PredicatError as error:
        if any(problem.code == say_tables.ENCODING for problem in error.diagnostics):
            return False
        raise
    return True


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
    kind = column_type(engine, physical)
    field = declared_type(engine, kind)
    if engine == "duckdb" and kind.kind == "hugeint":
        field = "bigint"  # DuckDB finds it in JSON where some whole numbers are negative, and reads it so
    if field is not None:
        return Column(name, physical, field)
    element, array = (kind.parts[0][1], "[]") if kind.kind == "array" else (kind, "")
    cast = _CASTS.get(element.kind, "") if engine == "postgres" else ""
    member = next((label for label, _ in _members(kind) if not label.isidentifier()), "")
    return Column(name, physical, None, member, kind.kind == "timestamp_ntz", cast and cast + array)


def _members(kind: ColumnType) -> Iterator[tuple[str, ColumnType]]:
    """The members of structs, at every depth."""
    for label, part in kind.parts:
        if kind.kind == "struct":
            yield label, part
        yield from _members(part)
