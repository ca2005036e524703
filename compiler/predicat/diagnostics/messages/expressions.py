"""Messages about the expressions of fields. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.message import Failure, Problem, Text

ONE_EXPRESSION = "it must be one expression"
QUERY = "it must have no statement, no subquery and no alias: an expression over the columns of a row"
CALCULATES_ROWS = "it must have no aggregate, window, lambda, parameter or function that gives several rows"
QUALIFIED = "its columns stand without a table: they are those of the relation"
NO_COLUMN = "it reads no column"
NOT_BACK = "it has syntax that predicat cannot write back; a view can have the expression"
CHANGES = Text[str]("{name}() may have another value each time, and a filter has one meaning for a row")
REACHES = Text[str](
    "{name}() reaches beyond the columns of a row, and a field has its value from these alone"
)
VOLATILE = Text[str](
    "the function {name} is VOLATILE: declare it IMMUTABLE if its value depends on its arguments only"
)
not_read = Text[str]("it cannot be read: {reason}")

bad_expression = Problem[str, str, str]("""(engine, text, why) bad-expression: expression of {engine}:
    {text!r}: {why}""")
column_and_expression = Problem[str, str]("""(name, engine) bad-value: the field {name!r} has a column and an
    expression on {engine}
    hint: keep one of them: an expression names its columns itself""")
fails_there = Problem[str, str, str, str]("""(name, engine, text, reason) expression: the field {name!r}
    cannot be read from {text!r} on {engine}: {reason}""")
no_expression_here = Failure[str, str]("""usage: predicat match reads this file without an engine, and the
    field {name!r} is an expression: {text}
    hint: convert the file to Parquet, or use predicat quality, which runs it on DuckDB""")
unserved_expression = Text[str, str](
    "the field {name} is the expression {text}, for which the dataset has no index"
)
index_for = Text[str](
    """make one, and name it in the dataset: indexes: ["({text})"]; or declare the column's own type"""
)
unskipped = Text[str, str, str](
    "the field {name} is the expression {text}: {engine} reads every block of rows for it"
)
OWN_TYPE = "declare the column's own type, if it has one"
