"""Every trait of the operator table holds for the reference evaluator, and each wrong one is found.

Proofs, bounds and covers rest on these traits: one wrong trait was once a false proof. `traits.py` has the
claims, `operator_calls.py` the calls and the values.
"""

from itertools import islice

import pytest
from msgspec.structs import fields

from predicat.ir.operators import (
    ARITHMETIC,
    BY_KEY,
    BY_PLACE,
    CHOICES,
    COMPARISONS,
    CONNECTIVES,
    EQUALITIES,
    FLIPPED,
    JSON_LOOK_UPS,
    JSON_READS,
    LOOK_UPS,
    MONOTONE,
    NEGATED,
    OF_DOUBLES,
    OF_INTEGERS,
    OPS,
    ORDERED,
    STRICT,
    TEXT_OPERATORS,
    TIME_PARTS,
    Operator,
    Strictness,
)
from tests.ir import traits
from tests.ir.operator_calls import NOT_CALLED, calls, table
from tests.rounds import rounds

CALLED = [op for op in OPS if op not in NOT_CALLED]


@pytest.mark.parametrize("op", CALLED)
def test_every_trait_of_an_operator_is_true(op: str) -> None:
    assert [fault for trait in traits.CLAIMS for fault in islice(traits.faults(OPS[op], trait), 2)] == []


@pytest.mark.parametrize("op", CALLED)
def test_values_are_of_the_type_of_the_result(op: str) -> None:
    assert list(islice(traits.misfits(op), 3)) == []


@pytest.mark.long
def test_every_operator_is_called_with_each_of_its_signatures() -> None:
    """A trait that nothing is tried for would be true of all."""
    for op in rounds(CALLED, 100):
        assert len(calls(op)) >= len(OPS[op].signatures), op
        assert any(row.value is not None for _, rows in table(op) for row in rows), op


def test_every_field_of_a_row_is_a_claim_or_is_tested_elsewhere() -> None:
    assert {field.name for field in fields(Operator)} == traits.CLAIMS.keys() | traits.WORDS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("op", CALLED)
def test_a_wrong_trait_is_found(op: str) -> None:
    """Each other value of each trait is refuted by a call, or there is a reason why it is true as well."""
    row, tried = OPS[op], 0
    for trait, mutant in traits.mutants(row):
        tried += 1
        fault = next(traits.faults(mutant, trait), None)
        assert (fault is None) is bool(traits.why_true(row, trait, mutant)), (trait, mutant, fault)
    assert tried


# --- what is derived from the rows


@pytest.mark.parametrize("op", CHOICES)
def test_a_choice_is_one_of_its_arguments(op: str) -> None:
    assert list(islice(traits.choice(op, CHOICES[op]), 3)) == []
    assert list(islice(traits.choice(op, CHOICES[op] + 1), 1)), "it is the first of these"


@pytest.mark.parametrize("op", JSON_READS)
def test_a_scalar_is_read_from_json_values_of_one_kind(op: str) -> None:
    assert list(islice(traits.json_read(op, JSON_READS[op]), 3)) == []


@pytest.mark.parametrize("op", COMPARISONS)
def test_the_mirror_and_the_negation_of_a_comparison(op: str) -> None:
    assert list(islice(traits.turned(OPS[op]), 3)) == []
    assert FLIPPED[FLIPPED[op]] == op == NEGATED[NEGATED[op]]


def test_look_ups_by_key_and_by_place() -> None:
    assert {op: traits.looks_up(op) for op in LOOK_UPS} == {
        **dict.fromkeys(BY_KEY, "key"),
        **dict.fromkeys(BY_PLACE, "place"),
    }


def test_connectives_are_never_unknown_without_a_reason() -> None:
    for op in rounds(CONNECTIVES, 3):
        for _, rows in rounds(table(op), 1):
            assert all(row.value is not None or None in row.args for row in rows)


def test_sets_that_are_read_from_signatures() -> None:
    """A changed signature must not change what a rule takes in silence."""
    assert set(OF_INTEGERS) == set(ARITHMETIC) - {"fdiv"}
    assert set(OF_DOUBLES) == set(ARITHMETIC) - {"mod"}
    assert {"eq", "ne"} == EQUALITIES
    assert {"lt", "le", "gt", "ge"} == ORDERED
    assert CHOICES == {"cond": 1, "coalesce": 0, "greatest": 0, "least": 0}
    assert JSON_READS == {"json_string": "string", "json_number": "number", "json_boolean": "boolean"}
    assert {"json_get", "json_at"} == JSON_LOOK_UPS
    assert set(LOOK_UPS) == {"get", "member", "index", "json_get", "json_at"}
    assert {"lower", "to_int", "parse_json", "join", "to_date"} <= TEXT_OPERATORS
    assert TEXT_OPERATORS.isdisjoint(
        (*COMPARISONS, *LOOK_UPS, *JSON_READS, *CHOICES, *MONOTONE.keys() - OF_BOTH)
    )
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


# Conversions of texts and of values with an order.
OF_BOTH = {"to_int", "to_double", "to_decimal", "to_timestamp", "to_date"}
