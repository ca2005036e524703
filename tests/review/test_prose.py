"""What explanations say of what was written."""

import pytest

import predicat
from predicat.explain.explanation import explain_node
from predicat.explain.prose import describe

FIELDS = {"j": "json", "k": "json", "m": "map<string, string>", "a": "bigint"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('j.k == "a"', "j.k is 'a'"),
        ("size(j) > 2", "the size of j is more than 2"),
        ('"k" in m', "'k' is a key of m"),
        ('"k" in j', "'k' is a key of j or one of its elements"),
        ("int(j.a) % 3 == a", "(the integer value of j.a % 3) is a"),
        ("j[k] < j.b", "j[k] is less than j.b"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert describe(predicat.parse(text, "cel", FIELDS).surface) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("s IS NOT NULL AND NOT b", "s has a value and not (b)"),
        ("d >= current_date - 30", "d is at least (the date of the current time - 30 days)"),
        ("add_months(d, 1) < current_date", "(d + 1 month) is less than the date of the current time"),
        ("t > now() - interval '90' minute", "t is more than (the current time - 1 hour 30 minutes)"),
        ("date_trunc('month', t) = t", "the start of the month of t is t"),
    ],
)
def test_words_of_sql(text: str, words: str) -> None:
    fields = {"s": "string", "b": "boolean", "d": "date", "t": "timestamp"}
    assert describe(predicat.parse(text, "sql", fields).surface) == words


def test_a_row_is_explained_by_what_was_written() -> None:
    found = explain_node(
        predicat.parse('j.k == "a" && size(j) > 2', "cel", FIELDS).surface, {"j": {"k": "b"}}
    )
    assert [(part.text, part.outcome) for part in found.parts] == [
        ("j.k is 'a'", False),
        ("the size of j is more than 2", False),
    ]
