"""Unity Catalog: what is written. The functions run in test_databricks_functions.py."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

import predicat
from predicat.diagnostics import PredicatError
from predicat.exporting.asked import Asked
from predicat.exporting.databricks import function_of
from tests.exporting.written import asked, texts
from tests.processes import in_process

SETTINGS: dict[str, Any] = {
    "as": "function",
    "of": "filters",
    "attribute": (),
    "schema": None,
    "to": (),
    "except": (),
    "tag": "predicat_column",
}
CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {spark: main.sales.orders}
fields:
  status: string
  amount: {type: "decimal(12,2)", column: {spark: Order Total}}
  n: bigint
  m: bigint
  "null": bigint
  day: {type: date, expression: {spark: "to_date(text)"}}
filters:
  active:
    description: It isn't closed.
    sql: "status = 'active' AND amount > :least"
    params: {least: {type: bigint, default: 10}}
  all_of: {sql: "status = 'a' AND amount > 1 AND n > 1 AND m > 1"}
  unless: {sql: n > 1, on_unknown: accept}
  above: {sql: "amount > :least", params: {least: bigint}}
  today: {sql: "day = DATE '2026-01-01'"}
  every: {sql: "TRUE"}
  word: {sql: '"null" = 1'}
"""


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "orders.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path / "orders.yml")


def test_the_row_filter_of_a_table(catalog: predicat.Catalog) -> None:
    (text,) = texts(
        "databricks", asked(catalog, "active", **SETTINGS | {"as": "row-filter", "schema": "main.f"})
    )
    assert text.path == "orders.active.sql" and text.filters == ("orders.active",)
    assert text.body == (
        "CREATE OR REPLACE FUNCTION main.f.orders__active(status STRING, `Order Total` DECIMAL(12,2))\n"
        "RETURNS BOOLEAN\n"
        "COMMENT 'orders.active, version 1: It isn\\'t closed.'\n"
        "RETURN (status = 'active' AND `Order Total` > 10) IS TRUE;\n\n"
        "ALTER TABLE main.sales.orders SET ROW FILTER main.f.orders__active ON (status, `Order Total`);\n"
    )


def test_a_policy_finds_the_columns_by_their_tags(catalog: predicat.Catalog) -> None:
    settings = SETTINGS | {"as": "policy", "to": ("analysts",), "except": ("the admins",)}
    (text,) = texts("databricks", asked(catalog, "active", **settings))
    _, tags, policy = text.body.split("\n\n")
    assert tags.splitlines() == [
        f"ALTER TABLE main.sales.orders ALTER COLUMN {column} SET TAGS ('predicat_column' = '{value}');"
        for column, value in (("status", "status"), ("`Order Total`", "Order Total"))
    ]
    assert policy.splitlines() == [
        "CREATE OR REPLACE POLICY orders__active ON TABLE main.sales.orders",
        "COMMENT 'orders.active, version 1: It isn\\'t closed.'",
        "ROW FILTER orders__active",
        "TO `analysts`",
        "EXCEPT `the admins`",
        "FOR TABLES",
        (
            "MATCH COLUMNS has_tag_value('predicat_column', 'status') AS column1, "
            "has_tag_value('predicat_column', 'Order Total') AS column2"
        ),
        "USING COLUMNS (column1, column2);",
    ]


def test_the_properties_of_a_dbt_model(catalog: predicat.Catalog) -> None:
    function, model = texts("databricks", asked(catalog, "active", **SETTINGS | {"as": "dbt"}))
    assert function.body.startswith("CREATE OR REPLACE FUNCTION orders__active(")
    assert (model.path, model.form) == ("orders.active.yml", "yaml")
    config = {"row_filter": {"function": "orders__active", "columns": ["status", "Order Total"]}}
    assert yaml.safe_load(model.body) == {"version": 2, "models": [{"name": "orders", "config": config}]}


def test_unknown_is_false_but_where_the_filter_accepts_it(catalog: predicat.Catalog) -> None:
    of = asked(catalog, "unless", "every", "word")
    functions = [function_of(row, "") for row in of.rows]
    assert functions[2].arguments == "`null`"
    assert [function.body for function in functions[:2]] == ["COALESCE(n > 1, TRUE) IS TRUE", "TRUE"]


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        (["above"], {}, "orders.above needs a value for its parameter 'least'"),
        (["today"], {}, "databricks cannot have the field 'day': it is read from an expression"),
        (["active", "unless"], {"as": "row-filter"}, "only one is possible: orders.active, orders.unless"),
        (
            ["all_of"],
            {"as": "policy"},
            "the columns status, Order Total, n, m, and a policy can match 3",
        ),
        (["active"], {"to": ("x",)}, "--to is only for --as policy"),
        (["active"], {"as": "dbt", "except": ("x",)}, "--except is only for --as policy"),
        (["active"], {"attribute": ("user=current_user()",)}, "--attribute is only for --of policies"),
        (["active"], {"as": "policy", "to": ("x",) * 21}, "a policy has at most 20 principals"),
        (["active"], {"as": "dbt", "schema": "f"}, "the name of a function with its catalog and schema"),
        (["every"], {"as": "dbt"}, "orders.every reads no column"),
    ],
)
def test_what_cannot_be_said_is_refused(
    catalog: predicat.Catalog, names: list[str], settings: dict[str, Any], message: str
) -> None:
    of = asked(catalog, *names, **SETTINGS | settings)
    with pytest.raises(PredicatError, match=message):
        assert not texts("databricks", of)
    assert all(problem.hint for problem in of.reporter.errors)


def test_a_dataset_without_a_table(catalog: predicat.Catalog) -> None:
    dataset = replace(catalog.datasets["orders"], relation={})
    other = replace(catalog, datasets={"orders": dataset})
    of = Asked(other, [other.find("active")], SETTINGS | {"as": "row-filter"})
    with pytest.raises(PredicatError, match="'orders' names no table: it has no spark relation"):
        texts("databricks", of)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    run = ("export", "databricks")
    done = in_process(*run, "above", "active", "--param", "least=7", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.count("`Order Total` > 7") == 2
    done = in_process(*run, "--of", "policies", "--param", "least=7", cwd=tmp_path)
    assert done.returncode == 2 and "--param is only for --of filters" in done.stderr
    done = in_process(*run, "--out", "out", cwd=tmp_path)
    assert done.returncode == 1 and "2 problems" in done.stderr and not (tmp_path / "out").exists()
    done = in_process(*run, "--out", "out", "--skip-refused", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "out: 5 filters\n") and "2 problems" in done.stderr
    done = in_process(*run, "today", "--skip-refused", cwd=tmp_path)
    assert done.returncode == 1 and not done.stdout
