"""CEL's `key in value`: the keys of a map, the keys of a JSON object or the elements of a JSON array."""

from __future__ import annotations

from predicat.forms.conversions import convert
from predicat.forms.json_values import is_kind
from predicat.forms.logic import present, unknown_without
from predicat.ir.nodes import Call, Literal, Node, Quantifier, Variable
from predicat.ir.types import BOOLEAN, JSON, NULL, STRING, MapType
from predicat.lower import json


def in_json(call: Call) -> Node | None:
    """Whether a JSON object has a key, or a JSON array an element."""
    key, base = call.args[:2]
    if base.type != JSON:
        return None
    item = call.args[2]
    assert isinstance(item, Variable)  # noqa: S101  # the check makes it
    span = call.span
    equal = Call(BOOLEAN, "eq", (item, key), span)
    null = Call(BOOLEAN, "is_null", (item,), span)
    same = null if key.type == NULL else json.compare(equal) or json.equal_to_typed(equal) or equal
    member = Quantifier(BOOLEAN, "any", item.name, base, same, span)
    return Call(BOOLEAN, "cond", (is_kind(base, "object", span), _is_key(call), member), span)


def in_map(call: Call) -> Node | None:
    """Whether a map has a key; UNKNOWN if the map or the key is NULL."""
    key, base = call.args[:2]
    if not isinstance(base.type, MapType):
        return None
    value = Call(base.type.value, "get", (base, convert(key, STRING)), call.span)
    return unknown_without(present(value, call.span), [base, key], call.span)


def _is_key(call: Call) -> Node:
    """Whether a JSON object has a key: FALSE for a number or a boolean, UNKNOWN for an object or an array as
    the key.
    """
    key, base = call.args[:2]
    span = call.span
    if key.type not in (STRING, JSON):
        return unknown_without(Literal(BOOLEAN, False, span), [key], span)
    there = present(Call(JSON, "json_get", (base, convert(key, STRING)), span), span)
    if key.type == STRING:
        return there
    scalar = Call(BOOLEAN, "or", (is_kind(key, "number", span), is_kind(key, "boolean", span)), span)
    other = Call(BOOLEAN, "cond", (scalar, Literal(BOOLEAN, False, span), Literal(BOOLEAN, None, span)), span)
    return Call(BOOLEAN, "cond", (is_kind(key, "string", span), there, other), span)
