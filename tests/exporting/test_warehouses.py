"""Conditions for BigQuery and Snowflake: sqlglot reads them, and DuckDB runs what it makes of them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

import predicat
from predicat.deploy.rows import on_duckdb
from predicat.diagnostics import PredicatError
from predicat.exporting.asked import Row
from predicat.exporting.warehouses import BIGQUERY, SNOWFLAKE, Warehouse
from tests.engines.test_corpus import ENTRIES, cases_of

BOTH = pytest.mark.parametrize("warehouse", [BIGQUERY, SNOWFLAKE], ids=lambda one: one.name)
FIELDS = {
    "s": "string",
    "n": "bigint",
    "m": "bigint",
    "d": "double",
    "a": "decimal(12,2)",
    "at": "timestamp",
    "day": "date",
    "b": "boolean",
}
VALUES = [
    ("a", 1, 1, True),
    ("A", 2, None, False),
    ("", 0, 0, None),
    ("a_b%c", -5, 5, True),
    ("a\\b", 7, 7, False),
    ("ab'c\n", 2**63 - 1, 1, True),
    ("äöü😀", -(2**63), 2, False),
    (None, None, None, None),
]
ROWS: list[dict[str, Any]] = [
    {
        "s": text,
        "n": number,
        "m": other,
        "d": float(place),
        "a": Decimal(place) / 2,
        "b": truth,
        "at": datetime(2026, 1, 1 + place, 0, 0, 0, place, UTC),
        "day": date(2026, 1, 1 + place),
    }
    for place, (text, number, other, truth) in enumerate(VALUES)
] + [{"s": "a "}]
CONDITIONS = r"""s = 'a'
s <> 'a'
s IN ('a', '', 'ab''c', 'äöü😀')
s NOT IN ('a', 'a\b')
s IS NULL
NOT (s IS NULL)
s LIKE 'a%'
s LIKE '%b%'
s LIKE '%c'
s LIKE 'a_b%'
s LIKE 'a\_b\%_'
s NOT LIKE '%😀'
s LIKE '___😀'
n > 1
n BETWEEN -5 AND 2
n = m
n <> m
n IN (1, 2, -5)
n = 9223372036854775807
n = -9223372036854775808
n > 1.5
n < a
n IS DISTINCT FROM m
coalesce(n, 3) = 3
NOT (n > 1 AND (s = 'a' OR b))
a >= 1.5
a = 1
a <> 0.50
day >= DATE '2026-01-03'
day IN (DATE '2026-01-01')
b
NOT b
b IS NULL
(n > 1) IS TRUE
(n > 1) IS NOT TRUE
n > 1 OR s = 'a' AND b OR m = 5
""".splitlines()
LEAST = {"bigquery": 220, "snowflake": 210}
# The comparison of doubles is that of IEEE 754 in BigQuery, and a timestamp is a moment in microseconds.
ONLY_BIGQUERY = ["d > 1.5", "NOT (d < 2)", "d IN (1, 2)", "at >= TIMESTAMP '2026-01-03 00:00:00.000002Z'"]
REFUSED = {
    "s > 'a'": "the order of strings depends on the collation",
    "n + 1 > 2": "it raises an error there where it has no value",
    "lower(s) = 'a'": "its meaning there was not compared",
    "d > n": "would convert one of the types bigint, double",
    "CAST(s AS BIGINT) = 1": "it raises an error there",
}


@cache
def some_catalog() -> predicat.Catalog:
    return predicat.load_catalog(Path(__file__).parent.parent.parent / "catalog")


def row(predicate: predicat.Predicate) -> Row:
    """A filter with a predicate of its own."""
    model = some_catalog().known["flights.late"]
    return Row(model, model.latest, some_catalog().datasets["flights"], predicate)


def parsed(text: str) -> predicat.Predicate:
    return predicat.parse(text, "sql", FIELDS)


def with_escape(sql: exp.Expr) -> exp.Expr:
    """In BigQuery a backslash escapes in LIKE, which sqlglot does not say in DuckDB."""
    escaped = not isinstance(sql, exp.Like) or isinstance(sql.parent, exp.Escape)
    return sql if escaped else exp.Escape(this=sql.copy(), expression=exp.Literal.string("\\"))


def on_translation(warehouse: Warehouse, conditions: list[str], fields: Any, rows: Any) -> list[list[bool]]:
    """The rows for which DuckDB finds a condition TRUE, as sqlglot translates it."""
    trees = [sqlglot.parse_one(one, read=warehouse.name).transform(with_escape) for one in conditions]
    made = [tree.sql(dialect="duckdb") for tree in trees]
    return [[value is True for value in column] for column in on_duckdb(fields, rows, made)]


@BOTH
@pytest.mark.parametrize("never_null", [False, True])
def test_the_rows_are_those_of_the_evaluator(warehouse: Warehouse, never_null: bool) -> None:
    found = [parsed(text) for text in CONDITIONS + (ONLY_BIGQUERY if warehouse is BIGQUERY else [])]
    conditions = [warehouse.condition(row(one), never_null=never_null) for one in found]
    fields = list(predicat.api.declared(FIELDS).values())
    wanted = [[one.evaluate(values) is True for values in ROWS] for one in found]
    assert on_translation(warehouse, conditions, fields, ROWS) == wanted


@BOTH
@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_known_to_be_the_same_is_refused(warehouse: Warehouse, text: str) -> None:
    with pytest.raises(PredicatError) as error:
        warehouse.condition(row(parsed(text)))
    message = str(error.value)
    assert REFUSED[text] in message or "double" in message
    assert "hint" in message and warehouse.name in message


@pytest.mark.parametrize("text", ONLY_BIGQUERY)
def test_snowflake_refuses_doubles_and_timestamps(text: str) -> None:
    with pytest.raises(PredicatError, match=r"NaN equals itself there|may be a local time there"):
        SNOWFLAKE.condition(row(parsed(text)))


def is_nan(values: Mapping[str, Any]) -> bool:
    return any(isinstance(value, float) and isnan(value) for value in values.values())


@pytest.mark.slow
@BOTH
def test_what_can_be_written_of_the_corpus(warehouse: Warehouse) -> None:
    """Its rows are the evaluator's, but for NaN, which DuckDB compares as PostgreSQL does."""
    written = 0
    for entry in ENTRIES:
        cases, declared, rows = cases_of(entry)
        made, wanted = [], []
        for _, predicate, expected in cases:
            kinds = {str(decl.type) for decl in predicate.fields.values()}
            if "double" in kinds and any(map(is_nan, rows)):
                continue
            try:
                made.append(warehouse.condition(row(predicate)))
            except PredicatError:
                continue
            wanted.append([outcome is True for outcome in expected])
        if made:
            assert on_translation(warehouse, made, list(declared.values()), rows) == wanted, entry["name"]
            written += len(made)
    assert written > LEAST[warehouse.name]
