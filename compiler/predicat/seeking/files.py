"""Seeks in Parquet, CSV and JSON files with DuckDB.

DuckDB skips row groups of Parquet files by their statistics, and drops those that cannot come before the best
row found so far. One thread reads them in order, so that few are read before the answer is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlglot import exp

from predicat.api import Predicate
from predicat.backends.sql.expressions import columns_of
from predicat.backends.sql.shown import of_engine
from predicat.catalog.file_formats import ANY, FileFormat
from predicat.deploy.columns import check_fields
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import files as say_files
from predicat.files import duckdb_tables
from predicat.files.bad_cells import BadCells
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import BIGINT, STRING
from predicat.seeking.found import KAFKA_COLUMNS, Found, first_offsets_query, order, starting_offsets

_FILE, _NUMBER = "predicat_file", "predicat_row_number"


def seek(
    predicate: Predicate,
    path: str,
    order_by: str | FieldDecl | None = None,
    form: FileFormat = ANY,
    fields: Iterable[FieldDecl] = (),
) -> Found:
    """The first accepted row of a file, or of a folder of files.

    Rows for which the filter is UNKNOWN are not accepted; NULL in `order_by` comes last. A cell that is no
    value of its field counts as NULL, and is in `Found.bad`, if it may have been before the row.

    Args:
        predicate: The filter, without parameters.
        path: A file, a folder of such files, or a pattern.
        order_by: The column or field whose least value is first. Default: the order of the rows in the files.
        form: How the files are written.
        fields: Declared fields, beside those of the filter, so that the row has their types.

    Raises:
        PredicatError: A file cannot be read, or it has no such column.
    """
    by, read = order(order_by, "duckdb") if order_by is not None else ("", [])
    ordered = f"ORDER BY {by} NULLS LAST" if by else ""
    with _opened(predicate, path, form, read, fields) as table:
        condition = predicate.sql("duckdb")

        def asked() -> tuple[list[str], Any, int | None]:
            query = f"SELECT * FROM {_numbered(table)} WHERE {condition} {ordered} LIMIT 1"
            answer = table.connection.execute(query)
            names = [column[0] for column in answer.description]
            values = next(iter(answer.fetchall()), None)  # all, so that the query ends and tells what it read
            return names, values, _bytes_read(table.connection)

        names, values, size = table.asked(asked)
        row = dict(zip(names, values, strict=True)) if values is not None else None
        before = int(row[_NUMBER]) + 1 if row is not None and order_by is None else None
        bad = table.bad(before)
    if row is None:
        return Found(None, {}, size, bad=bad)
    position = {"file": row.pop(_FILE, path), "row_number": row.pop(_NUMBER)}
    return Found(row, position, size, bad=bad)


def offsets(predicate: Predicate, path: str, form: FileFormat = ANY) -> tuple[str, BadCells]:
    """`startingOffsets` for records in files with the columns `topic`, `partition` and `offset`."""
    with _opened(predicate, path, form, KAFKA_COLUMNS, _KAFKA) as table:
        names = [_name(name) for name in KAFKA_COLUMNS]
        query = first_offsets_query(predicate.sql("duckdb"), table.sql, names)
        rows = table.asked(lambda: table.connection.execute(query).fetchall())
        return starting_offsets(rows), table.bad()


_KAFKA = tuple(
    FieldDecl(name, kind) for name, kind in zip(KAFKA_COLUMNS, (STRING, BIGINT, BIGINT), strict=True)
)


@contextmanager
def _opened(
    predicate: Predicate, path: str, form: FileFormat, more: Sequence[str], fields: Iterable[FieldDecl]
) -> Iterator[duckdb_tables.FileTable]:
    """The files as a table, on a connection that measures. What fails is told as one sentence, without values
    of sensitive fields.

    Raises PredicatError for columns that are not there, and for those of another type. Names of columns
    differ in case at most.
    """
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET threads = 1")
        connection.execute("PRAGMA enable_profiling = 'no_output'")
        connection.execute("PRAGMA profiling_mode = 'detailed'")
        fields, read = list(fields), list(predicate.fields.values())
        try:
            with duckdb_tables.opened(connection, path, form, [*fields, *read]) as table:
                known = table.types()
                names = [*more, *(column for decl in read for column in columns_of(decl, "duckdb"))]
                there = {name.lower() for name in known}
                missing = [name for name in dict.fromkeys(names) if name.lower() not in there]
                if missing:
                    raise PredicatError.of(say.no_columns(path, missing, list(known)))
                check_fields("duckdb", path, known, read)
                yield table
        except duckdb.Error as error:
            hides = any(decl.sensitive for decl in [*fields, *read])
            text = of_engine(" ".join(str(error).split()), type(error).__name__, sensitive=hides)
            raise PredicatError.of(say_files.unreadable(path, text)) from None


def _bytes_read(connection: Any) -> int | None:
    """The bytes of the last query; None for versions of DuckDB that do not tell them."""
    if not hasattr(connection, "get_profiling_information"):
        return None
    total = json.loads(connection.get_profiling_information()).get("io", {}).get("total_bytes_read")
    return int(total) if total is not None else None


def _numbered(table: duckdb_tables.FileTable) -> str:
    """The rows with their file and their number in it."""
    if table.form.kind == "parquet":
        columns = f"filename AS {_FILE}, file_row_number AS {_NUMBER}, * EXCLUDE (filename, file_row_number)"
        return f"(SELECT {columns} FROM {duckdb_tables.read_parquet(table.files, numbered=True)})"
    return f"(SELECT row_number() OVER () - 1 AS {_NUMBER}, * FROM {table.sql})"


def _name(column: str) -> str:
    return exp.column(column, quoted=True).sql(dialect="duckdb")
