"""Functions of JSON values, as Python's `json` reads them. JSON null and missing members are UNKNOWN."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from predicat.ir.nodes import Call
from predicat.ir.operators import ARRAYS
from predicat.semantics import json_texts
from predicat.semantics.closures import NONE, Choose, Eval, Function, Names, NotStrict, Row
from predicat.semantics.functions.collections import at


def _json_values(_node: Call, args: list[Eval]) -> Eval:
    """The scalar values of a JSON value or a member of it: itself, or the elements of nested arrays."""
    base, key = args[0], args[1] if len(args) > 1 else None

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> list[Any]:
        result = base(row, names, params)
        if key is not None:
            name = key(row, names, params)
            if not isinstance(result, Mapping) or name not in result:
                return []
            result = result[name]
        elif result is None:
            return []
        values = [result]
        for _ in range(ARRAYS):
            values = [inner for value in values for inner in (value if isinstance(value, list) else [value])]
        return values

    return run


def _json_get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _json_at(value: Any, position: int) -> Any:
    return at(value, position) if isinstance(value, list) else None


def _json_kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float() | Decimal():
            return "number"
        case str():
            return "string"
        case Mapping():
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
        return bool(a.keys() == b.keys()) and all(_json_equal(value, b[key]) for key, value in a.items())
    if kind == "array":
        return len(a) == len(b) and all(map(_json_equal, a, b))
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
    "json_get": _json_get,
    "json_at": _json_at,
    "json_is": lambda value, kind: _json_kind(value) == kind,
    "json_eq": _json_equal,
    "json_string": lambda value: value if isinstance(value, str) else None,
    "json_number": _json_number,
    "json_boolean": lambda value: value if isinstance(value, bool) else None,
    "json_items": lambda value: list(value) if isinstance(value, Mapping) else value,
    "json_size": lambda value: len(value) if isinstance(value, Mapping | list) else None,
}
CHOSEN: dict[str, Choose] = {}
NOT_STRICT: dict[str, NotStrict] = {
    "json_values": _json_values,
    "entry_filter": lambda _node, _args: lambda _row, _names=NONE, _params=NONE: None,
}
