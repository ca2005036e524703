"""Facts about other systems, against predicat's readers and the independent ones."""

import json
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.language import LANGUAGES, WRITERS
from tests.readers import READERS
from tests.texts import read_yaml

GROUPS = {group["language"]: group for group in read_yaml(Path(__file__).with_name("facts.yml"))}
FIELDS = {
    "rabbitmq": {"routing_key": "string"},
    "kafka": {"topic": "string", "headers": "map<string, string>", "value": "string"},
}
CASES = [
    pytest.param(
        language, fact["filter"], message, outcome == "accepts", id=f"{language} {fact['filter']} {message}"
    )
    for language, group in GROUPS.items()
    for fact in group["facts"]
    for outcome in ("accepts", "rejects")
    for message in fact[outcome]
]
# Languages whose oracles are other tests, or that are another form of one with facts.
ELSEWHERE = {
    "attributes",
    "cel",
    "eventbridge",
    "iceberg",
    "jsonlogic",
    "mongodb",
    "pulsar",
    "pulsar:text",
    "pulsar:binary",
}


def test_each_language_has_facts_or_another_oracle() -> None:
    assert {*WRITERS} - ELSEWHERE == GROUPS.keys()
    assert all(group["source"] and group["facts"] for group in GROUPS.values())


@pytest.mark.parametrize(("language", "body", "message", "accepted"), CASES)
def test_a_fact(language: str, body: Any, message: Any, *, accepted: bool) -> None:
    message = {"routing_key": message} if language == "rabbitmq" else message
    text = body if isinstance(body, str) else json.dumps(body)
    assert READERS[language](text, message) is accepted
    on = LANGUAGES[language].on
    fields = (
        FIELDS.get(language)
        or GROUPS[language].get("fields")
        or ({on: "map<string, string>"} if on else None)
    )
    row = {on: message} if on else message
    assert (predicat.parse(body, language, fields).evaluate(row) is True) is accepted
