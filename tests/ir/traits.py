"""What each trait of the operator table claims, and what refutes it: a call with another value.

A claim looks at nothing but the row of the operator and the values that the reference evaluator gives.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise, product
from typing import Any

from msgspec.structs import replace

import predicat
from predicat.ir.nodes import Call, Items
from predicat.ir.operators import CHOICES, COMPARISONS, FLIPPED, NEGATED, STRICT, Operator, Strictness
from predicat.ir.operators.row import COUNT, Comparison, Order
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.ir.values import EXACT
from predicat.values.domain import domain
from tests.ir.operator_calls import Row, Tried, calls, constants, in_order, ordered, table

# A counterexample in words.
Fault = str
Claim = Callable[[Operator], Iterator[Fault]]


def faults(row: Operator, trait: str) -> Iterator[Fault]:
    """What refutes a trait of an operator."""
    yield from (f"{row.name}.{trait} = {show(getattr(row, trait))}: {fault}" for fault in CLAIMS[trait](row))


def show(value: Any) -> str:
    return str(value) if not isinstance(value, tuple) else f"({', '.join(map(show, value))})"


def said(tried: Tried, row: Row) -> str:
    return f"{tried} of {row.args} is {row.value!r}"


def rows(op: str) -> Iterator[tuple[Tried, Row]]:
    """Every call of an operator with each row of its table."""
    for tried, found in table(op):
        for row in found:
            yield tried, row


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are one value: NaN is itself, and TRUE is not 1."""
    return type(one) is type(other) and (one == other or (is_nan(one) and is_nan(other)))


# --- the type of a value

_PYTHON: dict[Type, type] = {
    BIGINT: int,
    DOUBLE: float,
    STRING: str,
    BOOLEAN: bool,
    DATE: date,
    TIMESTAMP: datetime,
    DURATION: timedelta,
}


def fits(value: Any, kind: Type) -> bool:
    """Whether a value is one of a type."""
    match kind:
        case DecimalType(precision, scale):
            return isinstance(value, Decimal) and fits_digits(value, precision, scale)
        case ArrayType(element):
            return isinstance(value, list) and all(part is None or fits(part, element) for part in value[:9])
        case MapType() | StructType():
            return isinstance(value, dict)
        case _ if kind == BIGINT:
            return type(value) is int and -(2**63) <= value < 2**63
        case _ if kind == TIMESTAMP:
            return type(value) is datetime and value.tzinfo == UTC
        case _:
            return kind == JSON or type(value) is _PYTHON[kind]


def fits_digits(value: Decimal, precision: int, scale: int) -> bool:
    unscaled = value.scaleb(scale, EXACT)
    return unscaled == int(unscaled) and abs(int(unscaled)) < 10**precision


def misfits(op: str) -> Iterator[Fault]:
    """The values that are not of the type of the result."""
    for tried, found in rows(op):
        if found.value is not None and not fits(found.value, tried.node.type):
            yield f"{said(tried, found)}, no {tried.node.type}"


# --- NULL


def absent(args: Sequence[Any], node: Call) -> bool:
    """Whether an argument is NULL; the items of an IN are arguments, too."""
    return any(
        arg is None or (isinstance(part, Items) and None in arg)
        for arg, part in zip(args, node.args, strict=True)
    )


def strictness(row: Operator) -> Iterator[Fault]:
    """Where a call is UNKNOWN for the sake of its arguments, and only there but for what `total` says."""
    outcome = _OUTCOMES[row.strictness]
    for tried, found in rows(row.name):
        fault = outcome(row, tried, found)
        if fault:
            yield f"{said(tried, found)}: {fault}"


def _strict(_row: Operator, tried: Tried, found: Row) -> str:
    return "an argument is NULL" if found.value is not None and absent(found.args, tried.node) else ""


def _kleene(_row: Operator, tried: Tried, found: Row) -> str:
    if any(arg.type != BOOLEAN for arg in tried.node.args):
        return "an argument is no truth value"
    decides = decisive(tried)
    if decides is None:
        return "no argument decides alone"
    want = decides if decides in found.args else None if None in found.args else not decides
    return "" if found.value is want else f"Kleene's is {want}"


