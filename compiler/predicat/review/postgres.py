"""Counts the rows that a change gains and loses in PostgreSQL, in one scan of each relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.backends.sql.shown import of_engine
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.review.counts import FETCHED, CountQuery, Counts, distinct

if TYPE_CHECKING:
    import psycopg


def count(
    connection: psycopg.Connection, asked: Sequence[CountQuery], relations: Mapping[str, Mapping[str, str]]
) -> dict[str, Counts]:
    """The counts and samples of some questions. Raises PredicatError if the server refuses one."""
    import psycopg  # noqa: PLC0415  # optional

    result: dict[str, Counts] = {}
    for question in asked:
        relation = relations.get(question.dataset, {}).get("postgres")
        if relation is None:
            result[question.name] = Counts(reason=f"dataset {question.dataset} names no PostgreSQL relation")
            continue
        source = exp.to_table(relation, dialect="postgres").sql(dialect="postgres")
        try:
            result[question.name] = _one(connection, question, source)
        except psycopg.Error as error:
            text, kind = " ".join(str(error).split()), error.sqlstate or type(error).__name__
            seen = of_engine(text, kind, sensitive=question.is_sensitive)
            raise PredicatError.of(msg.engine_error("PostgreSQL", seen)) from None
    return result


def _one(connection: psycopg.Connection, question: CountQuery, source: str) -> Counts:
    parts = ("TRUE", question.before, question.after, question.gained, question.lost)
    counts = ", ".join(f"count(*) FILTER (WHERE {part})" for part in parts)
    total, before, after, gained, lost = _rows(connection, f"SELECT {counts} FROM {source}")[0].values()
    columns = ", ".join(question.columns) or "1 AS row"
    samples = [
        _rows(connection, f"SELECT {columns} FROM {source} WHERE {part} LIMIT {FETCHED}") if size else []
        for part, size in ((question.gained, gained), (question.lost, lost))
    ]
    return Counts(
        total, before, after, gained, lost, gained_rows=distinct(samples[0]), lost_rows=distinct(samples[1])
    )


def _rows(connection: psycopg.Connection, sql: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(sql.encode())
        names = [
            f"{index} {column.name}" if column.name == "count" else column.name
            for index, column in enumerate(cursor.description or ())
        ]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
