"""The second opinion on proofs: a proof that a row contradicts is undecided, and a defect that is logged."""

import ast
import inspect
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import predicat
from predicat.ir.nodes import Node
from predicat.ir.operators import MONOTONE
from predicat.ir.operators.row import Order
from predicat.proof import compare, opinion_values, second_opinion
from predicat.proof.inputs import over_inputs
from predicat.proof.smt.encoder import Encoder
from predicat.proof.smt.terms import Truth
from predicat.values import outcomes
from tests.rounds import rounds

LOGGER = "predicat.proof.second_opinion"
TABLE = yaml.safe_load((Path(__file__).parent / "pairs.yml").read_text())
FIELDS = TABLE.pop("fields")
PROVERS = ("cases", "smt", "candidate", "compare", "rewrite")


@pytest.fixture
def defects(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> Iterator[pytest.LogCaptureFixture]:
    """The defects that are logged; here they do not fail the suite."""
    monkeypatch.setattr(logging.getLogger(LOGGER), "handlers", [])
    with caplog.at_level(logging.ERROR, LOGGER):
        yield caplog


@pytest.fixture
def wrong_trait(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An operator is taken for one without gaps; nothing that follows from it is kept."""
    outcomes._known_outcomes.cache_clear()
    monkeypatch.setitem(MONOTONE, "to_whole", (Order.RISES,))
    yield
    outcomes._known_outcomes.cache_clear()


def node(text: str, language: str = "sql", fields: dict[str, str] | None = None) -> Node:
    return predicat.parse(text, language, fields).node


WRONG_TRAIT = [
    ("n > 5", "n - 1 > 2 && n > 5"),
    ("n > 5", "n - 1 > 2 || n > 5"),
    ("n < -3", "n * 2 < 1 && n < -3"),
]


@pytest.mark.usefixtures("wrong_trait")
@pytest.mark.parametrize(("before", "after"), WRONG_TRAIT)
def test_a_wrong_trait_proves_nothing(before: str, after: str, defects: pytest.LogCaptureFixture) -> None:
    """The whole numbers among doubles have gaps, so no bisection finds where they end."""
    verdict = predicat.compare(predicat.parse(before, "cel"), predicat.parse(after, "cel"))
    assert (verdict.kind, verdict.proof) == ("undecided", "")
    assert "defect" in verdict.notes[0]
    assert any("n:json" in message and "{'n': " in message for message in defects.messages)


def test_a_wrong_formula_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, defects: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compare, "cases", lambda *_: None)
    monkeypatch.setattr(compare, "CandidateRows", _NoRows)
    monkeypatch.setattr(Encoder, "predicate", lambda *_: Truth(false=True, true=False))
    fields = {"a": "bigint", "b": "bigint"}
    verdict = compare.compare_nodes(node("a < b", fields=fields), node("a < b + 1", fields=fields))
    assert (verdict.kind, verdict.proof) == ("undecided", "")
    assert defects.messages


class _NoRows:
    def __init__(self, _: object) -> None: ...

    def rows(self, *_: object, **__: object) -> Iterator[dict[str, object]]:
        yield from ()


def test_a_wrong_step_between_operands_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, defects: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compare, "_operands", lambda _op, _node: {""})
    verdict = predicat.compare(predicat.parse("a > 1", "cel"), predicat.parse("a > 2", "cel"))
    assert verdict.kind == "undecided"
    assert len(defects.messages) == 1


@pytest.mark.usefixtures("wrong_trait")
def test_a_contradicted_proof_fails_the_suite() -> None:
    with pytest.raises(AssertionError, match="contradicts a proof"):
        predicat.compare(predicat.parse("n > 5", "cel"), predicat.parse("n - 1 > 2 && n > 5", "cel"))


def test_nothing_of_the_prover_makes_the_rows() -> None:
    for module in (second_opinion, opinion_values):
        tree = ast.parse(inspect.getsource(module))
        names = [part.module or "" for part in ast.walk(tree) if isinstance(part, ast.ImportFrom)]
        assert names
        assert not [name for name in names if any(prover in name for prover in PROVERS)]


@pytest.mark.long
def test_each_proof_is_confronted_with_200_rows_that_differ() -> None:
    for language, pairs in rounds(TABLE.items(), 5):
        for before, after, *_ in rounds(pairs, 5):
            nodes = node(before, language, FIELDS), node(after, language, FIELDS)
            opinion = second_opinion.SecondOpinion(nodes, [over_inputs(one) for one in nodes])
            assert opinion.contradiction(lambda *_: False) is None
            assert opinion.known is not None
            assert len(opinion.known) >= 200, (before, after)


def test_the_same_predicates_have_the_same_rows() -> None:
    nodes = [node(text, "cel") for text in ("n > 1 && xs.exists(v, v.a == 'x')", "spec.at.n + 1.5 < 9.0")]
    rows = second_opinion.rows(nodes, 50)
    assert repr(rows) == repr(second_opinion.rows(nodes, 50))
    assert len({repr(row) for row in rows}) > 40
