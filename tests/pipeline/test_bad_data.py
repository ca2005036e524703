"""Cells that do not convert are seen: counted, sampled, kept apart, or an end of the run. And what a
failure says.
"""

import json
import os
import resource
from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat_spark.pipeline import Job, JobFilter, Sink, Source, run_job

CATALOG = """\
apiVersion: predicat/v1
dataset: flights
fields: {carrier: string, dep_delay: bigint, time_hour: timestamp, tags: "array<string>"}
filters:
  late: {sql: dep_delay > 15}
  ua: {sql: carrier = 'UA'}
"""
CSV = (
    "carrier,dep_delay,time_hour\nUA,70,2026-01-01 00:00:00\nUA,NA,\nUA,x,yesterday\nAA,,2026-01-01 "
    "00:00:00\nB6,90,2026-01-01 00:00:00,surplus\n"
)


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path / "catalog")


@pytest.fixture
def flights(tmp_path: Path) -> str:
    (tmp_path / "in.csv").write_text(CSV)
    return str(tmp_path / "in.csv")


def bad(report: Any) -> dict[str, tuple[int, list[str]]]:
    return {cell.column: (cell.cells, sorted(cell.samples)) for cell in report.bad_cells}


def test_cells_are_counted_apart_from_null(spark: Any, catalog: predicat.Catalog, flights: str) -> None:
    report = predicat_spark.run(catalog, "flights", ["late", "ua"], flights)
    assert bad(report) == {
        "dep_delay": (2, ["NA", "x"]),
        "time_hour": (1, ["yesterday"]),
        "(record)": (1, ["B6,90,2026-01-01 00:00:00,surplus"]),
    }
    assert (report.rows, report.bad_rows, report.filters[0].accepted, report.filters[0].unknown) == (
        5,
        3,
        2,
        3,
    )
    known = Source(paths=(flights,), options={"nullValue": "NA"})
    assert bad(predicat_spark.run(catalog, "flights", ["late"], known))["dep_delay"] == (1, ["x"])
    assert "dep_delay  " in predicat_spark.table(
        report
    ) and f"'NA' ({flights}:3), 'x' ({flights}:4)" in predicat_spark.table(report)


def test_bad_rows_are_kept_apart_as_they_came(
    spark: Any, catalog: predicat.Catalog, flights: str, tmp_path: Path
) -> None:
    sinks = (
        Sink("path", str(tmp_path / "out" / "{filter}")),
        Sink("path", str(tmp_path / "bad"), "json", rows="bad"),
        Sink("path", str(tmp_path / "none"), rows="unmatched"),
    )
    job = Job(
        "",
        "flights",
        Source(paths=(flights,)),
        (JobFilter("ua", "ua"), JobFilter("late", "late")),
        sinks,
        bad_records="quarantine",
    )
    report = run_job(catalog, job)
    kept = [
        json.loads(line)
        for file in (tmp_path / "bad").glob("part-*")
        for line in file.read_text().splitlines()
    ]
    assert sorted(row["dep_delay"] for row in kept) == ["90", "NA", "x"]
    assert [row["record"] for row in kept if row["dep_delay"] == "90"] == [
        "B6,90,2026-01-01 00:00:00,surplus"
    ]
    assert [row.dep_delay for row in spark.read.parquet(str(tmp_path / "out" / "ua")).collect()] == [70]
    assert (
        report.bad_rows,
        report.filters[0].accepted,
        [row.carrier for row in spark.read.parquet(str(tmp_path / "none")).collect()],
    ) == (3, 1, ["AA"])


def test_a_run_may_end_at_bad_rows(
    spark: Any, catalog: predicat.Catalog, flights: str, tmp_path: Path
) -> None:
    with pytest.raises(
        predicat.PredicatError,
        match=(
            r"(?s)3 rows with cells that cannot be converted: .*dep_delay: 2 \(such as .*; no sink was "
            r"changed"
        ),
    ):
        predicat_spark.run(catalog, "flights", ["late"], flights, tmp_path / "out", bad_records="fail")
    assert not list((tmp_path / "out").rglob("*"))


