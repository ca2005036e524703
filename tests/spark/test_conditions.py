"""`matches_filter` in a WHERE is the condition of a WHERE: what is solved reaches the files, and its rows are
those that the evaluator accepts.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

CATALOG = """
apiVersion: predicat/v1
dataset: orders
relation: {spark: orders}
fields: {id: bigint, n: bigint, at: timestamp, body: json}
filters:
  recent: {sql: "year(at) = 2026"}
  summed: {sql: "n + 5 > 10"}
  unknown_too: {sql: "n + 5 > 10", on_unknown: accept}
  large: {cel: "body.amount > 10"}
  plain: {sql: "n > 3"}
  later: {sql: "year(at) >= :first", params: {first: {type: bigint, default: 2026}}}
"""
ROWS = [
    (1, 3, datetime(2026, 1, 1, tzinfo=UTC), '{"amount": 11}'),
    (2, 2**63 - 3, datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC), '{"amount": "11"}'),
    (3, 6, datetime(2027, 1, 1, tzinfo=UTC), '{"amount": 10}'),
    (4, None, None, None),
    (5, 7, datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), '{"amount": 10.5}'),
]
ACCEPTED = {
    "recent": {1, 5},
    "summed": {3, 5},
    "unknown_too": {2, 3, 4, 5},
    "large": {1, 5},
    "plain": {2, 3, 5},
    "later": {1, 3, 5},
}


@pytest.fixture
def orders(spark: Any, tmp_path: Path) -> Iterator[Any]:
    import predicat_spark

    (tmp_path / "c.yml").write_text(CATALOG)
    predicat_spark.compile_manifest(tmp_path, tmp_path / "manifest.json")
    before = spark.conf.get("spark.predicat.manifest")
    spark.conf.set("spark.predicat.manifest", str(tmp_path / "manifest.json"))
    rows = spark.createDataFrame(ROWS, "id bigint, n bigint, at timestamp, body string")
    rows.selectExpr("id", "n", "at", "parse_json(body) AS body").write.parquet(str(tmp_path / "orders"))
    spark.read.parquet(str(tmp_path / "orders")).createOrReplaceTempView("orders")
    yield spark
    spark.conf.set("spark.predicat.manifest", before)


def ids(spark: Any, condition: str) -> set[int]:
    return {row.id for row in spark.sql(f"SELECT id FROM orders WHERE {condition}").collect()}


def test_rows_are_the_accepted_ones(orders: Any) -> None:
    everything = {row[0] for row in ROWS}
    for name, wanted in ACCEPTED.items():
        call = f"matches_filter('orders.{name}')"
        others = everything - wanted
        assert ids(orders, call) == wanted, name
        assert ids(orders, f"NOT {call}") == others, name
        assert ids(orders, f"{call} AND id > 2") == {one for one in wanted if one > 2}, name
        assert ids(orders, f"id = 4 OR {call}") == wanted | {4}, name
        assert ids(orders, f"NOT (id = 1 OR {call})") == others - {1}, name
        assert ids(orders, f"CASE WHEN {call} THEN id > 2 ELSE id = 1 END") == (
            {one for one in wanted if one > 2} | ({1} & others)
        ), name
        assert ids(orders, f"{call} IS NOT NULL") == everything, name
        counted = orders.sql(
            f"SELECT count_if({call}), count(*) FILTER (WHERE {call}), sum(IF({call}, 1, 0)), "
            f"count(DISTINCT {call}) FROM orders"
        ).first()
        assert tuple(counted) == (len(wanted),) * 3 + (2,), name
        shown = orders.sql(f"SELECT id FROM (SELECT id, {call} AS f FROM orders) WHERE f").collect()
        assert {row.id for row in shown} == wanted, name
    assert ids(orders, "matches_filter('orders.later', first => 2027)") == {3}


@pytest.mark.parametrize(
    ("name", "pushed"),
    [
        ("recent", "GreaterThanOrEqual(at,2026-01-01"),
        ("summed", "LessThanOrEqual(n,9223372036854775802)"),
        ("plain", "GreaterThan(n,3)"),
    ],
)
def test_what_is_solved_reaches_the_files(name: str, pushed: str, orders: Any) -> None:
    plan = orders.sql(f"SELECT id FROM orders WHERE matches_filter('orders.{name}')")._jdf.queryExecution()
    assert pushed in plan.executedPlan().toString()


def test_a_number_of_a_document_is_read_at_its_path(orders: Any) -> None:
    found = orders.sql("SELECT id FROM orders WHERE matches_filter('orders.large')")
    plan = found._jdf.queryExecution().optimizedPlan().toString()
    assert "predicat_number(" in plan
    assert "schema_of_variant" not in plan


def changed(orders: Any, change: Any, tmp_path: Path) -> None:
    data = json.loads((tmp_path / "manifest.json").read_text())
    for row in data["filters"]:
        change(row)
    (tmp_path / "other.json").write_text(json.dumps(data))
    orders.conf.set("spark.predicat.manifest", str(tmp_path / "other.json"))


def test_a_condition_with_functions_of_a_newer_extension_is_left_out(orders: Any, tmp_path: Path) -> None:
    def newer(row: dict[str, Any]) -> None:
        if "where" in row:
            row["where"]["spark"] = f"predicat_newest({row['where']['spark']})"

    changed(orders, newer, tmp_path)
    for name, wanted in ACCEPTED.items():
        assert ids(orders, f"matches_filter('orders.{name}')") == wanted, name


def test_a_condition_is_checked_as_other_sql(orders: Any, tmp_path: Path) -> None:
    from pyspark.errors import AnalysisException

    def planted(row: dict[str, Any]) -> None:
        row["where"] = {"spark": "reflect('java.lang.System', 'exit') = n"}

    changed(orders, planted, tmp_path)
    with pytest.raises(AnalysisException, match="it calls the function reflect"):
        ids(orders, "matches_filter('orders.plain')")


def test_a_manifest_has_conditions_where_they_differ(orders: Any, tmp_path: Path) -> None:
    found = {row["name"]: row for row in json.loads((tmp_path / "manifest.json").read_text())["filters"]}
    assert found["orders.summed"]["where"] == {"spark": "n > 5 AND n <= 9223372036854775802"}
    assert "where" not in found["orders.plain"]
    assert all("predicat_number" not in json.dumps(row.get("native", {})) for row in found.values())
