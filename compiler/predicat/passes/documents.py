"""JSON values whose kind only the row knows: what CEL's brackets and `size` find in them, and the way
back.
"""

from __future__ import annotations

from collections.abc import Callable

from predicat.diagnostics import Span
from predicat.diagnostics.messages import passes as say
from predicat.ir.nodes import Call, Field, Literal, Node, Quantifier
from predicat.ir.ops import EQUALITIES
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, DURATION, JSON, STRING, TIMESTAMP, Type
from predicat.passes import constants
from predicat.passes.convert import bare, convert, dyn


def element(base: Node, key: Node, span: Span) -> Node:
    """`base[key]`: the member whose name the key is, or the element at the place that it is."""
    member = Call(JSON, "json_get", (base, convert(key, STRING)), span)
    return _first(JSON, [member, Call(JSON, "json_at", (base, whole(key, span)), span)], span)


def size(value: Node, span: Span) -> Node:
    """The elements or keys of a JSON value; the characters, if it is a text."""
    many = Call(BIGINT, "json_size", (value,), span)
    return _first(BIGINT, [Call(BIGINT, "length", (convert(value, STRING),), span), many], span)


def conversion(value: Node, wanted: Type, cast: Callable[[Node], Node], span: Span) -> Node:
    """A JSON value as another type: each kind that CEL converts to it. `cast` converts what has a type; a
    number stays in the double that it is.
    """
    return _first(wanted, [cast(read(value, span)) for read in _READ[wanted]], span)


def whole(value: Node, span: Span) -> Node:
    """A JSON number, or what is computed of some, as a whole number; UNKNOWN for one with decimals."""
    return Call(BIGINT, "to_whole", (convert(value, DOUBLE),), span)


def is_number(node: Node) -> bool:
    """Whether a double is a JSON number, or is computed of such numbers alone: beside a whole number it
    may be one as well.
    """
    if not isinstance(node, Call) or node.type != DOUBLE:
        return False
    if node.op in ("array_max", "array_min"):
        return isinstance(node.args[0], Quantifier) and is_number(node.args[0].body)
    return node.op == "json_number" or (
        node.op in _ARITHMETIC and all(arg.type == BOOLEAN or is_number(arg) for arg in node.args)
    )


_ARITHMETIC = frozenset({"add", "sub", "mul", "fdiv", "neg", "abs", "cond", "coalesce"})


def _text(value: Node, _span: Span) -> Node:
    return convert(value, STRING)


def _number(value: Node, _span: Span) -> Node:
    return convert(value, DOUBLE)


def _truth(value: Node, _span: Span) -> Node:
    return convert(value, BOOLEAN)


_READ: dict[Type, tuple[Callable[[Node, Span], Node], ...]] = {
    BIGINT: (_text, _number),
    DOUBLE: (_text, _number),
    BOOLEAN: (_text, _truth),
    STRING: (_text, _truth, whole),
    TIMESTAMP: (_text, whole),
    DURATION: (_text,),
    DATE: (_text,),
}
"""What a JSON value is read as, one after the other, where it is converted to another type: it is of one
of these kinds at most.
"""


def _first(kind: Type, values: list[Node], span: Span) -> Node:
    """What a JSON value of one kind gives, or that of another kind: at most one of them has a value."""
    return values[0] if len(values) == 1 else Call(kind, "coalesce", tuple(values), span)


def total(left: Node, right: Node, span: Span) -> Node:
    """`x + y` of two JSON values: texts are joined, numbers are added. (A choice between values of several
    types, see `convert.is_choice`.)
    """
    texts = Call(STRING, "concat", (convert(left, STRING), convert(right, STRING)), span)
    numbers = Call(DOUBLE, "add", (convert(left, DOUBLE), convert(right, DOUBLE)), span)
    return Call(JSON, "cond", (_both(left, right, "string", span), dyn(texts), dyn(numbers)), span)


def is_total(node: Node) -> bool:
    """Whether a choice is `x + y` of two JSON values."""
    return isinstance(node, Call) and node.op == "cond" and _ops(node) == ["concat", "add"]


def _ops(choice: Call) -> list[str]:
    values = map(bare, choice.args[1:])
    return [value.op for value in values if isinstance(value, Call)]


def pair(op: str, left: Node, right: Node, span: Span) -> Node:
    """Two JSON values compared. Two numbers, two texts and two truth values have an order; any two are
    equal or not.
    """
    if op in EQUALITIES:
        equal = Call(BOOLEAN, "json_eq", (left, right), span)
        return equal if op == "eq" else Call(BOOLEAN, "not", (equal,), span)
    tests: list[Node] = [
        Call(BOOLEAN, op, (read(left, span), read(right, span)), span) for read in (_number, _text, _rank)
    ]
    return _first(BOOLEAN, tests, span)


def declared_hint(value: Node, kind: Type) -> str | None:
    """How a JSON value is declared to have a type; None for what is no path from a field."""
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


def _rank(value: Node, span: Span) -> Node:
    """FALSE before TRUE."""
    return Call(BIGINT, "to_int", (convert(value, BOOLEAN),), span)


def is_key(key: Node, base: Node, span: Span) -> Node:
    """Whether a JSON object has a key: a text may be one, a number or a truth value is none, and an object
    or an array may not ask.
    """
    if key.type not in (STRING, JSON):
        return constants.guarded(Literal(BOOLEAN, False, span), [key], span)
    there = constants.present(Call(JSON, "json_get", (base, convert(key, STRING)), span), span)
    if key.type == STRING:
        return there
    scalar = Call(BOOLEAN, "or", (is_kind(key, "number", span), is_kind(key, "boolean", span)), span)
    other = Call(BOOLEAN, "cond", (scalar, Literal(BOOLEAN, False, span), Literal(BOOLEAN, None, span)), span)
    return Call(BOOLEAN, "cond", (is_kind(key, "string", span), there, other), span)


def is_kind(value: Node, kind: str, span: Span) -> Node:
    """Whether a JSON value is of a kind: string, number, boolean, array or object."""
    return Call(BOOLEAN, "json_is", (value, Literal(STRING, kind, span)), span)
