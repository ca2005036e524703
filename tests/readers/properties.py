"""Filters over the properties of messages: PeeGeeQ's headers ("Server-Side Filtering Technical Plan": the SQL
of each operator) and Pulsar's proposal "Message filtering expression" (operators and types of Expr).
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.readers.grammar import both, either, like, negation


def headers(text: str, message: Mapping[str, str]) -> bool:
    return _headers(json.loads(text), message)


def _headers(filter_: Mapping[str, Any], message: Mapping[str, str]) -> bool:
    ((operator, body),) = filter_.items()
    if operator in ("and", "or"):
        return (all if operator == "and" else any)(_headers(one, message) for one in body)
    ((key, wanted),) = body.items()
    value = message.get(key)
    if value is None:  # in SQL it is NULL
        return False
    return {
        "headerEquals": lambda: value == wanted,
        "headerNotEquals": lambda: value != wanted,
        "headerIn": lambda: value in wanted,
        "headerLike": lambda: like(value, wanted, "\\"),
    }[operator]()


def pip(text: str, message: Mapping[str, Any]) -> bool:
    return _pip(json.loads(text), message) is True


def pulsar(text: str, message: Mapping[str, Any]) -> bool:
    return _expr(json.loads(text), message) is True


def _pip(filter_: Mapping[str, Any], message: Mapping[str, Any]) -> bool | None:
    for word, joined in (("and", both), ("or", either)):
        if word in filter_:
            outcome, *rest = (_pip(one, message) for one in filter_[word])
            for one in rest:
                outcome = joined(outcome, one)
            return outcome
    if "not" in filter_:
        return negation(_pip(filter_["not"], message))
    values = filter_["values"] if "values" in filter_ else [filter_["value"]]
    kind = {int: "LONG", float: "DOUBLE"}.get(type(values[0]), "STRING")
    return _tested(message.get(filter_.get("ref") or filter_["property"]), filter_["op"], kind, values)


def _expr(expr: Mapping[str, Any], message: Mapping[str, Any]) -> bool | None:
    match expr["tp"]:
        case "NOT":
            return negation(_expr(expr["op1"], message))
        case "AND":
            return both(_expr(expr["op1"], message), _expr(expr["op2"], message))
        case "OR":
            return either(_expr(expr["op1"], message), _expr(expr["op2"], message))
    predicate = expr["predicate"]
    name = predicate["name"] if predicate["ref"] == "PROPERTY" else predicate["ref"].lower()
    kind = predicate.get("ty", "STRING")
    return _tested(
        message.get(name), predicate["op"], kind, [_CASTS[kind](one) for one in predicate["values"]]
    )


def _tested(value: Any, op: str, kind: str, wanted: list[Any]) -> bool | None:
    """A test of a value as a type; unknown if it is missing or no value of the type."""
    if value is None or (kind != "STRING" and not _NUMBER[kind].fullmatch(str(value))):
        return None
    return _OPERATORS[op](_CASTS[kind](value), wanted)


_NUMBER = {
    "LONG": re.compile(r"[-+]?[0-9]+"),
    "DOUBLE": re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"),
}
_CASTS: dict[str, Callable[[Any], Any]] = {"STRING": str, "LONG": int, "DOUBLE": float}
_OPERATORS: dict[str, Callable[[Any, list[Any]], bool]] = {
    "EQUALS": lambda value, wanted: value == wanted[0],
    "NOT_EQUALS": lambda value, wanted: value != wanted[0],
    "IN": lambda value, wanted: value in wanted,
    "NOT_IN": lambda value, wanted: value not in wanted,
    "LESS_THAN": lambda value, wanted: value < wanted[0],
    "LESS_THAN_EQUALS": lambda value, wanted: value <= wanted[0],
    "GREATER_THAN": lambda value, wanted: value > wanted[0],
    "GREATER_THAN_EQUALS": lambda value, wanted: value >= wanted[0],
    "STARTS_WITH": lambda value, wanted: value.startswith(wanted[0]),
    "STARTS_WITH_IGNORE_CASE": lambda value, wanted: value.lower().startswith(wanted[0].lower()),
    "CONTAINS": lambda value, wanted: wanted[0] in value,
    "CONTAINS_IGNORE_CASE": lambda value, wanted: wanted[0].lower() in value.lower(),
    "DOES_NOT_CONTAIN": lambda value, wanted: wanted[0] not in value,
    "DOES_NOT_CONTAIN_IGNORE_CASE": lambda value, wanted: wanted[0].lower() not in value.lower(),
    "CONTAINS_ANY": lambda value, wanted: any(one in value for one in wanted),
    "CONTAINS_NONE": lambda value, wanted: not any(one in value for one in wanted),
}
