"""The outcomes of tests of an ordered value, by preimages.

A comparison with constants labels intervals of its operand. The preimage of such a partition under a
calculation labels those of the argument: a monotone operator reaches each cut at one place, which bisection
with the reference evaluator finds, so that overflow and rounding are those of a row.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from predicat.forms.rounding import rounded_number
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, substituted, walk
from predicat.ir.operators import (
    CHOICES,
    COMPARISONS,
    MONOTONE,
    OPS,
    ORDERED,
    TIME_PARTS,
    monotone_in,
)
from predicat.ir.operators.row import Order
from predicat.ir.types import BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, DecimalType, Type
from predicat.semantics.calendar import add_months, is_in_order
from predicat.semantics.evaluate import compile_node
from predicat.semantics.time_zones import skipping
from predicat.values.automaton import Label, Opaque
from predicat.values.cycles import PERIODIC, cycles, since_start
from predicat.values.domain import DAY, TEXTS, Domain, domain, first_near, turns
from predicat.values.partition import (
    Line,
    Partition,
    Some,
    line,
    partition,
    product,
    some,
    spread,
    uniform,
)
from predicat.values.parts import formatted, is_formatted
from predicat.values.shifts import divided, multiplied, summed
from predicat.values.zones import zoned

# What combines tests.
CONNECTIVES = ("and", "or", "not", "is_true", "cond", "coalesce", "is_null", "eq", "ne", "same")
# The outcome of a calculation of a moment before or behind the calendar, which PostgreSQL has.
PERHAPS = Some(frozenset((True, False, None)))
_COMPARED = (*COMPARISONS, "same", "in")
# The most days that a day can be off after some months later and as many earlier.
_LONGEST = 4
# The most results of an operator for which labels that repeat are written out.
_MOST_SPREAD = 1_000
# Comparisons that are not TRUE behind the end of an order if they are not TRUE at it.
_ONE_SIDED = ("eq", "in", *ORDERED)
# Operators that keep the order of an argument beside some constants.
_IN_ORDER: dict[tuple[str, int], Callable[[Call], bool]] = {
    ("format_time", 1): lambda node: (
        isinstance(node.args[0], Literal) and is_in_order(str(node.args[0].value))
    ),
    ("add_months", 0): lambda node: node.type == DATE,
}


def _zone(node: Call) -> str:
    zone = node.args[1] if len(node.args) > 1 else None
    return str(zone.value) if isinstance(zone, Literal) else "UTC"


def _skipped(node: Call, moments: Iterable[datetime]) -> Iterator[datetime]:
    for moment in moments:
        yield from skipping(_zone(node), moment)


def _days_of_one(node: Call, moments: Iterable[datetime]) -> Iterator[datetime]:
    """The starts of days that are moved to the day of a moment: at each of them its times begin again."""
    by = node.args[1].value if isinstance(node.args[1], Literal) else None
    months = by if isinstance(by, int) else 0
    for moment in moments:
        start = add_months(moment.replace(hour=0, minute=0, second=0, microsecond=0), -months)
        if start is None:
            continue
        for day in range(-_LONGEST, _LONGEST + 1):
            try:
                yield start + timedelta(days=day)
            except OverflowError:  # beyond the calendar
                continue


# Operators of a value and itself that keep its order, or that of its distance from zero.
_DOUBLED = {"add": Order.RISES, "mul": Order.SIDES}
# Operators that add a constant to their first argument, or subtract one.
_SUMS = ("add", "sub", "add_days", "days_between", "to_micros", "from_micros")
# Operators that rise but for some values of their argument near those of a result, where they fall.
_FALLS: dict[str, Callable[[Call, Iterable[Any]], Iterable[Any]]] = {"from_zone": _skipped}
_EXACT_FALLS = {**_FALLS, "add_months": _days_of_one}


def of_type(kind: Type) -> Domain:
    """The values of a type. Raises Opaque if they have no order."""
    result = TEXTS if kind == STRING else domain(kind)
    if result is None:
        raise Opaque
    return result


def x_of(kind: Type) -> Field:
    """A field that stands for what is tested."""
    return Field(kind, FieldDecl("x", kind))


# --- tests


@lru_cache(maxsize=16384)
def connected(op: str, *labels: Label) -> Label:
    """The outcome of a connective for the outcomes of its operands."""
    return compile_node(Call(BOOLEAN, op, tuple(Literal(BOOLEAN, label) for label in labels)))({})


def combines_tests(node: Node) -> bool:
    """Whether a node is a connective of tests."""
    return isinstance(node, Call) and node.op in CONNECTIVES and all(arg.type == BOOLEAN for arg in node.args)


def outcomes(test: Node, variable: Field, *, exact: bool = False) -> Partition:
    """The outcomes of a test of a variable of a type with an order. Raises Opaque.

    Local times have one of several outcomes near where these change, so that what rests on them is right
    with the time zones of every engine. With `exact` they have those of the zones that Python knows.
    """
    match test:
        case Literal(value=value):
            return uniform(of_type(variable.type), value, value)
        case Call(op=op, args=args) if combines_tests(test):
            return product([outcomes(arg, variable, exact=exact) for arg in args], partial(connected, op))
        case Call(op="is_null", args=(inner,)):
            constants: Sequence[Node] = ()
        case Call(op=op, args=(inner, other)) if op in _COMPARED and inner == other:
            constants = ()
        case Call(op=op, args=(inner, Items(items=constants))) if op in _COMPARED:
            pass
        case Call(op=op, args=(Literal() as constant, inner) | (inner, Literal() as constant)) if (
            op in _COMPARED
        ):
            constants = (constant,)
        case Call(op=op, args=(left, right)) if exact and op in _COMPARED and (own := _started(left, right)):
            unit, inner = own
            return preimage(inner, _since_start(test, unit, inner), variable, exact=True)
        case _:
            raise Opaque
    found = preimage(inner, _compared(test, inner, constants), variable, exact=exact)
    if found.domain.closed_below:
        return found
    return replace(found, others=(found.others[0], *_beyond_calendar(test, found, variable)))


def _started(left: Node, right: Node) -> tuple[str, Node] | None:
    """The unit and the timestamp if one side is the other one, truncated."""
    for start, inner in ((left, right), (right, left)):
        match start:
            case Call(op="date_trunc", args=(Literal(value=str(unit)), own)) if own == inner:
                return unit, inner
            case Call(op="to_timestamp", args=(Call(op="to_date", args=(own,)),)) if own == inner:
                return "day", inner
    return None


def _since_start(test: Call, unit: str, inner: Node) -> Partition:
    values, x = of_type(TIMESTAMP), x_of(TIMESTAMP)
    run = _function(substituted(test, inner, x), values)
    return partition(values, Line((values.least,), (since_start(unit, run),)), run(None), None, PERHAPS)


def _compared(test: Call, inner: Node, constants: Iterable[Node]) -> Partition:
    """The outcomes of a comparison with constants, by the values of its operand."""
    values, x = of_type(inner.type), x_of(inner.type)
    leaf = replace(test, args=tuple(x if arg == inner else arg for arg in test.args))
    run = _function(leaf, values)
    starts = {values.least}
    for constant in constants:
        if not isinstance(constant, Literal):
            raise Opaque
        starts.update(filter(values.has, _around(inner.type, constant)))
    ordered = sorted(starts)
    cells = line(ordered, map(run, ordered))
    return partition(values, cells, run(None), run(math.nan) if values.others else None, PERHAPS)


def _is_in_order(node: Call, place: int | None, wanted: Partition) -> bool:
    """Whether the results of an operator have the order of its argument, and the labels are intervals."""
    rule = _IN_ORDER.get((node.op, -1 if place is None else place))
    return isinstance(wanted.cells, Line) and rule is not None and rule(node)


def _around(kind: Type, constant: Literal) -> tuple[int, ...]:
    """The ordinals at which a value of a type reaches and exceeds a constant."""
    value, values = constant.value, of_type(kind)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ()
    if isinstance(value, float) and math.isinf(value):
        guess = values.greatest if value > 0 else values.least
    else:
        guess = values.ordinal(Decimal(str(value)) if isinstance(kind, DecimalType) else value)
        if kind == constant.type and not isinstance(kind, DecimalType):
            return guess, values.next(guess)
    return _passed(kind, constant, guess)


@lru_cache(maxsize=4096)
def _passed(kind: Type, constant: Literal, guess: int) -> tuple[int, ...]:
    values = of_type(kind)
    tests = [_function(Call(BOOLEAN, op, (x_of(kind), constant)), values) for op in ("ge", "gt")]
    return tuple(first_near(test, values.least, values.greatest, guess) for test in tests)


def _function(node: Node, values: Domain) -> Callable[[Any], Any]:
    """The value of a node of `x` for an ordinal, for NULL (None) and for NaN."""
    run = compile_node(node)
    return lambda at: run({"x": values.value(at) if isinstance(at, int) else at})


def _beyond_calendar(test: Call, found: Partition, variable: Field) -> Iterator[Label]:
    """The outcomes before and behind the calendar.

    That of a comparison is the one at the end, unless it names the end. A calculation may have no value
    there, even if it has one at the end.
    """
    parts = [*walk(test)]
    is_direct = all(
        part.type == BOOLEAN for part in parts if isinstance(part, Call) and variable in part.args
    )
    is_one_sided = test.op in _ONE_SIDED
    values, labels = found.domain, found.cells.labels
    named = [
        values.ordinal(part.value)
        for part in parts
        if isinstance(part, Literal) and part.type == variable.type and part.value is not None
    ]
    near = (min(named, default=0) <= values.least + 1, max(named, default=0) >= values.greatest - 1)
    for label, is_named in zip((labels[0], labels[-1]), near, strict=True):
        is_known = not is_named if is_direct else is_one_sided and label is not True
        yield label if is_known else PERHAPS


# --- calculations


def preimage(node: Node, wanted: Partition, variable: Field, *, exact: bool = False) -> Partition:
    """The labels of a variable's values by those of the results of a calculation with it. Raises Opaque."""
    if node == variable:
        return wanted
    if isinstance(node, Literal):
        return uniform(of_type(variable.type), wanted.of(node.value), wanted.of(node.value))
    if not isinstance(node, Call):
        raise Opaque
    if node.op in CHOICES:
        return _chosen(node, wanted, variable, exact=exact)
    number = rounded_number(node) if len(node.args) == 1 else None
    if number is not None:
        return preimage(number, _under(node, number, None, wanted, exact=exact), variable, exact=exact)
    if exact and node.op in _DOUBLED and node.args[:1] == node.args[1:]:
        inner = node.args[0]
        return preimage(inner, _under(node, inner, None, wanted, exact=exact), variable, exact=exact)
    places = [place for place, arg in enumerate(node.args) if not isinstance(arg, Literal)]
    if len(places) != 1:
        raise Opaque
    inner = node.args[places[0]]
    return preimage(inner, _under(node, inner, places[0], wanted, exact=exact), variable, exact=exact)


