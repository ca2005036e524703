"""The texts that are written here: casts as sqlglot has them for Spark, and spellings of people."""

import pytest
from sqlglot import exp, parse_one

from predicat.backends.sql.builders import cast, not_, number_literal, string_literal, try_cast
from predicat.backends.sql.postgres import POSTGRES
from predicat.backends.sql.spark import SPARK

KINDS = [
    "STRING",
    "BINARY",
    "BOOLEAN",
    "INT",
    "BIGINT",
    "DOUBLE",
    "DATE",
    "TIMESTAMPTZ",
    "TIMESTAMP_NTZ",
    "DECIMAL(13)",
    "DECIMAL(37, 9)",
    "ARRAY<VARIANT>",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "value",
    [number_literal(-1), exp.Null(), exp.column("x"), cast(exp.column("x"), "STRING")],
)
def test_casts_are_as_sqlglot_writes_them(kind: str, value: exp.Expr) -> None:
    for sql in (cast(value, kind), try_cast(value, kind)):
        assert SPARK.text(sql) == sql.sql("spark")


def test_a_cast_that_is_not_safe_stays_one() -> None:
    assert SPARK.text(parse_one("CAST(x AS STRING)", dialect="spark")) == "CAST(x AS STRING)"


@pytest.mark.parametrize(
    ("sql", "spark", "postgres"),
    [
        (cast(string_literal("2026-01-01"), "DATE"), "DATE '2026-01-01'", "DATE '2026-01-01'"),
        (cast(string_literal("NaN"), "DOUBLE"), "CAST('NaN' AS DOUBLE)", "FLOAT8 'NaN'"),
        (cast(exp.column("x"), "DATE"), "CAST(x AS DATE)", "x::date"),
        ("NOT x IS NULL", "x IS NOT NULL", "x IS NOT NULL"),
        ("NOT (x IS TRUE)", "x IS NOT TRUE", "x IS NOT TRUE"),
        ("NOT (x + 1 IN (2, 3))", "x + 1 NOT IN (2, 3)", "x + 1 NOT IN (2, 3)"),
        ("NOT x BETWEEN 1 AND 2", "x NOT BETWEEN 1 AND 2", "x NOT BETWEEN 1 AND 2"),
        ("NOT x LIKE 'a%'", "x NOT LIKE 'a%'", "x NOT LIKE 'a%'"),
        ("NOT (x OR y)", "NOT (x OR y)", "NOT (x OR y)"),
    ],
)
def test_constants_and_negations(sql: str | exp.Expr, spark: str, postgres: str) -> None:
    tree = parse_one(sql) if isinstance(sql, str) else sql
    assert (SPARK.text(tree.copy()), POSTGRES.text(tree)) == (spark, postgres)


def test_a_comparison_is_negated_by_its_opposite() -> None:
    for sql, opposite in (("a = b", "a <> b"), ("a < b", "a >= b"), ("a >= b", "a < b")):
        assert SPARK.text(not_(parse_one(sql))) == opposite


def test_a_comparison_with_any_element_keeps_its_not() -> None:
    assert POSTGRES.text(not_(parse_one("1 = ANY(xs)", dialect="postgres"))) == "NOT (1 = ANY(xs))"


def test_what_is_written_stays_as_it_is() -> None:
    """sqlglot takes the ordinality out of the node that it writes."""
    sql = parse_one("SELECT 1 FROM UNNEST(a) WITH ORDINALITY AS k(t, n)", dialect="postgres")
    assert POSTGRES.text(sql) == POSTGRES.text(sql) == "SELECT 1 FROM UNNEST(a) WITH ORDINALITY AS k(t, n)"
