"""The keys at which the outcome of a test of an ordered value may change: keys are ordinals of its type.

A test of one value (`year(t) = 2024`, `b * 2 > 4`) is monotone in it, or a combination of such tests. So its
outcome changes at a few keys only. Bisection with the reference evaluator finds them, so rounding of doubles
and integer overflow are taken into account.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node
from predicat.ir.operators import CHOICES, COMPARISONS, MONOTONE, SOLVED_ONLY, TIME_PARTS, monotone_in
from predicat.ir.operators.row import Order
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, TIMESTAMP, DecimalType, Type
from predicat.ir.values import UNITS, UNITS_OF_NEXT
from predicat.semantics.evaluate import compile_node
from predicat.values.automaton import Opaque
from predicat.values.domain import DAY, Domain, domain, domain_of, first_where

# Places along the keys of a type: the outcome may change from the key before each to it.
Keys = frozenset[int]
_NOTHING: Keys = frozenset()
PERIODIC = TIME_PARTS - MONOTONE.keys() | {"mod", "time_of_day"}


def domain_in_cases(node: Node) -> Domain:
    """The values that a node may have. Raises Opaque if they have no order."""
    result = domain_of(node)
    if result is None:
        raise Opaque
    return result


class Changes:
    """Where the outcomes of tests of one value may change.

    `keys` are keys of the value; `periodic` has the periodic operators (`hour`, `mod`) with keys of their
    results.
    """

    def __init__(self, variable: Node) -> None:
        self.variable = variable
        self.keys: set[int] = set()
        self.periodic: dict[Call, set[int]] = {}

    def test(self, node: Node) -> None:
        """Add a predicate. Raises Opaque if its outcome may change at other keys."""
        match node:
            case Literal():
                return
            case Call(op="and" | "or" | "not" | "is_true"):
                self.all(node.args)
            case Call(op="cond" | "coalesce" | "same" | "eq" | "ne", args=args) if args[-1].type == BOOLEAN:
                self.all(args)
            case Call(op="is_null", args=(inner,)):
                self.all([inner]) if inner.type == BOOLEAN else self.value(inner, _NOTHING)
            case Call(op="eq" | "ne", args=(left, right)) if left == right == self.variable:
                return  # whether it is NaN, which stands for itself
            case Call(op=op, args=(left, right)) if op in COMPARISONS or op == "same":
                self.comparison(left, right)
            case Call(op="in", args=(left, Items(items=items))):
                for item in items:
                    self.comparison(left, item)
            case _:
                raise Opaque

    def all(self, nodes: Iterable[Node]) -> None:
        """Add several predicates."""
        for node in nodes:
            self.test(node)

    def comparison(self, left: Node, right: Node) -> None:
        """Add a comparison with a constant. Raises Opaque for others."""
        if isinstance(left, Literal):
            left, right = right, left
        if not isinstance(right, Literal) or isinstance(left, Literal):
            raise Opaque
        self.value(left, _around(left.type, right))

    def value(self, node: Node, keys: Keys) -> None:
        """Add a node for which only these keys matter, and whether it is NULL."""
        if node == self.variable:
            self.keys |= keys
            return
        match node:
            case Literal():
                return
            case Call(op="cond", args=(test, *args)):
                self.test(test)
                self.chosen(args, node.type, keys)
            case Call(op=op, args=args) if op in CHOICES:
                self.chosen(args, node.type, keys)
            case Call(op="abs", args=(inner,)):
                low = _of_type(node.type).least
                self.value(
                    inner, keys | {0, 1 - low if node.type == DOUBLE else low + 1, *(1 - key for key in keys)}
                )
            case Call(op=op, args=(inner, *rest)) if (
                op in PERIODIC
                and inner == self.variable
                and _utc(node)
                and all(isinstance(arg, Literal) for arg in rest)
            ):
                self.periodic.setdefault(node, set()).update(keys)
            case Call(args=args):
                place = _variable_place(args)
                self.value(args[place], _before(node, place, keys))
            case _:
                raise Opaque

    def chosen(self, args: Iterable[Node], kind: Type, keys: Keys) -> None:
        """Add the nodes that a choice of a type is made from. Each has keys of its own type."""
        for arg in args:
            self.value(arg, keys if arg.type == kind else _in_type(arg.type, kind, keys))


def _in_type(kind: Type, wider: Type, keys: Keys) -> Keys:
    """The keys at which values of a type reach those of a wider one, such as decimals with more places."""
    return _reached(_of_type(kind), _of_type(wider), keys)


def _reached(values: Domain, wider: Domain, keys: Iterable[int]) -> Keys:
    """The keys at which some values reach those at the keys of a wider domain."""
    if values == wider:
        return frozenset(keys)
    return frozenset(values.ordinal(wider.value(key)) for key in keys if wider.least <= key <= wider.greatest)


def _utc(node: Call) -> bool:
    return node.op == "mod" or all(isinstance(arg, Literal) and arg.value == "UTC" for arg in node.args[1:])


def _variable_place(args: tuple[Node, ...]) -> int:
    places = [index for index, arg in enumerate(args) if not isinstance(arg, Literal)]
    if len(places) != 1:
        raise Opaque
    return places[0]


def _around(kind: Type, constant: Literal) -> Keys:
    """The keys at which a value of a type reaches and exceeds a constant."""
    value = constant.value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return _NOTHING
    values = _of_type(kind)
    if kind == constant.type and not isinstance(kind, DecimalType):
        key = values.ordinal(value)
        return frozenset((key, key + 1))
    reaches, passes = (_function(Call(BOOLEAN, op, (_field(kind), constant)), values) for op in ("ge", "gt"))
    return frozenset(first_where(test, values.least, values.greatest) for test in (reaches, passes))


def _of_type(kind: Type) -> Domain:
    result = domain(kind)
    if result is None:
        raise Opaque
    return result


def _field(kind: Type) -> Field:
    return Field(kind, FieldDecl("x", kind))


def _function(node: Node, values: Domain) -> Callable[[int], Any]:
    run = compile_node(node)
    return lambda key: run({"x": values.value(key)})


def _before(node: Call, index: int, keys: Keys) -> Keys:
    """The keys of an argument at which a monotone operator becomes or stops being NULL, or reaches a key."""
    direction = _direction(node, index)
    kind = node.args[index].type
    if not direction:
        raise Opaque
    values, results = _of_type(kind), _of_type(node.type)
    run = _function(
        Call(node.type, node.op, (*node.args[:index], _field(kind), *node.args[index + 1 :])), values
    )
    low, high = _domain(run, values.least, values.greatest)
    passes = [_passes(run, results, key, rising=direction > 0) for key in keys]
    return frozenset((low, high + 1, *(first_where(test, low, high) for test in passes)))


def _passes(run: Callable[[int], Any], results: Domain, key: int, *, rising: bool) -> Callable[[int], bool]:
    return lambda at: (results.ordinal(run(at)) >= key) is rising


def _domain(run: Callable[[int], Any], low: int, high: int) -> tuple[int, int]:
    """The first and last key for which a monotone operator is not NULL. There are no gaps between them."""
    inside = next((key for key in (low, high, min(max(0, low), high)) if run(key) is not None), None)
    if inside is None:
        raise Opaque
    least = first_where(lambda key: run(key) is not None, low, inside)
    return least, first_where(lambda key: run(key) is None, inside, high) - 1


def _direction(node: Call, index: int) -> int:
    """1 if an operator never decreases as an argument grows, -1 if it never increases, else 0."""
    others = [
        arg.value for number, arg in enumerate(node.args) if number != index and isinstance(arg, Literal)
    ]
    if any(other is None or (isinstance(other, float) and not math.isfinite(other)) for other in others):
        return 0
    order = MONOTONE[node.op][index] if monotone_in(node.op, index) else Order.NOT
    if order is Order.BY_SIGN:
        (by,) = others
        return (1 if by > 0 else -1) if isinstance(by, int | float | Decimal) and by else 0
    if node.op in SOLVED_ONLY or (node.op in TIME_PARTS and not _utc(node)):
        return 0
    return {Order.RISES: 1, Order.FALLS: -1}.get(order, 0)


# --- values that stand for all


def values(changes: Changes) -> Iterator[Any]:
    """Representative values of a column. No test distinguishes two values with the same representative."""
    kind, column = changes.variable.type, domain_in_cases(changes.variable)
    reached = _reached(column, _of_type(kind), changes.keys)
    inside = sorted(key for key in reached if column.least < key <= column.greatest)
    starts = [column.least, *inside]
    ends = [*(key - 1 for key in inside), column.greatest]
    if changes.periodic:
        yield from _periodic(changes, kind, starts, ends)
    else:
        for start, end in zip(starts, ends, strict=True):
            yield column.value(_simple(start, end, column, kind))
    if kind == DOUBLE:
        yield math.nan


def _simple(low: int, high: int, column: Domain, kind: Type) -> int:
    """A key of a range with a readable value."""
    if low <= 0 <= high:
        return 0
    if kind == DOUBLE:
        return _simple_double(low, high, column)
    return low if low > column.least else high


def _simple_double(low: int, high: int, column: Domain) -> int:
    least, most = column.value(low), column.value(high)
    if not (math.isinf(least) and math.isinf(most)):
        near = math.ceil(least) if not math.isinf(least) else math.floor(most)
        key = column.ordinal(float(near)) if abs(near) < 2**53 else low
        if low <= key <= high:
            return key
    return low if not math.isinf(least) else high


_MOST_TIMES = 6_000
# So many days from any on have every day of the week, or of the year (29 February too).
_DAYS = {op: 7 if op == "day_of_week" else 3_660 for op in PERIODIC & TIME_PARTS - UNITS.keys()}
# 41 years, which have every day of the year on every day of the week that it can be.
_ALL_DAYS = 15_000


def _periodic(changes: Changes, kind: Type, starts: list[int], ends: list[int]) -> Iterator[Any]:
    if kind == BIGINT:
        yield from _residues(changes, starts, ends)
        return
    dated = {node.op for node in changes.periodic} & set(_DAYS)
    window = (
        1
        if not dated
        else _ALL_DAYS
        if len(dated) > 1 and "day_of_week" in dated
        else max(_DAYS[op] for op in dated)
    )
    if kind == DATE:
        for start, end in zip(starts, ends, strict=True):
            yield from _distinct(changes.periodic, kind, range(start, min(end, start + window - 1) + 1))
        return
    dates = {node: own for node, own in changes.periodic.items() if node.op in _DAYS}
    clock = _clock(changes)
    number = _of_type(kind).ordinal
    times = [number(value) for value in _distinct(_without(changes.periodic, dates), kind, clock)]
    for start, end in zip(starts, ends, strict=True):
        keys = [*_parts_of_days(start, end, clock), *_whole_days(start, end, window, dates, times)]
        yield from _distinct(changes.periodic, kind, keys)


def _without(nodes: Mapping[Call, set[int]], others: Mapping[Call, set[int]]) -> dict[Call, set[int]]:
    return {node: own for node, own in nodes.items() if node not in others}


def _residues(changes: Changes, starts: list[int], ends: list[int]) -> Iterator[Any]:
    """Integers for tests of remainders. Remainders of negative numbers are negative, so the ranges are split
    at zero.
    """
    period = 1
    for node in changes.periodic:
        by = node.args[1]
        if node.op != "mod" or not isinstance(by, Literal) or not isinstance(by.value, int) or not by.value:
            raise Opaque
        period = math.lcm(period, abs(by.value))
    if period > 2_000:
        raise Opaque
    for start, end in zip(starts, ends, strict=True):
        for low, high in ((start, min(end, -1)), (max(start, 0), end)):
            if low <= high:
                # From the end that is nearer to zero: these values are the most readable.
                keys = (
                    range(low, min(high, low + period - 1) + 1)
                    if low >= 0
                    else range(high, max(low, high - period + 1) - 1, -1)
                )
                yield from _distinct(changes.periodic, BIGINT, keys)


def _clock(changes: Changes) -> list[int]:
    """The times of day, in microseconds, at which a part of the time reaches one of its keys."""
    whole_times = (own for node, own in changes.periodic.items() if node.op == "time_of_day")
    result = {0, *(key for own in whole_times for key in own if 0 < key < DAY)}
    for unit, step in UNITS.items():
        keys = {
            key
            for node, own in changes.periodic.items()
            if node.op == unit
            for key in own
            if 0 < key < UNITS_OF_NEXT[unit]
        }
        if keys:
            whole = DAY // (step * UNITS_OF_NEXT[unit])
            if whole * len(keys) > _MOST_TIMES:
                raise Opaque
            result |= {
                number * step * UNITS_OF_NEXT[unit] + key * step
                for number in range(whole)
                for key in (0, *keys)
            }
    return sorted(result)


def _parts_of_days(start: int, end: int, clock: list[int]) -> Iterator[int]:
    """The timestamps of a range on its first and its last day."""
    yield start
    for day in {start // DAY, end // DAY}:
        for time in clock:
            if start <= day * DAY + time <= end:
                yield day * DAY + time


def _whole_days(
    start: int, end: int, window: int, dates: Mapping[Call, set[int]], times: list[int]
) -> Iterator[int]:
    """Timestamps on whole days of a range, one for each kind of day and each kind of time of day."""
    begin, last = -(-start // DAY), (end + 1) // DAY - 1
    days = [day * DAY for day in range(begin, min(last, begin + window - 1) + 1)]
    number = _of_type(TIMESTAMP).ordinal
    for value in _distinct(dates, TIMESTAMP, days):
        day = number(value)
        yield from (day + time for time in times)


def _distinct(periodic: Mapping[Call, set[int]], kind: Type, keys: Iterable[int]) -> Iterator[Any]:
    """One value for each combination of results of the periodic operators."""
    parts = [
        (compile_node(_over(node, kind)), _of_type(node.type), sorted(own)) for node, own in periodic.items()
    ]
    value_of, seen = _of_type(kind).value, set()
    for key in keys:
        value = value_of(key)
        row = {"x": value}
        result = tuple([_piece(run(row), made, own) for run, made, own in parts])
        if result not in seen:
            seen.add(result)
            yield value


def _over(node: Call, kind: Type) -> Call:
    return Call(node.type, node.op, (_field(kind), *node.args[1:]))


def _piece(result: Any, results: Domain, keys: list[int]) -> int | None:
    if result is None:
        return None
    reached: int = results.ordinal(result)
    return sum(key <= reached for key in keys)