def _under(node: Call, inner: Node, place: int | None, wanted: Partition, *, exact: bool) -> Partition:
    """The preimage under one operator, or under what rounds to an integer (without a `place`), by the values
    of its argument.
    """
    values = of_type(inner.type)
    if values is TEXTS:
        raise Opaque
    if node.op == "in_zone" or (node.op in TIME_PARTS and _zone(node) != "UTC"):
        return _in_zone(node, inner, wanted, values, exact=exact)
    if exact and is_formatted(node) and not _is_in_order(node, place, wanted):
        return formatted(node, wanted, lambda part, own: _under(part, inner, 0, own, exact=True))
    run = cache(_function(substituted(node, inner, x_of(inner.type)), values))

    def result(at: int) -> Any:
        value = run(at)
        return None if value is None or value != value else wanted.domain.ordinal(value)  # noqa: PLR0124

    def label(at: Any) -> Label:
        return wanted.of(run(at))

    wanted = _in_range(node, wanted)
    if exact and isinstance(wanted.cells, Line) and wanted.cells.has_cycles:
        cells = _repeating(node, inner, wanted, values, result)
        return partition(values, cells, label(None), None, some(wanted.labels()))
    cuts = wanted.line().starts[1:]
    if values.others and label(-0.0) != label(0.0):
        raise Opaque
    if node.op in PERIODIC:
        cells = cycles(node, values, result, label, cuts)
    else:
        ranges = [(values.least, values.greatest)]
        falls = _EXACT_FALLS if exact else _FALLS
        if node.op in falls and inner.type == TIMESTAMP:
            ranges = _between(falls[node.op](node, map(wanted.domain.value, cuts)), values)
        elif place is not None:
            ranges = _directed(node, place, values, result)
        elif _DOUBLED.get(node.op) is Order.SIDES:
            ranges = _sides(values)
        starts = [at for low, high in ranges for at in turns(result, cuts, low, high)]
        cells = line(starts, map(label, starts))
    nan, beyond = (label(math.nan), None) if values.others else (None, some(wanted.labels()))
    return partition(values, cells, label(None), nan, beyond)


