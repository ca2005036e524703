"""The current time in Spark: matches_filter folds it before the scan, and an index of matching has none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import predicat_spark
from predicat_spark.settings import settings

CATALOG = """
apiVersion: predicat/v1
dataset: clock
fields: {ts: timestamp, day: date, n: bigint}
filters:
  recent: {sql: "ts >= now() - INTERVAL '7 days'"}
  since: {sql: "ts >= now() - INTERVAL '1 month'"}
  soon: {sql: "day >= current_date - 3"}
  this_or_last_year: {sql: "year(ts) >= year(now()) - 1"}
  many: {sql: n > 1}
"""


@pytest.fixture
def events(spark: Any, tmp_path: Path) -> Iterator[Any]:
    """A row every five days into the past, and every second day."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "clock.yml").write_text(CATALOG)
    manifest = predicat_spark.compile_manifest(tmp_path / "catalog", tmp_path / "manifest.json")
    ages = "now() - id * INTERVAL 5 DAYS ts, date_sub(current_date(), 2 * CAST(id AS INT)) day, id n"
    with settings(spark, {"spark.predicat.manifest": str(manifest)}):
        spark.sql(f"SELECT {ages} FROM range(8)").write.parquet(str(tmp_path / "events"))
        yield spark.read.parquet(str(tmp_path / "events"))


@pytest.mark.parametrize(
    ("name", "column", "count"),
    [("recent", "ts", 2), ("since", "ts", 6), ("soon", "day", 2), ("this_or_last_year", "ts", 8)],
)
def test_the_bound_is_a_constant_of_the_scan(events: Any, name: str, column: str, count: int) -> None:
    found = events.where(f"matches_filter('clock.{name}')")
    assert found.count() in (count, count + 1)  # a month has 28 to 31 days
    plan = found._jdf.queryExecution().executedPlan().toString()
    assert f"PushedFilters: [IsNotNull({column}), GreaterThanOrEqual({column},20" in plan


def test_matching_leaves_out_what_reads_it(events: Any) -> None:
    found = events.where("n = 2").selectExpr("matching_filters('clock') AS names").first()
    assert found.names == ["many"]