def test_nested_cells_of_json(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"carrier": "UA", "dep_delay": 20, "tags": ["a"]}\n{"carrier": "UA", "dep_delay": "soon", '
        '"tags": null}\n{"carrier": \n'
    )
    report = predicat_spark.run(catalog, "flights", ["late"], str(tmp_path / "in.jsonl"))
    assert bad(report) == {"dep_delay": (1, ["soon"]), "(record)": (1, ['{"carrier": '])}


# --- failures, each a sentence, with nothing half written


def fails(catalog: predicat.Catalog, source: str, out: Path, **more: Any) -> str:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat_spark.run(catalog, "flights", ["late"], source, out, **more)
    assert not list(out.rglob("part-*"))
    message = caught.value.diagnostics[0].message
    assert "\n" not in message and "Exception" not in message and "\tat " not in str(caught.value)
    return message


def test_a_damaged_file(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    spark.createDataFrame([("UA", 70)], "carrier string, dep_delay bigint").write.parquet(
        str(tmp_path / "in")
    )
    (tmp_path / "in" / "part-zzz.parquet").write_bytes(
        b"this is no Parquet file, but long enough to be read as one"
    )
    assert "part-zzz.parquet is not a Parquet file, or it is damaged" in fails(
        catalog, str(tmp_path / "in"), tmp_path / "out"
    )
    whole = next(path for path in (tmp_path / "in").glob("part-0*.parquet"))
    (tmp_path / "in" / "part-zzz.parquet").write_bytes(
        whole.read_bytes()[:4] + b"\0" * 40 + whole.read_bytes()[44:]
    )
    assert "part-zzz.parquet" in fails(catalog, str(tmp_path / "in"), tmp_path / "out")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written(catalog: predicat.Catalog, flights: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    assert "no right to write in the folder" in fails(catalog, flights, tmp_path / "out")


def test_a_place_below_a_file(spark: Any, catalog: predicat.Catalog, flights: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(predicat.PredicatError) as caught:
        predicat_spark.run(catalog, "flights", ["late"], flights, tmp_path / "file" / "out")
    assert "file" in caught.value.diagnostics[0].message and "\tat " not in str(caught.value)


def test_a_full_disk() -> None:
    """/dev/full says what a full disk says."""
    from predicat_spark import failures

    with pytest.raises(OSError, match="No space left") as caught:
        Path("/dev/full").write_text("x")
    assert failures.diagnostic(caught.value).message == "Spark failed: the disk is full"


def test_a_file_that_cannot_be_moved_leaves_no_temporary_one(spark: Any, tmp_path: Path) -> None:
    """A place that is a folder stops the move."""
    from predicat_spark.pipeline.files import Files

    files = Files(spark)
    (tmp_path / "taken" / "x").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        files.write(f"{tmp_path}/taken", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_full_disk_leaves_no_half_of_a_file(tmp_path: Path, spark: Any) -> None:
    """A limit on the size of files stops a writer as a full disk does: in the middle."""
    from predicat_spark.pipeline.files import Files

    files, lease = Files(spark), tmp_path / "_predicat" / "lease-000001.json"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            files.create(str(lease), "x" * 30_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(lease.parent.iterdir())
    assert files.create(str(lease), "x")
    assert not files.create(str(lease), "y")
    assert lease.read_text() == "x"


def test_a_metastore_that_another_session_has_opened() -> None:
    from predicat_spark import failures

    error = RuntimeError(
        "Unable to instantiate SessionHiveMetaStoreClient\nERROR XSDB6: Another instance of Derby may have "
        "already booted the database /home/me/metastore_db."
    )
    told = failures.diagnostic(error)
    assert (
        told.message == "Spark failed: another Spark session has opened the metastore /home/me/metastore_db"
    )


def test_a_format_that_cannot_hold_a_column(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    spark.sql("SELECT 'UA' AS carrier, 90L AS dep_delay, array('a') AS tags").write.parquet(
        str(tmp_path / "in")
    )
    job = Job(
        "",
        "flights",
        Source(paths=(str(tmp_path / "in"),)),
        (JobFilter("late", "late"),),
        (Sink("path", str(tmp_path / "out"), "csv"),),
    )
    with pytest.raises(
        predicat.PredicatError,
        match="csv cannot hold the column 'tags' of type array<string>\n  = hint: write format: parquet",
    ):
        run_job(catalog, job)
