"""Reports of a run for other systems: OpenLineage events to a file or a URL, and counts as a text file of
Prometheus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from predicat.catalog.jobs import Job
from predicat.forge.telemetry import Lineage, custom, dataset, facet, metric
from predicat_spark.pipeline.report import FilterReport, Report


class Events(Lineage):
    """The events of one run: it started, and it was completed or failed. `target` is a file, to which
    lines are added, or a URL.
    """

    def __init__(self, target: str | None, job: Job) -> None:
        source = job.source
        kind = "table" if source.table is not None else "path"
        super().__init__(target, job.label, [dataset(kind, str(source))])
        self.send("START", {})

    def completed(self, report: Report) -> None:
        """Send that the run is done, with the rows and bytes of each sink, and the counts of each filter."""
        outputs = [
            {
                **dataset(sink.kind, sink.place),
                "outputFacets": {
                    "outputStatistics": facet(
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
        self.send("COMPLETE", {"predicat": custom(run=report.run, rows=report.rows, filters=counts)}, outputs)


def prometheus(report: Report, total: Mapping[tuple[str, str], int] | None = None) -> str:
    """The counts of a run in Prometheus' text format, for the textfile collector of its node exporter.

    `total`: for the batch of a stream, the sums since its start by filter and outcome.
    """
    job = report.job or report.dataset
    filters = _of_versions(report.filters)
    lines = [
        *metric("predicat_run_rows", "Rows that the run read.", [({"job_name": job}, report.rows)]),
        *metric("predicat_run_seconds", "Seconds that the run took.", [({"job_name": job}, report.seconds)]),
        *metric(
            "predicat_run_bad_rows",
            "Rows with cells that cannot be converted.",
            [({"job_name": job}, report.bad_rows)],
        ),
        *metric(
            "predicat_run_completed_timestamp_seconds",
            "When the run was done.",
            [({"job_name": job}, round(datetime.now(tz=UTC).timestamp()))],
        ),
        *metric(
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
        *metric(
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
        *metric(
            "predicat_run_lag_seconds",
            "Age of the newest row at the end of the run.",
            [({"job_name": job}, report.lag_seconds)] if report.lag_seconds is not None else [],
        ),
        *_totals(job, total),
        *metric(
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
    return metric("predicat_filter_rows_total", "Rows of the stream since its start.", values, "counter")
