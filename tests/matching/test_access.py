"""What is found of a condition: the tests that an index can hold."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

import predicat
from predicat.ir.nodes import Call, Field, Literal, Node, Variable
from predicat.matching.access import (
    NEVER,
    Absent,
    Between,
    Contains,
    Cover,
    Equal,
    Prefix,
    Present,
    alternatives,
    conjuncts,
    cover,
    solved,
)

FIELDS = {
    "s": "string",
    "a": "bigint",
    "d": "double",
    "t": "timestamp",
    "p": "boolean",
    "m": "map<string, string>",
    "tags": "array<string>",
    "j": "json",
}


START = datetime(2026, 1, 1, tzinfo=UTC)


def node(text: str, language: str = "sql") -> Node:
    return predicat.parse(text, language, FIELDS).node


def said(key: Node) -> str:
    match key:
        case Field():
            return key.decl.name
        case Variable():
            return key.name
        case Literal():
            return repr(key.value)
        case Call():
            return f"{key.op}({', '.join(map(said, key.args))})"
        case _:
            return type(key).__name__


def shown(found: Cover | None) -> list[Any] | None:
    """The tests with their keys; the last item says whether they are all of it."""
    if found is None:
        return None
    return [*((said(item.key), item.test) for item in found.tests), "exact" if found.exact else "loose"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s = 'x'", [("s", Equal(("x",))), "exact"]),
        ("'x' = s", [("s", Equal(("x",))), "exact"]),
        ("s IN ('x', 'y', NULL)", [("s", Equal(("x", "y"))), "exact"]),
        ("s <> 'x'", None),
        ("NOT s <> 'x'", [("s", Equal(("x",))), "exact"]),
        ("lower(s) = 'x'", [("lower(s)", Equal(("x",))), "exact"]),
        ("a = 3", [("a", Equal((3,))), "exact"]),
        ("a > 3", [("a", Between(low=3)), "exact"]),
        ("3 >= a", [("a", Between(high=3, high_closed=True)), "exact"]),
        ("a > 3.5", [("a", Between(low=Decimal("3.5"))), "exact"]),
        ("a > 3.5e0", [("to_double(a)", Between(low=3.5)), "exact"]),
        ("d > 2", [("d", Between(low=2.0, nan=True)), "exact"]),
        (
            "d > 2 OR d >= 3",
            [("d", Between(low=2.0, nan=True)), ("d", Between(low=3.0, low_closed=True, nan=True)), "exact"],
        ),
        ("NOT d > 2", [("d", Between(high=2.0, high_closed=True)), "exact"]),
        ("d < 2", [("d", Between(high=2.0)), "exact"]),
        ("t < TIMESTAMP '2024-01-01'", [("t", Between(high=datetime(2024, 1, 1, tzinfo=UTC))), "exact"]),
        ("p", [("p", Equal((True,))), "exact"]),
        ("NOT p", [("p", Equal((False,))), "exact"]),
        ("s IS NULL", [("s", Absent()), "exact"]),
        ("s IS NOT NULL", [("s", Present()), "exact"]),
        ("m['k'] = 'v'", [("get(m, 'k')", Equal(("v",))), "exact"]),
        ("s LIKE 'ab%'", [("s", Prefix("ab")), "exact"]),
        ("s LIKE '%ab'", [("reverse(s)", Prefix("ba")), "exact"]),
        ("s LIKE '%ab%'", [("s", Contains("ab")), "exact"]),
        ("s LIKE 'ab%c_'", [("s", Prefix("ab")), "loose"]),
        ("s LIKE '%a_bcd%e'", [("s", Contains("bcd")), "loose"]),
        ("regexp_like(s, '^ab[0-9]')", [("s", Prefix("ab")), "loose"]),
        ("regexp_like(s, '[0-9]+-xyz')", [("s", Contains("-xyz")), "loose"]),
        ("s = 'x' OR a = 1", [("s", Equal(("x",))), ("a", Equal((1,))), "exact"]),
        ("s = 'x' OR a <> 1", None),
        ("(s = 'x' AND a > 1) OR a = 0", [("s", Equal(("x",))), ("a", Equal((0,))), "loose"]),
        ("NOT (s <> 'x' OR a = 1)", [("s", Equal(("x",))), "loose"]),
        ("coalesce(s = 'x', FALSE)", [("s", Equal(("x",))), "exact"]),
    ],
)
def test_covers_of_sql(text: str, expected: list[Any] | None) -> None:
    assert shown(cover(node(text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'x' in tags", [("each 0", Equal(("x",))), "exact"]),
        ("tags.exists(t, t.startsWith('x'))", [("each 0", Prefix("x")), "exact"]),
        ("!tags.all(t, t != 'x')", [("each 0", Equal(("x",))), "exact"]),
        ("tags.all(t, t == 'x')", None),
        ("j.a.b == 'x'", [("json_string(json_get(json_get(j, 'a'), 'b'))", Equal(("x",))), "loose"]),
        ("s == 'x' ? a == 1 : false", [("s", Equal(("x",))), "loose"]),
    ],
)
def test_covers_of_cel(text: str, expected: list[Any] | None) -> None:
    assert shown(cover(node(text, "cel"))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + 5 = 8", [("a", Equal((3,))), "exact"]),
        ("abs(a) <= 3", [("a", Between(-3, 3, True, True)), "exact"]),
        ("coalesce(a, 0) > 5", [("a", Between(low=5)), "exact"]),
        ("year(t) = 2026", [("t", Between(START, START.replace(2027), low_closed=True)), "exact"]),
        ("s || 'x' = 'yx'", [("s", Equal(("y",))), "exact"]),
        ("CASE WHEN p THEN s = 'x' ELSE FALSE END", [("p", Equal((True,))), "exact"]),
        ("lower(s) = 'x'", [("lower(s)", Equal(("x",))), "exact"]),
    ],
)
def test_covers_of_calculations_are_of_the_field(text: str, expected: list[Any]) -> None:
    (found, *_) = conjuncts(solved(node(text)))
    assert shown(found.cover) == expected


def test_a_goal_that_unknown_reaches_holds_for_absent_values_too() -> None:
    found = cover(node("s = 'x'"), tolerant=True)
    assert found is not None
    assert [item.absent for item in found.tests] == [True]
    assert cover(node("s IN ('x', NULL)"), tolerant=True) is None, "it is UNKNOWN for every text"
    selector = cover(node("!(s in ['x', 'y'] && a > 1)", "cel"))
    assert selector is None


def test_bounds_are_merged_and_may_exclude_each_other() -> None:
    def only(text: str) -> Cover | None:
        (found,) = conjuncts(node(text))
        return found.cover

    assert shown(only("a > 3 AND a <= 5")) == [("a", Between(3, 5, high_closed=True)), "exact"]
    assert shown(only("a >= 3 AND a > 3 AND a < 9 AND a < 5")) == [("a", Between(3, 5)), "exact"]
    assert only("a > 5 AND a < 3") == NEVER
    assert only("a > 3 AND a <= 3") == NEVER


def test_an_or_at_the_top_is_taken_apart() -> None:
    assert len(alternatives(node("s = 'x' OR a > 1 OR d < 2"))) == 3
    assert len(alternatives(node("s = 'x' OR a > 1 OR d > 2"))) == 3
    assert len(alternatives(node("s = 'x' AND a > 1"))) == 1
