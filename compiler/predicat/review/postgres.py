"""Counts the rows that a change gains and loses in relations of PostgreSQL, and only reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.backends.sql.shown import of_engine
from predicat.deploy.columns import problems_of_fields
from predicat.deploy.relations import columns_of
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import review as say
from predicat.ir.members import read_by
from predicat.review.counting import Source, count
from predicat.review.counts import Counts

if TYPE_CHECKING:
    import psycopg

    from predicat.backends.column_types import Composites
    from predicat.review.questions import Question, Questions


def count_there(connection: psycopg.Connection, questions: Questions) -> dict[str, Counts]:
    """The counts in the relations of the catalog, or the reasons why they are not known."""
    result = dict(questions.refused)
    for name in questions.datasets:
        result |= _of_dataset(connection, questions, name)
    return result


def _of_dataset(connection: psycopg.Connection, questions: Questions, dataset: str) -> dict[str, Counts]:
    states = [side.datasets.get(dataset) for side in questions.sides]
    known = [state["relation"].get("postgres") for state in states if state is not None]
    if not all(known):
        reason = say.no_relation_to_count(dataset, "PostgreSQL")
        return {question.label: Counts(reason=reason) for question in questions.of(dataset)}
    before, after = (
        exp.to_table(name, dialect="postgres").sql(dialect="postgres") for name in (known[0], known[-1])
    )
    select = partial(_rows, connection, sensitive=dataset in questions.sensitive)
    check = partial(_wrong_column, known[-1], *columns_of(connection, known[-1]))
    with connection.transaction():
        connection.execute("SET TRANSACTION READ ONLY")
        connection.execute("SET LOCAL TimeZone = 'UTC'")
        return count(questions, dataset, Source(before, after, select, check))


def _wrong_column(
    relation: str, columns: Mapping[str, str], composites: Composites, question: Question
) -> str | None:
    """Why a question cannot be asked: a column has another type than the catalog declares."""
    fields = [(decl, [question.label]) for decl in read_by(question.nodes).values()]
    found = problems_of_fields("postgres", relation, columns, fields, composites)
    return next((one.message for one in found if one.code == "column-type"), None)


def _rows(connection: psycopg.Connection, sql: str, *, sensitive: bool) -> Sequence[Mapping[str, Any]]:
    """The rows of a query. Raises PredicatError with what the server says."""
    import psycopg  # noqa: PLC0415  # optional

    try:
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(sql.encode())
            names = [column.name for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except psycopg.Error as error:
        text = " ".join(str(error).partition("\nLINE ")[0].split())
        seen = of_engine(text, error.sqlstate or type(error).__name__, sensitive=sensitive)
        raise PredicatError.of(msg.engine_error("PostgreSQL", seen)) from None
