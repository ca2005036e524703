"""Row access policies of BigQuery and Snowflake, and named filters of Snowflake: what is written."""

from pathlib import Path
from typing import Any

import pytest
import yaml

import predicat
from predicat.diagnostics import PredicatError
from tests.exporting.written import asked, texts
from tests.processes import in_process

CATALOG = """apiVersion: predicat/v1
dataset: orders
fields:
  status: {type: string, column: order_status}
  amount: "decimal(12,2)"
  day: date
  order: bigint
  own: {type: bigint, column: {spark: x}}
  at: timestamp
filters:
  active:
    description: It is open.
    sql: "status = 'it''s' AND amount > :least"
    params: {least: {type: bigint, default: 10}}
  recent: {sql: "day >= DATE '2026-01-01'", on_unknown: accept}
  seen: {sql: "at < TIMESTAMP '2026-01-01 00:00:00Z'"}
  word: {sql: '"order" = 1'}
  other: {sql: own = 1}
"""
BIGQUERY: dict[str, Any] = {"to": ("group:a@example.com", "user:b"), "table": "my-project.sales.{dataset}"}
SNOWFLAKE: dict[str, Any] = {"as": "policy", "schema": "db.sec", "table": "db.{dataset}"}


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "orders.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path / "orders.yml")


def test_bigquery(catalog: predicat.Catalog) -> None:
    active, recent, seen, word = texts(
        "bigquery", asked(catalog, "active", "recent", "seen", "word", **BIGQUERY)
    )
    assert (active.path, active.filters) == ("orders.active.sql", ("orders.active",))
    assert active.body.splitlines() == [
        "-- orders.active, version 1: It is open.",
        "CREATE OR REPLACE ROW ACCESS POLICY orders__active",
        "ON my-project.sales.orders",
        "GRANT TO ('group:a@example.com', 'user:b')",
        "FILTER USING (order_status = 'it\\'s' AND amount > 10);",
    ]
    assert recent.body.endswith("FILTER USING (COALESCE(day >= CAST('2026-01-01' AS DATE), TRUE));\n")
    assert seen.body.endswith("FILTER USING (`at` < CAST('2026-01-01 00:00:00+00:00' AS TIMESTAMP));\n")
    assert word.body.endswith("FILTER USING (`order` = 1);\n")


def test_snowflake(catalog: predicat.Catalog) -> None:
    (text,) = texts("snowflake", asked(catalog, "active", **SNOWFLAKE | {"as": "attached"}))
    assert text.body.splitlines() == [
        "-- orders.active, version 1: It is open.",
        (
            "CREATE ROW ACCESS POLICY IF NOT EXISTS db.sec.orders__active "
            "AS (order_status VARCHAR, amount NUMBER(12,2))"
        ),
        "RETURNS BOOLEAN -> FALSE;",
        "",
        (
            "ALTER ROW ACCESS POLICY db.sec.orders__active SET BODY -> "
            "COALESCE(order_status = 'it\\'s' AND amount > 10, FALSE);"
        ),
        "",
        "ALTER TABLE db.orders ADD ROW ACCESS POLICY db.sec.orders__active ON (order_status, amount);",
    ]


def test_named_filters_of_a_semantic_model(catalog: predicat.Catalog) -> None:
    of = asked(catalog, "active", "recent", **SNOWFLAKE | {"as": "filters"})
    (text,) = texts("snowflake", of)
    assert (text.path, text.filters) == ("orders.yml", ("orders.active", "orders.recent"))
    ((table, named),) = [(one["name"], one["filters"]) for one in yaml.safe_load(text.body)["tables"]]
    assert (table, named[0]) == (
        "orders",
        {
            "name": "active",
            "description": "orders.active, version 1: It is open.",
            "expr": "order_status = 'it\\'s' AND amount > 10",
        },
    )


@pytest.mark.parametrize(
    ("target", "names", "settings", "message"),
    [
        ("bigquery", ["active"], BIGQUERY | {"to": ()}, "nobody would see a row"),
        ("bigquery", ["other"], BIGQUERY, "bigquery cannot have the field 'own'"),
        ("snowflake", ["seen"], SNOWFLAKE, "cannot have a value of the type timestamp"),
        ("snowflake", ["word"], SNOWFLAKE, "cannot have the column 'order' here: it needs quotes"),
        ("snowflake", ["active", "recent"], SNOWFLAKE | {"as": "attached"}, "db.orders would have several"),
    ],
)
def test_what_cannot_be_said_is_refused(
    catalog: predicat.Catalog, target: str, names: list[str], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(PredicatError, match=message) as error:
        texts(target, asked(catalog, *names, **settings))
    assert all(problem.hint for problem in error.value.diagnostics)


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    done = in_process("export", "bigquery", "active", "--to", "user:b", "--param", "least=7", cwd=tmp_path)
    assert done.returncode == 0 and "ON orders\n" in done.stdout and "amount > 7" in done.stdout
    done = in_process("export", "bigquery", "active", cwd=tmp_path)
    assert done.returncode == 2 and "hint: give --to" in done.stderr
    done = in_process(
        "export", "snowflake", "--out", "out", "--skip-refused", "--as", "filters", cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, "out: 2 filters\n") and "3 problems" in done.stderr
