"""The traits of operators hold for the reference evaluator."""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from predicat.check import signatures
from predicat.ir.nodes import Call, Field, walk
from predicat.ir.operators import (
    ARITHMETIC,
    COMPARISONS,
    EQUALITIES,
    FLIPPED,
    JSON_LOOK_UPS,
    LOOK_UPS,
    MONOTONE,
    OF_DOUBLES,
    OF_INTEGERS,
    OPS,
    ORDERED,
    STRICT,
    TIME_PARTS,
    Operator,
    Strictness,
)
from predicat.ir.operators.row import Order
from predicat.ir.types import BIGINT, DATE, DOUBLE, DURATION, TIMESTAMP, ArrayType, Type
from predicat.semantics.evaluate import compile_node
from tests import support
from tests.engines.predicates import POOLS


def calls(row: Operator) -> Iterator[Call]:
    """Calls of an operator on fields, one per signature, with the constants of its examples."""
    for index, generic in product(
        range(len(signatures.signatures(row.name))), ("string", "bigint", "double")
    ):
        node = support.sample(row.name, index, generic)
        found = (
            [part for part in walk(node) if isinstance(part, Call) and part.op == row.name]
            if node is not None
            else []
        )
        yield from found[:1]


def rows(node: Call, *, holes: bool = False) -> Iterator[dict[str, Any]]:
    """Rows with hostile values of the fields of a call. `holes`: arrays may have elements without a value."""
    fields = [arg for arg in node.args if isinstance(arg, Field)]
    pools = [
        [*pool(field.type), *([[None]] if holes and isinstance(field.type, ArrayType) else [])]
        for field in fields
    ]
    if all(pools):
        for values in product(*pools):
            yield {field.decl.name: value for field, value in zip(fields, values, strict=True)}


def pool(kind: Type) -> list[Any]:
    if isinstance(kind, ArrayType):
        return [[], *([value, value] for value in POOLS.get(kind.element, [])[:12])]
    return _HOLDERS.get(str(kind).partition("<")[0], POOLS.get(kind, [])[:12])


_HOLDERS: dict[str, list[Any]] = {
    "json": [1, 0.5, "a", "", True, [], [1, "a"], {}, {"k": 1}],
    "map": [{}, {"k": "a"}, {"": "k"}],
    "struct": [{"k": "a"}, {"k": None}],
}


# --- traits


@pytest.mark.parametrize("row", [row for row in OPS.values() if row.total], ids=lambda row: row.name)
def test_a_total_operator_has_a_value(row: Operator) -> None:
    for args, want in row.examples:
        assert want is not None or None in args, args
    judged = 0
    for node in calls(row):
        run = compile_node(node)
        for item in rows(node):
            assert run(item) is not None, (node, item)
            judged += 1
    assert judged or row.examples


@pytest.mark.parametrize("row", [row for row in OPS.values() if not row.total], ids=lambda row: row.name)
def test_an_operator_that_is_not_total_shows_where(row: Operator) -> None:
    known = any(want is None and None not in args for args, want in row.examples)
    assert known or any(
        compile_node(node)(item) is None for node in calls(row) for item in rows(node, holes=True)
    )


@pytest.mark.parametrize("row", [row for row in OPS.values() if row.range], ids=lambda row: row.name)
def test_values_are_in_the_range(row: Operator) -> None:
    assert row.range is not None
    low, high = row.range
    for node in calls(row):
        run = compile_node(node)
        for item in rows(node):
            value = run(item)
            assert value is None or low <= value <= high, (node, item)


@pytest.mark.parametrize("op", MONOTONE)
def test_values_keep_the_order_of_an_argument(op: str) -> None:
    judged = 0
    for node in calls(OPS[op]):
        fields = [arg for arg in node.args if isinstance(arg, Field)]
        if any(field.type not in (BIGINT, DOUBLE, DATE, TIMESTAMP, DURATION) for field in fields):
            continue
        run = compile_node(node)
        for place, order in enumerate(MONOTONE[op][: len(node.args)]):
            moved = node.args[place]
            if order is Order.NOT or not isinstance(moved, Field):
                continue
            for item in rows(node):
                others = [
                    value for field, value in zip(fields, item.values(), strict=True) if field is not moved
                ]
                if any(isinstance(value, float) and not math.isfinite(value) for value in others):
                    continue
                values = sorted(value for value in pool(moved.type) if not is_nan(value))
                for sign, part in parts_in_order(order, values, others):
                    found = [run({**item, moved.decl.name: value}) for value in part]
                    known = [value for value in found if value is not None and not is_nan(value)]
                    assert known == sorted(known, reverse=sign < 0), (node, item, part)
                    judged += len(known)
    assert judged > 10 or not list(calls(OPS[op]))


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def parts_in_order(order: Order, values: list[Any], others: list[Any]) -> Iterator[tuple[int, list[Any]]]:
    """The values of an argument where it has one direction, with 1 or -1."""
    if order is Order.FOLDS:
        yield -1, [value for value in values if value <= 0]
        yield 1, [value for value in values if value >= 0]
    elif order is Order.BY_SIGN:
        yield (1 if others[0] > 0 else -1), values if others[0] else []
    else:
        yield (1 if order is Order.RISES else -1), values


def test_comparisons() -> None:
    values = [0.5, 2.0, -math.inf, math.inf]
    for op, row in COMPARISONS.items():
        for a, b in product(values, values):
            assert (
                row.holds(a, b)
                is COMPARISONS[row.mirror].holds(b, a)
                is not COMPARISONS[row.negation].holds(a, b)
            )
        assert FLIPPED[FLIPPED[op]] == op == COMPARISONS[row.negation].negation
    assert {"eq", "ne"} == EQUALITIES
    assert {"lt", "le", "gt", "ge"} == ORDERED


def test_sets_that_are_read_from_signatures() -> None:
    """A changed signature must not change what a rule takes in silence."""
    assert set(OF_INTEGERS) == set(ARITHMETIC) - {"fdiv"}
    assert set(OF_DOUBLES) == set(ARITHMETIC) - {"mod"}
    assert {"json_get", "json_at"} == JSON_LOOK_UPS
    assert set(LOOK_UPS) == {"get", "member", "index", "json_get", "json_at"}
    assert {
        "year",
        "month",
        "day",
        "day_of_week",
        "day_of_year",
        "hour",
        "minute",
        "second",
        "millisecond",
    } == TIME_PARTS
    assert {"to_int", "length", "starts_with", "not", "eq"} <= STRICT
    assert {row.name for row in OPS.values() if row.strictness is Strictness.NEVER} == {
        "is_true",
        "is_null",
        "same",
        "json_values",
    }
