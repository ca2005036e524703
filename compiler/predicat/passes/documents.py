"""JSON values whose kind only the row knows: what CEL's brackets and `size` find in them, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node, rewrite_children
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, Type
from predicat.passes import overflow
from predicat.passes.convert import convert


def element(base: Node, key: Node, span: Span) -> Node:
    """`base[key]`: the member whose name the key is, or the element at the place that it is."""
    number = convert(key, DOUBLE)
    place = Call(BIGINT, "to_int", (number,), span)
    whole = Call(BOOLEAN, "eq", (Call(DOUBLE, "to_double", (place,), span), number), span)
    found = Call(
        JSON, "cond", (whole, Call(JSON, "json_at", (base, place), span), Literal(JSON, None, span)), span
    )
    return Call(
        JSON,
        "cond",
        (_is_text(key, span), Call(JSON, "json_get", (base, convert(key, STRING)), span), found),
        span,
    )


def size(value: Node, span: Span) -> Node:
    """The elements or keys of a JSON value; the characters, if it is a text."""
    many = Call(BIGINT, "json_size", (value,), span)
    return Call(
        BIGINT,
        "cond",
        (_is_text(value, span), Call(BIGINT, "length", (convert(value, STRING),), span), many),
        span,
    )


def conversion(value: Node, wanted: Type, cast: Callable[[Node], Node], span: Span) -> Node:
    """A JSON value as another type: its text is read, as any other; a number or a truth value converts as such. `cast` converts what has a type."""
    text = cast(convert(value, STRING))
    own = _OWN.get(wanted)
    if own is None:
        return text
    return Call(wanted, "cond", (_is_text(value, span), text, cast(convert(value, own))), span)


_OWN: dict[Type, Type] = {BIGINT: DOUBLE, DOUBLE: DOUBLE, BOOLEAN: BOOLEAN}
"""What a JSON value is read as, if it is no text, where it is converted to another type."""


def pair(op: str, left: Node, right: Node, span: Span) -> Node:
    """Two JSON values compared: two numbers, two texts, two truth values. Others differ in kind, and have no order.

    What two objects or two arrays are is not known here: no engine compares the numbers inside of them as numbers.
    """
    if op == "ne":
        return Call(BOOLEAN, "not", (pair("eq", left, right, span),), span)
    unknown = Literal(BOOLEAN, None, span)
    nested = Call(BOOLEAN, "or", tuple(_both(left, right, kind, span) for kind in ("object", "array")), span)
    found: Node = (
        Call(BOOLEAN, "cond", (nested, unknown, Literal(BOOLEAN, False, span)), span)
        if op == "eq"
        else unknown
    )
    for kind, read in (
        ("boolean", _rank),
        ("string", partial(convert, kind=STRING)),
        ("number", partial(convert, kind=DOUBLE)),
    ):
        found = Call(
            BOOLEAN,
            "cond",
            (_both(left, right, kind, span), Call(BOOLEAN, op, (read(left), read(right)), span), found),
            span,
        )
    absent = Call(
        BOOLEAN, "or", tuple(Call(BOOLEAN, "is_null", (value,), span) for value in (left, right)), span
    )
    return Call(BOOLEAN, "cond", (absent, unknown, found), span)


def _both(left: Node, right: Node, kind: str, span: Span) -> Node:
    return Call(BOOLEAN, "and", tuple(is_kind(value, kind, span) for value in (left, right)), span)


def _rank(value: Node) -> Node:
    """FALSE before TRUE."""
    return Call(BIGINT, "cond", (convert(value, BOOLEAN), Literal(BIGINT, 1), Literal(BIGINT, 0)), value.span)


def is_kind(value: Node, kind: str, span: Span) -> Node:
    """Whether a JSON value is of a kind: string, number, boolean, array or object."""
    return Call(BOOLEAN, "json_is", (value, Literal(STRING, kind, span)), span)


def _is_text(value: Node, span: Span) -> Node:
    return is_kind(value, "string", span)


def as_written(node: Node) -> Node:
    """The node with its choices by kind as the brackets and sizes that they were, for writers; it is not typed any more."""
    node = _as_pair(node) or rewrite_children(node, as_written)
    if not isinstance(node, Call) or node.op != "cond" or not isinstance(node.args[1], Call):
        return node
    kind, text = node.args[0], node.args[1]
    if not isinstance(kind, Call) or kind.op != "json_is":
        return node
    if text.op == "json_get" and element(text.args[0], kind.args[0], node.span) == node:
        return Call(JSON, "json_get", (text.args[0], kind.args[0]), node.span)
    if size(kind.args[0], node.span) == node:
        return Call(BIGINT, "json_size", (kind.args[0],), node.span)
    return (
        Call(node.type, text.op, (kind.args[0],), node.span)
        if _is_conversion(text, kind.args[0], node.args[2])
        else node
    )


def _as_pair(node: Node) -> Node | None:
    """The comparison of two JSON values that a node is, if it is one."""
    absent = node.args[0] if isinstance(node, Call) and node.op == "cond" else None
    if (
        not isinstance(absent, Call)
        or absent.op != "or"
        or len(absent.args) != 2
        or not all(isinstance(arg, Call) and arg.op == "is_null" for arg in absent.args)
    ):
        return None
    left, right = (arg.args[0] for arg in absent.args if isinstance(arg, Call))
    found = next(
        (op for op in ("eq", "lt", "le", "gt", "ge") if pair(op, left, right, node.span) == node), None
    )
    return Call(BOOLEAN, found, (as_written(left), as_written(right)), node.span) if found else None


def _is_conversion(text: Call, value: Node, other: Node) -> bool:
    """Whether these are the two ways of a conversion of a JSON value."""
    own = _OWN.get(text.type)
    if (
        own is None
        or text.op not in ("to_int", "to_double", "to_boolean")
        or text.args[0] != convert(value, STRING)
    ):
        return False
    read = convert(value, own)
    whole = overflow.unguarded(other) if isinstance(other, Call) else None
    return (whole or other) == (Call(BIGINT, "to_int", (read,)) if text.op == "to_int" else read)
