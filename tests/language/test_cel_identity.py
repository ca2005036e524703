"""CEL written back as CEL is the same CEL; written from its typed tree it accepts the same rows, or is
refused.
"""

from typing import Any

import pytest

import predicat
from predicat import language
from tests.language.test_cel_realistic import CASES as REALISTIC
from tests.rounds import rounds
from tests.texts import entries

Case = tuple[str, dict[str, Any] | None, list[dict[str, Any]]]


def _corpus() -> list[Case]:
    return [
        (case["cel"], entry["fields"], entry["rows"])
        for entry in entries()
        for case in entry["cases"]
        if "cel" in case
    ]


CASES: list[Case] = [*_corpus(), *((case["cel"], None, rows) for _, case, rows in REALISTIC)]


@pytest.mark.long
def test_the_same_text() -> None:
    for text, fields, _ in rounds(CASES, 700):
        found = predicat.parse(text, "cel", fields)
        assert found.to("cel") == text.strip()
        assert predicat.parse(found.to("cel"), "cel", fields).node == found.node


@pytest.mark.long
def test_what_the_tree_is_written_as_accepts_the_same_rows() -> None:
    write = language.writer("cel")
    refused, other = 0, []
    for text, fields, rows in CASES:
        found = predicat.parse(text, "cel", fields)
        try:
            written = write(found.surface)
        except predicat.Unsupported:
            refused += 1
            continue
        back = predicat.parse(written, "cel", fields)
        if [back.evaluate(row) is True for row in rows] != [found.evaluate(row) is True for row in rows]:
            other.append(f"{text} -> {written}")
    assert not other, "\n".join(other)
    assert refused < len(CASES) / 4, refused


@pytest.mark.parametrize(
    "text",
    [
        "a == b ",
        "sets.contains([1, 2, 3], [x])",
        "math.greatest(x, 3) > 2",
        "has(a.b) && a.b != 1",
        "x in ['a']",
        "data.a + data.b == 'ab'",
    ],
)
def test_examples(text: str) -> None:
    assert predicat.parse(text, "cel").to("cel") == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        'j.a == "x"',
        'j.a != "x"',
        "j.a < j.b",
        '"k" in j',
        '"k" in m',
        "size(j) > 2",
        "int(j.a) % a == 1",
        "j[j.a] == 1.5",
        "math.greatest(a, d) > 2.0",
        "math.isNaN(d)",
        "math.greatest(j.xs) > 1.0",
        'j.xs.join("-") == "a"',
        "int(d) == 3",
    ],
)
def test_the_typed_tree_has_what_was_written(text: str) -> None:
    fields = {"j": "json", "m": "map<string, string>", "a": "bigint", "d": "double"}
    assert language.writer("cel")(predicat.parse(text, "cel", fields).surface) == text


def test_a_text_that_needs_more_than_itself_is_written_from_its_tree() -> None:
    enums: dict[str, dict[str, int | str]] = {"Status": {"ACTIVE": 1}}
    assert (
        predicat.parse("status == Status.ACTIVE", "cel", {"status": "bigint"}, enums=enums).to("cel")
        == "status == 1"
    )
