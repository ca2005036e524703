"""CloudEvents SQL: what its grammar refuses, and where the caret stands."""

import pytest

import predicat

FIELDS = {"ce": "map<string, string>", "ce.Declared": "string"}


@pytest.mark.parametrize(
    ("text", "marked", "hint"),
    [
        ("Source = '/x'", "Source", "did you mean 'source'?"),
        ("source = TYPE", "TYPE", "did you mean 'type'?"),
        ("EXISTS Subject", "Subject", "did you mean 'subject'?"),
        ("LENGTH(SUBJECT) > 1", "SUBJECT", "did you mean 'subject'?"),
        ("a = 'x' AND b = 'y' OR c = 'z'", "OR", "write parentheses"),
        ("a = 'x' OR b = 'y' XOR c = 'z'", "XOR", "write parentheses"),
    ],
)
def test_refused(text: str, marked: str, hint: str) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse(text, "cesql", FIELDS, on="ce")
    (problem,) = caught.value.diagnostics
    assert problem.span is not None and problem.span.text == marked
    assert hint in (problem.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "EXISTS Source",
        "EXISTS ID AND EXISTS TYPE AND EXISTS SPECVERSION",
        "Declared = 'x'",
        "1a = 'x' OR 2 = 2",
        "a = 'x' AND (b = 'y' OR c = 'z')",
        "a = 'x' AND b = 'y' AND c = 'z'",
        "+5 > 3",
    ],
)
def test_accepted(text: str) -> None:
    predicat.parse(text, "cesql", FIELDS, on="ce")
