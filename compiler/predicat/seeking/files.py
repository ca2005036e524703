"""Seeks in Parquet, CSV and JSON files with DuckDB.

DuckDB skips row groups of Parquet files by their statistics, and drops those that cannot come before the best
row found so far. One thread reads them in order, so that few are read before the answer is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.api import Predicate
from predicat.deploy import data_files
from predicat.deploy.columns import check_fields
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import files as say_files
from predicat.seeking.found import KAFKA_COLUMNS, Found, first_offsets_query, starting_offsets

if TYPE_CHECKING:
    import duckdb

_FILE, _NUMBER = "predicat_file", "predicat_row_number"


def seek(predicate: Predicate, path: str, order_by: str | None = None) -> Found:
    """The first accepted row of a file, or of a folder of files.

    Rows for which the filter is UNKNOWN are not accepted; NULL in `order_by` comes last.

    Args:
        predicate: The filter, without parameters.
        path: A file, a folder of such files, or a pattern.
        order_by: The column whose least value is first. Default: the order of the rows in the files.

    Raises:
        PredicatError: A file cannot be read, or it has no such column.
    """
    order = f"ORDER BY {_name(order_by)} NULLS LAST" if order_by is not None else ""
    with _duckdb(path) as connection:
        rows = _checked(connection, path, predicate, [order_by] if order_by is not None else [])
        condition = predicate.sql("duckdb")
        answer = connection.execute(f"SELECT * FROM {_numbered(rows)} WHERE {condition} {order} LIMIT 1")
        names = [column[0] for column in answer.description]
        values = next(iter(answer.fetchall()), None)  # all, so that the query ends and tells what it read
        size = _bytes_read(connection)
    if values is None:
        return Found(None, {}, size)
    row = dict(zip(names, values, strict=True))
    position = {"file": row.pop(_FILE, path), "row_number": row.pop(_NUMBER)}
    return Found(row, position, size)


def offsets(predicate: Predicate, path: str) -> str:
    """`startingOffsets` for records in files with the columns `topic`, `partition` and `offset`."""
    with _duckdb(path) as connection:
        rows = _checked(connection, path, predicate, KAFKA_COLUMNS)
        query = first_offsets_query(predicate.sql("duckdb"), rows, [_name(name) for name in KAFKA_COLUMNS])
        return starting_offsets(connection.execute(query).fetchall())


@contextmanager
def _duckdb(path: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that measures; what fails is told as one sentence."""
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    pattern = any(sign in path for sign in "*?[")
    if not path or (not pattern and not Path(path).exists()):
        raise PredicatError.of(say.no_such_file(path or "''"))
    if not Path(path).is_dir() and not path.lower().removesuffix(".gz").endswith(data_files.ENDINGS):
        raise PredicatError.of(say.unknown_ending(path, data_files.ENDINGS))
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET threads = 1")
        connection.execute("PRAGMA enable_profiling = 'no_output'")
        connection.execute("PRAGMA profiling_mode = 'detailed'")
        try:
            yield connection
        except duckdb.Error as error:
            raise PredicatError.of(say_files.unreadable(path, " ".join(str(error).split()))) from None


def _checked(connection: Any, path: str, predicate: Predicate, more: Sequence[str]) -> str:
    """The source with the types that the fields declare. Raises PredicatError for columns that are not there,
    and for those of another type. Names of columns differ in case at most.
    """
    source = data_files.source(path)
    known = data_files.columns(connection, source)
    fields = predicate.fields.values()
    names = [*more, *(decl.column("duckdb") for decl in fields)]
    there = {name.lower() for name in known}
    missing = [name for name in dict.fromkeys(names) if name.lower() not in there]
    if missing:
        raise PredicatError.of(say.no_columns(path, missing, list(known)))
    typed = data_files.typed(source, known, fields)
    check_fields("duckdb", path, data_files.columns(connection, typed), fields)
    return typed


def _bytes_read(connection: Any) -> int | None:
    """The bytes of the last query; None for versions of DuckDB that do not tell them."""
    if not hasattr(connection, "get_profiling_information"):
        return None
    total = json.loads(connection.get_profiling_information()).get("io", {}).get("total_bytes_read")
    return int(total) if total is not None else None


def _numbered(source: str) -> str:
    """The rows with their file and their number in it."""
    if data_files.is_parquet(source):
        columns = f"filename AS {_FILE}, file_row_number AS {_NUMBER}, * EXCLUDE (filename, file_row_number)"
        return f"(SELECT {columns} FROM read_parquet({source}, filename = true, file_row_number = true))"
    return f"(SELECT row_number() OVER () - 1 AS {_NUMBER}, * FROM {source})"


def _name(column: str) -> str:
    return exp.column(column, quoted=True).sql(dialect="duckdb")
