"""Dagster asset checks: one for each filter with bounds, on the flights that DuckDB reads from a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import dagster

import predicat
from examples.pipelines.coverage import measured

FLIGHTS = Path(os.environ.get("FLIGHTS", "target/data/flights.parquet"))
BOUNDED = [
    name for name, row in predicat.load_catalog("catalog").datasets["flights"].filters.items() if row.coverage
]
SEVERITIES = {"warn": dagster.AssetCheckSeverity.WARN, "error": dagster.AssetCheckSeverity.ERROR}


@dagster.asset
def flights() -> dagster.MaterializeResult:
    """The flights, which something else brings."""
    return dagster.MaterializeResult(metadata={"file": str(FLIGHTS)})


@dagster.multi_asset_check(specs=[dagster.AssetCheckSpec(name, asset="flights") for name in BOUNDED])
def coverage() -> Iterator[dagster.AssetCheckResult]:
    """Whether the filters accept as many rows as the catalog says. A bound that was not checked is told."""
    result = measured("flights", "--engine", "duckdb", "--input", f"flights={FLIGHTS}")
    for name in BOUNDED:
        checks = [check for check in result["checks"] if check["name"] == f"flights.{name}"]
        wrong = [check for check in checks if check["status"] in ("error", "fail", "warn")]
        severe = any(check["status"] != "warn" for check in wrong)
        yield dagster.AssetCheckResult(
            check_name=name,
            passed=not wrong,
            severity=SEVERITIES["error" if severe else "warn"],
            description="; ".join(check["message"] for check in checks),
            metadata={"statuses": {check["kind"]: check["status"] for check in checks}},
        )


definitions = dagster.Definitions(assets=[flights], asset_checks=[coverage])
