"""Lists of any kind (arrays, JSON arrays, list literals) for CEL's list functions; kinds of values."""

from __future__ import annotations

from predicat.check import collection_literals
from predicat.diagnostics import Span
from predicat.forms import json_values
from predicat.forms.conversions import is_joined, is_union, underlying
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    MapType,
    StructType,
    Type,
    is_numeric,
)


def places(items: Node, span: Span) -> Node | None:
    """The indexes of a list, from 0; None for a value that is not a list."""
    if collection_literals.is_list(items):
        assert isinstance(items, Items)  # noqa: S101  # it is a list
        return Items(
            ArrayType(BIGINT), tuple(Literal(BIGINT, place, span) for place in range(len(items.items))), span
        )
    if isinstance(items.type, ArrayType):
        return Call(ArrayType(BIGINT), "range", (Call(BIGINT, "size", (items,), span),), span)
    if items.type != JSON:
        return None
    size = Call(BIGINT, "json_size", (items,), span)
    listed = Call(
        BIGINT, "cond", (json_values.is_kind(items, "array", span), size, Literal(BIGINT, None, span)), span
    )
    return Call(ArrayType(BIGINT), "range", (listed,), span)


def joined(parts: tuple[Node, ...], span: Span) -> Node:
    """A concatenation of lists, some of which may only be lists in some rows. Macros, `in` and size() expand
    it.
    """
    flat = [inner for part in parts for inner in (part.args if is_joined(part) else (part,))]
    return Call(ArrayType(JSON), "joined", tuple(flat), span)


def is_list(node: Node) -> bool:
    """Whether a node is a list in every row; for a choice, whether one of its values is."""
    if is_union(node):
        return any(map(is_list, node.args[1:]))
    return collection_literals.is_list(node) or (
        isinstance(node.type, ArrayType) and not isinstance(node, Items)
    )


def may_be_list(node: Node) -> bool:
    """Whether a node is a list, or a JSON value."""
    return is_list(node) or underlying(node).type == JSON


def are_one_array(left: Node, right: Node) -> bool:
    """Whether the concatenation of two lists is an array or a list literal."""
    kinds = [node.type for node in (left, right)]
    if any(is_joined(node) or not isinstance(node.type, ArrayType) for node in (left, right)):
        return False
    return (
        all(isinstance(node, Items) for node in (left, right))
        or kinds[0] == kinds[1]
        or ArrayType(NULL) in kinds
    )


def of_kind(node: Node) -> str:
    """`text`, `list`, `map` or `json`, or the name of another type."""
    if isinstance(node, Items):
        return "map" if collection_literals.is_map(node) else "list"
    match node.type:
        case ArrayType():
            return "list"
        case MapType() | StructType():
            return "map"
        case kind:
            return _KINDS.get(kind, str(kind))


_KINDS: dict[Type, str] = {STRING: "text", JSON: "json"}
_IN_JSON = {"text": "string", "list": "array", "map": "object"}


def is_json(node: Node, kind: str, span: Span) -> Node:
    """Whether a JSON value is of a kind: `text`, `list` or `map`."""
    return json_values.is_kind(node, _IN_JSON[kind], span)


def has_type(node: Node, name: str, span: Span) -> Node:
    """Whether a value has a type of CEL. A JSON number without fraction is an int, any other a double:
    engines do not distinguish 1 from 1.0.
    """
    node = node if isinstance(node, Items) else underlying(node)
    if name == "null_type":
        return Call(BOOLEAN, "is_null", (node,), span)
    if node.type != JSON:
        own = _TYPES.get(node.type) or ("double" if is_numeric(node.type) else of_kind(node))
        return collection_literals.unknown_if_missing(Literal(BOOLEAN, own == name, span), [node], span)
    if name not in ("int", "double"):
        kind = _JSON_TYPES.get(name)
        return (
            json_values.is_kind(node, kind, span)
            if kind
            else collection_literals.unknown_if_missing(Literal(BOOLEAN, False, span), [node], span)
        )
    whole: Node = Call(BOOLEAN, "is_null", (json_values.whole(node, span),), span)
    whole = Call(BOOLEAN, "not", (whole,), span) if name == "int" else whole
    number = json_values.is_kind(node, "number", span)
    return Call(BOOLEAN, "cond", (number, whole, Literal(BOOLEAN, False, span)), span)


_TYPES: dict[Type, str] = {
    STRING: "string",
    BIGINT: "int",
    DOUBLE: "double",
    BOOLEAN: "bool",
    NULL: "null_type",
    TIMESTAMP: "google.protobuf.Timestamp",
    DATE: "google.protobuf.Timestamp",
    DURATION: "google.protobuf.Duration",
}
_JSON_TYPES = {"string": "string", "bool": "boolean", "list": "array", "map": "object"}
# The types with which `type(x)` may be compared. No value is a `uint`.
TYPE_NAMES = frozenset({*_TYPES.values(), *_JSON_TYPES, "uint"})
