"""A set of values as a short test of its operand, with the constants that its author knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from predicat.forms.total_order import in_total_order, with_nan_above
from predicat.ir.nodes import TRUE, Call, Items, Literal, Node, walk
from predicat.ir.surface import TOTAL_ORDER
from predicat.ir.types import BOOLEAN, DOUBLE, STRING, ArrayType
from predicat.values.automaton import Opaque
from predicat.values.domain import TEXTS, Domain, after_prefix
from predicat.values.outcomes import accepted
from predicat.values.partition import Partition, any_of

# The first ordinal, and the first one behind it; None at the end of the domain.
Interval = tuple[Any, Any]
# A comparison with the value of an ordinal.
Bound = tuple[str, Any]


def written(operand: Node, values: Partition, tests: Collection[Node]) -> Node | None:
    """A test that accepts the values of a set and no others; None if none is known.

    Args:
        operand: What is tested.
        values: The set.
        tests: Tests of the operand that the set was made of: their constants are used where there is a
            choice, and NaN is written as they do.
    """
    if all(label is True for label in values.labels()):
        return TRUE
    if operand.type == BOOLEAN:
        return None
    try:
        writer = _Writer(operand, values, tests)
    except Opaque:
        return None
    return next((test for test in writer.tests() if _accepts(test, operand) == values), None)


def _accepts(test: Node, operand: Node) -> Partition | None:
    """What a test accepts of an operand; None if that is not known for sure."""
    parts = test.args if isinstance(test, Call) and test.op == "or" else (test,)
    found = [part for part in map(accepted, parts) if part is not None]
    if any(part.operand != operand or part.sure != part.near for part in found) or len(found) < len(parts):
        return None
    return any_of([part.sure for part in found])


def between(
    operand: Node, values: Domain, interval: Interval, bound: Callable[[Sequence[Bound]], Node]
) -> Node:
    """Whether an operand lies in an interval. The ends of a domain that is closed there are no bounds.

    Args:
        operand: What is tested.
        values: Its values.
        interval: Some of them.
        bound: Writes one of several bounds that are the same.
    """
    start, end = interval
    bounds = []
    if start != values.least or not values.closed_below:
        bounds.append(bound(bounds_at(values, start, below=False)))
    if end is None and not values.closed_above:
        bounds.append(bound([("le", values.greatest)]))
    if end is not None:
        bounds.append(bound(bounds_at(values, end, below=True)))
    return joined("and", bounds or [Call(BOOLEAN, "not", (_is_null(operand),), operand.span)])


def bounds_at(values: Domain, ordinal: Any, *, below: bool) -> list[Bound]:
    """The bounds that all values below an ordinal have, or all others: by it, and by the one before."""
    at, before = ("lt", "le") if below else ("ge", "gt")
    if values is TEXTS:
        return [(at, ordinal), *([(before, ordinal[:-1])] if ordinal.endswith("\0") else [])]
    return [(at, ordinal), *([(before, ordinal - 1)] if ordinal > values.least else [])]


def _is_null(operand: Node) -> Call:
    return Call(BOOLEAN, "is_null", (operand,), operand.span)


def joined(op: str, parts: Sequence[Node]) -> Node:
    """The AND or OR of conditions."""
    return parts[0] if len(parts) == 1 else Call(BOOLEAN, op, tuple(parts), parts[0].span)


def _closed(values: Domain) -> Domain:
    is_closed = values.closed_below and values.closed_above
    return values if is_closed else replace(values, closed_below=True, closed_above=True)


class _Writer:
    def __init__(self, operand: Node, values: Partition, tests: Collection[Node]) -> None:
        self.operand, self.values, self.span = operand, values, next(iter(tests)).span
        parts = [part for test in tests for part in walk(test)]
        literals = [part.value for part in parts if isinstance(part, Literal) and part.type == operand.type]
        self.ranks: Mapping[Any, int] = {value: place for place, value in reversed([*enumerate(literals)])}
        self.is_surface = any(isinstance(part, Call) and part.op == TOTAL_ORDER for part in parts)
        self.intervals = values.intervals()
        # No bound stands for what lies behind the calendar: then the test is compared with the set.
        self.domain = _closed(values.domain)
        self.others = self._gaps()

    def _gaps(self) -> list[Interval]:
        """What lies between, before and behind the intervals."""
        least = self.domain.least
        ends = [least, *(end for _, end in self.intervals)]
        starts = [*(start for start, _ in self.intervals), None]
        return [
            (end, start) for end, start in zip(ends, starts, strict=True) if end is not None and end != start
        ]

    def tests(self) -> Iterator[Node]:
        """Tests that may have the values of the set, the shortest first."""
        absent = self.call("is_null") if self.values.others[0] is True else None
        for engines in (True, False) if self.operand.type == DOUBLE else (False,):
            for parts in (self.all_but(), self.parts(engines=engines)):
                if parts:
                    yield joined("or", [*parts, *([absent] if absent is not None else [])])

    # --- parts

    def all_but(self) -> list[Node]:
        """All values but a few."""
        if not self.others or not all(map(self.is_single, self.others)):
            return []
        if len(self.others) == 1:
            return [self.call("ne", self.literal(self.others[0][0]))]
        return [Call(BOOLEAN, "not", (self.listed(self.others),), self.span)]

    def parts(self, *, engines: bool) -> list[Node]:
        """The intervals, the single values as one list."""
        singles = [one for one in self.intervals if self.is_single(one)]
        longer = [self.between(one, engines=engines) for one in self.intervals if not self.is_single(one)]
        return [*([self.listed(singles)] if singles else []), *longer]

    def is_single(self, interval: Interval) -> bool:
        """Whether an interval has one value."""
        start, end = interval
        return end == self.domain.next(start) or (end is None and start == self.domain.greatest)

    def listed(self, singles: Sequence[Interval]) -> Node:
        """An equality, or an IN with the values in the order in which the tests had them."""
        values = [self.domain.value(start) for start, _ in singles]
        items = tuple(Literal(self.operand.type, value, self.span) for value in sorted(values, key=self.rank))
        if len(items) == 1:
            return self.call("eq", items[0])
        return self.call("in", Items(ArrayType(self.operand.type), items, self.span))

    def rank(self, value: Any) -> int:
        """The place of a constant in the tests; behind all for one that is in none."""
        return self.ranks.get(value, len(self.ranks))

    def between(self, interval: Interval, *, engines: bool) -> Node:
        """Whether the operand lies in an interval."""
        start, end = interval
        if self.operand.type == STRING and start and end == after_prefix(start):
            return self.call("starts_with", Literal(STRING, start, self.span))
        return between(self.operand, self.domain, interval, partial(self.bound, engines=engines))

    def bound(self, ways: Sequence[Bound], *, engines: bool) -> Node:
        """The bound whose constant is in the tests, or has fewer digits."""
        same = [(op, self.domain.value(at)) for op, at in ways]
        op, value = min(same, key=lambda way: (self.rank(way[1]), len(str(way[1]))))
        literal = Literal(self.operand.type, value, self.span)
        if not engines:
            return self.call(op, literal)
        if self.is_surface:
            return with_nan_above(Call(BOOLEAN, op, (self.operand, literal), self.span))
        return in_total_order(op, self.operand, literal, self.span)

    # --- nodes

    def literal(self, ordinal: Any) -> Literal:
        return Literal(self.operand.type, self.domain.value(ordinal), self.span)

    def call(self, op: str, *args: Node) -> Call:
        return Call(BOOLEAN, op, (self.operand, *args), self.span)
