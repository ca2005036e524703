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
from itertools import islice

from sqlglot import exp

from predicat.backends.sql.base import Renderer, Sql, bare, call
from predicat.backends.sql.functions import (
    CONVERSIONS,
    OF_JSON,
    OF_MEMBER,
    Function,
    Runtime,
    by_operator,
    calls,
)
from predicat.backends.sql.postgres import runtime_conversions as conversions
from predicat.backends.sql.postgres.definition import SCHEMA, Definition
from predicat.ir.nodes import Call, Node, Quantifier, Variable, walk
from predicat.ir.types import BIGINT, DATE, DOUBLE, JSON, TIMESTAMP, Type

VERSION = 1
"""The version of the functions. It grows with every release that changes one of them."""


def called(name: str, *arguments: Sql) -> Sql:
    """A call of a function."""
    return call(f"{SCHEMA}.{name}", *arguments)


# --- what the functions mean

INTEGERS = {"add": "plus", "sub": "minus", "mul": "times", "div": "div"}
"""The functions of two integers, by the operators that they mean. Their names differ from those of doubles,
so that a column of either type needs no cast.
"""
DOUBLES = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "fdiv": "ieee_divide"}
"""The functions of two doubles."""


def _binary(op: str, kind: Type, result: Type) -> Call:
    return Call(result, op, (Variable(kind, "a"), Variable(kind, "b")))


FUNCTIONS = (
    *(Function(name, _binary(op, BIGINT, BIGINT), ("a", "b")) for op, name in INTEGERS.items()),
    *(Function(name, _binary(op, DOUBLE, DOUBLE), ("a", "b")) for op, name in DOUBLES.items()),
    Function("days_between", _binary("days_between", DATE, BIGINT), ("a", "b")),
    *(Function(name, meaning, ("s",)) for name, meaning in CONVERSIONS.items()),
    *(Function(name, meaning, ("j", "k")) for name, meaning in OF_MEMBER.items()),
    *(Function(name, meaning, ("j",)) for name, meaning in OF_JSON.items()),
)
_MOST_NODES = 6
_MOST_OPERATORS = 8
"""The planner takes a function's expression for its call if an argument has at most ten operators."""


def _call(r: Renderer, function: Function, node: Call, arguments: list[Node]) -> Sql | None:
    if not all(map(_is_small, arguments)):
        return None
    given = [_argument(r, arg) for arg in arguments]
    if not all(map(is_cheap, given)):
        return None
    return called(function.name, *given) if _is_guarded(r, node) else None


def _argument(r: Renderer, node: Node) -> Sql:
    if node.type == JSON:
        return r.document(node)
    return bare(r, node) if node.type in (BIGINT, DOUBLE) else r.node(node)


def _is_small(node: Node) -> bool:
    """Whether a node is so small that it may be rendered twice."""
    parts = list(islice(walk(node), _MOST_NODES + 1))
    return len(parts) <= _MOST_NODES and not any(isinstance(part, Quantifier) for part in parts)


def _is_guarded(r: Renderer, node: Call) -> bool:
    """Whether the SQL of an operator without a function has a guard: facts may show that it needs none."""
    return Renderer(r.dialect, storage=r.storage).node(node).find(exp.Case) is not None


def is_cheap(sql: Sql) -> bool:
    """Whether the planner takes a function's expression for its call with this argument."""
    operators = 0
    for part in sql.walk():
        if isinstance(part, exp.Query | exp.Case):
            return False
        operators += isinstance(part, exp.Func | exp.Binary | exp.Unary | exp.Cast)
    return operators <= _MOST_OPERATORS and not calls(sql)


RUNTIME = Runtime(by_operator(FUNCTIONS), _call)
"""All of them."""

# --- what they are made of


@cache
def definitions(server: int) -> tuple[Definition, ...]:
    """The functions for a version of the server (`160004` is 16.4), each after those that it calls."""
    return (
        Definition("version", "", "integer", str(VERSION), "the version of these functions"),
        *_arithmetic(),
        *_numbers(),
        *(conversions.definitions() if server >= conversions.SINCE else ()),
    )


@cache
def available(server: int) -> Runtime:
    """The functions that SQL for a version of the server may call."""
    names = {row.name for row in definitions(server)}
    return Runtime(by_operator(tuple(row for row in FUNCTIONS if row.name in names)), _call)


_A, _B = (exp.Column(this=exp.to_identifier(name, quoted=True)) for name in "ab")


def _arithmetic() -> Iterator[Definition]:
    """Of two numbers: what ordinary numbers need, and functions for all others."""
    from predicat.backends.sql.postgres import POSTGRES, numbers, times  # noqa: PLC0415  # they call these

    def definition(name: str, kinds: str, returns: str, body: Sql, note: str) -> Definition:
        return Definition(name, f"a {kinds}, b {kinds}", returns, POSTGRES.text(body), note)

    for op, name in INTEGERS.items():
        body = POSTGRES.tree(_binary(op, BIGINT, BIGINT))
        yield definition(name, "bigint", "bigint", body, f"{_SIGNS[op]}, NULL if it does not fit")
    for op, name in DOUBLES.items():
        kind, note = "double precision", f"{_SIGNS[op]} as in IEEE 754, without an error"
        exact = POSTGRES.tree(_binary(op, DOUBLE, DOUBLE))
        yield definition(f"exact_{name}", kind, kind, exact, note)
        body = numbers.operation_of_any(op, _A, _B, called(f"exact_{name}", _A, _B))
        yield definition(name, kind, kind, body, note)
    days = POSTGRES.tree(_binary("days_between", DATE, BIGINT))
    yield definition("days_between", "date", "bigint", days, "the days from b to a, NULL of infinity")
    elapsed = times.interval_between(Renderer(POSTGRES), *(Variable(TIMESTAMP, name) for name in "ab"))
    yield definition(
        "elapsed",
        "timestamp with time zone",
        "interval",
        elapsed,
        "a - b, NULL unless both are within years 1 to 9999",
    )


def _numbers() -> Iterator[Definition]:
    """The number of a JSON value. jsonb has no exponents, so a short text is that of an ordinary number."""
    from predicat.backends.sql.postgres import POSTGRES  # noqa: PLC0415  # as above

    note = "the number of a JSON value as a double, NULL for any other value"
    kind = "double precision"
    exact = POSTGRES.text(POSTGRES.tree(OF_JSON["number"]))
    yield Definition("exact_number", "j jsonb", kind, exact, note)
    for arguments, value, text in (("j jsonb", "j", "j::text"), ("j jsonb, k text", "j -> k", "j ->> k")):
        body = (
            f"CASE WHEN JSONB_TYPEOF({value}) = 'number' THEN CASE WHEN OCTET_LENGTH({text}) < 300 "
            f"THEN ({text})::float8 ELSE predicat.exact_number({value}) END END"
        )
        yield Definition("number", arguments, kind, body, note)


_SIGNS = {
    "add": "a + b",
    "sub": "a - b",
    "mul": "a * b",
    "div": "a / b, NULL if b is 0",
    "fdiv": "a / b, infinite or NaN if b is 0",
}
