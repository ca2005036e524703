"""Query documents of MongoDB over documents without arrays, as the manual has the operators: comparisons
compare values of one type, null equals what is absent, and `$` of a regular expression is also before a line
break at the end.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$lt": lambda one, other: one < other,
    "$lte": lambda one, other: one <= other,
    "$gt": lambda one, other: one > other,
    "$gte": lambda one, other: one >= other,
}


def accepts(text: str, message: Mapping[str, Any]) -> bool:
    return _query(json.loads(text), message)


def _query(query: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    return all(_entry(key, value, document) for key, value in query.items())


def _entry(key: str, value: Any, document: Mapping[str, Any]) -> bool:
    if key in ("$and", "$or", "$nor"):
        found = [_query(one, document) for one in value]
        return {"$and": all(found), "$or": any(found), "$nor": not any(found)}[key]
    read: Any = document
    for part in key.split("."):
        read = read.get(part) if isinstance(read, Mapping) else None
    return _passes(read, value)


def _passes(read: Any, test: Any) -> bool:
    if not isinstance(test, dict) or not all(name.startswith("$") for name in test):
        return _same(read, test)
    return all(_operator(name, read, value) for name, value in test.items())


def _operator(name: str, read: Any, value: Any) -> bool:
    match name:
        case "$ne":
            return not _same(read, value)
        case "$in":
            return any(_same(read, one) for one in value)
        case "$nin":
            return not any(_same(read, one) for one in value)
        case "$not":
            return not _passes(read, value)
        case "$regex":
            return isinstance(read, str) and re.search(value, read) is not None
        case _:
            return _kind(read) is _kind(value) and read is not None and _ORDERS[name](read, value)


def _same(one: Any, other: Any) -> bool:
    return _kind(one) is _kind(other) and one == other


def _kind(value: Any) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)
