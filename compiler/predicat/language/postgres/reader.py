"""Conditions of PostgreSQL, read by sqlglot's dialect of it, with PostgreSQL's meaning.

Strings are in single quotes, with backslash escapes after E, or dollar-quoted; names are plain or in double
quotes. `differences.py` has the differences from the SQL that all engines share. Errors of PostgreSQL are
UNKNOWN here.
"""

from __future__ import annotations

from predicat.ir import syntax as t
from predicat.ir.types import UNSIZED_NUMERIC
from predicat.language.common.body import Body
from predicat.language.postgres.constants import with_constants
from predicat.language.postgres.differences import FOREIGN, RULES
from predicat.language.sql.languages import COLUMN_TYPES, SqlLanguage
from predicat.language.sql.reader import read_as
from predicat.language.sql.rules import rule_table

POSTGRES = SqlLanguage(
    "postgres",
    "postgres",
    foreign=FOREIGN,
    rows=frozenset({"row"}),
    column_types={**COLUMN_TYPES, "bytea": "binary"},
    prepare=with_constants,
    sunday=0,
    unsized_decimal=UNSIZED_NUMERIC,
)

TABLE = rule_table(RULES)


def read(body: Body) -> t.Tree:
    """The untyped tree of a body. Raises PredicatError."""
    return read_as(POSTGRES, TABLE, body)
