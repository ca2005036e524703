"""Expressions on JSON values, whose kind depends on the row, and functions that recognize them."""

from __future__ import annotations

from typing import TypeGuard

from predicat.diagnostics import NOWHERE, Span
from predicat.diagnostics.messages import check as say
from predicat.forms.conversions import convert, dynamic, underlying
from predicat.ir.nodes import Call, Field, Literal, Node, Quantifier
from predicat.ir.surface import EXTREMES
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, Type


def whole(value: Node, span: Span) -> Node:
    """A JSON number, or an expression of such numbers, as an integer; UNKNOWN if it has a fraction."""
    return Call(BIGINT, "to_whole", (convert(value, DOUBLE),), span)


def looked_up(base: Node, step: Node, span: Span = NOWHERE) -> Call:
    """The member or element of a JSON value: that under a key, or at an index."""
    return Call(JSON, "json_get" if step.type == STRING else "json_at", (base, step), span)


def is_text(node: Node) -> TypeGuard[Call]:
    """Whether a node is a conversion of a JSON value of any kind to a string, before it is lowered."""
    return isinstance(node, Call) and node.op == "to_string" and node.args[0].type == JSON


def as_text(value: Node, span: Span) -> Node:
    """A JSON value as a string in the core: a string, a boolean as `true` or `false`, or an integer. UNKNOWN
    for other values.
    """
    others = (convert(value, BOOLEAN), whole(value, span))
    texts = (Call(STRING, "to_string", (other,), span) for other in others)
    return Call(STRING, "coalesce", (convert(value, STRING), *texts), span)


def document_of(text: Node) -> Node | None:
    """The JSON value that `as_text` converted to a string; None for any other node."""
    match text:
        case Call(op="coalesce", args=(Call(op="json_string", args=(value,)), *_)):
            return value if as_text(value, text.span) == text else None
        case _:
            return None


def is_number(node: Node) -> bool:
    """Whether a double is a JSON number, or is computed only from such numbers. Beside an integer it may be
    taken as an integer.
    """
    if not isinstance(node, Call) or node.type != DOUBLE:
        return False
    if node.op in EXTREMES.values():
        of = node.args[0]
        return of.type == JSON or (isinstance(of, Quantifier) and is_number(of.body))
    if node.op in _OF_EACH:
        return all(arg.type == JSON or is_number(arg) for arg in node.args)
    return node.op == "json_number" or (
        node.op in _ARITHMETIC and all(arg.type == BOOLEAN or is_number(arg) for arg in node.args)
    )


_OF_EACH = frozenset({"math.greatest", "math.least", "math.abs"})
_ARITHMETIC = frozenset({"add", "sub", "mul", "fdiv", "neg", "abs", "cond", "coalesce"})


def total(left: Node, right: Node, span: Span) -> Node:
    """`x + y` of two JSON values: strings are joined, numbers are added. It is a choice between values of
    different types (see `is_union`).
    """
    texts = Call(STRING, "concat", (convert(left, STRING), convert(right, STRING)), span)
    numbers = Call(DOUBLE, "add", (convert(left, DOUBLE), convert(right, DOUBLE)), span)
    return Call(JSON, "cond", (_both(left, right, "string", span), dynamic(texts), dynamic(numbers)), span)


def is_total(node: Node) -> bool:
    """Whether a choice is `x + y` of two JSON values."""
    return isinstance(node, Call) and node.op == "cond" and _ops(node) == ["concat", "add"]


def _ops(choice: Call) -> list[str]:
    values = map(underlying, choice.args[1:])
    return [value.op for value in values if isinstance(value, Call)]


def declared_hint(value: Node, kind: Type) -> str | None:
    """A hint how to declare the type of a JSON value; None for a node that is not a path from a field."""
    keys: list[str] = []
    node = value
    while isinstance(node, Call) and node.op == "json_get" and isinstance(node.args[1], Literal):
        keys.insert(0, str(node.args[1].value))
        node = node.args[0]
    if not isinstance(node, Field):
        return None
    name = ".".join([node.decl.name, *keys])
    return say.declare_or_convert(name, kind)


def _both(left: Node, right: Node, kind: str, span: Span) -> Node:
    return Call(BOOLEAN, "and", tuple(is_kind(value, kind, span) for value in (left, right)), span)


def is_kind(value: Node, kind: str, span: Span) -> Node:
    """Whether a JSON value is of a kind: string, number, boolean, array or object."""
    return Call(BOOLEAN, "json_is", (value, Literal(STRING, kind, span)), span)


# The kinds of JSON values that are comparable with these types. (A numeric type with kind `number`.)
KINDS: dict[Type, str] = {STRING: "string", BOOLEAN: "boolean"}
