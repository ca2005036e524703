"""Expressions of Iceberg as its Java library evaluates them: NULL is below every value, NaN above every
number, and -0.0 below 0.0. Source: Apache Iceberg, `Evaluator` and `Literals`.
"""

import json
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any


def accepts(text: str, message: Mapping[str, Any]) -> bool:
    """Whether the expression is TRUE for a row."""
    return holds(json.loads(text), message)


def holds(form: Any, row: Mapping[str, Any]) -> bool:
    """Whether an expression, as data, is TRUE for a row."""
    if isinstance(form, bool):
        return form
    match form["type"]:
        case "and":
            return holds(form["left"], row) and holds(form["right"], row)
        case "or":
            return holds(form["left"], row) or holds(form["right"], row)
        case "not":
            return not holds(form["child"], row)
        case kind:
            value: Any = row
            for part in form["term"].split("."):
                value = None if value is None else value.get(part)
            return _TESTS[kind](value, form)


def _order(value: Any) -> tuple[Any, ...]:
    if value is None:
        return (0,)
    if isinstance(value, float):
        return (2,) if math.isnan(value) else (1, value, math.copysign(1, value))
    return (1, value)


def _compared(wanted: Callable[[int], bool]) -> Callable[[Any, Mapping[str, Any]], bool]:
    def test(value: Any, form: Mapping[str, Any]) -> bool:
        one, other = _order(value), _order(_typed(form["value"], value))
        return wanted((one > other) - (one < other))

    return test


def _typed(constant: Any, value: Any) -> Any:
    """The constant as a value of the type of a column."""
    match value:
        case datetime():
            moment = datetime.fromisoformat(constant)
            return moment if moment.tzinfo else moment.replace(tzinfo=value.tzinfo)
        case date():
            return date.fromisoformat(constant)
        case Decimal():
            return Decimal(constant)
        case _:
            return constant


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _starts(value: Any, form: Mapping[str, Any]) -> bool:
    return value is not None and value.startswith(form["value"])


def _among(value: Any, form: Mapping[str, Any]) -> bool:
    return value is not None and _order(value) in [_order(_typed(item, value)) for item in form["values"]]


_TESTS: dict[str, Callable[[Any, Mapping[str, Any]], bool]] = {
    "is-null": lambda value, _: value is None,
    "not-null": lambda value, _: value is not None,
    "is-nan": lambda value, _: _is_nan(value),
    "not-nan": lambda value, _: not _is_nan(value),
    "eq": _compared(lambda order: order == 0),
    "not-eq": _compared(lambda order: order != 0),
    "lt": _compared(lambda order: order < 0),
    "lt-eq": _compared(lambda order: order <= 0),
    "gt": _compared(lambda order: order > 0),
    "gt-eq": _compared(lambda order: order >= 0),
    "starts-with": _starts,
    "not-starts-with": lambda value, form: not _starts(value, form),
    "in": _among,
    "not-in": lambda value, form: not _among(value, form),
}
