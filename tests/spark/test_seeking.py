"""A seek finds the first accepted row on every engine, and does not read what lies behind it."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat.seeking import files
from predicat.seeking.postgres import seek as seek_in_table
from tests.cli.test_commands import run

CATALOG = """\
apiVersion: predicat/v1
dataset: records
relation: {postgres: public.seek_records}
fields: {id: bigint, at: bigint, kind: string}
filters:
  wanted: {description: Wanted, sql: kind = 'k5' AND at >= 200000}
  never: {description: Never, sql: kind = 'none'}
"""
ROWS = 400_000


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records in the order of `at`, in row groups of 20,480 rows."""
    import duckdb

    path = tmp_path_factory.mktemp("seek") / "records.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT i AS id, i * 2 AS at, 'k' || (i % 1000) AS kind FROM range({ROWS}) t(i))"
            f" TO '{path}' (ROW_GROUP_SIZE 20480)"
        )
    return path


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    folder = tmp_path_factory.mktemp("catalog")
    (folder / "c.yml").write_text(CATALOG)
    return predicat.load_catalog(folder)


def test_in_files(wanted: predicat.Catalog, records: Path) -> None:
    for order in ("at", None):
        found = files.seek(wanted.accepted("wanted"), str(records), order)
        assert found.row == {"id": 100_005, "at": 200_010, "kind": "k5"}
        assert found.position == {"file": str(records), "row_number": 100_005}
        assert found.bytes_read is not None and 0 < found.bytes_read < records.stat().st_size / 2
    assert files.seek(wanted.accepted("never"), str(records), "at").row is None


def test_in_a_data_frame(spark: Any, wanted: predicat.Catalog, records: Path) -> None:
    frame = spark.read.parquet(str(records))
    every = frame.count()
    for order in ("at", "id", None):
        found = predicat_spark.seek(frame, wanted.accepted("wanted"), order)
        assert found.row == {"id": 100_005, "at": 200_010, "kind": "k5"}
        assert found.position["row_number"] == 100_005 and found.position["file"].endswith("records.parquet")
    assert predicat_spark.seek(frame, wanted.accepted("never"), "at").row is None
    early = predicat_spark.seek(frame, frame.kind == "k7", "at")
    assert early.row is not None and early.row["id"] == 7
    # One pass over the column of the order for its bounds, then the first slice alone.
    assert early.rows_read is not None and early.rows_read < every * 1.2
    assert predicat_spark.seek(frame.where("id < 0"), wanted.accepted("wanted"), "at").row is None


def test_orders_of_any_type(spark: Any) -> None:
    frame = spark.sql(
        "SELECT id, CAST(id AS string) AS s, CAST(id AS double) / 3 AS d, date_add(DATE '2024-01-01', "
        "CAST(id AS int)) AS day,"
        " timestamp_seconds(id) AS at, CAST(id AS decimal(10,2)) AS m, CAST(NULL AS bigint) AS nothing "
        "FROM range(500)"
    )
    for order in ("id", "d", "day", "at", "m"):
        found = predicat_spark.seek(frame, frame.id >= 321, order)
        assert found.row is not None and (found.row["id"], dict(found.position)) == (321, {})
    text = predicat_spark.seek(frame, frame.id >= 321, "s")
    assert text.row is not None and text.row["s"] == "321"
    assert predicat_spark.seek(frame, frame.id == 9, "nothing").row is not None


def test_orders_up_to_the_last_values(spark: Any) -> None:
    """A date such as 9999-12-31 for "no end", and decimals of more digits than Python's default."""
    frame = spark.sql(
        "SELECT id, IF(id = 99, DATE '9999-12-31', date_add(DATE '2024-01-01', CAST(id AS int))) AS day,"
        " CAST(id AS decimal(38,0)) * 1e30BD / 3 AS m, CAST(id AS float) / 7 AS f FROM range(100)"
    )
    for order in ("day", "m", "f"):
        found = predicat_spark.seek(frame, frame.id >= 98, order)
        assert found.row is not None and found.row["id"] == 98
        assert predicat_spark.seek(frame, frame.id < 0, order).row is None


def test_hours_that_clocks_repeat(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark.sql(
        "SELECT id, timestamp_seconds(1729988000 + id * 600) AS at,"
        " TIMESTAMP_NTZ '2024-10-27 00:00:00' + make_dt_interval(0, 0, CAST(id AS int)) AS local"
        " FROM range(50)"
    )
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        for first in (0, 3, 20):
            for found in (
                predicat_spark.seek(frame.where(frame.id >= first), frame.id < 50, "at"),
                predicat_spark.seek(frame, frame.id >= first, "local"),
            ):
                assert found.row is not None and found.row["id"] == first
    finally:
        monkeypatch.undo()
        time.tzset()


def test_in_a_table(postgres: Any, wanted: predicat.Catalog) -> None:
    postgres.execute("DROP TABLE IF EXISTS public.seek_records")
    postgres.execute(
        "CREATE TABLE public.seek_records AS SELECT i AS id, i * 2 AS at, 'k' || (i % 1000) AS kind"
        " FROM generate_series(0, 199999) i"
    )
    try:
        postgres.execute("CREATE INDEX ON public.seek_records (at)")
        postgres.execute("ANALYZE public.seek_records")
        found = seek_in_table(postgres, wanted.accepted("wanted"), "public.seek_records", "at")
        assert found.row == {"id": 100_005, "at": 200_010, "kind": "k5"}
        assert found.bytes_read is not None and found.bytes_read < 100 * 8192
    finally:
        postgres.execute("DROP TABLE public.seek_records")


def test_the_command(records: Path, tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(CATALOG)
    options = ["--catalog", str(tmp_path), "--input", str(records)]
    done = run("seek", "wanted", "--order-by", "at", "--format", "json", *options)
    found = json.loads(done.stdout)
    assert (found["row"]["id"], found["position"]["row_number"]) == (100_005, 100_005)
    assert run("seek", "never", *options).stdout == "no row is accepted\n"
    assert "did you mean 'at'" in run("seek", "wanted", "--order-by", "att", *options).stderr
    assert (
        "no such file"
        in run("seek", "wanted", "--input", "none.parquet", "--catalog", str(tmp_path)).stderr.lower()
    )


def test_offsets_to_start_from(spark: Any, tmp_path: Path) -> None:
    frame = spark.sql(
        "SELECT 'orders' AS topic, CAST(id % 3 AS int) AS partition, id div 3 AS offset, id AS value "
        "FROM range(300)"
    )
    expected = {"orders": {"0": 34, "1": 33, "2": -1}}
    condition = predicat.parse("value IN (100, 102, 103, 202)", "sql", {"value": "bigint"})
    assert json.loads(predicat_spark.starting_offsets(frame, condition)) == expected
    frame.write.parquet(str(tmp_path / "records"))
    text, bad = files.offsets(condition, str(tmp_path / "records"))
    assert json.loads(text) == expected and not bad.counts
