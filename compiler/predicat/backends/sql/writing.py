"""The text of SQL by sqlglot's generators, with the spellings of a careful author.

`x IS NOT NULL` and `x NOT IN (...)` for a NOT around them, and `DATE '2026-01-01'` for a cast of a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from sqlglot import ErrorLevel, Generator, exp
from sqlglot.dialects.dialect import Dialect

_Writer = Callable[[Generator, exp.Expr], str]


def text(sql: exp.Expr, dialect: str) -> str:
    """The text of SQL in a dialect of sqlglot."""
    return str(_generator(dialect).generate(sql, copy=False))


@lru_cache
def _generator(dialect: str) -> Generator:
    result = Dialect.get_or_raise(dialect).generator(comments=False, unsupported_level=ErrorLevel.RAISE)
    written: dict[type[exp.Expr], _Writer] = {exp.Not: _not}
    if dialect == "spark":
        # Its generator asks whether a cast is one to JSON, for which it reads the word "json" as SQL, twice a
        # cast: half of the
        # time of a text. No cast of ours is.
        written |= {exp.Cast: _cast, exp.TryCast: _try_cast}
    table = {**result._dispatch, **written}  # noqa: SLF001
    table[exp.Cast] = _constants(table[exp.Cast], _CONSTANTS[dialect])
    # A compiled generator has no subclasses, so its table of methods gets other rows.
    result._dispatch = table  # noqa: SLF001
    return result


def _cast(generator: Generator, sql: exp.Expr) -> str:
    return f"CAST({generator.sql(sql, 'this')} AS {generator.sql(sql, 'to')})"


def _try_cast(generator: Generator, sql: exp.Expr) -> str:
    return f"TRY_{_cast(generator, sql)}" if sql.args.get("safe") else _cast(generator, sql)


# --- constants of a type

_CONSTANTS: Mapping[str, Mapping[exp.DType, str]] = {
    "spark": {exp.DType.DATE: "DATE", exp.DType.TIMESTAMPTZ: "TIMESTAMP"},
    "postgres": {
        exp.DType.DATE: "DATE",
        exp.DType.TIMESTAMPTZ: "TIMESTAMPTZ",
        exp.DType.DOUBLE: "FLOAT8",
        exp.DType.INTERVAL: "INTERVAL",
    },
    "duckdb": {exp.DType.DATE: "DATE", exp.DType.TIMESTAMPTZ: "TIMESTAMPTZ"},
}
"""The words before a text that make it a constant of a type."""


def _constants(cast: _Writer, words: Mapping[exp.DType, str]) -> _Writer:
    """CAST, but of a constant text to some types: a constant of the type."""

    def write(generator: Generator, sql: exp.Expr) -> str:
        value = sql.this
        if isinstance(value, exp.Literal) and value.is_string and (word := words.get(sql.args["to"].this)):
            return f"{word} {generator.sql(value)}"
        return cast(generator, sql)

    return write


# --- negations

_BEFORE = (exp.In, exp.Between, exp.Like)
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
