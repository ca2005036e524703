"""A Dagster asset check: every bound of the catalog on the flights that DuckDB reads from a file."""

from __future__ import annotations

import os
from pathlib import Path

import dagster

import predicat
from predicat.quality.bounds import judge
from predicat.quality.engines import on_duckdb
from predicat.quality.plan import plan

FLIGHTS = Path(os.environ.get("FLIGHTS", "target/data/flights.parquet"))


@dagster.asset
def flights() -> dagster.MaterializeResult:
    """The flights, which something else brings."""
    return dagster.MaterializeResult(metadata={"file": str(FLIGHTS)})


@dagster.asset_check(asset=flights)
def coverage() -> dagster.AssetCheckResult:
    """Whether the filters accept as many rows as the catalog says."""
    catalog = predicat.load_catalog("catalog")
    checks = judge(catalog, on_duckdb(plan(catalog, "flights", (), "duckdb"), str(FLIGHTS)))
    broken = [check.message for check in checks if check.broken]
    return dagster.AssetCheckResult(passed=not broken, metadata={"checks": len(checks), "broken": broken})


definitions = dagster.Definitions(assets=[flights], asset_checks=[coverage])
