"""Filters with negations, written for systems that have no NOT: readers that are not predicat's accept the
same messages.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import predicat
from predicat.diagnostics import Unsupported
from predicat.language import LANGUAGES, WRITERS
from tests.readers import READERS

FIELDS = {"type": "string", "a": "string", "b": "string", "n": "bigint"}
FILTERS = """
a = 'x'
a <> 'x'
NOT a = 'x'
NOT a <> 'x'
a IN ('x', 'y')
a NOT IN ('x', 'y')
NOT (a IN ('x', 'y'))
a IS NULL
a IS NOT NULL
NOT (a IS NULL)
a LIKE 'x%'
a NOT LIKE 'x%'
a LIKE '%y'
a NOT LIKE '%y'
n = 5
n <> 5
NOT n = 5
n > 5
NOT n > 5
n IN (1, 5)
n NOT IN (1, 5)
n BETWEEN 2 AND 5
n NOT BETWEEN 2 AND 5
n > 1 AND n < 7
NOT (n > 1 AND n < 7)
a = 'x' AND b = 'y'
a = 'x' OR b = 'y'
NOT (a = 'x' AND b = 'y')
NOT (a = 'x' OR b = 'y')
NOT (a = 'x' AND NOT b = 'y')
NOT (NOT a = 'x')
a <> 'x' AND b <> 'y'
a <> 'x' OR b <> 'y'
a <> 'x' AND a <> 'y'
a <> 'x' AND a IS NOT NULL
a = 'x' OR a IS NULL
a <> 'x' OR a IS NULL
a NOT IN ('x', 'y') OR a IS NULL
NOT (a = 'x' AND n > 5)
NOT (a IN ('x', 'y') OR n = 5)
(a = 'x' OR b = 'y') AND n <> 5
NOT ((a = 'x' OR b = 'y') AND n <> 5)
a LIKE 'x%' AND b NOT IN ('x', 'y')
NOT (a LIKE 'x%' OR b LIKE '%y')
a IS NOT NULL AND b IS NULL
""".strip().splitlines()
VALUES = {"a": (None, "", "x", "y", "xy", "z"), "b": (None, "x", "y", "zy"), "n": (None, -1, 1, 2, 5, 7)}
ROWS = [{"type": "t", **dict(zip(VALUES, row, strict=True))} for row in product(*VALUES.values())]
# How many of the filters each target can say, at least.
SAID = {
    "sns": 45,
    "eventbridge": 45,
    "cloudevents": 45,
    "labels": 19,
    "pubsub": 27,
    "jms": 45,
    "cesql": 45,
    "iceberg": 40,
    "jsonlogic": 45,
    "mongodb": 45,
    "aip160": 45,
}


def translations(target: str) -> Iterator[tuple[str, predicat.Predicate, str]]:
    for text in FILTERS:
        predicate = predicat.parse(text, "sql", FIELDS)
        try:
            yield text, predicate, predicate.to(target)
        except Unsupported:
            continue


@pytest.mark.parametrize("target", SAID)
def test_a_reader_of_the_target_accepts_the_same_messages(target: str) -> None:
    said = list(translations(target))
    messages: list[dict[str, Any]] = [
        {key: value for key, value in row.items() if value is not None} for row in ROWS
    ]
    for text, predicate, written in said:
        for row, message in zip(ROWS, messages, strict=True):
            accepted = READERS[target](written, message)
            assert accepted is (predicate.evaluate(row) is True), f"{text}\n{written}\n{row}"
    assert len(said) >= SAID[target], [text for text in FILTERS if text not in {one for one, *_ in said}]


def test_there_are_as_many_filters_as_the_counts_are_of() -> None:
    assert len(FILTERS) == len(set(FILTERS)) == 45


@pytest.mark.parametrize("target", sorted({*WRITERS} - {"pulsar:text", "pulsar:binary"}))
def test_what_is_written_can_be_read_as_it_is(target: str) -> None:
    predicate = predicat.parse("a = 'x'", "sql", {"routing_key": "string", "topic": "string", "a": "string"})
    if target in ("kafka", "rabbitmq"):
        predicate = predicat.parse(
            {"rabbitmq": "a.*", "kafka": {"type": "TopicNameMatches", "pattern": "a"}}[target], target
        )
    written = predicate.to(target)
    field = LANGUAGES[target].on
    back = predicat.parse(written, target, {field: "map<string, string>"} if field else None)
    assert back.to(target) == written
