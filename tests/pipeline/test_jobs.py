"""Jobs in a catalog: what is read, and what is wrong with them, each at its place."""

from pathlib import Path

import pytest
import yaml

import predicat
from predicat.catalog.jobs import job_data

HEAD = """\
apiVersion: predicat/v1
dataset: flights
fields: {carrier: string, dep_delay: bigint, time_hour: timestamp}
filters:
  late:
    latest: 1
    versions:
      1: {sql: dep_delay > 15}
      2: {sql: "dep_delay > :minutes", params: {minutes: bigint}}
  ua: {sql: carrier = 'UA'}
subscriptions: {desk: {filter: late}}
jobs:
"""


def load(tmp_path: Path, jobs: str) -> predicat.Catalog:
    (tmp_path / "c.yml").write_text(HEAD + jobs)
    return predicat.load_catalog(tmp_path)


def test_a_job_with_all_its_parts(tmp_path: Path) -> None:
    catalog = load(
        tmp_path,
        """\
  nightly:
    description: Every night.
    source: {path: /data/in, format: csv, options: {header: true, nullValue: NA, maxColumns: 40}}
    filters:
      - desk
      - {filter: late@2, name: very_late, params: {minutes: 180}}
    sinks:
      - {path: "/data/out/{filter}", format: orc, partition_by: [carrier]}
      - {table: "lake.{filter}", filters: [desk]}
      - {path: /data/none, rows: unmatched}
      - {path: /data/bad, format: json, rows: bad}
    bad_records: quarantine
    range: time_hour
""",
    )
    job = catalog.datasets["flights"].jobs["nightly"]
    assert (
        job.qualified,
        job.mode,
        job.passes,
        job.source.options["header"],
        job.source.options["maxColumns"],
    ) == ("flights.nightly", "overwrite", "auto", "true", "40")
    assert [(row.name, row.filter, dict(row.params)) for row in job.filters] == [
        ("desk", "desk", {}),
        ("very_late", "late@2", {"minutes": 180}),
    ]
    assert [(sink.kind, sink.place("very_late"), sink.rows) for sink in job.sinks][:2] == [
        ("path", "/data/out/very_late", "accepted"),
        ("table", "lake.very_late", "accepted"),
    ]
    assert yaml.safe_load(yaml.safe_dump(job_data(job)))["filters"][1]["params"] == {"minutes": 180}


@pytest.mark.parametrize(
    ("job", "problem"),
    [
        ("{source: t, filters: [lat]}", "no filter is named 'lat'"),
        ("{source: t, filters: [late@3]}", "no version"),
        ("{source: t, filters: [late@2]}", "minutes"),
        ("{source: t, filters: [{filter: late@2, params: {minutes: soon}}]}", "'soon' is not of type bigint"),
        ("{source: t, filters: [{filter: late, params: {minutes: 3}}]}", "minutes"),
        ("{source: t, filters: [late, late]}", "late appears twice"),
        ("{sinks: []}", "source"),
        ("{source: {table: t, path: p}}", "it has a table and a path"),
        ("{source: {options: {a: b}}}", "table or path"),
        (
            "{source: t, filters: [late, ua], sinks: [{path: out}]}",
            "several filters would write to the same place",
        ),
        (
            "{source: t, filters: [late], sinks: [{path: 'out/{filter}'}, {path: 'out/late'}]}",
            "out/late too",
        ),
        ("{source: t, filters: [late], sinks: [{path: 'out/{name}'}]}", "unknown placeholder {name}"),
        ("{source: t, filters: [late], sinks: [{path: out, rows: bad}]}", "bad_records: quarantine"),
        ("{source: t, filters: [late], bad_records: quarantine}", "there is no sink for the rows"),
        ("{source: t, filters: [late], sinks: [{path: out, filters: [lat]}]}", "the job has no filter 'lat'"),
        ("{source: t, mode: overwritten}", "it must be overwrite, append or overwrite_partitions"),
        ("{source: t, checkpoint: c, mode: overwrite}", "they would overwrite all earlier rows"),
        ("{source: t, range: time_our}", "no field is named 'time_our'"),
        (
            "{source: t, sinks: [{jdbc: 'postgresql://me:secret@host/db', table: 't_{filter}'}]}",
            "the DSN has a password in it",
        ),
        ("{source: t, sink: []}", "sink"),
        (
            "{source: t, filters: [late, {filter: ua, name: Late}], sinks: [{table: 'x_{filter}'}]}",
            "another sink or filter writes to x_Late too",
        ),
        (
            (
                "{source: t, filters: [{filter: ua, name: 'a:b'}, {filter: ua, name: a-b}], "
                "sinks: [{path: '{filter}'}]}"
            ),
            "another sink or filter writes to a-b too",
        ),
        (
            "{source: t, filters: [late], sinks: [{path: 'x/{filter}'}, {path: x/late, rows: unmatched}]}",
            "another sink or filter writes to x/late too",
        ),
        ("{source: {format: jdbc, options: {password: secret}}}", "it has a password in it"),
        (
            "{source: t, filters: [late], mode: overwrite_partitions, sinks: [{path: out}]}",
            "needs partitions",
        ),
    ],
)
def test_problems_of_jobs(tmp_path: Path, job: str, problem: str) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        load(tmp_path, f"  nightly: {job}\n")
    assert problem in caught.value.diagnostics[0].message, caught.value
    assert (
        caught.value.diagnostics[0].where().startswith(str(tmp_path))
        and ":13:" in caught.value.diagnostics[0].where()
    )


def test_a_job_is_not_named_as_a_dataset(tmp_path: Path) -> None:
    with pytest.raises(predicat.PredicatError, match="a dataset is named flights"):
        load(tmp_path, "  flights: {source: t}\n")
