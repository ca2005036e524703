"""Spellings that SQL filters refuse: nearly all refusals say what to write instead, in words of SQL."""

import re
from pathlib import Path

import pytest
import yaml

import predicat
from predicat.diagnostics import Diagnostic, PredicatError

FIELDS = {
    "a": "bigint",
    "b": "bigint",
    "x": "double",
    "s": "string",
    "t": "boolean",
    "d": "date",
    "ts": "timestamp",
    "tags": "array<string>",
    "doc": "json",
    "m": "map<string, string>",
}
SPELLINGS: list[tuple[str, str]] = [
    (language, text)
    for language, texts in yaml.safe_load((Path(__file__).parent / "refused.yml").read_text("utf-8")).items()
    for text in texts
]
# The share of refusals with a hint.
WANTED = 0.95
# What names of the parser's classes look like.
CLASS_NAME = re.compile(r"\b(?:exp\.|[A-Z][a-z]+[A-Z]\w+|JSON\w*Extract|Anonymous|sqlglot|Token\w*)")


def refusal(language: str, text: str) -> Diagnostic:
    with pytest.raises(PredicatError) as error:
        predicat.parse(text, language, FIELDS)
    return error.value.diagnostics[0]


@pytest.mark.parametrize(("language", "text"), SPELLINGS)
def test_a_refusal_has_a_place_and_no_name_of_a_class(language: str, text: str) -> None:
    found = refusal(language, text)
    assert found.span is not None and 0 <= found.span.start <= found.span.end <= len(text)
    assert not CLASS_NAME.search(
        f"{found.message} {found.hint}".replace("PostgreSQL", "").replace("DuckDB", "")
    )


def test_refusals_have_alternatives() -> None:
    without = [pair for pair in SPELLINGS if not refusal(*pair).hint]
    assert len(without) <= (1 - WANTED) * len(SPELLINGS), without


@pytest.mark.parametrize(
    ("language", "text", "column"),
    [
        ("sql", "a = 1 and s = 'abc and t", 15),
        ("sql", "s = 'it''s and t", 5),
        ("sql", 'a = 1 and "s = 1', 11),
        ("spark", "s = 'it\\'s and t", 5),
        ("spark", "a = 1 and `s = 1", 11),
        ("postgres", "a = 1 and s = $$abc", 15),
        ("duckdb", "a = 1 and s = 'abc", 15),
    ],
)
def test_a_quote_is_reported_where_it_opens(language: str, text: str, column: int) -> None:
    found = refusal(language, text)
    assert "opens here" in found.message and found.where().endswith(f":1:{column}")
