"""A set of values as a short test of its operand, with the constants that its author knows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from predicat.forms.total_order import in_total_order, with_nan_above
from predicat.ir.nodes import TRUE, Call, Items, Literal, Node, walk
from predicat.ir.surface import TOTAL_ORDER
from predicat.ir.types import BOOLEAN, DOUBLE, STRING, ArrayType
from predicat.values.automaton import Opaque
from predicat.values.domain import after_prefix
from predicat.values.outcomes import accepted
from predicat.values.partition import Partition, any_of

# The first ordinal, and the first one behind it; None at the end of the domain.
Interval = tuple[Any, Any]


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


class _Writer:
    def __init__(self, operand: Node, values: Partition, tests: Collection[Node]) -> None:
        self.operand, self.values, self.span = operand, values, next(iter(tests)).span
        parts = [part for test in tests for part in walk(test)]
        literals = [part.value for part in parts if isinstance(part, Literal) and part.type == operand.type]
        self.ranks: Mapping[Any, int] = {value: place for place, value in reversed([*enumerate(literals)])}
        self.is_surface = any(isinstance(part, Call) and part.op == TOTAL_ORDER for part in parts)
        self.intervals = values.intervals()
        self.others = self._gaps()

    def _gaps(self) -> list[Interval]:
        """What lies between, before and behind the intervals."""
        least = self.values.domain.least
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
                    yield self.joined("or", [*parts, *([absent] if absent is not None else [])])

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
        longer = [self.between(*one, engines=engines) for one in self.intervals if not self.is_single(one)]
        return [*([self.listed(singles)] if singles else []), *longer]

    def is_single(self, interval: Interval) -> bool:
        """Whether an interval has one value."""
        start, end = interval
        return end == self.values.domain.next(start) or (end is None and start == self.values.domain.greatest)

    def listed(self, singles: Sequence[Interval]) -> Node:
        """An equality, or an IN with the values in the order in which the tests had them."""
        values = [self.values.domain.value(start) for start, _ in singles]
        items = tuple(Literal(self.operand.type, value, self.span) for value in sorted(values, key=self.rank))
        if len(items) == 1:
            return self.call("eq", items[0])
        return self.call("in", Items(ArrayType(self.operand.type), items, self.span))

    def rank(self, value: Any) -> int:
        """The place of a constant in the tests; behind all for one that is in none."""
        return self.ranks.get(value, len(self.ranks))

    def between(self, start: Any, end: Any, *, engines: bool) -> Node:
        """Whether the operand lies in an interval."""
        values = self.values.domain
        if self.operand.type == STRING and start and end == after_prefix(start):
            return self.call("starts_with", Literal(STRING, start, self.span))
        bounds = []
        if start != values.least:
            bounds.append(self.bound(("ge", start), ("gt", self.before(start)), engines=engines))
        if end is not None:
            bounds.append(self.bound(("lt", end), ("le", self.before(end)), engines=engines))
        return (
            self.joined("and", bounds) if bounds else Call(BOOLEAN, "not", (self.call("is_null"),), self.span)
        )

    def before(self, ordinal: Any) -> Any:
        """The ordinal before another one; None if there is none."""
        if self.operand.type != STRING:
            return ordinal - 1 if ordinal > self.values.domain.least else None
        return ordinal[:-1] if ordinal.endswith("\0") else None

    def bound(self, one: tuple[str, Any], other: tuple[str, Any], *, engines: bool) -> Node:
        """Of two ways to write a bound the one whose constant is in the tests, or has fewer digits."""
        ways = [(op, self.values.domain.value(at)) for op, at in (one, other) if at is not None]
        op, value = min(ways, key=lambda way: (self.rank(way[1]), len(str(way[1]))))
        literal = Literal(self.operand.type, value, self.span)
        if not engines:
            return self.call(op, literal)
        if self.is_surface:
            return with_nan_above(Call(BOOLEAN, op, (self.operand, literal), self.span))
        return in_total_order(op, self.operand, literal, self.span)

    # --- nodes

    def literal(self, ordinal: Any) -> Literal:
        return Literal(self.operand.type, self.values.domain.value(ordinal), self.span)

    def call(self, op: str, *args: Node) -> Call:
        return Call(BOOLEAN, op, (self.operand, *args), self.span)

    def joined(self, op: str, parts: Sequence[Node]) -> Node:
        return parts[0] if len(parts) == 1 else Call(BOOLEAN, op, tuple(parts), self.span)
