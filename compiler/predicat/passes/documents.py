"""JSON values whose kind only the row knows: what CEL's brackets and `size` find in them, and the way back."""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node, rewrite_children
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING
from predicat.passes.convert import convert


def element(base: Node, key: Node, span: Span) -> Node:
    """`base[key]`: the member whose name the key is, or the element at the place that it is."""
    number = convert(key, DOUBLE)
    place = Call(BIGINT, "to_int", (number,), span)
    whole = Call(BOOLEAN, "eq", (Call(DOUBLE, "to_double", (place,), span), number), span)
    found = Call(JSON, "cond", (whole, Call(JSON, "json_at", (base, place), span), Literal(JSON, None, span)), span)
    return Call(JSON, "cond", (_is_text(key, span), Call(JSON, "json_get", (base, convert(key, STRING)), span), found), span)


def size(value: Node, span: Span) -> Node:
    """The elements or keys of a JSON value; the characters, if it is a text."""
    many = Call(BIGINT, "json_size", (value,), span)
    return Call(BIGINT, "cond", (_is_text(value, span), Call(BIGINT, "length", (convert(value, STRING),), span), many), span)


def _is_text(value: Node, span: Span) -> Node:
    return Call(BOOLEAN, "json_is", (value, Literal(STRING, "string", span)), span)


def as_written(node: Node) -> Node:
    """The node with its choices by kind as the brackets and sizes that they were, for writers; it is not typed any more."""
    node = rewrite_children(node, as_written)
    if not isinstance(node, Call) or node.op != "cond" or not isinstance(node.args[1], Call):
        return node
    kind, text = node.args[0], node.args[1]
    if not isinstance(kind, Call) or kind.op != "json_is":
        return node
    if text.op == "json_get" and element(text.args[0], kind.args[0], node.span) == node:
        return Call(JSON, "json_get", (text.args[0], kind.args[0]), node.span)
    return Call(BIGINT, "json_size", (kind.args[0],), node.span) if size(kind.args[0], node.span) == node else node
