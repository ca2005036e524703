"""Rules of JsonLogic, as jsonlogic.com has its operations, with JavaScript's coercions of null, booleans,
strings and numbers (ECMA-262, abstract equality and relational comparison).
"""

import json
import math
import operator
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def accepts(text: str, message: Mapping[str, Any]) -> bool:
    return _truth(_value(json.loads(text), message))


def _truth(value: Any) -> bool:
    return bool(value) and not (isinstance(value, float) and math.isnan(value))


def _value(rule: Any, data: Any) -> Any:
    if not isinstance(rule, dict):
        return [_value(one, data) for one in rule] if isinstance(rule, list) else rule
    ((name, inner),) = rule.items()
    args = inner if isinstance(inner, list) else [inner]
    if name in ("some", "none"):
        found = any(_truth(_value(args[1], one)) for one in _value(args[0], data) or ())
        return found if name == "some" else not found
    if name == "var":
        return _var(data, *args)
    values = [_value(arg, data) for arg in args]
    match name:
        case "and" | "or":
            return (all if name == "and" else any)(map(_truth, values))
        case "!":
            return not _truth(values[0])
        case "if":
            return values[1 if _truth(values[0]) else 2]
        case "==" | "!=":
            return _equal(*values) is (name == "==")
        case "===" | "!==":
            return _identical(*values) is (name == "===")
        case "in":
            return _within(*values)
        case "substr":
            return _part(*values)
        case "cat":
            return "".join("" if value is None else _text(value) for value in values)
        case "+" | "-" | "*":
            return {"+": operator.add, "-": operator.sub, "*": operator.mul}[name](*map(_number, values))
        case "/":
            return _number(values[0]) / _number(values[1])
        case _:
            return all(_ordered(_ORDERS[name], one, other) for one, other in pairwise(values))


def _var(data: Any, path: str, default: Any = None) -> Any:
    for part in path.split(".") if path else ():
        if not isinstance(data, Mapping) or part not in data:
            return default
        data = data[part]
    return data


def _identical(one: Any, other: Any) -> bool:
    kinds = [
        bool if isinstance(value, bool) else float if isinstance(value, int) else type(value)
        for value in (one, other)
    ]
    return kinds[0] is kinds[1] and one == other


def _equal(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    return _number(one) == _number(other)


def _ordered(order: Callable[[Any, Any], bool], one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return order(one, other)
    return order(_number(one), _number(other))


def _number(value: Any) -> float:
    if isinstance(value, str):
        try:
            return float(value.strip() or 0)
        except ValueError:
            return math.nan
    return float(value or 0)


def _text(value: Any) -> str:
    constants = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return constants[value]
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _within(needle: Any, where: Any) -> bool:
    if isinstance(where, list):
        return any(_identical(needle, one) for one in where)
    return isinstance(where, str) and bool(where) and _text(needle) in where


def _part(source: Any, start: int, count: int | None = None) -> str:
    text = _text(source)[start:]
    return text if count is None else text[:count]