def _in_range(node: Call, wanted: Partition) -> Partition:
    """The partition without cycles, if the results are few."""
    ends, cells = OPS[node.op].range, wanted.cells
    if (
        ends is None
        or not isinstance(cells, Line)
        or not cells.has_cycles
        or ends[1] - ends[0] >= _MOST_SPREAD
    ):
        return wanted
    few = spread(cells, ends[0], ends[1])
    return replace(wanted, cells=Line((wanted.domain.least, *few.starts[1:]), few.labels))


def _repeating(
    node: Call, inner: Node, wanted: Partition, values: Domain, result: Callable[[int], Any]
) -> Line:
    """The preimage of labels that repeat, under an operator that adds or divides by a constant."""
    cells = wanted.line(repeats=True)
    if node.op == "to_date" and inner.type == TIMESTAMP:
        return divided(cells, DAY, values, truncates=False)
    if node.op == "to_timestamp" and inner.type == DATE:
        return multiplied(cells, DAY, values)
    by = node.args[-1].value if isinstance(node.args[-1], Literal) else None
    if node.op == "div" and isinstance(by, int) and by > 0:
        return divided(cells, by, values, truncates=True)
    is_sum = node.op in _SUMS and inner == node.args[0] and inner not in node.args[1:]
    if not is_sum or {node.type, inner.type} & {DOUBLE, STRING} or result(0) is None:
        raise Opaque
    return summed(cells, result(0), wanted.domain, values, wanted.others[0])


