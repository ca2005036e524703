"""Facts hold: whatever the row, a value of an expression lies in the range that is known of it."""

import math
import random
from typing import Any

import pytest

import predicat
from predicat.analysis.facts import doubles, integers, may_overflow
from predicat.api import declared
from predicat.deploy.columns import problems
from predicat.ir.nodes import Call, Node, walk
from predicat.ir.types import BIGINT, DOUBLE
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.ir.widths import RANGES
from predicat.semantics.evaluate import compile_node

FIELDS = {
    "t": "tinyint",
    "s": "smallint",
    "i": "integer",
    "n": "bigint",
    "f": "float",
    "d": "double",
    "p": "decimal(6,2)",
}
DECLARED = declared(FIELDS)
INTEGERS = ["t", "s", "i", "n", "length('abc')", "3", "-7", "2147483648", "year(DATE '2024-01-01')"]
DOUBLES = ["f", "d", "CAST(p AS double)", "CAST(i AS double)", "d * 1e300", "f + 0.5", "-3.25 * f"]


def expression(rng: random.Random, leaves: list[str], operators: str, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(leaves)
    one, other = (expression(rng, leaves, operators, depth - 1) for _ in range(2))
    form = rng.choice([*(f"({one} {sign} {other})" for sign in operators), f"-({one})", f"abs({one})"])
    return rng.choice(
        [form, form, f"coalesce({one}, {other})", f"CASE WHEN t > 0 THEN {one} ELSE {other} END"]
    )


def row(rng: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = {name: rng.choice([*ends, 0, 1, -1, None]) for name, ends in RANGES.items()}
    return {
        "t": found["tinyint"],
        "s": found["smallint"],
        "i": found["int"],
        "n": rng.choice([INT_MIN, INT_MAX, 0, -1, 5, None]),
        "f": rng.choice([math.inf, -math.inf, math.nan, 0.0, 2.0**-149, 2.0**127, -1.5]),
        "d": rng.choice([math.inf, -math.inf, math.nan, 0.0, 5e-324, 1e308, -2.5]),
        "p": rng.choice([9999.99, -9999.99, 0, 0.01]),
    }


def parsed(text: str, number: str) -> Node:
    """The calculation in a comparison, as it is rendered."""
    node = predicat.parse(f"{text} <> {number}", "sql", FIELDS).node
    return node.args[0] if isinstance(node, Call) else node


@pytest.mark.parametrize("seed", range(6))
def test_integers_lie_in_their_range(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        node = parsed(expression(rng, INTEGERS, "+-*%", 3), "12345")
        if node.type != BIGINT:
            continue
        (low, high), run = integers(node), compile_node(node)
        strict = all(part.op not in ("coalesce", "cond") for part in walk(node) if isinstance(part, Call))
        for _ in range(20):
            given = row(rng)
            value = run(given)
            assert value is None or low <= value <= high, (node, given)
            if strict and "%" not in str(node) and not may_overflow(node) and None not in given.values():
                divides = any(part.op == "mod" for part in walk(node) if isinstance(part, Call))
                assert value is not None or divides, (node, given)


@pytest.mark.parametrize("seed", range(6))
def test_doubles_lie_in_their_range(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        node = parsed(expression(rng, DOUBLES, "+-*/", 3), "12345.5")
        if node.type != DOUBLE:
            continue
        known, run = doubles(node), compile_node(node)
        for _ in range(30):
            given = row(rng)
            value = run(given)
            if value is None:
                continue
            if math.isnan(value):
                assert known.nan, (node, given)
            else:
                assert known.low <= value <= known.high, (node, given)
                assert value == 0 or abs(value) >= known.least, (node, given)


@pytest.mark.parametrize(
    ("text", "spark", "postgres"),
    [
        ("i + s > 10", "CAST(i AS BIGINT) + s > 10", "i::bigint + s > 10"),
        ("i * t >= 7", "CAST(i AS BIGINT) * t >= 7", "i::bigint * t >= 7"),
        ("n + i > 1", "TRY_ADD(CAST(n AS BIGINT), i) > 1", None),
        ("n % 2 = 0", "n % 2 = 0", None),
        ("p * i > 5.5", "p * i > 5.5", "p * i > 5.5"),
        ("i + 1 > 10", "i > 9", "i > 9"),
        ("s - 5 < 0", "s < 5", "s < 5"),
        ("i - s < 0", "i < s", "i < s"),
        ("p * 2 > 25", "p > 12.5", "p > 12.5"),
        ("nullif(i, 0) IS NULL", "NULLIF(i, 0) IS NULL", "NULLIF(i, 0) IS NULL"),
    ],
)
def test_guards_that_facts_make_needless_are_left_out(text: str, spark: str, postgres: str | None) -> None:
    predicate = predicat.parse(text, "sql", FIELDS)
    assert predicate.sql("spark") == spark
    assert postgres is None or predicate.sql("postgres") == postgres


@pytest.mark.parametrize(
    ("declared_type", "physical", "fits"),
    [
        ("int", "integer", True),
        ("int", "smallint", True),
        ("int", "bigint", False),
        ("smallint", "integer", False),
        ("float", "real", True),
        ("float", "double precision", False),
        ("bigint", "integer", True),
    ],
)
def test_a_relation_must_not_hold_more_than_is_declared(
    tmp_path: Any, declared_type: str, physical: str, fits: bool
) -> None:
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nrelation: d\n"
        f"fields: {{x: {declared_type}}}\n"
        "filters:\n  f: {description: x, owner: a@b.c, sql: x > 1}\n"
    )
    catalog = predicat.load_catalog(tmp_path)
    found = problems("postgres", "d", {"x": physical}, catalog.filters())
    assert (found == []) is fits
    if not fits:
        assert f"declares as {declared_type}" in found[0].message


@pytest.mark.parametrize("text", ["f / 0.0 > d", "f / 0.0 > 1", "CAST(i AS double) / 0.0 > 1"])
def test_a_constant_zero_is_no_divisor(text: str) -> None:
    for dialect in ("postgres", "duckdb"):
        sql = predicat.parse(text, "sql", FIELDS).sql(dialect)
        assert "NULLIF(0" in sql or "0 <> 0" in sql, sql
