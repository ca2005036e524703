"""Named functions for long SQL: a small runtime that is installed in an engine.

Each function is defined by a core node with a variable for each argument. So its SQL follows from the same
rules as the SQL without functions, and a call can replace each node of this form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from sqlglot import exp

from predicat.diagnostics import NOWHERE
from predicat.forms.json_values import as_text
from predicat.forms.rounding import rounded_to_int
from predicat.forms.text_casts import of_text
from predicat.ir.nodes import Call, Items, Literal, Node, Variable, children, walk
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, JSON, STRING, TIMESTAMP
from predicat.ir.values import INT_MIN
from predicat.rewrite.idioms import idiomatic


class Function(Struct, frozen=True):
    """A function of the runtime.

    Attributes:
        name: Its name, without the schema.
        meaning: The node that it computes. The variables of the node are the arguments.
        arguments: The names of its arguments, in order.
    """

    name: str
    meaning: Node
    arguments: tuple[str, ...]

    def arguments_in(self, node: Call) -> list[Node] | None:
        """The arguments with which the function computes this node; None if it cannot."""
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
        functions: The functions by the operators of their meanings.
        call: Gives the SQL of a call of a function for a node, with its arguments; None if the SQL without
            the function is better.
        of_every_extension: The functions that all versions of the engine's extension (which reads manifests)
            have. None if the engine has no extension.
    """

    functions: Mapping[str, tuple[Function, ...]]
    call: Callable[[Any, Function, Call, list[Node]], exp.Expr | None]
    of_every_extension: Runtime | None = None

    def serves(self, node: Node) -> bool:
        """Whether a part of a node can be replaced by a call of a function."""
        parts = (part for part in walk(node) if isinstance(part, Call))
        return any(
            function.arguments_in(part) is not None
            for part in parts
            for function in self.functions.get(part.op, ())
        )

    def has(self, function: Function) -> bool:
        """Whether the engine has a function."""
        op = function.meaning.op if isinstance(function.meaning, Call) else ""
        return function in self.functions.get(op, ())

    def called(self, r: Any, node: Call) -> exp.Expr | None:
        """The SQL of a node as a call of a function; None if there is no such function."""
        for function in self.functions.get(node.op, ()):
            arguments = function.arguments_in(node)
            if arguments is not None and (sql := self.call(r, function, node, arguments)) is not None:
                return sql
        return None


_S = Variable(STRING, "s")
# The functions of a string: casts of SQL, and the conversions of CEL.
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

# The function that parses a string as JSON.
PARSE_JSON = Call(JSON, "parse_json", (_S,))


def _read_of_json(value: Node) -> dict[str, Node]:
    """The meanings of the functions that read a number or a text from a JSON value, by name."""
    text, number = Call(STRING, "json_string", (value,)), Call(DOUBLE, "json_number", (value,))
    integer, whole = (Call(BIGINT, "to_int", (read,)) for read in (text, number))
    in_cel = Call(BOOLEAN, "gt", (number, Literal(DOUBLE, float(INT_MIN))))
    absent = Literal(BIGINT, None)
    return {
        "number": number,
        "double": Call(DOUBLE, "coalesce", (Call(DOUBLE, "to_double", (text,)), number)),
        "int": Call(BIGINT, "coalesce", (integer, Call(BIGINT, "cond", (in_cel, whole, absent)))),
        "to_bigint": Call(BIGINT, "coalesce", (integer, whole)),
        **_read_as_text(value, text, number),
    }


# What `->>` is cast to, by the ends of the functions' names.
_CASTS = {"bigint": BIGINT, "boolean": BOOLEAN, "date": DATE, "timestamp": TIMESTAMP}


def _read_as_text(value: Node, text: Node, number: Node) -> dict[str, Node]:
    """The meanings of PostgreSQL's `->>`, of casts of it, and of casts of a JSON number, which round."""
    any_text = as_text(value, NOWHERE)
    casts = {f"text_to_{name}": idiomatic(of_text(any_text, kind, NOWHERE)) for name, kind in _CASTS.items()}
    rounded = rounded_to_int(number, NOWHERE, half_even=False)
    return {
        "text_to_int": Call(BIGINT, "int32", (casts["text_to_bigint"],)),
        "text_to_double": Call(DOUBLE, "coalesce", (of_text(text, DOUBLE, NOWHERE), number)),
        **casts,
        "round_to_int": Call(BIGINT, "int32", (rounded,)),
        "round_to_bigint": rounded,
        "text": any_text,
    }


_DOCUMENT = Variable(JSON, "j")
# The functions of a JSON value: its number, and conversions of its number or string.
OF_JSON = _read_of_json(_DOCUMENT)
# The same functions of a member of a JSON object.
OF_MEMBER = _read_of_json(Call(JSON, "json_get", (_DOCUMENT, Variable(STRING, "k"))))

# The start of the names of all functions: the name of a schema, or a prefix of the function's own name.
PREFIX = "predicat"


def calls(sql: exp.Expr) -> bool:
    """Whether an expression calls a function of the runtime."""
    return any(part.name.startswith(PREFIX) for part in sql.find_all(exp.Anonymous))


def is_conversion(sql: exp.Expr) -> bool:
    """Whether an expression is the call of a conversion, which costs more than the use of its result."""
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
