"""Fields with a declared range: a value beyond is UNKNOWN on all engines, and constraints make tests
needless.
"""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.api import declared
from predicat.backends.sql.postgres.checks import checked_ranges
from predicat.backends.sql.storage import Storage
from predicat.deploy.relations import check_relations
from predicat.deploy.views import views_of
from tests.engines.rows import Tables
from tests.engines.test_generated import check_batch

FIELDS: dict[str, Any] = {
    "n": {"type": "bigint", "min": 0, "max": 100_000},
    "m": {"type": "int", "min": -5},
    "x": {"type": "double", "min": 0, "max": 1e6},
    "y": {"type": "double", "min": 1},
    "p": {"type": "decimal(10,2)", "max": 99.5},
    "k": "bigint",
}
TEXTS = [
    *(f"n {sign} 5" for sign in ("=", "<>", "<", "<=", ">", ">=")),
    "n IS NULL",
    "NOT (n > 5)",
    "n + 5 > 10",
    "n IN (1, 2, 200000)",
    "n NOT IN (1, 200000)",
    "n BETWEEN 3 AND 9",
    "n + m > 10",
    "n * m * n > 10",
    "n + k > 3",
    "abs(m) < 7",
    "m - n < 0",
    "x > 100",
    "x * 2 > 3.5",
    "x + y > 100",
    "y > 2 OR n = 7",
    "y <> 2",
    "y IS NOT NULL",
    "p * 2 > 25",
    "p > 10",
    "coalesce(n, 3) = 3",
    "CASE WHEN n > 5 THEN x > 1 ELSE y > 1 END",
    "n IS NOT DISTINCT FROM 7",
]
VALUES: dict[str, list[Any]] = {
    "n": [7, -1, 0, 100_000, 100_001, None, 2**63 - 1],
    "m": [-5, -6, 0, 2**31 - 1, None],
    "x": [0.0, -0.5, 1e6, 1e6 + 1, float("nan"), float("inf"), None, 200.0],
    "y": [1.0, 0.5, float("nan"), float("inf"), 2.0, None],
    "p": [Decimal("12.50"), Decimal("99.50"), Decimal("99.51"), None, Decimal("-3.00")],
    "k": [1, 2**63 - 1, None],
}


def test_a_value_beyond_is_unknown(spark: Any, postgres: Any) -> None:
    longest = max(map(len, VALUES.values()))
    rows = [
        {
            name: values[(place + step * number) % len(values)]
            for number, (name, values) in enumerate(VALUES.items())
        }
        for place in range(longest)
        for step in range(3)
    ]
    tables = Tables(spark, postgres, declared(FIELDS), rows)
    check_batch([predicat.parse(text, "sql", FIELDS).node for text in TEXTS], tables)


@pytest.mark.parametrize(
    ("text", "where", "checked"),
    [
        ("n > 5", "n > 5 AND n <= 100000", "n > 5"),
        ("n = 7", "n = 7", "n = 7"),
        ("n + 5 > 10", "n > 5 AND n <= 100000", "n > 5"),
        ("n BETWEEN 3 AND 9", "n BETWEEN 3 AND 9", "n BETWEEN 3 AND 9"),
        ("NOT n > 5", "n BETWEEN 0 AND 5", "n <= 5"),
        ("x > 100", "x > 100 AND x <= 1000000", "x > 100"),
        ("n IS NULL", "CASE WHEN n BETWEEN 0 AND 100000 THEN n END IS NULL", "n IS NULL"),
        ("y > 5", "y > 5 AND y <> FLOAT8 'NaN'", "y > 5 AND y <> FLOAT8 'NaN'"),
        ("p * 2 > 25", "p > 12.5 AND p <= 99.5", "p > 12.5"),
    ],
)
def test_constraints_make_the_test_needless(text: str, where: str, checked: str) -> None:
    ranges = checked_ranges(
        [
            "((n >= 0) AND (n <= 1000))",
            "((x >= (0)::double precision) AND (x <= (1000000)::double precision))",
            "(y >= (1)::double precision)",
            "(((99)::numeric >= p) AND length(s) > 3)",
            "(k > 3) OR (k < 0)",
        ],
        {"n": "bigint", "x": "double precision"},
    )
    assert set(ranges) == {"n", "x", "y", "p"}
    node, postgres = predicat.parse(text, "sql", FIELDS).node, backends.dialect("postgres")
    assert postgres.render(node, condition=True) == where
    assert postgres.render(node, condition=True, storage=Storage(checks=ranges)) == checked


def test_the_type_of_a_column_is_known() -> None:
    stored = Storage(types={"n": "bigint", "d": "double precision", "e": "real"})
    fields = {"n": "bigint", "d": "double", "e": "double"}
    for text, expected in (
        ("d > 5.0", "d > 5 AND d <> 'NaN'"),
        ("e > 5.0", "e > 5 AND e <> FLOAT8 'NaN'"),
        ("n % 7 + n % 3 > 5", "n % 7 + n % 3 > 5"),
    ):
        node = predicat.parse(text, "cel", fields).node
        sql = backends.dialect("postgres").render(node, condition=True, storage=stored)
        assert sql.endswith(expected) or sql == expected, sql


def test_apply_reads_constraints(postgres: Any, tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: stock\nrelation: {postgres: public.stock}\n"
        "fields:\n  n: {type: bigint, min: 0, max: 100000}\n  m: {type: bigint, min: 0, max: 9}\n"
        "filters:\n  some: {sql: n + m > 3}\n",
        encoding="utf-8",
    )
    catalog = predicat.load_catalog(tmp_path)
    postgres.execute(
        "CREATE TABLE public.stock (n bigint CHECK (n BETWEEN 0 AND 5000), m bigint);"
        " ALTER TABLE public.stock ADD CONSTRAINT small CHECK (m >= 0 AND m < 10) NOT VALID"
    )
    try:
        (view,) = views_of(catalog, "c", check_relations(catalog, postgres))
        assert "CASE WHEN m BETWEEN 0 AND 9 THEN m END" in view.query
        assert "CASE WHEN n" not in view.query
        postgres.execute("ALTER TABLE public.stock VALIDATE CONSTRAINT small")
        (view,) = views_of(catalog, "c", check_relations(catalog, postgres))
        assert view.query.partition("WHERE ")[2] == "n + m > 3"
    finally:
        postgres.execute("DROP TABLE public.stock")


def test_a_range_is_part_of_the_meaning() -> None:
    plain = predicat.parse("n > 5", "sql", {"n": "bigint"})
    ranged = predicat.parse("n > 5", "sql", {"n": {"type": "bigint", "max": 9}})
    assert predicat.compare(plain, ranged).kind == "narrower"
    assert ranged.to("cel") == "n > 5"
    with pytest.raises(predicat.PredicatError, match="only numbers have a minimum"):
        predicat.parse("s = 'a'", "sql", {"s": {"type": "string", "min": 1}})
    with pytest.raises(predicat.PredicatError, match="must be a value of type bigint"):
        predicat.parse("n > 5", "sql", {"n": {"type": "bigint", "min": "low"}})
    with pytest.raises(predicat.PredicatError, match="is empty"):
        predicat.parse("n > 5", "sql", {"n": {"type": "bigint", "min": 3, "max": 2}})
