"""The text of SQL by sqlglot's generators, with the spellings of a careful author.

`x IS NOT NULL` and `x NOT IN (...)` for a NOT around them, and `DATE '2026-01-01'` for a cast of a constant.
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
    """How a dialect writes what is not an operator."""

    constants: tuple[tuple[exp.DType, str], ...] = (
        (exp.DType.DATE, "DATE"),
        (exp.DType.TIMESTAMPTZ, "TIMESTAMPTZ"),
    )
    """The words before a text that make it a constant of a type."""
    plain_casts: bool = False
    """Whether casts are written without sqlglot's generator, which asks whether a cast is one to JSON. For
    this it reads the word "json" as SQL, twice a cast: half of the time of a text. No cast of ours is.
    """
    numbered: bool = True
    """Whether the markers of parameters have numbers (`$1`); without them (`?`) a value is passed for each
    marker.
    """
    times_as_texts: bool = False
    """Whether dates and times are passed as texts: PySpark hands a time before 1900 over by the calendar of
    java.sql.Timestamp, days away.
    """
    backslashes: bool = False
    """Whether a backslash escapes in texts, and names stand in backquotes."""
    colons: bool = False
    """Whether a cast is `x::type`, as PostgreSQL shows it in plans and definitions."""
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
    # A compiled generator has no subclasses, so its table of methods gets other rows.
    result._dispatch = table  # noqa: SLF001
    return result


def _unchanged(write: _Writer) -> _Writer:
    """What writes a node, on a copy: sqlglot takes the name of the ordinality out of the node that it writes,
    and a node may occur at several places.
    """
    return lambda generator, sql: write(generator, sql.copy() if sql.args.get("offset") else sql)


def _function(generator: Generator, sql: exp.Expr) -> str:
    """A function by the name that it has: words of SQL are capital letters, functions of ours small ones."""
    return f"{sql.name}({', '.join(map(generator.sql, sql.expressions))})"


def _names(dialect: str) -> _Writer:
    """Names in quotes only where the dialect needs them, also those of variables."""

    def write(generator: Generator, sql: exp.Expr) -> str:
        if isinstance(sql, exp.Identifier) and needs_quotes(sql.name, dialect):
            return generator.identifier_sql(sql)
        return sql.name

    return write


def _cast(generator: Generator, sql: exp.Expr) -> str:
    return f"CAST({generator.sql(sql, 'this')} AS {generator.sql(sql, 'to')})"


_OPERANDS = (exp.Column, exp.Anonymous, exp.Paren, exp.Cast, exp.Subquery, exp.Literal, exp.Null, exp.Var)
"""What binds as tight as the colons of a cast."""
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
    """CAST, but of a constant text to some types: a constant of the type."""

    def write(generator: Generator, sql: exp.Expr) -> str:
        value = sql.this
        if isinstance(value, exp.Literal) and value.is_string and (word := words.get(sql.args["to"].this)):
            return f"{word} {generator.sql(value)}"
        return cast(generator, sql)

    return write


# --- negations

_BEFORE = (exp.In, exp.Between, exp.Like, exp.ILike)
"""The tests that have NOT between the value and their word."""


def _not(generator: Generator, sql: exp.Expr) -> str:
    """NOT; inside of a test that has a place for it."""
    test = sql.this.this if isinstance(sql.this, exp.Paren) else sql.this
    if isinstance(test, _BEFORE):
        value, whole = generator.sql(test, "this"), generator.sql(test)
        if whole.startswith(f"{value} "):
            return f"{value} NOT{whole.removeprefix(value)}"
    if isinstance(test, exp.Is):
        return f"{generator.sql(test, 'this')} IS NOT {generator.sql(test, 'expression')}"
    return f"NOT {generator.sql(sql, 'this')}"
