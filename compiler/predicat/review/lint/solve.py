"""The values of one field for which a comparison of a monotone expression of it is TRUE, found by bisection
with the evaluator.

An expression is monotone if each of its operators is: it never falls, or never rises, as the field grows.
Then the values for which it is defined are an interval, and those for which it is above a constant, or below,
are one end of that: two bounds say all. What is found here is a candidate: whoever uses it has it proved.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from msgspec import Struct

from predicat.diagnostics import PredicatError
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import monotone_in
from predicat.ir.types import BIGINT, DATE, TIMESTAMP, Type
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.semantics.evaluate import compile_node

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


class Domain(Struct, frozen=True):
    """The values of a type in their order, as whole numbers from `low` to `high`; `middle` is one for which
    most is defined.
    """

    low: int
    high: int
    middle: int
    value: Callable[[int], Any]


class Interval(Struct, frozen=True):
    """The values for which a comparison is TRUE, from `low` to `high`: None where the type ends. `cut` says
    which of the bounds are there only because the expression has no value beyond them, as `n + 1` for the
    largest number.
    """

    low: Any
    high: Any
    cut: tuple[bool, bool] = (False, False)


DOMAINS: dict[Type, Domain] = {
    BIGINT: Domain(INT_MIN, INT_MAX, 0, lambda number: number),
    DATE: Domain(date.min.toordinal(), date.max.toordinal(), date(2000, 1, 1).toordinal(), date.fromordinal),
    TIMESTAMP: Domain(
        (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _TICK,
        (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _TICK,
        0,
        lambda ticks: _EPOCH + ticks * _TICK,
    ),
}


def field_of(node: Node) -> Field | None:
    """The field that an expression is monotone in, if it is one of at least one operator."""
    if not isinstance(node, Call):
        return None
    varying = [place for place, arg in enumerate(node.args) if not isinstance(arg, Literal)]
    if len(varying) != 1 or not monotone_in(node.op, varying[0]) or node.op == "abs":
        return None
    inner = node.args[varying[0]]
    return inner if isinstance(inner, Field) and inner.type in DOMAINS else field_of(inner)


def interval(op: str, node: Node, field: Field, constant: Any) -> Interval | None:
    """The values of the field for which `node op constant` is TRUE; `op` is eq, lt, le, gt or ge. None where
    there is none.
    """
    domain, function, name = DOMAINS[field.type], compile_node(node), field.decl.name

    def at(number: int) -> Any:
        try:
            return function({name: domain.value(number)})
        except (PredicatError, OverflowError):
            return None

    if at(domain.middle) is None:
        return None
    first = _first(domain.low, domain.middle, lambda number: at(number) is not None)
    last = -_first(-domain.high, -domain.middle, lambda number: at(-number) is not None)
    rising = at(first) <= at(last)
    low, high = first, last
    if op in ("eq", "ge", "gt"):
        low, high = _upper(at, first, last, constant, strict=op == "gt", rising=rising)
    if op in ("eq", "le", "lt") and low <= high:
        low, high = _lower(at, low, high, constant, strict=op == "lt", rising=rising)
    if low > high:
        return None
    ends = (low == domain.low, high == domain.high)
    return Interval(
        None if ends[0] else domain.value(low),
        None if ends[1] else domain.value(high),
        (low == first and not ends[0], high == last and not ends[1]),
    )


def _upper(
    at: Callable[[int], Any], low: int, high: int, constant: Any, *, strict: bool, rising: bool
) -> tuple[int, int]:
    """The part of [low, high] where the value is above the constant, or on it unless `strict`."""

    def above(number: int) -> bool:
        return bool(at(number) > constant if strict else at(number) >= constant)

    if rising:
        return _first(low, high + 1, lambda number: number > high or above(number)), high
    return low, -_first(-high, -low + 1, lambda number: -number < low or above(-number))


def _lower(
    at: Callable[[int], Any], low: int, high: int, constant: Any, *, strict: bool, rising: bool
) -> tuple[int, int]:
    """The part of [low, high] where the value is below the constant, or on it unless `strict`."""

    def below(number: int) -> bool:
        return bool(at(number) < constant if strict else at(number) <= constant)

    if not rising:
        return _first(low, high + 1, lambda number: number > high or below(number)), high
    return low, -_first(-high, -low + 1, lambda number: -number < low or below(-number))


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least number from low to high for which something holds; it holds for high, and from some number
    on.
    """
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
