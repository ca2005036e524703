"""Named functions for what stays long: a small runtime that is installed in an engine.

Each function is defined by the core node that it means, with a variable for each argument. So what it does in
an engine follows from the same rules as the SQL without it, and a call takes the place of each node of that
form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from sqlglot import exp

from predicat.diagnostics import NOWHERE
from predicat.forms.text_casts import of_text
from predicat.ir.nodes import Call, Items, Literal, Node, Variable, children, walk
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, JSON, STRING, TIMESTAMP
from predicat.ir.values import INT_MIN


class Function(Struct, frozen=True):
    """A function of the runtime.

    Attributes:
        name: Its name, without the schema.
        meaning: What it computes: a node whose variables are the arguments, in the order of `arguments`.
        arguments: The names of its arguments.
    """

    name: str
    meaning: Node
    arguments: tuple[str, ...]

    def arguments_in(self, node: Call) -> list[Node] | None:
        """The arguments for which the function means this node; None if it does not for any."""
        arguments: dict[str, Node] = {}
        return [arguments[name] for name in self.arguments] if _fits(self.meaning, node, arguments) else None


def _fits(form: Node, node: Node, arguments: dict[str, Node]) -> bool:
    if isinstance(form, Variable):
        return form.type == node.type and arguments.setdefault(form.name, node) == node
    if not isinstance(form, Call | Items):
        return form == node
    if type(form) is not type(node) or form.type != node.type:
        return False
    if isinstance(form, Call) and isinstance(node, Call) and form.op != node.op:
        return False
    parts, others = children(form), children(node)
    return len(parts) == len(others) and all(
        _fits(part, other, arguments) for part, other in zip(parts, others, strict=True)
    )


class Runtime(Struct, frozen=True):
    """The functions that an engine has.

    Attributes:
        functions: The functions by the operator of what they mean.
        call: A renderer's SQL of a call of a function for a node, with its arguments; None where the SQL
        without it is better.
        of_every_extension: Of the functions of the engine's extension, which reads manifests, those that all
        its versions have. None if the engine has no extension.
    """

    functions: Mapping[str, tuple[Function, ...]]
    call: Callable[[Any, Function, Call, list[Node]], exp.Expr | None]
    of_every_extension: Runtime | None = None

    def serves(self, node: Node) -> bool:
        """Whether a function means a part of a node."""
        parts = (part for part in walk(node) if isinstance(part, Call))
        return any(
            function.arguments_in(part) is not None
            for part in parts
            for function in self.functions.get(part.op, ())
        )

    def called(self, r: Any, node: Call) -> exp.Expr | None:
        """The SQL of a node as a call of a function; None if there is no such function."""
        for function in self.functions.get(node.op, ()):
            arguments = function.arguments_in(node)
            if arguments is not None and (sql := self.call(r, function, node, arguments)) is not None:
                return sql
        return None


_S = Variable(STRING, "s")
CONVERSIONS: dict[str, Node] = {
    "to_bigint": of_text(_S, BIGINT, NOWHERE),
    "to_double": of_text(_S, DOUBLE, NOWHERE),
    "to_boolean": of_text(_S, BOOLEAN, NOWHERE),
    "to_date": of_text(_S, DATE, NOWHERE),
    "to_timestamp": of_text(_S, TIMESTAMP, NOWHERE),
    "int": Call(BIGINT, "to_int", (_S,)),
    "double": Call(DOUBLE, "to_double", (_S,)),
    "timestamp": Call(TIMESTAMP, "to_timestamp", (_S,)),
}
"""The functions of a text: casts of SQL, and the conversions of CEL."""

PARSE_JSON = Call(JSON, "parse_json", (_S,))
"""The function that parses JSON in a text."""


def _read_of_json(value: Node) -> dict[str, Node]:
    """What is read of a JSON value."""
    text, number = Call(STRING, "json_string", (value,)), Call(DOUBLE, "json_number", (value,))
    integer, whole = (Call(BIGINT, "to_int", (read,)) for read in (text, number))
    in_cel = Call(BOOLEAN, "gt", (number, Literal(DOUBLE, float(INT_MIN))))
    absent = Literal(BIGINT, None)
    return {
        "number": number,
        "double": Call(DOUBLE, "coalesce", (Call(DOUBLE, "to_double", (text,)), number)),
        "int": Call(BIGINT, "coalesce", (integer, Call(BIGINT, "cond", (in_cel, whole, absent)))),
        "to_bigint": Call(BIGINT, "coalesce", (integer, whole)),
    }


_DOCUMENT = Variable(JSON, "j")
OF_JSON = _read_of_json(_DOCUMENT)
"""The functions of a JSON value: its number, and conversions of its number or text."""
OF_MEMBER = _read_of_json(Call(JSON, "json_get", (_DOCUMENT, Variable(STRING, "k"))))
"""The same of a member of a JSON object."""

PREFIX = "predicat"
"""How the names of all functions begin, as the name of a schema or as a part of it."""


def calls(sql: exp.Expr) -> bool:
    """Whether an expression calls a function of the runtime."""
    return any(part.name.startswith(PREFIX) for part in sql.find_all(exp.Anonymous))


def is_conversion(sql: exp.Expr) -> bool:
    """Whether an expression is the call of a conversion: it costs more than what is worked out from its
    value.
    """
    return isinstance(sql, exp.Anonymous) and sql.name in _CONVERSIONS


_CONVERSIONS = frozenset(
    f"{PREFIX}{mark}{name}"
    for name in (*CONVERSIONS, *OF_JSON, "parse_json")
    for mark in (".", "_", "_json_")
)


def by_operator(functions: tuple[Function, ...]) -> dict[str, tuple[Function, ...]]:
    """Functions by the operators of their meanings, in their order."""
    result: dict[str, tuple[Function, ...]] = {}
    for function in functions:
        op = function.meaning.op if isinstance(function.meaning, Call) else ""
        result[op] = (*result.get(op, ()), function)
    return result