@lru_cache(maxsize=256)
def _decides(op: str, many: int) -> bool | None:
    for tried in calls(op):
        if len(tried.node.args) == many and len(tried.moved) == many:
            for value in (True, False):
                others = product((True, False, None), repeat=many - 1)
                if all(tried.value([value, *rest]) is value for rest in others):
                    return value
    return None


def decisive(tried: Tried) -> bool | None:
    """The truth value that decides alone, as the first argument."""
    return _decides(tried.node.op, len(tried.node.args))


def _never(_row: Operator, _tried: Tried, found: Row) -> str:
    return "UNKNOWN" if found.value is None else ""


def _condition(row: Operator, tried: Tried, found: Row) -> str:
    if CHOICES.get(row.name) != 1 or len(found.args) != 3 or tried.node.args[0].type != BOOLEAN:
        return "it has no condition that chooses"
    test, yes, no = found.args
    want = None if test is None else yes if test else no
    return "" if is_same(found.value, want) else f"the argument that it chooses is {want!r}"


def _all(_row: Operator, _tried: Tried, found: Row) -> str:
    every = all(arg is None for arg in found.args)
    return "" if (found.value is None) is every else f"{'all' if every else 'not all'} arguments are NULL"


def _items(_row: Operator, tried: Tried, found: Row) -> str:
    if len(found.args) != 2 or not isinstance(found.args[1], list | None):
        return "it has no items"
    value, items = found.args
    if value is None or items is None:
        return "" if found.value is None else "there is nothing to compare"
    if any(item is not None and item == value for item in items):
        return "" if found.value is True else "an item is equal"
    want = None if None in items else False
    return "" if found.value is want else f"no item is equal: {want}"


_OUTCOMES: dict[Strictness, Callable[[Operator, Tried, Row], str]] = {
    Strictness.STRICT: _strict,
    Strictness.KLEENE: _kleene,
    Strictness.NEVER: _never,
    Strictness.CONDITION: _condition,
    Strictness.ALL: _all,
    Strictness.ITEMS: _items,
}


def total(row: Operator) -> Iterator[Fault]:
    """A value wherever all arguments have one; else a place where there is none."""
    without = next(
        (
            said(tried, found)
            for tried, found in rows(row.name)
            if found.value is None and not absent(found.args, tried.node)
        ),
        None,
    )
    if row.total and without:
        yield without
    if not row.total and not without:
        yield "it has a value wherever its arguments have one"


# --- values


def range_(row: Operator) -> Iterator[Fault]:
    """Each value is in the range, and the ends of the range are values."""
    if row.range is None:
        return
    low, high = row.range
    seen = set()
    for tried, found in rows(row.name):
        if found.value is None:
            continue
        if type(found.value) is not int or not low <= found.value <= high:
            yield said(tried, found)
        else:
            seen.add(found.value)
    most = () if high == COUNT[1] else (high,)  # no text of a test is that long
    yield from (f"it is never {end}" for end in (low, *most) if end not in seen)


def choice(op: str, first: int) -> Iterator[Fault]:
    """Each value is one of the arguments from a position on."""
    for tried, found in rows(op):
        if found.value is not None and not any(is_same(found.value, arg) for arg in found.args[first:]):
            yield said(tried, found)


