"""Why something that looks like a condition is not read, and what the command says."""

from __future__ import annotations

AGGREGATE = "it has an aggregate: it tests groups, not rows"
WINDOW = "it has a window function: it tests a row among others"
SUBQUERY = "it has a subquery"
SEVERAL = "it compares rows of several relations"
WHOSE = "a column does not say which of several relations it is of"
NO_COLUMN = "it reads no column"
COMPUTED = "it reads a column that the statement computes"
JOINED = "it asks whether a row was joined"
NOT_PARSED = "the statement cannot be parsed"
NO_TOKENS = "the text cannot be split into words of SQL"
OTHER_STATEMENT = "the statement is of a kind that has no conditions that are read"
TOO_DEEP = "it is nested too deeply"
TOO_LARGE = "the file is too large"
TOO_SLOW = "reading the file took too long"
NOT_UTF8 = "the file is not UTF-8"
UNREADABLE = "the file cannot be read"
NOT_STANDARD = "its dialect has a construct that standard SQL has not"
PART_OF_TEMPLATE = "a template is a part of a constant or a name"
BACKSLASH = "a pattern has a backslash, which dialects read differently"
NOT_RENDERED = "the template cannot be rendered"
NO_PYTHON = "the file is not valid Python"
NOT_LITERAL = "it is made by a program: only constants and columns are read"
NO_CONDITION = "it is not a condition"


def unknown_dialect(name: str, known: list[str]) -> str:
    """The option --dialect has a name that sqlglot does not know."""
    return f"no SQL dialect is named {name!r}; there are {', '.join(sorted(filter(None, known)))}"
