"""The text of SQL by sqlglot's generators, with the slow parts of its generator for Spark replaced."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import ErrorLevel, Generator, exp
from sqlglot.dialects.dialect import Dialect


def text(sql: exp.Expr, dialect: str) -> str:
    """The text of SQL in a dialect of sqlglot."""
    return str(_generator(dialect).generate(sql, copy=False))


@lru_cache
def _generator(dialect: str) -> Generator:
    result = Dialect.get_or_raise(dialect).generator(comments=False, unsupported_level=ErrorLevel.RAISE)
    if dialect == "spark":
        # Its generator asks whether a cast is one to JSON, for which it reads the word "json" as SQL, twice a
        # cast: half of the
        # time of a text. No cast of ours is. A compiled generator has no subclasses, so its table of methods
        # gets another row.
        result._dispatch = {**result._dispatch, exp.Cast: _cast, exp.TryCast: _try_cast}  # noqa: SLF001
    return result


def _cast(generator: Generator, sql: exp.Expr) -> str:
    return f"CAST({generator.sql(sql, 'this')} AS {generator.sql(sql, 'to')})"


def _try_cast(generator: Generator, sql: exp.Expr) -> str:
    return f"TRY_{_cast(generator, sql)}" if sql.args.get("safe") else _cast(generator, sql)
