"""Columns of DataFrames in the SQL of Spark: methods, operators and types, in Python and Scala alike."""

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

# Methods of a DataFrame whose columns are those of the one before.
KEEPS_ROWS = frozenset(
    {
        "where",
        "filter",
        "alias",
        "as",
        "limit",
        "cache",
        "persist",
        "distinct",
        "orderBy",
        "sort",
        "repartition",
        "hint",
    }
)
# The names of the operators as methods, and of methods that are operators of SQL.
INFIX = {
    "equalTo": "=",
    "eqNullSafe": "<=>",
    "notEqual": "<>",
    "gt": ">",
    "lt": "<",
    "geq": ">=",
    "leq": "<=",
    "and": "AND",
    "or": "OR",
    "plus": "+",
    "minus": "-",
    "multiply": "*",
    "divide": "/",
    "mod": "%",
    "like": "LIKE",
    "ilike": "ILIKE",
    "rlike": "RLIKE",
}
_CALLED = {
    "contains": "contains",
    "startswith": "startswith",
    "startsWith": "startswith",
    "endswith": "endswith",
    "endsWith": "endswith",
    "substr": "substring",
}
_TESTED: Mapping[str, str] = {
    "isNull": "({0} IS NULL)",
    "isNotNull": "({0} IS NOT NULL)",
    "isNaN": "isnan({0})",
}
_CASTS = ("cast", "astype")
_LISTS = ("isin", "isInCollection")
# The classes of types whose names are not those of SQL.
_TYPES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
_TYPE = re.compile(r"\w+(\(\d+(, ?\d+)?\))?")
# Functions of `pyspark.sql.functions` that take texts, behind their first argument or as that; the texts of
# other functions are names of columns.
_TEXTS_BEHIND = re.compile(
    r"date_format|to_(?:date|timestamp\w*|utc_timestamp)|(?:unix|from_utc)_timestamp|from_unixtime|trunc|"
    r"regexp_(?:extract|extract_all|replace)|split|instr|get_json_object|array_contains|[lr]pad|translate|"
    r"substring_index|element_at|decode|encode"
)
_TEXT_FIRST = ("date_trunc", "concat_ws", "format_string", "locate")


class NotRead(Exception):
    """An expression is no chain of columns and constants."""


def is_text(function: str, number: int) -> bool:
    """Whether a function of PySpark takes a text in an argument as a text, and not as a name of a column."""
    if number == 0:
        return function in _TEXT_FIRST
    return _TEXTS_BEHIND.fullmatch(function) is not None


def method(name: str, value: str, args: Sequence[str]) -> str:
    """A method of a column. Raises NotRead.

    Args:
        name: its name.
        value: the column in SQL.
        args: the arguments in SQL, those in a list one by one.
    """
    if name in _TESTED and not args:
        return _TESTED[name].format(value)
    if name in INFIX and len(args) == 1:
        return f"({value} {INFIX[name]} {args[0]})"
    if name in _CALLED:
        return f"{_CALLED[name]}({', '.join([value, *args])})"
    if name == "between" and len(args) == 2:
        return f"({value} BETWEEN {args[0]} AND {args[1]})"
    if name in _LISTS and args:
        return f"({value} IN ({', '.join(args)}))"
    raise NotRead


def is_cast(name: str) -> bool:
    """Whether a method takes a type."""
    return name in _CASTS


def cast(value: str, kind: str) -> str:
    """A conversion to a type, by its name in SQL or by its class. Raises NotRead."""
    written = re.sub(r"Type(?:\(\))?(?=\(|\Z)", "", kind.rpartition(".")[2]).lower()
    if not _TYPE.fullmatch(written):
        raise NotRead
    return f"CAST({value} AS {_TYPES.get(written, written)})"


def literal(value: object) -> str:
    """A constant. Raises NotRead."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return exp.Literal.string(value).sql("spark")
    raise NotRead


def name(written: str) -> str:
    """A column, with its parts."""
    return ".".join(exp.to_identifier(part, quoted=True).sql("spark") for part in written.split("."))
