"""Conditions of a WHERE: TRUE for the same rows as the predicate, and shorter."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import HealthCheck, given, settings

import predicat
from predicat import backends
from predicat.ir.nodes import Node
from predicat.rewrite.polarity import false_rows, true_rows
from predicat.semantics.evaluate import compile_node
from tests.engines.predicates import predicates, rows
from tests.rounds import rounds

NAMES = {
    "p": "boolean",
    "q": "boolean",
    "n": "bigint",
    "d": "double",
    "s": "string",
    "m": "map<string, string>",
}
ROWS = rows(40)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(node=predicates(3))
def test_the_same_rows(node: Node) -> None:
    before, true, false = compile_node(node), compile_node(true_rows(node)), false_rows(node)
    for row in rounds(ROWS, 40):
        assert (true(row) is True) == (before(row) is True), row
        assert false is None or (compile_node(false)(row) is True) == (before(row) is False), row


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("NOT (p OR n > 3)", "sql", "NOT p AND n <= 3"),
        ("NOT (p AND n > 3)", "sql", "NOT p OR n <= 3"),
        ("NOT (n + 1 <= 3)", "sql", "n > 2 AND n <= 9223372036854775806"),
        ("CASE WHEN p THEN n > 1 ELSE n > 2 END", "sql", "p IS TRUE AND n > 1 OR p IS NOT TRUE AND n > 2"),
        ("p ? n > 1 : n > 2", "cel", "p AND n > 1 OR NOT p AND n > 2"),
        ('"k" in m', "cel", "m['k'] IS NOT NULL"),
        ("n IS NOT NULL AND n > 3", "sql", "n IS NOT NULL AND n > 3"),
        ("n BETWEEN 1 AND 5 AND p", "sql", "n BETWEEN 1 AND 5 AND p"),
        ("d BETWEEN 1 AND 5", "sql", "d BETWEEN 1 AND 5"),
        ("d >= 1 AND d < 5", "sql", "d >= 1 AND d < 5"),
        ("s IS NOT DISTINCT FROM 'a'", "sql", "s IS NOT DISTINCT FROM 'a'"),
        ("NOT (p OR exp(d) <= 2)", "sql", "NOT (p OR d <= 0.6931471805599454)"),
        ("NOT s IN ('a', 'b')", "sql", "s NOT IN ('a', 'b')"),
        ("n + 5 > 10 AND n < 100", "sql", "n > 5 AND n < 100"),
        ("n - 1 >= 1 AND n - 1 >= 5", "sql", "n >= 6"),
        ("n > 3 AND n > 5", "sql", "n > 3 AND n > 5"),
        ("d > 1 AND p AND d < 5", "sql", "d > 1 AND p AND d < 5"),
        ("d < 5 AND d > 1", "sql", "d < 5 AND d > 1"),
        ("d > 1.0 && d != 7.0", "cel", "d > 1 AND NOT ISNAN(d) AND d <> 7"),
        ("d > 1.0 && (d > 2.0 && p)", "cel", "d > 1 AND NOT ISNAN(d) AND d > 2 AND p"),
    ],
)
def test_texts(text: str, language: str, expected: str) -> None:
    node = predicat.parse(text, language, NAMES).node
    found = backends.dialect("spark").render(node, condition=True)
    assert found.replace("p IS TRUE", "p") == expected.replace("p IS TRUE", "p")


JSON_VALUES = [
    "x",
    "y",
    "5",
    "-5",
    "05",
    "true",
    "null",
    "",
    5,
    -5,
    5.0,
    5.5,
    True,
    False,
    None,
    [],
    ["x"],
    {"k": 1},
]


@pytest.mark.parametrize("constant", ["x", "5", "-5", "true", "false", "05", "", "1e2", "[]", "null"])
def test_the_text_of_a_json_value_beside_a_constant(constant: str) -> None:
    """Parts that never have the text are left out; which rows are accepted stays."""
    for test in (f"= '{constant}'", f"IN ('{constant}', 'x')"):
        node = predicat.parse(f"doc->>'k' {test}", "postgres", {"doc": "json"}).node
        before, after = compile_node(node), compile_node(true_rows(node))
        for value in JSON_VALUES:
            row = {"doc": {"k": value}}
            assert (after(row) is True) == (before(row) is True), (test, value)
    short = predicat.parse("doc->>'k' = 'x'", "postgres", {"doc": "json"}).condition("postgres")[0]
    assert len(short) < 90, short


def test_bounds_of_doubles_keep_their_meaning_for_nan() -> None:
    """An upper bound beside a lower one excludes NaN, and alone it needs no guard."""
    for low, high in itertools.product((">", ">="), ("<", "<=")):
        sql = predicat.parse(f"d {low} 1 AND d {high} 5", "sql", NAMES).sql("duckdb")
        assert "ISNAN" not in sql
    assert "ISNAN" not in predicat.parse("d > 1", "sql", NAMES).sql("duckdb")
    assert "ISNAN" in predicat.parse("d > 1.0", "cel", NAMES).sql("duckdb")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("CAST(d AS INT) > 10", "postgres", "d > 10.5 AND d < 2147483647.5"),
        ("CAST(floor(d) AS BIGINT) = 3", "postgres", "d >= 3 AND d < 4"),
        ("CAST(floor(d) AS BIGINT) = 3", "spark", "d >= 3 AND d < 4"),
        ("abs(d) >= 0.5", "spark", "d <= -0.5 OR d >= 0.5"),
        ("p2 * 2 > 25", "spark", "p2 > 12.5"),
        ("d > 1", "postgres", "d > 1"),
    ],
)
def test_conditions_of_engines(text: str, language: str, expected: str) -> None:
    """What a language adds for its rounding, and for NaN, is not in the bounds of a field."""
    node = predicat.parse(text, language, NAMES | {"p2": "decimal(10,2)"}).node
    assert backends.dialect("postgres").render(node, condition=True) == expected


def test_an_order_below_not_keeps_its_meaning_for_nan() -> None:
    """NaN is in no order: below NOT it counts as in the other order."""
    values = [None, math.nan, -math.inf, 0.5, 1.0, 1.5, math.inf]
    for sign, swapped in itertools.product((">", ">=", "<", "<="), (False, True)):
        text = f"!(1.0 {sign} d)" if swapped else f"!(d {sign} 1.0)"
        node = predicat.parse(text, "cel", {"d": "double"}).node
        before, after = compile_node(node), compile_node(true_rows(node))
        for value in values:
            assert (after({"d": value}) is True) == (before({"d": value}) is True), (text, value)
        for name in rounds(predicat.dialects(), 3):
            assert "NOT" not in backends.dialect(name).render(node, condition=True), (text, name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NOT (a IS NULL OR a IS NOT NULL AND b IS NULL)", "a IS NOT NULL AND b IS NOT NULL"),
        ("NOT (a IS NULL OR a IS NOT NULL AND b > 1)", "a IS NOT NULL AND b <= 1"),
        ("NOT (a IS NOT NULL AND b IS NULL) AND c = 1", "(a IS NULL OR b IS NOT NULL) AND c = 1"),
    ],
)
def test_a_missing_value_is_not_asked_for_beside_what_needs_it(text: str, expected: str) -> None:
    node = predicat.parse(text, "sql", {"a": "bigint", "b": "bigint", "c": "bigint"}).node
    assert backends.dialect("postgres").render(node, condition=True) == expected
    before, after = compile_node(node), compile_node(true_rows(node))
    for values in itertools.product((None, 0, 1, 2), repeat=3):
        row = dict(zip("abc", values, strict=True))
        assert (after(row) is True) == (before(row) is True), row
