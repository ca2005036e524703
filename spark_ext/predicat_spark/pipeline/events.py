"""Reports of a run for other systems: OpenLineage events to a file or a URL, and counts as a text file of
Prometheus.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

from msgspec.structs import replace

from predicat.catalog.jobs import Job
from predicat_spark.pipeline.report import FilterReport, Report

_PRODUCER = "https://github.com/predicat/predicat"
_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/definitions/RunEvent"
_FACET = "https://openlineage.io/spec/facets"
_SECONDS = 10


class Events:
    """The events of one run: it started, and it was completed or failed. `target` is a file, to which
    lines are added, or a URL.
    """

    def __init__(self, target: str | None, job: Job) -> None:
        self.target, self.job, self.run = target, job, str(uuid4())
        self._send("START", {}, [])

    def completed(self, report: Report) -> None:
        """Send that the run is done, with the rows and bytes of each sink, and the counts of each filter."""
        outputs = [
            {
                **_dataset(sink.kind, sink.place),
                "outputFacets": {
                    "outputStatistics": _facet(
                        "1-0-2/OutputStatisticsOutputDatasetFacet",
                        rowCount=sink.written,
                        size=sink.bytes,
                        fileCount=sink.files,
                    )
                },
            }
            for sink in report.sinks
        ]
        counts = [
            {
                "name": filter_report.name,
                "filter": filter_report.filter,
                "version": filter_report.version,
                **{key: value for key, value in filter_report.counts.items() if key != "guarded"},
            }
            for filter_report in report.filters
        ]
        self._send(
            "COMPLETE",
            {
                "predicat": {
                    "_producer": _PRODUCER,
                    "_schemaURL": _SCHEMA,
                    "run": report.run,
                    "rows": report.rows,
                    "filters": counts,
                }
            },
            outputs,
        )

    def failed(self, reason: str) -> None:
        """Send that the run failed, and why."""
        error = _facet(
            "1-0-0/ErrorMessageRunFacet", message=reason or "interrupted", programmingLanguage="PYTHON"
        )
        self._send("FAIL", {"errorMessage": error}, [])

    def _send(self, kind: str, facets: dict[str, Any], outputs: list[dict[str, Any]]) -> None:
        if self.target is None:
            return
        source = self.job.source
        event = {
            "eventType": kind,
            "eventTime": datetime.now(tz=UTC).isoformat(),
            "producer": _PRODUCER,
            "schemaURL": _SCHEMA,
            "run": {"runId": self.run, "facets": facets},
            "job": {
                "namespace": "predicat",
                "name": self.job.label,
                "facets": {},
            },
            "inputs": [_dataset("table" if source.table is not None else "path", str(source))],
            "outputs": outputs,
        }
        if self.target.startswith(("http://", "https://")):
            self._post(json.dumps(event).encode())
        else:
            path = Path(self.target)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(event) + "\n")

    def _post(self, body: bytes) -> None:
        """An event that cannot be sent is a warning: the rows are committed in any case."""
        try:
            request = Request(str(self.target), body, {"Content-Type": "application/json"})  # noqa: S310  # http or https, as the user says
            with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310  # as above
                answer.read()
        except OSError as error:
            sys.stderr.write(f"warning: the event could not be sent to {self.target}: {error}\n")


def _dataset(kind: str, place: str) -> dict[str, Any]:
    scheme, sign, rest = place.partition(":")
    if kind == "path" and sign and rest.startswith("/"):
        return {
            "namespace": scheme if scheme == "file" else f"{scheme}://{rest.lstrip('/').partition('/')[0]}",
            "name": rest,
        }
    return {
        "namespace": "file" if kind == "path" else "postgres" if kind == "jdbc" else "spark",
        "name": place,
    }


def _facet(schema: str, **more: Any) -> dict[str, Any]:
    return {
        "_producer": _PRODUCER,
        "_schemaURL": f"{_FACET}/{schema}.json",
        **more,
    }


def prometheus(report: Report, total: Mapping[tuple[str, str], int] | None = None) -> str:
    """The counts of a run in Prometheus' text format, for the textfile collector of its node exporter.

    `total`: for the batch of a stream, the sums since its start by filter and outcome.
    """
    job = report.job or report.dataset
    filters = _of_versions(report.filters)
    lines = [
        *_metric("predicat_run_rows", "Rows that the run read.", [({"job_name": job}, report.rows)]),
        *_metric("predicat_run_seconds", "Seconds that the run took.", [({"job_name": job}, report.seconds)]),
        *_metric(
            "predicat_run_bad_rows",
            "Rows with cells that cannot be converted.",
            [({"job_name": job}, report.bad_rows)],
        ),
        *_metric(
            "predicat_run_completed_timestamp_seconds",
            "When the run was done.",
            [({"job_name": job}, round(datetime.now(tz=UTC).timestamp()))],
        ),
        *_metric(
            "predicat_filter_rows",
            "Rows of the run by filter and outcome.",
            [
                (
                    {
                        "job_name": job,
                        "filter": filter_report.name,
                        "version": str(filter_report.version),
                        "outcome": key,
                    },
                    value,
                )
                for filter_report in filters
                for key, value in filter_report.counts.items()
            ],
        ),
        *_metric(
            "predicat_filter_hit_ratio",
            "Share of the rows that the filter accepted.",
            [
                (
                    {"job_name": job, "filter": filter_report.name, "version": str(filter_report.version)},
                    round(share, 6),
                )
                for filter_report in filters
                if (share := report.hit_rate(filter_report)) is not None
            ],
        ),
        *_metric(
            "predicat_run_lag_seconds",
            "Age of the newest row at the end of the run.",
            [({"job_name": job}, report.lag_seconds)] if report.lag_seconds is not None else [],
        ),
        *_totals(job, total),
        *_metric(
            "predicat_sink_rows",
            "Rows that the run wrote.",
            [
                ({"job_name": job, "sink": sink.place, "rows": sink.rows}, sink.written)
                for sink in report.sinks
            ],
        ),
    ]
    return "\n".join(lines) + "\n"


def _of_versions(filters: Sequence[FilterReport]) -> list[FilterReport]:
    """One report for each name and version. The catalog of a stream may change a filter that keeps its
    version: an exporter refuses a file that has the same labels twice.
    """
    found: dict[tuple[str, int], FilterReport] = {}
    for one in filters:
        known = found.setdefault((one.name, one.version), replace(one))
        if known.hash != one.hash:
            known.add(one)
    return list(found.values())


def _totals(job: str, total: Mapping[tuple[str, str], int] | None) -> list[str]:
    if total is None:
        return []
    values: list[tuple[dict[str, str], float]] = [
        ({"job_name": job, "filter": name, "outcome": outcome}, count)
        for (name, outcome), count in total.items()
    ]
    return _metric("predicat_filter_rows_total", "Rows of the stream since its start.", values, "counter")


def _metric(
    name: str, text: str, values: list[tuple[dict[str, str], float]], kind: str = "gauge"
) -> list[str]:
    return [
        f"# HELP {name} {text}",
        f"# TYPE {name} {kind}",
        *(f"{name}{{{_labels(labels)}}} {value}" for labels, value in values),
    ]


def _labels(labels: dict[str, str]) -> str:
    escaped = (
        (key, value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"))
        for key, value in labels.items()
    )
    return ",".join(f'{key}="{value}"' for key, value in escaped)
