"""Conditions of SQL in CEL and as JMS selectors: what is said there accepts the same rows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import predicat
from tests.frontends import sql_texts

SAID = {
    "s IN ('a', o)": 's == "a" || s == o', "d / 2.0 > 1.0": "d / 2.0 > 1.0", "(b OR a > 3) IS NOT TRUE": "!(b != null && b || a != null && a > 3)",
    "(b AND a > 3) IS NOT FALSE": "!(b != null && !b || a != null && !(a > 3))", "((b IS TRUE) = g) IS NOT TRUE": "!(g != null && (b != null && b) == g)",
    "((a IS NULL) = g) IS NOT TRUE": "!(g != null && (a == null) == g)", "a % -1 = 0": "a % (-1 == -1 ? 1 : -1) == 0",
}  # fmt: skip
REFUSED = {
    ("btrim(s, 'ac') = 'b'", "cel"): "strip", ("d / f > 1.0", "cel"): "divided by zero", ("exists(xs, x -> x > 3) IS NOT TRUE", "cel"): "turn an error into false",
    ("((b OR a > 3) = g) IS NOT TRUE", "cel"): "turn an error into false", ("CAST(d AS bigint) < 0", "labels"): "labels", ("CAST(d AS bigint) < 0", "pulsar"): "pulsar",
    ("(s LIKE 'a%') IS NOT NULL", "jms"): "jms", ("lower('A') IN (s, 'b')", "jms"): "jms",
}  # fmt: skip
ROWS: list[dict[str, Any]] = [{}, {"b": True}, {"a": 5}, {"a": 1, "b": False}, {"s": "a"}, {"s": "b", "o": "b", "d": 0.0, "a": -7}, {"d": -2.5}, {"d": 3.0, "b": True, "a": 9}, {"g": True}, {"g": False},
                              {"a": 1, "g": True}, {"b": True, "g": True}]  # fmt: skip


@pytest.mark.parametrize(("condition", "text"), SAID.items())
def test_in_cel(condition: str, text: str) -> None:
    ours = predicat.parse(condition, "sql", sql_texts.FIELDS)
    assert ours.to("cel") == text
    same_rows(ours, "cel", ROWS)


@pytest.mark.parametrize(("asked", "reason"), REFUSED.items())
def test_refused(asked: tuple[str, str], reason: str) -> None:
    condition, language = asked
    with pytest.raises(predicat.Unsupported) as error:
        predicat.parse(condition, "sql", sql_texts.FIELDS).to(language)
    assert reason in str(error.value)


@settings(max_examples=300, deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
@given(condition=st.integers(1, 2).flatmap(sql_texts.booleans), rows=st.lists(sql_texts.rows, min_size=6, max_size=6))
def test_generated(condition: str, rows: list[dict[str, Any]]) -> None:
    try:
        ours = predicat.parse(condition, "sql", sql_texts.FIELDS)
    except predicat.PredicatError:
        return
    for language in ("cel", "jms", "cesql", "pulsar", "labels"):
        same_rows(ours, language, rows)


def same_rows(ours: predicat.Predicate, language: str, rows: list[dict[str, Any]]) -> None:
    try:
        text = ours.to(language)
    except predicat.Unsupported:
        return
    theirs = predicat.parse(text, language, sql_texts.FIELDS)
    for row in rows:
        present = {name: value for name, value in row.items() if value is not None}
        assert (theirs.evaluate(present) is True) is (ours.evaluate(present) is True), (text, present)
