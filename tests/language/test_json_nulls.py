"""Conditions of policies over JSON attributes, some of which are null: every answer is that of Google's CEL,
if the field is declared `nulls: value`.
"""

from itertools import chain
from typing import Any

import pytest
from msgspec.structs import replace

import predicat
from tests.language.test_cel_realistic import outcomes
from tests.rounds import rounds
from tests.texts import tables_of

TABLES = tables_of(__file__)["shapes"]
SHAPES = list(chain(*TABLES.values()))
NULLS = {"R": {"type": "json", "nulls": "value"}, "P": {"type": "json", "nulls": "value"}}
PRINCIPALS: list[dict[str, Any]] = [
    {"id": "ann", "roles": ["admin", "user"], "attr": {"department": "ops", "level": 3, "teams": ["a", "b"]}},
    {"id": "bob", "roles": [], "attr": {"department": None, "level": None, "teams": None}},
    {"id": None, "roles": ["user", None], "attr": {"department": "it", "level": 1.5, "teams": ["b", None]}},
    {"id": "cid", "roles": None, "attr": {}},
]
ATTRIBUTES: list[dict[str, Any]] = [
    {"owner": "ann", "status": "open", "tags": ["red", "blue"], "amount": 10, "public": True},
    {"owner": None, "status": None, "tags": None, "amount": None, "public": None},
    {"owner": "bob", "status": "closed", "tags": ["red", None], "amount": 2.5, "public": False},
    {"owner": "ann", "status": "open", "tags": [], "geo": {"country": "DE", "city": None}, "amount": 0},
    {"owner": 7, "status": "", "tags": [None], "geo": {"country": None}, "items": [{"id": "x", "n": None}]},
    {"owner": ["ann"], "geo": None, "items": [{"id": None, "n": 1}, {"id": "y"}], "public": "yes"},
    {"owner": {"id": None}, "geo": {}, "items": [], "department": "ops", "reviewers": {"ann": None}},
    {"items": None, "tags": ["ann", "it", 7], "department": None, "reviewers": {"bob": {"at": 1}}},
    {},
]
ROWS = [{"P": who, "R": {"attr": what, "kind": "doc"}} for who in PRINCIPALS for what in ATTRIBUTES]


def test_there_are_enough_shapes() -> None:
    assert len(SHAPES) >= 100
    assert len(set(SHAPES)) == len(SHAPES)


@pytest.mark.parametrize("shape", SHAPES)
def test_null_in_a_document_is_null(shape: str) -> None:
    ours = predicat.parse(shape, "cel", NULLS)
    expected = outcomes(shape, ROWS)
    assert [ours.evaluate(row) for row in ROWS] == expected
    assert len({*expected}) > 1, "the rows say nothing about it"


def test_without_nulls_a_null_is_missing() -> None:
    for shape in ("R.attr.owner != 'x'", "has(R.attr.owner)", "R.attr.owner in ['x']"):
        plain = predicat.parse(shape, "cel", {"R": "json"})
        assert plain.evaluate({"R": {"attr": {"owner": None}}}) == plain.evaluate({"R": {"attr": {}}})


def parsed() -> dict[str, predicat.Predicate]:
    return {shape: predicat.parse(shape, "cel", NULLS) for shape in SHAPES}


def test_a_matcher_knows_null() -> None:
    several = parsed()
    matcher = predicat.Matcher.of(several)
    for row in rounds(ROWS, 30):
        assert matcher.match(row) == sorted(
            name for name, one in several.items() if one.evaluate(row) is True
        )


def test_what_is_written_is_read_as_the_same() -> None:
    written = 0
    for one in parsed().values():
        try:
            text = replace(one, text=None).to("cel")
        except predicat.Unsupported:
            continue
        written += 1
        again = predicat.parse(text, "cel", NULLS)
        assert [again.evaluate(row) is True for row in ROWS] == [one.evaluate(row) is True for row in ROWS], (
            text
        )
    assert written > len(SHAPES) / 2


@pytest.mark.slow
def test_no_proof_contradicts_the_rows() -> None:
    several = list(parsed().values())
    decided = 0
    for one, other in zip(several, several[1:] + several[:1], strict=True):
        verdict = predicat.compare(one, other)
        outcomes_ = [(one.evaluate(row) is True, other.evaluate(row) is True) for row in ROWS]
        decided += verdict.proof == "proved"
        if verdict.proof != "proved":
            continue
        if verdict.kind.startswith("equivalent"):
            assert all(a == b for a, b in outcomes_), (one.text, other.text)
        elif verdict.kind == "wider":
            assert all(b or not a for a, b in outcomes_), (one.text, other.text)
        elif verdict.kind == "narrower":
            assert all(a or not b for a, b in outcomes_), (one.text, other.text)
        elif verdict.kind == "disjoint":
            assert not any(a and b for a, b in outcomes_), (one.text, other.text)
    assert decided
