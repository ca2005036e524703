"""What other systems read of a run of coverage: OpenLineage's facets, and Prometheus' text file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from predicat.forge.telemetry import Lineage, custom, facet, metric
from predicat.quality.checks import STATUSES, Check, worst
from predicat.quality.outcome import Run


def send(events: Lineage, runs: Sequence[Run]) -> None:
    """Send that a dataset was measured, or why not. The input has the facets of data quality: the bounds that
    were judged as assertions (of all partitions), the rows, and the missing values of the fields (of the last
    one).
    """
    run = runs[-1]
    checks = [_named(one, check) for one in runs for check in one.checks]
    if run.measure is None:
        events.failed("; ".join(item.message for item in run.errors))
        return
    judged = [check for check in checks if check.status in ("pass", "warn", "fail")]
    facets = {
        "dataQualityAssertions": facet(
            "1-0-1/DataQualityAssertionsDatasetFacet", assertions=[_assertion(check) for check in judged]
        ),
        "dataQualityMetrics": facet(
            "1-0-2/DataQualityMetricsInputDatasetFacet",
            rowCount=run.measure.total,
            columnMetrics={name: {"nullCount": count} for name, count in run.measure.nulls.items()},
        ),
    }
    ends = [
        {"name": item.name, "bound": item.kind, "status": item.status, "message": item.message}
        for item in checks
    ]
    done = custom(
        status=worst([one.status for one in runs]),
        revision=run.about.revision if run.about else "",
        bounds=ends,
        filters={name: {"accepted": count} for name, count in run.measure.accepted.items()},
    )
    inputs = [{**item, "inputFacets": facets} for item in events.inputs]
    events.send("COMPLETE", {"predicat": done}, (), inputs)


def _named(run: Run, check: Check) -> Check:
    return check if run.part is None else replace(check, name=f"{check.name} {run.part.name}")


def _assertion(check: Check) -> dict[str, Any]:
    severity = "warn" if check.severity == "warn" or check.status == "warn" else "error"
    return {
        "assertion": f"{check.label} {check.bound}",
        "success": check.status == "pass",
        "severity": severity,
    }


def prometheus(runs: Sequence[Run]) -> str:
    """The runs in Prometheus' text format, for the textfile collector of its node exporter. Each bound has a
    series for each status, of which one is 1. Of partitions it has the last one.
    """
    runs = list({run.dataset: run for run in runs}.values())
    measured = [(run, run.measure) for run in runs if run.measure is not None]
    rows = [({"dataset": run.dataset}, found.total) for run, found in measured]
    filters = [
        ({"dataset": run.dataset, "filter": name, "outcome": outcome}, count)
        for run, found in measured
        for name, counted in found.filters.items()
        for outcome, count in (
            ("accepted", found.accepted[name]),
            ("true", counted.true),
            ("false", counted.false),
            ("unknown", counted.unknown),
        )
    ]
    bounds = [
        ({**_labels(run, check), "severity": check.severity, "status": status}, int(check.status == status))
        for run in runs
        for check in run.checks
        for status in STATUSES
    ]
    values = [
        ({**_labels(run, check), "unit": check.unit}, check.value)
        for run in runs
        for check in run.checks
        if check.value is not None
    ]
    at = [
        ({"dataset": run.dataset}, round(datetime.fromisoformat(run.about.at).timestamp()))
        for run in runs
        if run.about is not None
    ]
    lines = [
        *metric("predicat_quality_rows", "Rows of the dataset.", rows),
        *metric("predicat_quality_filter_rows", "Rows by filter and outcome.", filters),
        *metric("predicat_quality_bound_status", "1 for the status of the bound.", bounds),
        *metric("predicat_quality_bound_value", "The measured value of the bound.", values),
        *metric("predicat_quality_timestamp_seconds", "When the run was.", at),
    ]
    return "\n".join(lines) + "\n"


def _labels(run: Run, check: Check) -> Mapping[str, str]:
    return {"dataset": run.dataset, "name": check.name, "bound": check.kind}
