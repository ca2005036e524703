"""Writes JsonLogic.

A rule has no UNKNOWN: null is a value, which `<` takes for 0. So a test that may be UNKNOWN also asks whether
its fields are there, unless it is false for null anyway.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import (
    Call,
    Field,
    Items,
    Literal,
    Node,
    Quantifier,
    Variable,
    children,
    fields_of,
    walk,
)
from predicat.ir.operators import BY_KEY, COMPARISONS, JSON_READS, JUNCTIONS, ORDERED
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, DecimalType, Type
from predicat.language.common.key_tests import operand_of_is_true, refuse
from predicat.rewrite.acceptance import never_unknown

NAME = "jsonlogic"
# Types whose values JSON has too.
_PLAIN = (STRING, BIGINT, DOUBLE, BOOLEAN)
_AFFIXES = ("starts_with", "ends_with")
# What a rule writes for null.
_NULL_TEXT = "null"


def write(node: Node) -> str:
    """The predicate as a rule. Raises Unsupported."""
    return json.dumps(_test(node), ensure_ascii=False)


def _refused(node: Node, reason: str = say.JSONLOGIC_HAS_NO_OPERATOR) -> Exception:
    return refuse(NAME, node, reason)


# --- tests


def _test(node: Node) -> Any:
    """A predicate that is never UNKNOWN, as a rule."""
    inner = operand_of_is_true(node)
    if inner is not None:
        return _decided(inner, holds=True)
    match node:
        case Literal(_, bool() as value):
            return value
        case Call(_, op, args) if op in JUNCTIONS:
            return {op: [_test(arg) for arg in args]}
        case Call(_, "not", (arg,)):
            return {"!": _test(arg)}
        case Call(_, "is_null", (arg,)):
            return {"==": [_value(arg), None]}
        case Call(_, "cond", (condition, yes, no)):
            return {"if": [_decided(condition, holds=True), _test(yes), _test(no)]}
        case Quantifier():
            return _quantified(node, holds=True)
        case Call(_, op) if op in _TESTS:
            return _TESTS[op](node)
        case _:
            raise _refused(node)


def _decided(node: Node, *, holds: bool) -> Any:
    """Whether a predicate is TRUE, or whether it is FALSE; neither if it is UNKNOWN."""
    if isinstance(node, Call) and node.op == "not":
        return _decided(node.args[0], holds=not holds)
    if never_unknown(node):
        return _test(node) if holds else {"!": _test(node)}
    if isinstance(node, Call) and node.op in JUNCTIONS:
        joint = "and" if (node.op == "and") == holds else "or"
        return {joint: [_decided(arg, holds=holds) for arg in node.args]}
    if isinstance(node, Quantifier):
        return _quantified(node, holds=holds)
    if _is_read(node):
        return {"===": [_value(node), holds]}
    if not isinstance(node, Call) or node.op not in _TESTS:
        raise _refused(node)
    if holds and _false_for_null(node):
        return _TESTS[node.op](_of_kind(node))
    rule = _TESTS[node.op](node)
    there = [{"!=": [_value(key), None]} for key in _keys(node)]
    return {"and": [*there, rule if holds else {"!": rule}]}


def _false_for_null(node: Call) -> bool:
    """Whether a test is false if its field is null, also in JavaScript."""
    value, *others = node.args
    constants = [item.value for other in others for item in _items(other) if isinstance(item, Literal)]
    if len(constants) != sum(len(_items(other)) for other in others) or None in constants:
        return False
    if node.op in _AFFIXES:
        return str(constants[0]) not in _NULL_TEXT
    return node.op in ("eq", "in", "contains") and _is_read(_of_json(value))


def _of_kind(node: Call) -> Call:
    """The test without the condition that a JSON value is of the kind of the constants: === has it too."""
    if node.op not in ("eq", "in"):
        return node
    return Call(node.type, node.op, (_of_json(node.args[0]), *node.args[1:]), node.span)


def _of_json(node: Node) -> Node:
    return node.args[0] if isinstance(node, Call) and node.op in JSON_READS else node


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else (node,)


def _is_read(node: Node) -> bool:
    return isinstance(node, Field | Variable) or (isinstance(node, Call) and node.op in BY_KEY)


def _keys(node: Node) -> list[Node]:
    """The fields and members that make a test UNKNOWN where they are missing."""
    found: list[Node] = []
    for part in _strict(node):
        if _is_read(part) and part not in found:
            found.append(part)
    return found


def _strict(node: Node) -> Iterator[Node]:
    if _is_read(node):
        yield node
        return
    if never_unknown(node) or (isinstance(node, Call) and node.op == "coalesce"):
        return
    for child in children(node):
        yield from _strict(child)


def _equality(node: Call) -> Any:
    """=== and !==: null equals null there, so the caller asks for it."""
    kinds = [arg.type for arg in node.args]
    if kinds.count(JSON) > 1 or not all(kind == JSON or _is_plain(kind) for kind in kinds):
        raise _refused(node, say.JSONLOGIC_CONVERTS)
    sides = [
        _value(arg)
        if isinstance(arg, Literal) or _is_read(arg) or arg.type != BOOLEAN
        else _decided(arg, holds=True)
        for arg in node.args
    ]
    return {{"eq": "===", "ne": "!=="}[node.op]: sides}


def _order(node: Call) -> Any:
    if not all(_is_plain(arg.type) for arg in node.args):
        raise _refused(node, say.JSONLOGIC_CONVERTS)
    return {COMPARISONS[node.op].sign: [_value(arg) for arg in node.args]}


def _is_plain(kind: Type) -> bool:
    return kind in _PLAIN or isinstance(kind, DecimalType)


def _membership(node: Call) -> Any:
    value, items = node.args[:2]
    if len(node.args) == 2 and isinstance(items, Items) and items.items:
        return {"in": [_value(value), [_value(item) for item in items.items]]}
    raise _refused(node)


def _containment(node: Call) -> Any:
    value, part = node.args
    if not isinstance(part, Literal) or not part.value:
        raise _refused(node)
    return {"in": [_value(part), _value(value)]}


def _affix(node: Call) -> Any:
    """The start or the end of a string, as a part of it: the library has no operator for it."""
    value, part = node.args
    affix = part.value if isinstance(part, Literal) else None
    if not isinstance(affix, str) or not affix or any(ord(char) > 0xFFFF for char in affix):
        raise _refused(node)
    places = [0, len(affix)] if node.op == "starts_with" else [-len(affix)]
    return {"===": [{"substr": [_value(value), *places]}, affix]}


def _quantified(node: Quantifier, *, holds: bool) -> Any:
    """Whether a macro is TRUE or FALSE. `all` of an empty list is false in JsonLogic."""
    others = [part for part in walk(node.body) if isinstance(part, Variable) and part.name != node.variable]
    if node.kind not in ("any", "all") or fields_of(node.body) or others or node.source.type == JSON:
        raise _refused(node)
    source = _value(node.source)
    if (node.kind == "any") == holds:
        return {"some": [source, _decided(node.body, holds=holds)]}
    return {"and": [{"!=": [source, None]}, {"none": [source, {"!": _decided(node.body, holds=holds)}]}]}


_TESTS: Mapping[str, Callable[[Call], Any]] = {
    **dict.fromkeys(("eq", "ne"), _equality),
    **dict.fromkeys(ORDERED, _order),
    "in": _membership,
    "contains": _containment,
    **dict.fromkeys(_AFFIXES, _affix),
}


# --- values

_CALCULATED = {"add": "+", "sub": "-", "mul": "*", "fdiv": "/"}


def _value(node: Node) -> Any:
    """A value as a rule."""
    match node:
        case Literal():
            return _constant(node)
        case Field(_, decl):
            return {"var": decl.name}
        case Variable():
            return {"var": ""}
        case Call(_, op) if op in BY_KEY:
            return {"var": _path(node)}
        case Call(_, "coalesce", (first, Literal() as default)) if _is_read(first):
            return {"var": [_value(first)["var"], _constant(default)]}
        case Call(_, "to_double", (arg,)) if arg.type == BIGINT:
            return _value(arg)
        case Call(kind, op, args) if op in _CALCULATED and kind == DOUBLE:
            return {_CALCULATED[op]: [_value(arg) for arg in args]}
        case Call(_, "concat", args) if all(arg.type == STRING for arg in args):
            return {"cat": [_value(arg) for arg in args]}
        case Call(kind, "cond", (condition, yes, no)) if kind != JSON:
            return {"if": [_decided(condition, holds=True), _value(yes), _value(no)]}
        case _:
            raise _refused(node)


def _path(node: Node) -> str:
    match node:
        case Field(_, decl):
            return decl.name
        case Variable():
            return ""
        case Call(_, op, (base, Literal(_, str() as key))) if op in BY_KEY and key and "." not in key:
            before = _path(base)
            return f"{before}.{key}" if before else key
        case _:
            raise _refused(node)


def _constant(node: Literal) -> Any:
    match node.value:
        case None | bool() | str():
            return node.value
        case int() if abs(node.value) < 2**53:
            return node.value
        case float() if math.isfinite(node.value):
            return node.value
        case Decimal() if Decimal(float(node.value)) == node.value:
            return float(node.value)
        case _:
            raise _refused(node, say.JSONLOGIC_CONSTANTS)
