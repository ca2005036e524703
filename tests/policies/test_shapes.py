"""Sixty policies of real shapes: what can be written, and what widens them."""

from pathlib import Path

import pytest
import z3

import predicat
from predicat.catalog.policies import Attribute
from predicat.catalog.policy_conditions import bound
from predicat.diagnostics import PredicatError
from predicat.ir.nodes import Node
from predicat.ir.widths import field_type
from predicat.proof.compare import PROVED, compare_nodes
from predicat.proof.inputs import over_inputs
from tests.policies.shapes import DATA, REFUSED, SHAPES, catalog, params_of

ATTRIBUTES = {
    name: Attribute(name, kind, "", stored=stored).decl
    for name, row in DATA["attributes"].items()
    for kind, stored in [field_type(row["type"])]
}


def test_at_least_nine_of_ten_can_be_written() -> None:
    assert len(SHAPES) + len(REFUSED) >= 60
    assert len(SHAPES) / (len(SHAPES) + len(REFUSED)) >= 0.9


def test_shapes_are_policies(tmp_path: Path) -> None:
    made = catalog(tmp_path, SHAPES, {name: {"using": name} for name in SHAPES})
    assert made.datasets["documents"].policies.keys() == SHAPES.keys()


@pytest.mark.parametrize("name", REFUSED)
def test_others_are_refused_with_the_reason(name: str) -> None:
    text = REFUSED[name]["using"]
    with pytest.raises(PredicatError, match=REFUSED[name]["because"]):
        predicat.parse(text, "postgres", fields=DATA["fields"], params=params_of(text))


def rows_of(text: str) -> Node:
    """The rows that a policy with a condition accepts."""
    predicate = predicat.parse(text, "postgres", fields=DATA["fields"], params=params_of(text))
    return bound(predicate.node, "reject", {}, ATTRIBUTES)


def test_there_are_forty_widenings() -> None:
    assert len(DATA["widenings"]) >= 40


# What a solver before this version leaves undecided, with any effort.
DECIDED_FROM = {"shared_in_tenant": (5, 3, 3)}


@pytest.mark.parametrize(("shape", "old", "new"), DATA["widenings"])
def test_each_widening_is_proved_with_a_row(shape: str, old: str, new: str) -> None:
    assert old in SHAPES[shape]
    before, after = rows_of(SHAPES[shape]), rows_of(SHAPES[shape].replace(old, new, 1))
    verdict = compare_nodes(before, after)
    if verdict.kind == "undecided" and z3.get_version()[:3] < DECIDED_FROM.get(shape, (0,)):
        pytest.skip("the solver is too old to decide it")
    assert verdict.proof == PROVED and verdict.kind in ("wider", "always")
    assert verdict.gained is not None
    inputs = {**verdict.gained.row, **{f":{key}": value for key, value in verdict.gained.params.items()}}
    assert over_inputs(after)(inputs) is True
    assert over_inputs(before)(inputs) is not True
    back = compare_nodes(after, before)
    assert back.proof == PROVED and back.kind in ("narrower", "never")


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_the_same_as_itself_with_a_double_negation(shape: str) -> None:
    verdict = compare_nodes(rows_of(SHAPES[shape]), rows_of(f"NOT (NOT ({SHAPES[shape]}))"))
    assert verdict.same_rows
