"""Filters by readers that are not predicat's: a text accepts a message exactly if the filter accepts its row.

The texts are translations, and filters in the language itself.
"""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.diagnostics import Unsupported
from predicat.language import LANGUAGES, WRITERS
from tests.fuzzing import REPEATABLE
from tests.language.bodies import BODIES, FIELDS, joined, logical, of, rows
from tests.language.cel_texts import written
from tests.readers import READERS
from tests.rounds import rounds

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1"))
ROWS = rows()
EVENTS = [row for row in ROWS if "type" in (row.get("m") or {}) and (row.get("event_time") or 0) < 2**31]
# The rows that are messages of a target: variables of CEL have values, events a type and short integers.
MESSAGES = {
    **dict.fromkeys(READERS, ROWS),
    "cel": [row for row in ROWS if {row.get("event_time"), row.get("publish_time")}.isdisjoint({None})],
    "cesql": EVENTS,
    "cloudevents": EVENTS,
}
# The targets without a reader, and why.
UNREAD = {
    "pulsar:text": "another form of pulsar",
    "pulsar:binary": "another form of pulsar",
}


def test_each_target_has_a_reader() -> None:
    assert {*WRITERS} == {*READERS} | {*UNREAD}


def message_of(row: Mapping[str, Any], target: str) -> Mapping[str, Any]:
    """The row as a message of the target system."""
    if LANGUAGES[target].paths:
        return {**row, "m": row.get("m") or {}}
    keys = {key: value for key, value in row.items() if key != "m" and value is not None}
    return {**(row.get("m") or {}), **keys}


def translations(body: Any, language: str) -> Iterator[tuple[str, str, predicat.Predicate]]:
    predicate = predicat.parse(body, language, FIELDS, on=None if language in ("cel", "sql") else "m")
    for target in READERS:
        try:
            yield target, predicate.to(target), predicate
        except Unsupported:
            continue


@pytest.mark.parametrize("language", sorted(BODIES))
def test_the_target_system_accepts_the_same_messages(language: str) -> None:
    targets: set[str] = set()

    @settings(REPEATABLE, max_examples=40 * EXAMPLES)
    @given(body=BODIES[language])
    def check(body: Any) -> None:
        for target, text, predicate in translations(body, language):
            if target == "cel" and ".match(" in text:
                continue  # Knative's extension, which Google's CEL does not have
            targets.add(target)
            for row in MESSAGES[target]:
                assert READERS[target](text, message_of(row, target)) is (predicate.evaluate(row) is True), (
                    f"{json.dumps(body, ensure_ascii=False)}\n-> {target}: {text}\n{row}"
                )

    check()
    assert targets


TOPICS = {"routing_key": "string", "topic": "string", "headers": "map<string, string>", "value": "string"}
_WORDS = st.lists(st.sampled_from(["a", "b-c", "é", "", "*", "#", "x+y", "1"]), max_size=5).map(".".join)
_PREDICATES = st.one_of(
    st.sampled_from(["a.*", "orders-[0-9]+", "a|b", "a-b.c", "(?i)x", "^a$", ".*x"]).map(
        lambda pattern: {"type": "TopicNameMatches", "pattern": pattern}
    ),
    st.sampled_from(["a", "b-c"]).map(lambda name: {"type": "HasHeaderKey", "name": name}),
    st.just({"type": "RecordIsTombstone"}),
).flatmap(lambda body: st.sampled_from([body, {**body, "negate": True}]))
_CONDITIONS = st.sampled_from(
    [
        "routing_key = 'a.b'",
        "routing_key LIKE 'a.%'",
        "routing_key LIKE '%.b'",
        "topic = 'a.b*'",
        "topic LIKE 'a+%'",
        "topic LIKE '%.%'",
        "topic RLIKE 'a[0-9]'",
        "topic RLIKE '^(?:a|z.*)$'",
        "NOT (topic = 'a')",
        "headers['a'] IS NOT NULL",
        "value IS NULL",
        "NOT (value IS NULL)",
    ]
)
_KEYS = ("", "a", "a.b", "a.b.c", "x.b", "a.b*", "a+1", "a1", "zab", "é.a", "orders-7", "a\nb", "b-c.1.a")
RECORDS = [
    {"routing_key": text, "topic": text, "headers": headers, "value": value}
    for text in _KEYS
    for headers in ({}, {"a": "", "b-c": "1"})
    for value in (None, "", "v")
]


