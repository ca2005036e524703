"""What proofs, bounds and facts say of a test of one value, for every operator: the evaluator decides.

A test compares a call of an operator with a constant. One argument moves over its values, of which the ends
and those in between are many; the others are constants. Nothing here looks at the traits of the operator.
"""

import math
import os
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from predicat.analysis import facts
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, substituted
from predicat.ir.operators import JSON_READS, OPS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, DecimalType, Scalar, Type
from predicat.proof.cases.representatives import Unknown, representatives
from predicat.proof.inputs import over_inputs
from predicat.rewrite.acceptance import never_unknown
from predicat.rewrite.solve import exactly, for_rows
from predicat.semantics.evaluate import compile_node
from predicat.values.automaton import Opaque
from tests.ir.operator_calls import NOT_CALLED, Tried, calls, values_of

CALLED = [op for op in OPS if op not in NOT_CALLED]
_MOST_VALUES = 400


class Asked(NamedTuple):
    """A test of one field, with the outcome for each of its values."""

    test: Node
    value: Node
    """The calculation in the test."""
    field: Field
    outcomes: list[tuple[Any, Any]]


def questions(op: str, beside: int, conditions: int) -> Iterator[Asked]:
    """Tests of an operator: with so many constants beside each argument, and so many conditions on each."""
    chance = random.Random(op)
    for tried in calls(op):
        for place in constant_beside(tried):
            for _ in range(beside if len(tried.moved) > 1 else 1):
                yield from asked_of(with_constants(tried, place, chance), tried, place, chance, conditions)


def constant_beside(tried: Tried) -> list[int]:
    """The arguments beside which the others may be constants: no language has one of arrays or documents."""
    return [
        place
        for place in tried.moved
        if all(is_scalar(tried.node.args[other].type) for other in tried.moved if other != place)
    ]


def asked_of(node: Node, moved: Tried, place: int, chance: random.Random, conditions: int) -> Iterator[Asked]:
    """Conditions on a calculation of one argument of a call."""
    field = moved.node.args[place]
    assert isinstance(field, Field)
    values = [None, *moved.pool(place)[:_MOST_VALUES]]
    name, run = field.decl.name, compile_node(node)
    results = [run({name: value}) for value in values]
    for test in conditions_on(node, results, chance, conditions):
        run_test = compile_node(test)
        yield Asked(test, node, field, [(value, run_test({name: value})) for value in values])


_READERS = {kind: op for op in JSON_READS for kind in (OPS[op].shapes[0][1],)}


def over_json(asked: Asked) -> Asked | None:
    """The same test of a scalar in a JSON document; None if no JSON value is of the field's type."""
    reader = _READERS.get(str(asked.field.type))
    if reader is None:
        return None
    field = Field(JSON, FieldDecl(asked.field.decl.name, JSON))
    read = Call(asked.field.type, reader, (field,))
    test, value = (substituted(node, asked.field, read) for node in (asked.test, asked.value))
    run, name = compile_node(test), field.decl.name
    values = [in_json(item) for item, _ in asked.outcomes if item == item]  # noqa: PLR0124  # JSON has no NaN
    outcomes = [(item, run({name: item})) for item in [*values, *values_of(JSON)]]
    return Asked(test, value, field, outcomes)


def in_json(value: Any) -> Any:
    """A value as JSON has it: there are numbers beyond all doubles, and no infinity."""
    infinite = isinstance(value, float) and math.isinf(value)
    return (10**400 if value > 0 else -(10**400)) if infinite else value


def is_scalar(kind: Type) -> bool:
    return kind != JSON and isinstance(kind, Scalar | DecimalType)


def with_constants(tried: Tried, place: int, chance: random.Random) -> Call:
    """A call with constants for all arguments but one."""
    args = [
        Literal(arg.type, chance.choice(tried.pool(other)[:12]))
        if other in tried.moved and other != place
        else arg
        for other, arg in enumerate(tried.node.args)
    ]
    return Call(tried.node.type, tried.node.op, tuple(args))


def conditions_on(node: Node, results: list[Any], chance: random.Random, most: int) -> Iterator[Node]:
    """Conditions on a value: itself, or comparisons with values that it has."""
    absent = Call(BOOLEAN, "is_null", (node,))
    found: list[Node] = [absent, Call(BOOLEAN, "not", (absent,))]
    if node.type == BOOLEAN:
        found = [node, Call(BOOLEAN, "not", (node,)), absent, Call(BOOLEAN, "is_true", (node,))]
    elif is_scalar(node.type):
        known = [value for value in results if value is not None]
        for op in ("eq", "lt", "ge", "ne", "le", "gt", "in", "same") if known else ():
            one, other = (Literal(node.type, chance.choice(known)) for _ in range(2))
            found.append(Call(BOOLEAN, op, (node, Items(node.type, (one, other)) if op == "in" else one)))
    yield from chance.sample(found, min(most, len(found)))


