"""The text of SQL by sqlglot's generators, in idiomatic spelling.

`x IS NOT NULL` and `x NOT IN (...)` instead of a NOT around the test, and `DATE '2026-01-01'` instead of a
cast of a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct
from sqlglot import ErrorLevel, Generator, exp
from sqlglot.dialects.dialect import Dialect

from predicat.backends.sql.names import needs_quotes

_Writer = Callable[[Generator, exp.Expr], str]


class Spelling(Struct, frozen=True):
    """How a dialect writes constants, casts, parameters and names."""

    constants: tuple[tuple[exp.DType, str], ...] = (
        (exp.DType.DATE, "DATE"),
        (exp.DType.TIMESTAMPTZ, "TIMESTAMPTZ"),
    )
    """The keyword before a string literal that makes it a literal of a type."""
    plain_casts: bool = False
    """Whether casts are written without sqlglot's generator. That checks whether a cast is to JSON (none is),
    and parses the word "json" twice for each cast: half of the time of writing SQL.
    """
    numbered: bool = True
    """Whether parameters are numbered (`$1`); otherwise (`?`) a value is passed for each marker."""
    times_as_texts: bool = False
    """Whether dates and times are passed as strings: PySpark converts a time before 1900 with the calendar of
    java.sql.Timestamp, which may be days off.
    """
    backslashes: bool = False
    """Whether a backslash escapes in string literals, and names are quoted with backquotes."""
    colons: bool = False
    """Whether a cast is `x::type`, as PostgreSQL shows it in plans and definitions."""
    exponents: bool = False
    """Whether a number is a double only with an exponent. DuckDB reads 0.1 beside a FLOAT as a float."""
    variables: bool = False
    """Whether the engine replaces `${name}` in the text of SQL."""


def text(sql: exp.Expr, dialect: str, spelling: Spelling) -> str:
    """The text of SQL in a dialect of sqlglot."""
    return str(_generator(dialect, spelling).generate(sql, copy=False))


@lru_cache
def _generator(dialect: str, spelling: Spelling) -> Generator:
    result = Dialect.get_or_raise(dialect).generator(comments=False, unsupported_level=ErrorLevel.RAISE)
    casts: dict[type[exp.Expr], _Writer] = {exp.Cast: _cast, exp.TryCast: _try_cast}
    written: dict[type[exp.Expr], _Writer] = {
        exp.Not: _not,
        exp.Anonymous: _function,
        exp.Identifier: _names(dialect),
    }
    table = {**result._dispatch, **written, **(casts if spelling.plain_casts else {})}  # noqa: SLF001
    cast = _with_colons if spelling.colons else table[exp.Cast]
    table[exp.Cast] = _constants(cast, dict(spelling.constants))
    table[exp.Unnest] = _unchanged(table[exp.Unnest])
    # A compiled generator cannot be subclassed, so entries of its table of methods are replaced.
    result._dispatch = table  # noqa: SLF001
    return result


def _unchanged(write: _Writer) -> _Writer:
    """A writer that works on a copy: sqlglot removes the name of the ordinality from the node that it writes,
    and a node may occur at several places.
    """
    return lambda generator, sql: write(generator, sql.copy() if sql.args.get("offset") else sql)


def _function(generator: Generator, sql: exp.Expr) -> str:
    """A function call with its name unchanged: SQL functions are upper case, installed ones lower case."""
    return f"{sql.name}({', '.join(map(generator.sql, sql.expressions))})"


def _names(dialect: str) -> _Writer:
    """A writer of names, also of variables, in quotes only if the dialect needs them."""

    def write(generator: Generator, sql: exp.Expr) -> str:
        if isinstance(sql, exp.Identifier) and needs_quotes(sql.name, dialect):
            return generator.identifier_sql(sql)
        return sql.name

    return write


def _cast(generator: Generator, sql: exp.Expr) -> str:
    return f"CAST({generator.sql(sql, 'this')} AS {generator.sql(sql, 'to')})"


# The nodes that need no parentheses before the colons of a cast.
_OPERANDS = (exp.Column, exp.Anonymous, exp.Paren, exp.Cast, exp.Subquery, exp.Literal, exp.Null, exp.Var)
_SHORT = {"DOUBLE PRECISION": "float8", "DECIMAL": "numeric"}


def _with_colons(generator: Generator, sql: exp.Expr) -> str:
    value, kind = generator.sql(sql, "this"), generator.sql(sql, "to")
    if value.startswith(":"):  # a parameter, whose name would run into the colons
        return _cast(generator, sql)
    operand = value if type(sql.this) in _OPERANDS else f"({value})"
    named = kind if '"' in kind else kind.lower()
    return f"{operand}::{_SHORT.get(kind, named)}"


def _try_cast(generator: Generator, sql: exp.Expr) -> str:
    return f"TRY_{_cast(generator, sql)}" if sql.args.get("safe") else _cast(generator, sql)


# --- constants of a type


def _constants(cast: _Writer, words: dict[exp.DType, str]) -> _Writer:
    """A writer of casts. The cast of a string literal to some types becomes a literal of the type."""

    def write(generator: Generator, sql: exp.Expr) -> str:
        value = sql.this
        if isinstance(value, exp.Literal) and value.is_string and (word := words.get(sql.args["to"].this)):
            return f"{word} {generator.sql(value)}"
        return cast(generator, sql)

    return write


# --- negations

# The tests that are written with NOT between the value and the keyword.
_BEFORE = (exp.In, exp.Between, exp.Like, exp.ILike)


def _not(generator: Generator, sql: exp.Expr) -> str:
    """NOT, which is written inside the test if its syntax allows that."""
    test = sql.this.this if isinstance(sql.this, exp.Paren) else sql.this
    if isinstance(test, _BEFORE):
        value, whole = generator.sql(test, "this"), generator.sql(test)
        if whole.startswith(f"{value} "):
            return f"{value} NOT{whole.removeprefix(value)}"
    if isinstance(test, exp.Is):
        return f"{generator.sql(test, 'this')} IS NOT {generator.sql(test, 'expression')}"
    return f"NOT {generator.sql(sql, 'this')}"
