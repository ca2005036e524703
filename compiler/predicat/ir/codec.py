"""Typed nodes as JSON data and back, for lock files and manifests. Positions in files are not kept."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, assert_never

from predicat.ir.nodes import (
    Call,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    ParamDecl,
    Parameter,
    Quantifier,
    Variable,
)
from predicat.ir.operators import OPS, QUANTIFIERS
from predicat.ir.syntax import Value
from predicat.ir.types import ANY, DURATION, NULL, Type, parse_type
from predicat.ir.value_sets import ValueSet

_INNER = {"duration": DURATION, "null": NULL, "any": ANY}


def to_data(node: Node) -> list[Any]:
    """A node as nested lists of strings and numbers."""
    match node:  # the common ones first
        case Call():
            return [node.op, str(node.type), *map(to_data, node.args)]
        case Field():
            return ["field", node.decl.name, str(node.type), node.decl.nulls]
        case Literal():
            return ["const", str(node.type), value_data(node.value)]
        case Parameter():
            decl = node.decl
            return ["param", decl.name, str(decl.type), decl.required, value_data(decl.default)]
        case Variable(kind, name):
            return ["var", name, str(kind)]
        case Items(kind, items):
            return ["items", str(kind), *map(to_data, items)]
        case Quantifier(kind, which, variable, source, body):
            return [f"each {which}", str(kind), variable, to_data(source), to_data(body)]
        case _:
            assert_never(node)


def from_data(data: Any) -> Node:
    """The node from its data. Raises ValueError for data that `to_data` never writes."""
    match data:
        case ["const", str(kind), value]:
            return Literal(_type(kind), data_value(value))
        case ["field", str(name), str(kind), str(nulls)]:
            return Field(_type(kind), FieldDecl(name, _type(kind), nulls=nulls))
        case ["param", str(name), str(kind), bool(required), default]:
            return Parameter(_type(kind), ParamDecl(name, _type(kind), data_value(default), required))
        case ["var", str(name), str(kind)]:
            return Variable(_type(kind), name)
        case ["items", str(kind), *items]:
            return Items(_type(kind), tuple(map(from_data, items)))
        case [str(each), str(kind), str(variable), source, body] if each.removeprefix(
            "each "
        ) in QUANTIFIERS and each.startswith("each "):
            return Quantifier(
                _type(kind), each.removeprefix("each "), variable, from_data(source), from_data(body)
            )
        case [str(op), str(kind), *args] if op in OPS:
            return Call(_type(kind), op, tuple(map(from_data, args)))
        case _:
            raise ValueError("it is not a predicate that this version of predicat can read")


def _type(text: str) -> Type:
    return _INNER.get(text) or parse_type(text)


def value_data(value: Value) -> Any:
    """A constant as JSON. A value that JSON does not support is a list of its kind and its text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else ["double", repr(value)]
        case Decimal():
            return ["decimal", str(value)]
        case datetime():
            return ["timestamp", value.astimezone(UTC).isoformat()]
        case date():
            return ["date", value.isoformat()]
        case timedelta():
            return ["duration", value // timedelta(microseconds=1)]
        case ValueSet():
            return ["set", value.digest, value.count]


def data_value(data: Any) -> Value:
    """The constant from its data. Raises ValueError for data that `value_data` never writes."""
    match data:
        case None | bool() | int() | float() | str():
            return data
        case ["double", str(text)]:
            return float(text)
        case ["decimal", str(text)]:
            return Decimal(text)
        case ["timestamp", str(text)]:
            return datetime.fromisoformat(text)
        case ["date", str(text)]:
            return date.fromisoformat(text)
        case ["set", str(digest), int(count)]:
            return ValueSet(digest, count)
        case ["duration", int(number)]:
            return timedelta(microseconds=number)
        case _:
            raise ValueError("it is not a constant that this version of predicat can read")
