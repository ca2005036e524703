"""PostgreSQL: the functions of the schema `predicat`, which `predicat apply` installs.

They are SQL functions of one expression, so that the planner puts the expression in the place of the call. It
does so only if the arguments are cheap (at most ten operators, no subquery), and if the expression has no
subquery. What ordinary rows need is thus in the functions of this table; what other rows need is in functions
of their own, called `..._general`, which cost some microseconds a call.

The bodies are parsed when they are created (`RETURN ...`), so that no search path changes what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from msgspec import Struct
from sqlglot import exp

from predicat.backends.sql.base import Renderer, Sql, call
from predicat.backends.sql.functions import Function, Runtime, by_operator
from predicat.diagnostics import NOWHERE
from predicat.ir.nodes import Node, Variable
from predicat.ir.types import BIGINT, STRING, Type
from predicat.ir.values import INT_PATTERN
from predicat.passes.literals import BLANKS
from predicat.passes.text_casts import of_text

SCHEMA = "predicat"
VERSION = 1
"""The version of the functions. It grows with every release that changes one of them."""
SINCE = 160_000
"""The first server that tells whether a text can be read as a type."""


class Definition(Struct, frozen=True):
    """A function in PostgreSQL.

    Attributes:
        name: Its name, without the schema.
        arguments: Its arguments with their types, as SQL.
        returns: The type of its result.
        body: Its expression.
        stable: Whether the expression is not immutable to PostgreSQL.
        note: What it means.
    """

    name: str
    arguments: str
    returns: str
    body: str
    note: str
    stable: bool = False

    @property
    def signature(self) -> str:
        """The function as SQL names it."""
        return f"{SCHEMA}.{self.name}({self.arguments})"

    @property
    def sql(self) -> str:
        """The statement that creates it."""
        kept = "STABLE" if self.stable else "IMMUTABLE"
        return (
            f"CREATE OR REPLACE FUNCTION {self.signature} RETURNS {self.returns} "
            f"LANGUAGE sql {kept} PARALLEL SAFE RETURN {self.body}"
        )


def _text(name: str = "s") -> Variable:
    return Variable(STRING, name)


def _cast(op: str, kind: Type) -> Node:
    """The cast of a text in SQL."""
    return of_text(op, _text(), kind, NOWHERE)


FUNCTIONS = (Function("to_bigint", _cast("to_int", BIGINT), ("s",)),)
"""What they mean."""
_MOST_OPERATORS = 8
"""The planner takes a function's expression for its call if an argument has at most ten operators."""


def _call(r: Renderer, function: Function, arguments: list[Node]) -> Sql | None:
    given = [r.node(argument) for argument in arguments]
    return _called(function.name, *given) if all(map(is_cheap, given)) else None


def _called(name: str, *arguments: Sql) -> Sql:
    return call(f"{SCHEMA}.{name}", *arguments)


def is_cheap(sql: Sql) -> bool:
    """Whether the planner takes a function's expression for its call with this argument."""
    operators = 0
    for part in sql.walk():
        if isinstance(part, exp.Query | exp.Case) or _is_called(part):
            return False
        operators += isinstance(part, exp.Func | exp.Binary | exp.Unary | exp.Cast)
    return operators <= _MOST_OPERATORS


def _is_called(sql: Sql) -> bool:
    return isinstance(sql, exp.Anonymous) and sql.name.startswith(f"{SCHEMA}.")


_BLANKS = (
    "E'" + BLANKS.encode("unicode_escape").decode().replace("\\x0b", "\\v").replace("\\x0c", "\\f") + "'"
)
_STRIPPED = f"BTRIM(s, {_BLANKS})"


@cache
def definitions(server: int) -> tuple[Definition, ...]:
    """The functions for a version of the server (`160004` is 16.4), each after those that it calls."""
    return (
        Definition("version", "", "integer", str(VERSION), "the version of these functions"),
        *(_conversions() if server >= SINCE else ()),
    )


@cache
def available(server: int) -> Runtime:
    """The functions that SQL for a version of the server may call."""
    names = {row.name for row in definitions(server)}
    return Runtime(by_operator(tuple(row for row in FUNCTIONS if row.name in names)), _call)


def _conversions() -> Iterator[Definition]:
    # The cast is around the CASE: one inside would be worked out, and fail, if s is a constant.
    # PostgreSQL reads more texts than the meaning has. Of those that begin with a digit above 0 the others
    # have a _. Leading zeros, a sign or blanks may be followed by letters as well: a pattern decides.
    yield Definition(
        "to_bigint",
        "s text",
        "bigint",
        "CAST(CASE WHEN pg_input_is_valid(s, 'bigint') AND (s COLLATE \"C\" >= '1' AND STRPOS(s, '_') = 0 "
        f"OR {_STRIPPED} ~ '{INT_PATTERN}') THEN s END AS bigint)",
        "CAST(s AS BIGINT), NULL if s is not an integer or does not fit",
        stable=True,
    )


RUNTIME = available(SINCE)
"""All of them."""
