"""The columns of a file or a table, as fields of a dataset: what `predicat init --from` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.api import declared
from predicat.backends import dialect
from predicat.backends.column_types import ColumnType, Composites, column_type, declared_type
from predicat.catalog.file_formats import ANY, FileFormat
from predicat.deploy import comments
from predicat.deploy.field_names import field_names
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import tables as say_tables
from predicat.diagnostics.messages.keys import READ_AS
from predicat.diagnostics.wording import one_line
from predicat.files import duckdb_tables, inference, records
from predicat.ir.nodes import Field, FieldDecl
from predicat.ir.types import UNSIZED_NUMERIC, DecimalType, Scalar

if TYPE_CHECKING:
    import duckdb
    import psycopg

    from predicat.deploy.policies_read import Policies


class Column(Struct, frozen=True):
    """A column: its name, its type in the engine, and the type of its field (None: not supported).

    `member` is the name of the struct member that is not supported, if any. `expression` is the SQL that its
    field is read from, if no field has its type. `about` is its comment, or what it refers to.
    """

    name: str
    physical: str
    type: str | None
    member: str = ""
    expression: str = ""
    about: str = ""


class Described(Struct, frozen=True):
    """The columns of a file or table, and how a dataset names it: the engine, the relation there, and how the
    file is written. `strange_dates` are its columns of dates that cannot be read as dates. `key` are the
    columns of the primary key, `about` is the comment of the table, `values` some values of each field.
    `composites` are the composite types of the database, `policies` the row policies of the table.
    """

    engine: str
    relation: str
    columns: Sequence[Column]
    form: FileFormat = ANY
    strange_dates: Sequence[str] = ()
    key: Sequence[str] = ()
    about: str = ""
    values: Mapping[str, Sequence[Any]] = {}
    composites: Composites = {}
    policies: Policies | None = None


# How PostgreSQL gives columns whose types no field has, by kinds of types: the type of the field, and the
# expression. Any other is read as text.
_READ = {
    **{name: (kind, read) for name, (kind, engine, read) in READ_AS.items() if engine == "postgres"},
    "tsvector": ("string", "{}::text"),
    **dict.fromkeys(("geometry", "geography"), ("string", "{}::text")),
    # a number with more digits is NULL: none is rounded
    "numeric": (
        "decimal({},{})".format(*UNSIZED_NUMERIC),
        "(CASE WHEN abs({{0}}) < 1e20 AND {{0}} = trunc({{0}}, {1}) THEN {{0}} END)::numeric({0},{1})".format(
            *UNSIZED_NUMERIC
        ),
    ),
    "struct": ("json", "to_jsonb({})"),
}
_AS_TEXT, _AS_TEXTS = ("string", "{}::text"), ("array<string>", "{}::text[]")
_ROWS = 2_000  # that the first filter is made from


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
        found = Described("duckdb", path, columns_of("duckdb", types.items()), form, strange)
        with (
            suppress(duckdb.Error),
            duckdb_tables.opened(connection, path, form, decls_of(found).values()) as table,
        ):
            values = _values(
                found,
                lambda sql: connection.execute(f"SELECT {sql} FROM {table.sql} LIMIT {_ROWS}").fetchall(),
            )
            return replace(found, values=values)
    return found


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
        return form, {name: duckdb_tables.of_moments(kind) for name, kind in types.items()}, strange


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
    import psycopg  # noqa: PLC0415  # optional

    from predicat.deploy import policies_read, relations  # noqa: PLC0415  # needs the driver

    tables = relations.tables(connection)
    if table is None and len(tables) != 1:
        raise PredicatError.of(say.several_tables(tables))
    name = table or tables[0]
    result = relations.find(connection, name)
    if result is None:
        raise PredicatError.of(say.no_table(name, msg.did_you_mean(name, tables)))
    about = comments.read(connection, result.oid)
    known = relations.composites(connection)
    columns = [
        replace(_column("postgres", one.name, one.kind, known), about=about.columns.get(one.name, ""))
        for one in result.columns
    ]
    found = Described(
        "postgres",
        f"{result.schema}.{result.name}",
        columns,
        key=about.key,
        about=about.table,
        composites=known,
    )

    with connection.transaction():
        read = policies_read.policies_of(connection, result.oid, decls_of(found))
    found = replace(found, policies=read if read.policies or read.left else None)

    def rows(sql: str) -> list[tuple[Any, ...]]:
        with connection.transaction():
            connection.execute("SET LOCAL statement_timeout = '5s'")
            return connection.execute(f"SELECT {sql} FROM {result.sql} LIMIT {_ROWS}".encode()).fetchall()

    try:
        return replace(found, values=_values(found, rows))
    except psycopg.Error:  # a reader may see the columns, and not the rows
        return found


def from_spark(table: str) -> Described:
    """The columns of a Spark table. Raises PredicatError."""
    spark: Any = import_module("predicat_spark.columns")
    columns = columns_of("spark", spark.table_columns(table))
    about = spark.table_comments(table)
    columns = [replace(column, about=one_line(about.get(column.name, ""))) for column in columns]
    found = Described("spark", table, columns)
    return replace(found, values=_values(found, lambda sql: spark.table_values(table, sql, _ROWS)))


def _values(described: Described, rows: Callable[[str], Sequence[Sequence[Any]]]) -> dict[str, list[Any]]:
    """Some values of each scalar field; `rows` gives those of a list of expressions."""
    engine = described.engine
    decls = [decl for decl in decls_of(described).values() if isinstance(decl.type, Scalar | DecimalType)]
    if not decls:
        return {}
    sql = ", ".join(dialect(engine).render(Field(decl.type, decl)) for decl in decls)
    columns = list(zip(*rows(sql), strict=True)) or [()] * len(decls)
    return {decl.name: list(column) for decl, column in zip(decls, columns, strict=True)}


def fields_of(columns: Iterable[Column]) -> dict[str, Column]:
    """The columns that have a type, by the names of their fields."""
    typed = [column for column in columns if column.type is not None]
    return dict(zip(field_names([column.name for column in typed]), typed, strict=True))


def decls_of(described: Described) -> dict[str, FieldDecl]:
    """The fields of the columns that have a type."""
    return declared(
        {
            name: {
                "type": column.type,
                **({"expression": {described.engine: column.expression}} if column.expression else {}),
                **({"column": column.name} if not column.expression else {}),
            }
            for name, column in fields_of(described.columns).items()
        }
    )


def columns_of(engine: str, columns: Iterable[tuple[str, str]]) -> list[Column]:
    """Columns from their names and the type names of an engine (a SQL dialect)."""
    return [_column(engine, name, physical) for name, physical in columns]


def _column(engine: str, name: str, physical: str, composites: Composites | None = None) -> Column:
    kind = column_type(engine, physical, composites)
    field = declared_type(engine, kind)
    if engine == "duckdb" and kind.kind == "hugeint":
        field = "bigint"  # DuckDB finds it in JSON where some whole numbers are negative, and reads it so
    if field is not None:
        return Column(name, physical, field)
    if engine == "postgres":
        read, expression = _read(kind)
        quoted = '"{}"'.format(name.replace('"', '""'))
        return Column(name, physical, read, expression=expression.format(quoted))
    member = next((label for label, _ in _members(kind) if not label.isidentifier()), "")
    return Column(name, physical, None, member)


def _read(kind: ColumnType) -> tuple[str, str]:
    """The type of a field and what it is read from, for a type of PostgreSQL that no field has."""
    if kind.kind == "array":
        return _AS_TEXTS
    name = kind.text.partition("(")[0]
    return _READ.get(name, _READ.get(kind.kind, _AS_TEXT))


def _members(kind: ColumnType) -> Iterator[tuple[str, ColumnType]]:
    """The members of structs, at every depth."""
    for label, part in kind.parts:
        if kind.kind == "struct":
            yield label, part
        yield from _members(part)
