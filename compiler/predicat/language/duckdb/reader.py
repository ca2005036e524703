"""Conditions of DuckDB, read by sqlglot's dialect of it, with DuckDB's meaning.

Strings are in single quotes, with backslash escapes after E, or dollar-quoted; names are plain or in double
quotes. `differences.py` has the differences from the SQL that all engines share. Errors of DuckDB are UNKNOWN
here.
"""

from __future__ import annotations

from predicat.ir import syntax as t
from predicat.language.common.body import Body
from predicat.language.duckdb.differences import FOREIGN, RULES
from predicat.language.sql.languages import SqlLanguage
from predicat.language.sql.reader import read_as
from predicat.language.sql.rules import rule_table

DUCKDB = SqlLanguage(
    "duckdb",
    "duckdb",
    foreign=FOREIGN,
    rows=frozenset({"row"}),
    row_equality="same",
    sunday=0,
    unsized_decimal=(18, 3),
    reads_texts=True,
)

TABLE = rule_table(RULES)


def read(body: Body) -> t.Tree:
    """The untyped tree of a body. Raises PredicatError."""
    return read_as(DUCKDB, TABLE, body)
