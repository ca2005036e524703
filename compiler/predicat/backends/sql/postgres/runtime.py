"""PostgreSQL: calls of the functions of the schema `predicat`, which `predicat apply` installs."""

from __future__ import annotations

from itertools import islice

from sqlglot import exp

from predicat.backends.sql.builders import Sql, call
from predicat.backends.sql.common.widths import bare
from predicat.backends.sql.functions import (
    CONVERSIONS,
    OF_JSON,
    OF_MEMBER,
    PARSE_JSON,
    Function,
    Runtime,
    by_operator,
    calls,
)
from predicat.backends.sql.postgres.definition import SCHEMA
from predicat.backends.sql.renderer import Renderer
from predicat.ir.nodes import Call, Node, Quantifier, Variable, walk
from predicat.ir.types import BIGINT, DATE, DOUBLE, JSON, Type


def called(name: str, *arguments: Sql) -> Sql:
    """A call of a function of the schema."""
    return call(f"{SCHEMA}.{name}", *arguments)


# --- what the functions mean

# The functions of two integers, by operator. Their names differ from those of doubles, so that a column of
# either type needs no cast.
INTEGERS = {"add": "plus", "sub": "minus", "mul": "times", "div": "div"}
# The functions of two doubles.
DOUBLES = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "fdiv": "ieee_divide"}


def binary_call(op: str, kind: Type, result: Type) -> Call:
    """The call of an operator with two arguments, which are variables."""
    return Call(result, op, (Variable(kind, "a"), Variable(kind, "b")))


FUNCTIONS = (
    *(Function(name, binary_call(op, BIGINT, BIGINT), ("a", "b")) for op, name in INTEGERS.items()),
    *(Function(name, binary_call(op, DOUBLE, DOUBLE), ("a", "b")) for op, name in DOUBLES.items()),
    Function("days_between", binary_call("days_between", DATE, BIGINT), ("a", "b")),
    *(Function(name, meaning, ("s",)) for name, meaning in CONVERSIONS.items()),
    Function("parse_json", PARSE_JSON, ("s",)),
    *(Function(name, meaning, ("j", "k")) for name, meaning in OF_MEMBER.items()),
    *(Function(name, meaning, ("j",)) for name, meaning in OF_JSON.items()),
)
_MOST_NODES = 6
# The planner inlines a function if its arguments have at most ten operators each.
_MOST_OPERATORS = 8


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
    """Whether a node is small enough to be rendered twice."""
    parts = list(islice(walk(node), _MOST_NODES + 1))
    return len(parts) <= _MOST_NODES and not any(isinstance(part, Quantifier) for part in parts)


def _is_guarded(r: Renderer, node: Call) -> bool:
    """Whether the SQL of an operator without a function has a guard: facts may show that it needs none."""
    return Renderer(r.dialect, storage=r.storage).node(node).find(exp.Case) is not None


def is_cheap(sql: Sql) -> bool:
    """Whether the planner inlines a call of a function with this argument."""
    operators = 0
    for part in sql.walk():
        if isinstance(part, exp.Query | exp.Case):
            return False
        operators += isinstance(part, exp.Func | exp.Binary | exp.Unary | exp.Cast)
    return operators <= _MOST_OPERATORS and not calls(sql)


# All functions of the schema that filters may call.
RUNTIME = Runtime(by_operator(FUNCTIONS), _call)
