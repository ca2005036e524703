"""Conditions of other SQL dialects, translated to `sql` bodies by sqlglot; not verified on their engines."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics.messages import sql as say

# The supported dialects of sqlglot, with the names of their engines.
DIALECTS = {"bigquery": "BigQuery", "snowflake": "Snowflake", "trino": "Trino"}


def as_sql(text: str, dialect: str, name: str = "<predicate>") -> str:
    """A condition of one of DIALECTS as a `sql` body. Raises PredicatError if it cannot be read."""
    source = Source(name, text)
    try:
        tree = sqlglot.parse_one(text, dialect=dialect, into=exp.Condition)
        return tree.sql(unsupported_level=ErrorLevel.RAISE)
    except (SqlglotError, RecursionError) as error:
        problem = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
        at = text.find(str(problem.get("highlight") or "\0"))
        span = Span(source, at, at + 1) if at >= 0 else Span(source, 0, len(text))
        raise PredicatError.of(say.not_of_dialect(span, DIALECTS[dialect])) from None
