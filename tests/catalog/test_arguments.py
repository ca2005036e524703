"""A filter with parameters that another refers to: what it is given stands where its parameter stood."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import predicat
from tests.fuzzing import REPEATABLE
from tests.language import sql_texts

FIELDS = {**sql_texts.FIELDS, "p": "decimal(10,2)", "j": "json"}
ROW = {
    "a": 3,
    "d": 1.5,
    "s": "2020-01-01",
    "t": "2020-01-01T00:00:00Z",
    "day": "2020-01-01",
    "b": True,
    "p": "12.50",
    "j": {"x": 2},
    "xs": [1, 3],
}


def catalog(folder: Path, kind: str, body: str, **filters: str) -> predicat.Catalog:
    shown = {
        "p": {"params": {"v": kind}, "sql": body},
        **{name: {"sql": text} for name, text in filters.items()},
    }
    data = {"apiVersion": "predicat/v1", "dataset": "t", "relation": "t", "fields": FIELDS, "filters": shown}
    (folder / "t.yml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return predicat.load_catalog(folder)


@pytest.mark.parametrize(
    ("kind", "body", "argument", "expected"),
    [
        ("date", "day >= :v", "'2020-01-01'", True),
        ("date", "day >= :v", "CAST(s AS date)", True),
        ("date", "day > :v", "day - 1", True),
        ("timestamp", "t >= :v", "'2020-01-01 00:00:00'", True),
        ("timestamp", "t > :v", "t + INTERVAL '1' HOUR", False),
        ("double", "d > :v", "1", True),
        ("double", "d > :v", "a", False),
        ("double", "d < :v", "p", True),
        ("double", "d = :v", "CASE WHEN b THEN 1.5 END", True),
        ("decimal(10,2)", "p = :v", "12.5", True),
        ("decimal(10,2)", "p > :v", "12", True),
        ("decimal(10,2)", "p > :v", "p", False),
        ("bigint", "a > :v", "div(a, 0)", None),
        ("array<bigint>", "a = ANY(:v)", "xs", True),
        ("json", ":v.x > 1", "j", True),
    ],
)
def test_an_argument_of_another_kind(
    kind: str, body: str, argument: str, expected: bool | None, tmp_path: Path
) -> None:
    assert (
        catalog(tmp_path, kind, body, q=f"matches_filter('p', v => {argument})")["q"].evaluate(ROW)
        is expected
    )


@pytest.mark.parametrize(
    ("kind", "body", "argument", "problem"),
    [
        ("date", "day >= :v", "t", "must have type date, not timestamp"),
        ("date", "day >= :v", "'2020-02-30'", "'2020-02-30' is not a date"),
        ("date", "day >= :v", "NULL", "must have type date, not null"),
        ("timestamp", "t >= :v", "s", "must have type timestamp, not string"),
        ("timestamp", "t >= :v", "'x'", "'x' is not a timestamp"),
        ("double", "d > :v", "j.x", "must have type double, not json"),
        ("decimal(10,2)", "p = :v", "1.555", r"must have type decimal\(10,2\), not decimal\(4,3\)"),
        ("decimal(10,2)", "p = :v", "123456789", r"must have type decimal\(10,2\), not bigint"),
        ("bigint", "a > :v", "1.0", r"must have type bigint, not decimal\(2,1\)"),
        (
            "string",
            "s = :v",
            "CASE WHEN b THEN j.x ELSE 'a' END",
            "a choice between values of different types",
        ),
    ],
)
def test_an_argument_that_is_none(kind: str, body: str, argument: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(predicat.PredicatError, match=problem):
        catalog(tmp_path, kind, body, q=f"matches_filter('p', v => {argument})")


KINDS = {
    "a": sql_texts.integers,
    "d": sql_texts.doubles,
    "s": sql_texts.texts,
    "b": sql_texts.booleans,
    "t": sql_texts.moments,
    "day": sql_texts.days,
}


def replaced(text: str, name: str, by: str) -> str:
    """The condition with something else in the place of a field, but not in texts."""
    parts = re.split(r"('(?:[^']|'')*')", text)
    return "".join(
        part if place % 2 else re.sub(rf"\b{name}\b", lambda _: by, part) for place, part in enumerate(parts)
    )


def names_in(text: str) -> list[str]:
    """The fields that a condition reads."""
    return [name for name in KINDS if replaced(text, name, "") != text]


@pytest.mark.long
@settings(REPEATABLE, max_examples=150 * int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1")))
@given(data=st.data(), rows=st.lists(sql_texts.rows, min_size=6, max_size=6))
def test_an_argument_stands_for_the_parameter(
    data: st.DataObject, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    body = data.draw(sql_texts.booleans(1).filter(names_in))
    name = data.draw(st.sampled_from(names_in(body)))
    argument = data.draw(KINDS[name](1))
    try:
        found = catalog(
            tmp_path,
            FIELDS[name],
            replaced(body, name, ":v"),
            given=f"matches_filter('p', v => {argument})",
            written=replaced(body, name, f"({argument})"),
        )
    except predicat.PredicatError:
        assume(False)  # `extract(day FROM day)`, or what an engine reads in another way without parentheses
        raise
    assert [found["given"].evaluate(row) for row in rows] == [found["written"].evaluate(row) for row in rows]