def _between(falls: Iterable[Any], values: Domain) -> list[tuple[int, int]]:
    """The ranges of a domain that begin at some values."""
    inside = {at for at in map(values.ordinal, falls) if values.least < at <= values.greatest}
    starts = [values.least, *sorted(inside)]
    return [(start, end - 1) for start, end in pairwise((*starts, values.greatest + 1))]


def _directed(node: Call, place: int, values: Domain, result: Callable[[int], Any]) -> list[tuple[int, int]]:
    """The ranges of an argument in which an operator is monotone. Raises Opaque if it is not."""
    others = [arg.value for arg in node.args if isinstance(arg, Literal)]
    order = MONOTONE[node.op][place] if monotone_in(node.op, place) else Order.NOT
    is_known = order is not Order.NOT or ((node.op, place) in _IN_ORDER and _IN_ORDER[node.op, place](node))
    if not is_known or not all(map(_is_finite, others)):
        raise Opaque
    has_gap = order is Order.BY_SIGN and not others[0] and result(0) is None  # 0.0 / 0.0
    if order is Order.SIDES or has_gap:
        return _sides(values)
    return [(values.least, values.greatest)]


def _sides(values: Domain) -> list[tuple[int, int]]:
    """The ranges of negative numbers, of zero and of positive numbers."""
    return [(values.least, -1), (0, 0), (1, values.greatest)]


