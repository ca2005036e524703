"""What every language has: cases in the corpus, a line in the documentation, hostile bodies, and a writer
whose texts are read as the same filter.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.diagnostics import Unsupported
from predicat.language import LANGUAGES, WRITERS, writer
from tests.language.bodies import BODIES
from tests.texts import entries

PAGE = (Path(__file__).parent.parent.parent / "docs" / "languages.md").read_text(encoding="utf-8")
# They name filters or a class, which need a catalog.
OF_NAMES = {"all", "any", "not", "python"}
# The language that hostile bodies are given to instead: the same reader, in another form.
AS_ANOTHER = {"pulsar": "pip", "sourceAndType": "attributes", "knative": "attributes"}


def cases(language: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The bodies of the corpus in a language, each with its entry."""
    return ((case[language], entry) for entry in entries() for case in entry["cases"] if language in case)


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - OF_NAMES))
def test_it_is_in_the_corpus(language: str) -> None:
    assert any(cases(language)), f"add rows and cases in {language} to tests/corpus/reference.yml"


@pytest.mark.parametrize("target", WRITERS)
def test_what_is_written_is_read_as_the_same_filter(target: str) -> None:
    language = target.partition(":")[0]
    written = 0
    for body, entry in cases(language):
        fields, on = entry["fields"], entry.get("on")
        predicate = predicat.parse(body, language, fields, on=on)
        try:
            text = writer(target)(predicate.surface)
        except Unsupported:
            continue
        written += 1
        again = json.loads(text) if LANGUAGES[language].shape == "data" else text
        back = predicat.parse(again, language, fields, on=on)
        for row in entry["rows"]:
            assert (back.evaluate(row) is True) is (predicate.evaluate(row) is True), f"{body!r} -> {text}"
    assert written, f"its writer refuses all cases of {language} in tests/corpus"


def test_every_language_of_keys_has_hostile_bodies() -> None:
    of_keys = {name for name, row in LANGUAGES.items() if row.on} - AS_ANOTHER.keys()
    assert of_keys <= BODIES.keys(), "add a strategy to BODIES of tests/language/bodies.py"


def test_every_language_is_documented() -> None:
    named = {
        name for line in PAGE.splitlines() if line.startswith("| `") for name in codes(line.split("|")[1])
    }
    assert LANGUAGES.keys() <= named, "add a row to the table of docs/languages.md"
    translated = codes(PAGE.split("## Translating a filter")[1].split("## ")[0])
    assert WRITERS.keys() <= translated, "add it to 'Translating a filter' of docs/languages.md"


def codes(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.parametrize("target", sorted(WRITERS.keys() - {"cel"}))
def test_a_list_without_values_is_not_written_as_a_filter_that_accepts_all(target: str) -> None:
    with pytest.raises(predicat.Unsupported):
        predicat.parse("ce.type in []", "cel", {"ce": "map<string, string>"}).to(target)


@pytest.mark.parametrize("language", [name for name, row in LANGUAGES.items() if row.on is not None])
def test_keys_are_read_from_the_same_field_as_in_a_catalog(language: str) -> None:
    """Without `on`, `parse` reads the keys from the field of the language, declared or not."""
    on = LANGUAGES[language].on
    examples = [
        (body, entry["fields"], row, outcome)
        for body, entry in cases(language)
        if entry.get("on") == on
        for row, outcome in zip(entry["rows"], expected(entry, language, body), strict=True)
    ]
    assert examples, f"add cases to tests/corpus with on: {on}"
    for body, fields, row, outcome in examples:
        assert predicat.parse(body, language, fields).evaluate(row) is outcome, (body, row)
        if language not in _TYPED and on in fields:
            undeclared = predicat.parse(body, language).evaluate(row)
            assert (undeclared is True) is (outcome is True), (body, row)


# Languages some of whose cases have another outcome without declared types.
_TYPED = {"servicebus", "pip", "cesql"}


def expected(entry: dict[str, Any], language: str, body: Any) -> list[bool | None]:
    outcomes: list[bool | None] = next(
        case["expected"] for case in entry["cases"] if case.get(language) == body
    )
    return outcomes


@pytest.mark.parametrize(("on", "row"), [(None, {"a": "x"}), ("m", {"m": {"a": "x"}})])
def test_keys_may_be_read_from_the_row_or_from_another_field(on: str | None, row: dict[str, Any]) -> None:
    assert predicat.parse("a=x", "labels", on=on).evaluate(row) is True


def test_a_row_with_the_keys_in_another_place_gets_a_warning() -> None:
    selector = predicat.parse("app=web,tier=db", "labels")
    with pytest.warns(predicat.UnknownKeyWarning, match="no 'labels'.*reads 'app'.*on=None"):
        assert selector.evaluate({"app": "web", "name": "x"}) is False


def test_a_key_field_that_is_not_declared_is_named() -> None:
    with pytest.raises(
        predicat.PredicatError, match="no field is named 'labels', from which the keys"
    ) as error:
        predicat.parse("app=web", "labels", {"tags": "map<string, string>"})
    assert error.value.diagnostics[0].hint == (
        "declare it, or name another field with on; declared fields: tags"
    )