def check(asked: Asked) -> set[str]:
    """Compare what is derived with the outcomes. Returns what there was to compare."""
    judged = set()
    labels = stand_ins(asked)
    if labels is not None:
        judged.add("stand-ins")
        for value, outcome in asked.outcomes:
            assert outcome in labels, f"no stand-in for {value!r} in {canonical_text(asked.test)}: {outcome}"
    rows, exact = for_rows(asked.test), exactly(asked.test, lambda _one, _other: True)
    name = asked.field.decl.name
    if rows != asked.test or exact != asked.test:
        judged.add("bounds")
        accepts, decides = compile_node(rows), compile_node(exact)
        for value, outcome in asked.outcomes:
            row = {name: value}
            assert (accepts(row) is True) is (outcome is True), f"{canonical_text(asked.test)} for {value!r}"
            assert decides(row) is outcome, f"{canonical_text(asked.test)} for {value!r}"
    if never_unknown(asked.test):
        judged.add("never unknown")
        assert all(outcome is not None for _, outcome in asked.outcomes), canonical_text(asked.test)
    return judged


def stand_ins(asked: Asked) -> set[Any] | None:
    """The outcomes that some value has, by the cases; None if these are not known."""
    try:
        return {item.labels[0] for item in representatives(asked.field, [asked.test])}
    except (Opaque, Unknown):
        return None


def check_range(asked: Asked) -> None:
    """Compare the range that is known of a number with its values."""
    run, name = over_inputs(asked.value), asked.field.decl.name
    for value, _ in asked.outcomes:
        result = run({name: value})
        if asked.value.type == BIGINT and result is not None:
            low, high = facts.integers(asked.value)
            assert low <= result <= high, (canonical_text(asked.value), value, result)
        if asked.value.type == DOUBLE and result is not None:
            known = facts.doubles(asked.value)
            inside = known.nan if math.isnan(result) else known.low <= result <= known.high
            assert inside, (canonical_text(asked.value), value, result)
            assert not result or math.isnan(result) or abs(result) >= known.least


# Operators of which proofs know no cases: they are any function. (Of `mod` they know some: the divisor
# that is drawn here is too large.)
NOT_TAKEN_APART = {
    *("to_whole", "mod", "in_list"),
    *("bit_and", "bit_or", "bit_xor", "shift_left", "to_duration", "to_quantity"),
    *("byte_count", "utf8_length", "md5", "sha256"),
    *("split", "like_row", "fold_case"),
    *("get", "member", "array_eq", "array_concat", "range", "sum", "keys"),
    *("dyn", "parse_json", "json_get", "json_at", "json_eq", "json_items"),
    *("json_values", "json_size", "json_null"),
}


@pytest.mark.parametrize("op", CALLED)
def test_what_is_derived_of_a_test_is_what_the_evaluator_says(op: str) -> None:
    judged: set[str] = set()
    for asked in questions(op, 1, 2):
        judged |= check(asked)
        check_range(asked)
        if (inside := over_json(asked)) is not None:
            check(inside)
    assert ("stand-ins" in judged) is (op not in NOT_TAKEN_APART)


@pytest.mark.slow
@pytest.mark.parametrize("op", CALLED)
def test_more_tests_of_every_operator(op: str) -> None:
    for asked in questions(op, 8, 10):
        check(asked)
        check_range(asked)
        if (inside := over_json(asked)) is not None:
            check(inside)


# --- calculations of two operators

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "200"))


@pytest.mark.long
def test_calculations_of_two_operators() -> None:
    """One operator on the value of another: where proofs and bounds compose what they know of each."""
    chance = random.Random(EXAMPLES)
    places = [(tried, place) for op in CALLED for tried in calls(op) for place in constant_beside(tried)]
    by_result: dict[Type, list[tuple[Tried, int]]] = {}
    for tried, place in places:
        if tried.node.op != "range":  # arrays of a million elements
            by_result.setdefault(tried.node.type, []).append((tried, place))
    for _ in range(EXAMPLES):
        outer, hole = chance.choice(places)
        known = by_result.get(outer.node.args[hole].type)
        if known is None:
            continue
        inner, place = chance.choice(known)
        value = with_constants(inner, place, chance)
        node = substituted(with_constants(outer, hole, chance), outer.node.args[hole], value)
        for asked in asked_of(node, inner, place, chance, 2):
            check(asked)
            check_range(asked)
            if (inside := over_json(asked)) is not None:
                check(inside)