def _is_finite(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def _in_zone(node: Call, inner: Node, wanted: Partition, values: Domain, *, exact: bool) -> Partition:
    """The preimage of a local time, or of a part of it."""
    if node.op == "in_zone" and not exact:
        return Partition(values, _near(wanted, values, DAY), wanted.others)
    if node.op == "in_zone":
        return zoned(_zone(node), wanted, values, ends=False)
    if not exact or (node.op == "year" and not _are_ends_known(wanted)):
        raise Opaque
    local = _under(replace(node, args=(inner,)), inner, 0, wanted, exact=exact)
    return zoned(_zone(node), local, values, ends=True)


def _are_ends_known(years: Partition) -> bool:
    """Whether the years before and behind the calendar, which local times may have, are as its ends."""
    return all(years.of(beyond) == years.of(end) for beyond, end in ((0, 1), (10_000, 9_999)))


def _near(wanted: Partition, values: Domain, by: int) -> Line:
    """The preimage under an operator whose result is less than `by` away from its argument, if it has one:
    around each cut it is not known which label.
    """
    cells, low, high = wanted.line(), values.least, values.greatest + 1
    edges = {at for cut in cells.starts[1:] for at in (cut - by, cut + by)} | {low + by, high - by}
    starts = [low, *sorted(at for at in edges if low < at < high)]
    labels = []
    for start, end in zip(starts, [*starts[1:], high], strict=True):
        first, last = (bisect_right(cells.starts, at) for at in (max(start - by + 1, low), end + by - 2))
        beyond = wanted.others[:1] if start < low + by or end > high - by else ()
        labels.append(some([*cells.labels[first - 1 : last], *beyond]))
    return line(starts, labels)


# --- choices


def _chosen(node: Call, wanted: Partition, variable: Field, *, exact: bool) -> Partition:
    """The preimage under an operator that returns one of its arguments.

    Which one depends on their order only. So the evaluator tells it for the places of the arguments in the
    partition, with one value for each place.
    """
    cells = wanted.line()
    count = len(cells.starts)
    numbered = partition(wanted.domain, Line(cells.starts, tuple(range(count))), None, count, None)
    first = CHOICES[node.op]
    tests = [outcomes(arg, variable, exact=exact) for arg in node.args[:first]]
    parts = [
        preimage(arg, narrowed(numbered, of_type(arg.type)), variable, exact=exact)
        for arg in node.args[first:]
    ]
    fields = [
        FieldDecl(f"x{place}", arg.type if place < first else node.type)
        for place, arg in enumerate(node.args)
    ]
    run = compile_node(replace(node, args=tuple(Field(field.type, field) for field in fields)))
    values = [*map(wanted.domain.value, cells.starts), math.nan]

    def chosen(*places: Label) -> Label:
        found = [at if place < first or at is None else values[at] for place, at in enumerate(places)]
        return wanted.of(run({field.name: value for field, value in zip(fields, found, strict=True)}))

    result = product([*tests, *parts], cache(chosen))
    if result.domain.closed_below:
        return result
    beyond = some(wanted.labels())
    return replace(result, others=(result.others[0], beyond, beyond))


def narrowed(part: Partition, values: Domain) -> Partition:
    """The labels of the values of a narrower domain: of a column, or of numbers with fewer digits."""
    if part.domain == values:
        return part
    if not isinstance(part.cells, Line):
        raise Opaque
    known = {values.least: part.cells.labels[0]}
    for start, label in zip(part.cells.starts[1:], part.cells.labels[1:], strict=True):
        at = max(values.ordinal(part.domain.value(start)), values.least)
        if at <= values.greatest:
            known[at] = label
    return Partition(values, line(known, known.values()), part.others)
