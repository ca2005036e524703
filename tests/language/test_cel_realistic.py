"""Expressions in the shapes that people write over JSON and undeclared fields: every answer is that of
Google's CEL, or documented.

docs/evidence.md counts the deviations, docs/languages_cel.md gives their reasons.
"""

from pathlib import Path
from typing import Any

import pytest
from cel_expr_python import cel
from cel_expr_python.ext.ext_bindings import ExtBindings
from cel_expr_python.ext.ext_math import ExtMath
from cel_expr_python.ext.ext_optional import ExtOptional
from cel_expr_python.ext.ext_strings import ExtStrings

import predicat
from tests.texts import read_yaml

FILE = Path(__file__).with_name("cel_realistic.yml")
GROUPS: list[dict[str, Any]] = read_yaml(FILE)
REASONS = {
    "absent": (
        "has() and an optional look-up are FALSE or absent where what holds the member is absent or has no "
        "members"
    ),
    "number": (
        "a JSON number has one kind: it is a double that is a whole number beside one, and whole rows have "
        "both kinds"
    ),
    "lists": "two lists are not joined by +",
}
CASES = [
    (group["name"], case if isinstance(case, dict) else {"cel": case}, group["rows"])
    for group in GROUPS
    for case in group["cases"]
]


def outcomes(expression: str, rows: list[dict[str, Any]]) -> list[bool | None]:
    """What Google's CEL says of each row; an error, and what is no truth value, is UNKNOWN."""
    names = sorted({name for row in rows for name in row})
    environment = cel.NewEnv(
        variables=dict.fromkeys(names, cel.Type.DYN),
        extensions=[ExtStrings(), ExtMath(), ExtBindings(), ExtOptional()],
    )
    program = environment.compile(expression, disable_check=True)
    found: list[bool | None] = []
    for row in rows:
        try:
            value = program.eval(data=row).plain_value()
        except RuntimeError:
            value = None
        found.append(value if isinstance(value, bool) else None)
    return found


@pytest.mark.parametrize(
    ("case", "rows"), [pytest.param(case, rows, id=case["cel"]) for _, case, rows in CASES]
)
def test_same_answers(case: dict[str, str], rows: list[dict[str, Any]]) -> None:
    """`oracle` is what a function is defined as that Google's library lacks. Each reason for a deviation
    is one of REASONS.
    """
    expected = outcomes(case.get("oracle", case["cel"]), rows)
    names = {name for row in rows for name in row}
    for fields in (None, dict.fromkeys(names, "json")):
        ours = predicat.parse(case["cel"], "cel", fields)
        answers = [ours.evaluate(row) for row in rows]
        if "deviates" in case:
            assert case["deviates"] in REASONS
            assert answers != expected, "no deviation any more"
        else:
            assert answers == expected


def test_deviations_are_counted() -> None:
    docs = (FILE.parents[2] / "docs" / "evidence.md").read_text(encoding="utf-8")
    deviating = sum("deviates" in case for _, case, _ in CASES)
    assert f"{len(CASES)} expressions" in docs
    assert f"{deviating} of them deviate" in docs


def test_a_sum_in_a_list_says_what_to_write() -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse("data.items.map(i, i.a + i.b) == [1.0]", "cel")
    (problem,) = caught.value.diagnostics
    assert problem.span.source.text[problem.span.start : problem.span.end] == "i.a + i.b"
    assert "+ of two values of unknown type" in problem.message and "double(x) + double(y)" in str(
        problem.hint
    )
