"""Counts the rows that a change gains and loses in Parquet, CSV and JSON files, which DuckDB reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from predicat.backends.sql.shown import of_engine
from predicat.catalog.file_formats import ANY
from predicat.deploy.columns import expressions_of, problems_of_fields
from predicat.deploy.file_relations import describe
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.files import duckdb_tables
from predicat.files.records import format_of, is_remote, there
from predicat.ir.members import read_by
from predicat.ir.nodes import FieldDecl, fields_of
from predicat.review.counting import Source, count
from predicat.review.counts import Counts
from predicat.review.questions import declared

if TYPE_CHECKING:
    import duckdb

    from predicat.catalog.file_formats import FileFormat
    from predicat.files.duckdb_tables import FileTable
    from predicat.review.questions import Question, Questions


def reads(path: str, form: FileFormat | None) -> bool:
    """Whether DuckDB reads what is at a path, or tells that nothing is there: it ends like a file."""
    if is_remote(path):
        return False
    return Path(path).is_dir() or format_of(path, (form if there(path) else None) or ANY) is not None


def count_there(
    questions: Questions, dataset: str, paths: tuple[str, str], form: FileFormat | None = None
) -> dict[str, Counts]:
    """The counts of a dataset in the files before and after the change, mostly the same, or the reasons why
    they are not known. Raises PredicatError for files that cannot be read.
    """
    import duckdb  # noqa: PLC0415  # optional

    fields = _fields(questions, dataset)
    hides = dataset in questions.sensitive
    with duckdb.connect() as connection, ExitStack() as stack:
        connection.execute("SET TimeZone = 'UTC'")
        try:
            tables = [
                stack.enter_context(duckdb_tables.opened(connection, path, form or ANY, fields))
                for path in dict.fromkeys(paths)
            ]
            for table in tables:
                table.check()
        except duckdb.Error as error:
            raise PredicatError.of(msg.engine_error("DuckDB", _told(error, sensitive=hides))) from None
        select = partial(_rows, connection, sensitive=hides)
        check = partial(_wrong_column, tables[-1], paths[-1], tables[-1].types())
        source = Source(tables[0].sql, tables[-1].sql, select, check)
        return {**questions.refused, **count(questions, dataset, source)}


def _fields(questions: Questions, dataset: str) -> Sequence[FieldDecl]:
    """The fields that are read: by the conditions, for the key, and for the partition."""
    state = questions.state(dataset)
    rows = state.get("fields", {})
    named = [*state.get("key", ()), *([state["partition"]["field"]] if state.get("partition") else [])]
    found = {name: declared(name, rows[name]) for name in named if name in rows}
    for question in questions.of(dataset):
        for node in question.nodes:
            found |= fields_of(node)
    return list(found.values())


def _wrong_column(table: FileTable, path: str, types: Mapping[str, str], question: Question) -> str | None:
    """Why a question cannot be asked: a column is missing or has another type than the catalog declares."""
    fields = read_by(question.nodes)
    kinds, wrong = expressions_of("duckdb", fields.values(), partial(describe, table))
    read = [(decl, [question.label]) for decl in fields.values()]
    found = [*wrong, *problems_of_fields("duckdb", path, {**types, **kinds}, read)]
    return found[0].message if found else None


def _rows(connection: duckdb.DuckDBPyConnection, sql: str, *, sensitive: bool) -> Sequence[Mapping[str, Any]]:
    """The rows of a query. Raises PredicatError with what DuckDB says."""
    import duckdb  # noqa: PLC0415  # optional

    try:
        answer = connection.execute(sql)
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
    except duckdb.Error as error:
        raise PredicatError.of(msg.engine_error("DuckDB", _told(error, sensitive=sensitive))) from None


def _told(error: Exception, *, sensitive: bool) -> str:
    text = " ".join(str(error).partition("\nLINE ")[0].split())
    return of_engine(text, type(error).__name__, sensitive=sensitive)
