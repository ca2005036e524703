"""Functions of JSON values, as Python's `json` reads them. JSON null and missing members are UNKNOWN."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import rows as say
from predicat.ir.nodes import Call, Field, Literal, Node, Variable
from predicat.ir.operators import ARRAYS
from predicat.ir.python_values import DOCUMENT, RowError, document, members
from predicat.semantics import json_texts
from predicat.semantics.closures import NONE, OF_FIELD, Choose, Eval, Function, NotStrict
from predicat.semantics.functions.collections import at


def located(function: Function, where: Node) -> Function:
    """A function of the value of a node, whose errors name the place in the row."""

    def run(*args: Any) -> Any:
        try:
            return function(*args)
        except RowError as error:
            raise bad_row(where, error) from None

    return run


def _of_first(function: Function) -> Choose:
    return lambda node: located(function, node.args[0])


def bad_row(node: Node, error: RowError) -> PredicatError:
    """The error of a row whose value at a node, or inside of it, is not of its type."""
    name = f"{place(node)}{error.path}"
    return PredicatError.of(say.bad_row(name, error.kind, error.value, error.hint))


def place(node: Node) -> str:
    """The name of a value in the row: `a.b[0]`."""
    match node:
        case Field():
            return node.decl.name
        case Variable():
            return node.name.removeprefix(OF_FIELD)
        case Call(_, "json_get" | "json_at", (base, Literal(_, key))):
            return f"{place(base)}{_step(key)}"
        case Call():
            return node.span.text or place(node.args[0])
        case _:
            return node.span.text


def _step(key: Any) -> str:
    return f".{key}" if isinstance(key, str) else f"[{key}]"


def inner(value: Any, step: Any) -> Any:
    """What is inside of a JSON value, at a key or position, as JSON."""
    if type(value) in DOCUMENT:
        return value
    try:
        return document(value)
    except RowError as error:
        raise error.about("json", value).inside(_step(step)) from None


def items_of(value: list[Any]) -> list[Any]:
    """The elements of a JSON array. Raises RowError."""
    return (
        value
        if DOCUMENT.issuperset(map(type, value))
        else [inner(item, position) for position, item in enumerate(value)]
    )


def _json_values(node: Call, args: list[Eval]) -> Eval:
    """The scalar values of a JSON value or a member of it: itself, or the elements of nested arrays."""
    base, key = args[0], args[1] if len(args) > 1 else None

    def values(result: Any, name: str | None) -> list[Any]:
        if name is not None:
            found = member(result, name)
            if found is MISSING:
                return []
            result = found
        elif result is None:
            return []
        values = [result]
        for _ in range(ARRAYS):
            values = [
                item for value in values for item in (items_of(value) if isinstance(value, list) else [value])
            ]
        return values

    within = located(values, node.args[0])
    return lambda row, names=NONE, params=NONE: within(
        base(row, names, params), key(row, names, params) if key is not None else None
    )


MISSING = object()


def member(value: Any, key: str) -> Any:
    """The member of a JSON object; MISSING if it has none of that name. Raises RowError."""
    if type(value) is not dict:
        return MISSING
    found = value.get(key, MISSING)
    if found is MISSING:
        found = members(value).get(key, MISSING)
    return found if found is MISSING else inner(found, key)


def _json_get(node: Call) -> Function:
    def get(value: Any, key: str) -> Any:
        found = member(value, key)
        return None if found is MISSING else found

    slow = located(get, node.args[0])

    def run(value: Any, key: str) -> Any:
        if type(value) is not dict:
            return None
        found = value.get(key)
        return found if found is not None and type(found) in DOCUMENT else slow(value, key)

    return run


def _json_at(value: Any, position: int) -> Any:
    return inner(at(value, position), position) if isinstance(value, list) else None


def _json_null(value: Any, step: str | int) -> bool | None:
    if isinstance(value, dict):
        return value[step] is None if isinstance(step, str) and step in value else None
    if isinstance(value, list) and isinstance(step, int):
        return value[step] is None if 0 <= step < len(value) else None
    return None


def _json_kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float() | Decimal():
            return "number"
        case str():
            return "string"
        case dict():
            return "object"
        case _:
            return "array"


def _json_equal(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    kind = _json_kind(a)
    if kind != _json_kind(b):
        return False
    if kind == "number":
        return _json_number(a) == _json_number(b)
    if kind == "object":
        a, b = members(a), members(b)
        return bool(a.keys() == b.keys()) and all(
            _json_equal(inner(value, key), inner(b[key], key)) for key, value in a.items()
        )
    if kind == "array":
        return len(a) == len(b) and all(map(_json_equal, items_of(a), items_of(b)))
    return bool(a == b)


def _json_number(value: Any) -> float | None:
    try:
        return float(value) if _json_kind(value) == "number" else None
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signaling NaN, which JSON does not have
        return None


FUNCTIONS: dict[str, Function] = {
    "parse_json": json_texts.parse,
    "json_null": _json_null,
    "json_is": lambda value, kind: _json_kind(value) == kind,
    "json_string": lambda value: value if isinstance(value, str) else None,
    "json_number": _json_number,
    "json_boolean": lambda value: value if isinstance(value, bool) else None,
    "json_size": lambda value: len(value) if isinstance(value, dict | list) else None,
}
CHOSEN: dict[str, Choose] = {
    "json_get": _json_get,
    "json_at": _of_first(_json_at),
    "json_eq": _of_first(_json_equal),
    "json_items": _of_first(lambda value: list(members(value)) if isinstance(value, dict) else value),
}
NOT_STRICT: dict[str, NotStrict] = {
    "json_values": _json_values,
    "entry_filter": lambda _node, _args: lambda _row, _names=NONE, _params=NONE: None,
}
