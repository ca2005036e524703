"""Explanations, lint and coverage name conditions as their author wrote them, not as they are lowered."""

import json
from pathlib import Path

import pytest

import predicat
from predicat.explain.text import pushdown
from predicat.lint.rule import Context
from predicat.lint.rules.null_negation import RULE as NEGATION
from predicat.quality.plan import plan

FIELDS = {"j": "json", "d": "double", "s": "string", "t": "timestamp"}


def catalog(folder: Path, *bodies: str) -> predicat.catalog.Catalog:
    filters = {f"f{number}": {"cel": body} for number, body in enumerate(bodies)}
    head = {"apiVersion": "predicat/v1", "dataset": "d", "relation": "t", "fields": FIELDS}
    (folder / "d.yml").write_text(json.dumps({**head, "filters": filters}))
    return predicat.load_catalog(folder)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("j.a == 'x'", "no  / no   j.a is 'x'  (it compares j.a, not a column)"),
        ("j.a < j.b", "no  / no   j.a is less than j.b  (it compares j.a, not a column)"),
        ("int(d) == 1", "yes / yes  the integer value of d is 1"),
        (
            "size(s) == 1",
            "no  / no   the length of s is 1  (it compares the length of s, not a column)",
        ),
        ("s == 'x'", "yes / yes  s is 'x'"),
        ("s != null", "yes / yes  s has a value"),
        ("t >= now - duration('36h')", "yes / yes  t is at least (the current time - 1 day 12 hours)"),
    ],
)
def test_pushdown(body: str, line: str) -> None:
    assert list(pushdown(predicat.parse(body, "cel", FIELDS).surface)) == [line]


@pytest.mark.parametrize(
    ("kind", "body", "line"),
    [
        ("uuid", f"x = '{'a0' * 16}'", f"yes / yes  x is '{'a0' * 4}-{'-'.join(['a0a0'] * 3)}-{'a0' * 6}'"),
        ("uuid", "x LIKE 'a0%'", "yes / no   x starts with 'a0'"),
        ("char(3)", "x = 'ab'", "no  / yes  x is 'ab'  (Spark converts the column)"),
        (
            "citext",
            "x = 'A'",
            "no  / yes  the lower case of x is 'a'  (it compares the lower case of x, not a column)",
        ),
        ("timestamp_ntz", "x > '2026-01-01 09:00:00'", "yes / yes  x is more than 2026-01-01T09:00:00"),
    ],
)
def test_pushdown_of_columns_of_other_types(kind: str, body: str, line: str) -> None:
    assert list(pushdown(predicat.parse(body, "sql", {"x": kind}).surface)) == [line]


def test_conditions_that_are_counted(tmp_path: Path) -> None:
    (row,) = (catalog(tmp_path, "j.a == 'x' || int(d) > 3"),)
    items = plan(row, "d", [], "duckdb").items
    assert [item.text for item in items if item.kind == "atom"] == [
        "j.a is 'x'",
        "the integer value of d is more than 3",
    ]


def test_a_condition_that_only_bounds_can_say_is_counted(tmp_path: Path) -> None:
    (tmp_path / "d.yml").write_text(
        json.dumps(
            {
                "apiVersion": "predicat/v1",
                "dataset": "d",
                "relation": "t",
                "fields": FIELDS,
                "filters": {"f": {"sql": "exp(d) > 12 OR s = 'a'"}},
            }
        )
    )
    made = plan(predicat.load_catalog(tmp_path), "d", [], "spark")
    assert not made.refused and "2.48490664" in " ".join(made.classes.numbers())


def test_negations_are_those_that_are_written(tmp_path: Path) -> None:
    found = NEGATION.findings(Context(catalog(tmp_path, "!(s == 'x')", "math.isNaN(d)", "j.a != 'x'")))
    assert [item.name for item in found] == ["d.f0", "d.f2"]