_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if isinstance(a, float) else int(math.copysign(abs(a) // abs(b), a * b)),
    "%": lambda a, b: int(math.fmod(a, b)),
}


def arithmetic(row: Operator) -> Iterator[Fault]:
    """Small numbers have the sum, difference, product, quotient or remainder that the sign names."""
    if row.arithmetic is None:
        return
    judged = False
    for tried, found in rows(row.name):
        if len(found.args) == 2 and found.value is not None and all(map(is_small, found.args)):
            judged = True
            if found.args[1] and found.value != _SIGNS[row.arithmetic](*found.args):
                yield said(tried, found)
    if not judged:
        yield "it has no two numbers"


def is_small(value: Any) -> bool:
    return type(value) in (int, float, Decimal) and abs(value) < 2**20


def comparison(row: Operator) -> Iterator[Fault]:
    """`holds` is the operator, and SQL reads its sign as it."""
    if row.comparison is None:
        return
    own = row.comparison
    for tried, found in rows(row.name):
        if len(found.args) != 2 or tried.node.type != BOOLEAN:
            yield f"{tried} is no comparison"
            return
        one, other = found.args
        if one is not None and other is not None:
            mixed = {arg.type for arg in tried.node.args} == {BIGINT, DOUBLE}  # compared as doubles
            pair = (float(one), float(other)) if mixed else (one, other)
            if bool(own.holds(*pair)) is not found.value:
                yield f"{said(tried, found)}, and `holds` says {own.holds(*pair)}"
    read = predicat.parse(f"a {own.sign} 3", "sql", {"a": "bigint"}).node
    if not isinstance(read, Call) or read.op != row.name:
        yield f"SQL reads the sign as {read}"


def turned(row: Operator) -> Iterator[Fault]:
    """What is derived of a comparison: its mirror, and its negation."""
    mirror, negation = COMPARISONS[FLIPPED[row.name]], COMPARISONS[NEGATED[row.name]]
    for _, found in rows(row.name):
        one, other = found.args
        if found.value is not None and bool(mirror.holds(other, one)) is not found.value:
            yield f"{FLIPPED[row.name]} differs from it with swapped operands {found.args}"
        known = found.value is not None and not is_nan(one) and not is_nan(other)
        if known and bool(negation.holds(one, other)) is found.value:
            yield f"{NEGATED[row.name]} agrees with it on {found.args}"


def lookup(row: Operator) -> Iterator[Fault]:
    """It gives the part of its first argument that its second one names, and nothing for no such part."""
    if row.lookup is not (looks_up(row.name) is not None):
        yield "it does look up a part" if not row.lookup else "it looks up no part"


def looks_up(op: str) -> str | None:
    """By what an operator looks up a part of its first argument: a key, or a place; None if it does not."""
    steps = {_step(found) for _, found in table(op)}
    return steps.pop() if len(steps) == 1 else None


def _step(found: Sequence[Row]) -> str | None:
    parts = [row for row in found if len(row.args) == 2 and None not in row.args]
    for step, kinds in (("key", (dict, str)), ("place", (list, int))):
        own = [row for row in parts if type(row.args[0]) is kinds[0] and type(row.args[1]) is kinds[1]]
        if own and all(_same_part(row.value, part_of(*row.args)) for row in own):
            return step
    return None


def _same_part(one: Any, other: Any) -> bool:
    return one == other or is_same(one, other)


def part_of(container: Any, at: Any) -> Any:
    if isinstance(container, dict):
        return container.get(at)
    return container[at] if 0 <= at < len(container) else None


def json_read(op: str, kind: str) -> Iterator[Fault]:
    """A value for the JSON values of one kind, and for no other."""
    for tried, found in rows(op):
        if (found.value is not None) is not (kind_of(found.args[0]) == kind):
            yield f"{said(tried, found)}, of a {kind_of(found.args[0])}"


def kind_of(value: Any) -> str:
    kinds = {bool: "boolean", str: "string", int: "number", float: "number", dict: "object", list: "array"}
    return kinds.get(type(value), "null")


# --- order


def monotone(row: Operator) -> Iterator[Fault]:
    """The order of each argument is one that holds; an argument of no order has none."""
    most = max((len(tried.node.args) for tried in calls(row.name)), default=0)
    for place in range(most):
        order = row.monotone[place] if place < len(row.monotone) else Order.NOT
        found = in_an_order(row.name, place, order) if order is not Order.NOT else undeclared(row.name, place)
        yield from (f"argument {place}: {fault}" for fault in found)


def in_an_order(op: str, place: int, order: Order) -> Iterator[Fault]:
    """What refutes that an operator changes in an order with an argument."""
    for tried in moving(op, place):
        if domain(tried.node.type) is not None:
            yield from _along(tried, place, order)
        else:
            yield f"{tried} has no values in order"


def moving(op: str, place: int) -> list[Tried]:
    """The calls of an operator with a field of a type with an order as an argument."""
    return [
        tried
        for tried in calls(op)
        if place in tried.moved and domain(tried.node.args[place].type) is not None
    ]


# Arguments of which no order is declared though one holds, and why.
UNDECLARED = {
    **dict.fromkeys([(op, place) for op in CHOICES for place in range(3)], "proofs take choices apart"),
    ("dyn", 0): "simplification removes it",
    ("add_months", 1): "nothing compares a number of months that a row has",
    ("fdiv", 1): "0.0 and -0.0 have one place in the order, and 1 / -0.0 is below all",
}


def undeclared(op: str, place: int) -> Iterator[Fault]:
    """The order of an argument that has none in the row."""
    if (op, place) not in UNDECLARED and moving(op, place):
        yield from (
            f"{order.value}" for order in DECLARED if not any(True for _ in in_an_order(op, place, order))
        )


DECLARED = [order for order in Order if order is not Order.NOT]


def _along(tried: Tried, place: int, order: Order) -> Iterator[Fault]:
    kind, result = tried.node.args[place].type, tried.node.type
    moved = in_order(kind)
    for others in _others(tried, place):
        parts = _parts(order, moved, kind, [*others.values(), *_given(tried)])
        if parts is None:
            yield f"{tried} has no constant beside it that has a sign"
            return
        for sign, part in parts:
            values = [tried.run({**others, f"f{place}": value}) for value in part]
            fault = _out_of_order(values, sign, result)
            if fault is not None:
                shown = ", ".join(f"{part[at]!r}: {values[at]!r}" for at in fault)
                yield f"{tried} beside {others or 'nothing'}: {shown}"
                return


def _others(tried: Tried, place: int) -> Iterator[dict[str, Any]]:
    """The other arguments, as constants: proofs take finite ones."""
    names = [other for other in tried.moved if other != place]
    pools = [[value for value in tried.pool(other)[:_BESIDE] if _finite(value)] for other in names]
    for values in product(*pools):
        yield {f"f{other}": value for other, value in zip(names, values, strict=True)}


# So many constants are tried beside an argument that moves.
_BESIDE = 16


def _finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _given(tried: Tried) -> list[Any]:
    return [constants(arg) for n, arg in enumerate(tried.node.args) if n not in tried.moved]


def _parts(
    order: Order, values: list[Any], kind: Type, others: list[Any]
) -> list[tuple[int, list[Any]]] | None:
    """The values of an argument where there is one direction, with 1 or -1, or 0 for any; None if nothing
    tells which.
    """
    if order is Order.SIDES:
        turn = next(at for at, value in enumerate(values) if ordered(kind).ordinal(value) >= 0)
        return [(0, values[:turn]), (0, values[turn:])]
    if order is Order.BY_SIGN:
        if len(others) != 1 or not isinstance(others[0], int | float | Decimal | timedelta):
            return None
        return [(1 if others[0] > type(others[0])() else -1, values)] if others[0] else []
    return [(1 if order is Order.RISES else -1, values)]


def _out_of_order(values: list[Any], sign: int, kind: Type) -> list[int] | None:
    """The places that show a gap or another direction."""
    there = [at for at, value in enumerate(values) if value is not None]
    if not there:
        return None
    for at in range(there[0], there[-1] + 1):
        if values[at] is None or is_nan(values[at]):
            return [there[0], at, there[-1]]
    turns = [_first_turn(values, there, one, kind) for one in ((sign,) if sign else (1, -1))]
    return None if None in turns else turns[0]


def _first_turn(values: list[Any], there: list[int], sign: int, kind: Type) -> list[int] | None:
    keys = [(at, sign * ordered(kind).ordinal(values[at])) for at in there]
    return next(([one, other] for (one, a), (other, b) in pairwise(keys) if a > b), None)


CLAIMS: dict[str, Claim] = {
    "strictness": strictness,
    "total": total,
    "range": range_,
    "comparison": comparison,
    "lookup": lookup,
    "arithmetic": arithmetic,
    "monotone": monotone,
}


# --- mutants: rows with one claim that is not made

# The fields of a row that are no claims about values, and where they are tested.
WORDS = {
    "name": "every table has a row for it: test_operator_tables.py",
    "signatures": "test_values_are_of_the_type_of_the_result",
    "doc": "for people",
    "examples": "run on every engine: tests/engines/test_operators.py",
    "words": "test_operator_tables.py",
    "names": "for people",
    "without_formula": "test_operator_tables.py",
    "rounded_by_engines": "the engines are asked: tests/engines/test_operators.py",
}


def mutants(row: Operator) -> Iterator[tuple[str, Operator]]:
    """The row with one other trait, for each trait and each other value, with the name of the trait."""
    for trait, values in _MUTANTS.items():
        for value in values(row):
            yield trait, replace(row, **{trait: value})


def _other_range(row: Operator) -> Iterator[tuple[int, int]]:
    if row.range is None:
        yield 0, 100
        return
    low, high = row.range
    yield from ((low + 1, high), (low - 1, high), (low, low + 1))
    if row.range[1] != COUNT[1]:
        yield from ((low, high - 1), (low, high + 1))


def _other_comparison(row: Operator) -> Iterator[Comparison | None]:
    own = row.comparison
    if own is None:
        yield COMPARISONS["eq"]
        return
    for other in COMPARISONS.values():
        if other != own:
            yield from (replace(own, sign=other.sign), replace(own, holds=other.holds))


def _other_monotone(row: Operator) -> Iterator[tuple[Order, ...]]:
    most = max((len(tried.node.args) for tried in calls(row.name)), default=0)
    own = (*row.monotone, *[Order.NOT] * (most - len(row.monotone)))
    for place in range(most):
        yield from (
            (*own[:place], order, *own[place + 1 :])
            for order in Order
            if order is not own[place] and moving(row.name, place)
        )


def why_true(row: Operator, trait: str, mutant: Operator) -> str:
    """Why a mutant claims nothing wrong; empty if it does."""
    if trait == "strictness" and mutant.strictness is Strictness.ALL:
        single = all(len(tried.node.args) == 1 for tried in calls(row.name))
        return "all of one argument are that one" if single and row.total and row.name in STRICT else ""
    if trait != "monotone":
        return ""
    ((place, order),) = _changed(row, mutant)
    own = row.monotone[place] if place < len(row.monotone) else Order.NOT
    if order is Order.NOT:
        return ""
    if own is Order.NOT:
        found = next(in_an_order(row.name, place, order), None)
        return UNDECLARED.get((row.name, place), "") if found is None else ""
    if order is Order.SIDES and (own in (Order.RISES, Order.FALLS) or row.name in ("div", "multiple")):
        return "what has one direction has it on each side of zero"
    if order is Order.BY_SIGN and row.name in ("round", "bround", "shift_right"):
        return "the constant beside it is never below zero"
    return ""


def _changed(row: Operator, mutant: Operator) -> Iterator[tuple[int, Order]]:
    own = (*row.monotone, *[Order.NOT] * (len(mutant.monotone) - len(row.monotone)))
    for place, (one, other) in enumerate(zip(own, mutant.monotone, strict=True)):
        if one is not other:
            yield place, other


_MUTANTS: dict[str, Callable[[Operator], Iterator[Any]]] = {
    "strictness": lambda row: (other for other in Strictness if other is not row.strictness),
    "total": lambda row: iter([not row.total]),
    "range": _other_range,
    "comparison": _other_comparison,
    "lookup": lambda row: iter([not row.lookup]),
    "arithmetic": lambda row: (sign for sign in _SIGNS if sign != row.arithmetic),
    "monotone": _other_monotone,
}
