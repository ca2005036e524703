"""Conditions of Spark SQL, read by sqlglot's dialect of it, with Spark's meaning in ANSI mode.

Strings are in single or double quotes, with backslash escapes; names are plain or in backticks.
`differences.py` has the differences from the SQL that all engines share. Errors of Spark are UNKNOWN here.
"""

from __future__ import annotations

from predicat.ir import syntax as t
from predicat.language.common.body import Body
from predicat.language.spark.differences import FOREIGN, RULES
from predicat.language.spark.tokens import joined_quotes
from predicat.language.spark.without_ansi import RULES as WITHOUT_ANSI
from predicat.language.sql.languages import SqlLanguage
from predicat.language.sql.reader import read_as
from predicat.language.sql.rules import rule_table

SPARK = SqlLanguage(
    "spark",
    "databricks",  # sqlglot's Spark with `v:a.b[0]`, the member at a path of a JSON value, as in Spark 4
    corrected=joined_quotes,
    quotes="'\"`\\",
    foreign=FOREIGN,
    rows=frozenset({"struct", "named_struct"}),
    row_equality="same",
    sunday=1,
    unsized_decimal=(10, 0),
    doubles_have_all_digits=True,
    json_types=frozenset(),  # Spark's CAST(s AS VARIANT) is a string
)

TABLE = rule_table(RULES)

_TABLE_WITHOUT_ANSI = rule_table({**RULES, **WITHOUT_ANSI})


def read(body: Body) -> t.Tree:
    """The untyped tree of a body. Raises PredicatError."""
    return read_as(SPARK, TABLE, body)


def read_without_ansi(body: Body) -> t.Tree:
    """The untyped tree of a body for Spark without ANSI mode. Raises PredicatError."""
    return read_as(SPARK, _TABLE_WITHOUT_ANSI, body)