@pytest.mark.parametrize(
    ("language", "bodies"), [("rabbitmq", _WORDS), ("kafka", _PREDICATES), ("sql", _CONDITIONS)]
)
def test_the_target_system_accepts_the_same_topics(language: str, bodies: st.SearchStrategy[Any]) -> None:
    @settings(REPEATABLE, max_examples=40 * EXAMPLES)
    @given(body=bodies)
    def check(body: Any) -> None:
        predicate = predicat.parse(body, language, TOPICS)
        for target in ("rabbitmq", "kafka"):
            try:
                text = predicate.to(target)
            except Unsupported:
                continue
            for record in rounds(RECORDS, 70):
                assert READERS[target](text, record) is (predicate.evaluate(record) is True), (
                    f"{body!r}\n-> {target}: {text}\n{record}"
                )

    check()


TYPED = {"n": "bigint", "d": "double", "s": "string", "b": "boolean"}
_NUMBERS = of(
    "n", "d", "n + 1", "n * 2", "d - 0.5", "n - d", "-n", "n / 2.0", "(n + 1) * d", "3", "-2", "0.5"
)
_TEXTS = of("'a'", "'ab'", "''", "'a%'", "'it''s'")
_TYPED_CONDITIONS = logical(
    written(
        ("{} {} {}", _NUMBERS, of("=", "<>", "<", "<=", ">", ">="), _NUMBERS),
        ("{} BETWEEN {} AND {}", of("n", "d"), _NUMBERS, _NUMBERS),
        ("n IN ({})", joined(of("1", "-2", "3"))),
        ("s {} ({})", of("IN", "NOT IN"), joined(_TEXTS)),
        ("s {} {}", of("=", "<>", "LIKE", "NOT LIKE"), _TEXTS),
        ("{} IS {}", of("n", "d", "s", "b"), of("NULL", "NOT NULL")),
        ("s || 'b' = {}", _TEXTS),
        (
            "{}",
            of("b", "b = TRUE", "b <> FALSE", "NOT b", "b = (n > 1 OR d > 1)", "b <> (n > 1 AND s = 'a')"),
        ),
    ),
    "NOT ({})",
    "AND",
    "OR",
)
VALUES = [
    {name: value for name, value in zip(TYPED, values, strict=True) if value is not None}
    for values in (
        (None, None, None, None),
        (1, 0.5, "a", True),
        (-2, -2.0, "ab", False),
        (3, None, "", True),
        (None, 1.5, "a%", None),
        (0, 3.0, None, False),
        (2, 0.0, "it's", None),
    )
]


@pytest.mark.long
def test_the_target_system_accepts_the_same_values() -> None:
    written_: set[str] = set()

    @settings(REPEATABLE, max_examples=400 * EXAMPLES)
    @given(body=_TYPED_CONDITIONS)
    def check(body: str) -> None:
        predicate = predicat.parse(body, "sql", TYPED)
        for target in ("jms", "servicebus", "cesql", "cel"):
            try:
                text = predicate.to(target)
            except Unsupported:
                continue
            written_.add(target)
            for message in VALUES:
                if target == "cel" and len(message) < len(TYPED):
                    continue  # a variable of CEL has a value
                assert READERS[target](text, message) is (predicate.evaluate(message) is True), (
                    f"{body}\n-> {target}: {text}\n{message}"
                )

    check()
    assert written_ == {"jms", "servicebus", "cesql", "cel"}
