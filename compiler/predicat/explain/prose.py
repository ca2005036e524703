"""Typed nodes in plain words."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import assert_never

from msgspec.structs import replace

from predicat.diagnostics.wording import quantity
from predicat.explain.show import plain
from predicat.ir.column_forms import of_field
from predicat.ir.nodes import (
    NOW,
    Call,
    Field,
    Items,
    Literal,
    Node,
    Parameter,
    Quantifier,
    Variable,
    children,
    rewrite_children,
)
from predicat.ir.operators import ARITHMETIC, OPS, ZONED
from predicat.ir.surface import WORDS as SURFACE_WORDS
from predicat.ir.types import JSON, ArrayType, Type
from predicat.ir.value_sets import ValueSet


def describe(node: Node, depth: int = 0) -> str:
    """A node in plain words, in one line."""
    match node:
        case Literal():
            return _literal_words(node)
        case Field():
            return node.decl.name
        case Parameter():
            return "the current time" if node.decl == NOW else f":{node.decl.name}"
        case Variable(_, name):
            return "it" if name.startswith("$") else name
        case Items():
            return f"({', '.join(describe(item, depth + 1) for item in node.items)})"
        case Quantifier():
            return _describe_macro(node, depth)
        case Call():
            return _describe_call(node, depth)
        case _:
            assert_never(node)


def _literal_words(node: Literal) -> str:
    value = node.value
    if value is None:
        return "NULL"
    if isinstance(value, ValueSet):
        return f"the {value.count:,} values of the list {value.name}".rstrip()
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return _interval(value)
    return (
        value.isoformat()
        if isinstance(value, date)
        else str(plain(value) if isinstance(value, Decimal) else value)
    )


def _interval(value: timedelta) -> str:
    """A length of time in its units: `30 days`, `1 hour 30 minutes`."""
    rest, minutes = abs(value), timedelta(minutes=1)
    units = {"day": rest.days, "hour": rest.seconds // 3600, "minute": rest.seconds // 60 % 60}
    seconds = (rest % minutes).total_seconds()
    said = [quantity(count, unit) for unit, count in units.items() if count]
    if seconds or not said:
        said.append(f"{seconds:g} second{'s' if seconds != 1 else ''}")
    return f"{'-' if value < timedelta(0) else ''}{' '.join(said)}"


def is_presence(node: Node) -> bool:
    """Whether a node is `x IS NOT NULL`, which people read as one condition."""
    return isinstance(node, Call) and node.op == "not" and _op(node.args[0]) == "is_null"


def _op(node: Node) -> str:
    return node.op if isinstance(node, Call) else ""


def _describe_macro(node: Quantifier, depth: int) -> str:
    source, body = describe(node.source, depth + 1), describe(node.body, depth + 1)
    kinds = {"any": "some", "all": "every", "one": "just one"}
    if node.kind in kinds:
        return f"{kinds[node.kind]} {node.variable} of {source} has: {body}"
    return (
        f"the elements {node.variable} of {source} with {body}"
        if node.kind == "filter"
        else f"{body} of each {node.variable} of {source}"
    )


def _describe_call(node: Call, depth: int) -> str:
    is_local = any(isinstance(part, Field) and of_field(part) for part in node.args)
    args = [describe(_as_local(arg) if is_local else arg, depth + 1) for arg in node.args]
    match node.op:
        case "and" | "or":
            joined = f" {node.op} ".join(args)
            return f"({joined})" if depth else joined
        case "not" if is_presence(node):
            return f"{describe(children(node.args[0])[0], depth + 1)} has a value"
        case "add_days" | "add_months" if isinstance(node.args[1], Literal):
            return _shifted(args[0], node.args[1].value, node.op.removeprefix("add_").removesuffix("s"))
        case "coalesce":
            return f"{args[0]}, or {' or '.join(args[1:])} if it is missing"
        case "json_values" if len(args) == 1:
            return args[0]
        case "get" | "member" | "json_get" | "json_values":
            key = node.args[1]
            return f"{args[0]}.{key.value}" if isinstance(key, Literal) else f"{args[0]}[{args[1]}]"
        case "in" if not isinstance(node.args[1].type, ArrayType):
            return f"{args[0]} is a key of {args[1]}" + _or_element(node.args[1].type)
        case "null_cases" if _op(node.args[0]) == "is_null":
            return f"{describe(children(node.args[0])[0], depth + 1)} is null"
        case op if SURFACE_WORDS.get(op) == "{0}":
            return describe(node.args[0], depth)
        case op if op in ARITHMETIC:
            return f"({args[0]} {ARITHMETIC[op]} {args[1]})"
        case op:
            words = OPS[op].words if op in OPS else SURFACE_WORDS.get(op, "")
            return (
                words.format(*args, constant=_first(node)) + _zone(node)
                if words
                else f"{op}({', '.join(args)})"
            )


def _as_local(node: Node) -> Node:
    """A constant beside a column of local times, which have no zone."""
    if isinstance(node, Literal) and isinstance(node.value, datetime):
        return replace(node, value=node.value.replace(tzinfo=None))
    return rewrite_children(node, _as_local) if isinstance(node, Items) else node


def _shifted(moment: str, count: object, unit: str) -> str:
    """A date or timestamp shifted by a number of days or months."""
    if not isinstance(count, int):
        return f"({moment} + NULL)"
    return f"({moment} {'-' if count < 0 else '+'} {quantity(abs(count), unit)})"


def _first(node: Call) -> object:
    return node.args[0].value if node.args and isinstance(node.args[0], Literal) else "unit"


def _zone(node: Call) -> str:
    """The time zone of a time, or of a part of it."""
    zone = node.args[1] if node.op in ZONED and len(node.args) > 1 else None
    return f" in {zone.value}" if isinstance(zone, Literal) else ""


def _or_element(kind: Type) -> str:
    return " or one of its elements" if kind == JSON else ""
