"""Functions of arrays, maps and structs. A missing element is UNKNOWN."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

from predicat.ir.nodes import Call
from predicat.ir.types import BIGINT
from predicat.ir.values import RANGE_MOST, SUM_MOST
from predicat.semantics.arithmetic import int64
from predicat.semantics.closures import Choose, Function
from predicat.semantics.functions.logic import larger, smaller


def _extreme_of(choose: Callable[[Any, Any], Any]) -> Function:
    def run(items: list[Any]) -> Any:
        return reduce(choose, items) if items and not any(item is None for item in items) else None

    return run


def at(items: Any, position: int) -> Any:
    """The element at a position, from 0; None beyond the ends."""
    return items[position] if 0 <= position < len(items) else None


def _sum(node: Call) -> Function:
    return _sum_of_integers if node.type == BIGINT else _sum_of_doubles


def _sum_of_integers(items: list[int | None]) -> int | None:
    known = [item for item in items if item is not None]
    return int64(sum(known)) if len(known) == len(items) else None


def _sum_of_doubles(items: list[float | None]) -> float | None:
    """The sum of doubles, rounded after each step as engines do. Python's `sum` rounds once, at the end."""
    total = 0.0
    for item in items:
        if item is None or SUM_MOST < abs(item) < math.inf:
            return None
        total += item
    return total


FUNCTIONS: dict[str, Function] = {
    "get": lambda value, key: value.get(key),
    "member": lambda value, key: value.get(key),
    "index": at,
    "size": len,
    "array": lambda *items: list(items),
    "array_position": lambda items, value: items.index(value) + 1 if value in items else 0,
    "array_eq": lambda a, b: None if any(item is None for item in [*a, *b]) else a == b,
    "array_concat": lambda a, b: [*a, *b],
    "range": lambda count: list(range(count)) if 0 <= count <= RANGE_MOST else None,
    "array_max": _extreme_of(larger),
    "array_min": _extreme_of(smaller),
    "keys": list,
    "dyn": lambda value: value,
}
CHOSEN: dict[str, Choose] = {"sum": _sum}
