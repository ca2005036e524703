"""Conditions of SQL in CEL and as JMS selectors: what is said there accepts the same rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.ir.nodes import Call, children
from predicat.language import writer
from predicat.language.common.key_tests import key_of
from tests.fuzzing import REPEATABLE
from tests.language import cel_texts, sql_texts

SAID = {
    "s IN ('a', o)": 's == "a" || s == o',
    "d / 2.0 > 1.0": "d / 2.0 > 1.0 || d != d",
    "d / 2.0 < 1.0": "d / 2.0 < 1.0",
    "(b OR a > 3) IS NOT TRUE": "!(b != null && b || a != null && a > 3)",
    "(b AND a > 3) IS NOT FALSE": "!(b != null && !b || a != null && !(a > 3))",
    "((b IS TRUE) = g) IS NOT TRUE": "!(g != null && (b != null && b) == g)",
    "((a IS NULL) = g) IS NOT TRUE": "!(g != null && (a == null) == g)",
    "a % -1 = 0": "a % (-1 == -1 ? 1 : -1) == 0",
}
REFUSED = {
    ("btrim(s, 'ac') = 'b'", "cel"): "btrim",
    ("d / f > 1.0", "cel"): "divided by zero",
    ("exists(xs, x -> x > 3) IS NOT TRUE", "cel"): "turn an error into false",
    ("(2 = ANY(xs)) IS NOT TRUE", "cel"): "turn an error into false",
    ("((b OR a > 3) = g) IS NOT TRUE", "cel"): "turn an error into false",
    ("CAST(floor(d) AS bigint) < 0", "labels"): "labels",
    ("CAST(floor(d) AS bigint) < 0", "pulsar"): "pulsar",
    ("(s LIKE 'a%') IS NOT NULL", "jms"): "jms",
    ("lower('A') IN (s, 'b')", "jms"): "jms",
}
ROWS: list[dict[str, Any]] = [
    {},
    {"b": True},
    {"a": 5},
    {"a": 1, "b": False},
    {"s": "a"},
    {"s": "b", "o": "b", "d": 0.0, "a": -7},
    {"d": -2.5},
    {"d": 3.0, "b": True, "a": 9},
    {"g": True},
    {"g": False},
    {"a": 1, "g": True},
    {"b": True, "g": True},
]


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


MESSAGES = {
    "event_time": "timestamp",
    "publish_time": "timestamp",
    "m": "map<string, string>",
    "j": "json",
    "s": "string",
    "b": "boolean",
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int(m.event_time) > 5", {"property": "event_time", "op": "GREATER_THAN", "value": 5}),
        (
            'event_time < timestamp("2033-05-18T03:33:20.001Z")',
            {"ref": "event_time", "op": "LESS_THAN", "value": 2_000_000_000_001},
        ),
        (
            'event_time >= timestamp("1969-12-31T23:59:59.999Z")',
            {"ref": "event_time", "op": "GREATER_THAN_EQUALS", "value": -1},
        ),
    ],
)
def test_times_and_properties_of_pulsar(text: str, said: dict[str, Any]) -> None:
    ours = predicat.parse(text, "cel", MESSAGES)
    assert json.loads(ours.to("pip")) == said
    assert predicat.parse(said, "pip", MESSAGES, on="m").node == ours.node


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('event_time < timestamp("2033-05-18T03:33:20.0015Z")', "the constant has microseconds"),
        ('s == "a" && m.s == "b"', "two values of a row are named 's'"),
        ('m.s == "a" || j.s == "b"', "two values of a row are named 's'"),
    ],
)
def test_one_key_for_each_value(text: str, reason: str) -> None:
    for language in ("pulsar", "pulsar:binary", "pip"):
        with pytest.raises(predicat.Unsupported, match=reason):
            predicat.parse(text, "cel", MESSAGES).to(language)
    if "two values" in reason:
        for language in ("jms", "cesql", "sns", "pubsub", "labels", "headers", "cloudevents"):
            with pytest.raises(predicat.Unsupported, match=reason):
                predicat.parse(text, "cel", MESSAGES).to(language)
        assert (
            predicat.parse(writer("cel")(predicat.parse(text, "cel", MESSAGES).node), "cel", MESSAGES).node
            == predicat.parse(text, "cel", MESSAGES).node
        )


def test_a_choice_by_three_absences_has_a_text() -> None:
    text = '(j == null || s == null || b == null) ? b : s == "x"'
    ours = predicat.parse(text, "cel", MESSAGES)
    assert predicat.parse(writer("cel")(ours.node), "cel", MESSAGES).node == ours.node


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        ("j.k", "cesql", "declare the type of the field"),
        ('j.k.startsWith("a")', "cesql", "declare the type of the field"),
        ("(j.k && true) > (j.n && true)", "jms", "does not order a boolean"),
    ],
)
def test_values_without_a_declared_type(text: str, language: str, reason: str) -> None:
    with pytest.raises(predicat.Unsupported, match=reason):
        predicat.parse(text, "cel", MESSAGES).to(language)


_quiet = settings(REPEATABLE, max_examples=300, derandomize=True)


@pytest.mark.long
@_quiet
@given(
    condition=st.integers(1, 2).flatmap(sql_texts.booleans),
    rows=st.lists(sql_texts.rows, min_size=6, max_size=6),
)
def test_generated_sql(condition: str, rows: list[dict[str, Any]]) -> None:
    same_rows_everywhere(condition, "sql", sql_texts.FIELDS, rows)


_whole = st.sampled_from(
    [
        "{}",
        "!({})",
        "!(a != null && {})",
        "(a != null && ({})) || b",
        "has(m.k) && ({})",
        "!(has(j.k) && ({}))",
    ]
)


@pytest.mark.long
@_quiet
@given(
    condition=cel_texts.booleans(1) | cel_texts.booleans(2),
    whole=_whole,
    rows=st.lists(cel_texts.rows, min_size=4, max_size=4),
    absent=st.sets(st.sampled_from(list(cel_texts.FIELDS))),
)
def test_generated_cel(condition: str, whole: str, rows: list[dict[str, Any]], absent: set[str]) -> None:
    without = [{name: value for name, value in row.items() if name not in absent} for row in rows]
    same_rows_everywhere(whole.format(condition), "cel", cel_texts.FIELDS, [*rows, *without])


def same_rows_everywhere(
    text: str, language: str, fields: dict[str, str], rows: list[dict[str, Any]]
) -> None:
    try:
        ours = predicat.parse(text, language, fields)
    except predicat.PredicatError:
        return
    for target in ("cel", "jms", "cesql", "pulsar", "labels", "pubsub", "sns"):
        same_rows(ours, target, rows, fields)


def same_rows(
    ours: predicat.Predicate,
    language: str,
    rows: list[dict[str, Any]],
    fields: dict[str, str] = sql_texts.FIELDS,
) -> None:
    try:
        text = ours.to(language)
    except predicat.Unsupported:
        return
    keys = {} if language == "cel" else dict(read_keys(ours.node))
    theirs = predicat.parse(text, language, {**fields, **{key: str(node.type) for key, node in keys.items()}})
    for row in rows:
        present = {name: value for name, value in row.items() if value is not None}
        message = {
            **present,
            **{key: (present.get(node.args[0].decl.name) or {}).get(key) for key, node in keys.items()},
        }
        assert (
            theirs.evaluate({name: value for name, value in message.items() if value is not None}) is True
        ) is (ours.evaluate(present) is True), (text, present)


def read_keys(node: Any) -> Iterator[tuple[str, Any]]:
    """The keys of maps and documents that are keys of a message."""
    key = key_of(node)
    if key is None:
        for child in children(node):
            yield from read_keys(child)
    elif isinstance(node, Call):
        yield key, node
