"""Tables of PostgreSQL as sinks: all of them in one transaction, with the values that Spark has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import predicat
from predicat_spark.pipeline import Job, JobFilter, Sink, Source, run_job
from predicat_spark.pipeline.commit import Target
from predicat_spark.pipeline.postgres import settle_tables

CATALOG = """\
apiVersion: predicat/v1
dataset: things
fields: {id: bigint, name: string}
filters:
  all_of_them: {sql: id >= 0}
  few: {sql: id = 1}
"""
ROW = (
    "SELECT id, concat('a', chr(9), 'b\\\\n', chr(10), '''\"') AS name, 1.5D AS x, CAST('NaN' AS "
    "double) AS nan, id = 0 AS flag, CAST(2.50 AS decimal(10,2)) AS price,"
    " timestamp'2026-03-29 01:30:00.123456 UTC' AS at, date'2026-02-28' AS day, array(1, 2) AS list, "
    "map('k', 'v') AS tags, X'00ff' AS bytes, CAST(NULL AS string) AS nothing"
    " FROM range(3)"
)


@pytest.fixture
def dsn(postgres: Any) -> Iterator[str]:
    postgres.execute("CREATE SCHEMA sinks")
    yield psycopg.conninfo.make_conninfo(postgres.info.dsn, password=postgres.info.password or "")
    postgres.execute("DROP SCHEMA sinks CASCADE")


def job(tmp_path: Path, dsn: str, **more: Any) -> Job:
    sinks = (Sink("jdbc", "sinks.{filter}", url=dsn), Sink("path", str(tmp_path / "out" / "{filter}")))
    return Job(
        "",
        "things",
        Source(paths=(str(tmp_path / "in"),)),
        (JobFilter("all_of_them", "all_of_them"), JobFilter("few", "few")),
        sinks,
        **more,
    )


def test_rows_in_postgres(spark: Any, postgres: Any, dsn: str, tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(CATALOG)
    catalog = predicat.load_catalog(tmp_path / "c.yml")
    spark.sql(ROW).write.parquet(str(tmp_path / "in"))
    report = run_job(catalog, job(tmp_path, dsn))
    assert [(sink.kind, sink.written) for sink in report.sinks] == [
        ("jdbc", 3),
        ("jdbc", 1),
        ("path", 3),
        ("path", 1),
    ]
    assert (
        "password" not in str(report.data())
        and "password" not in Path(str(report.record).removeprefix("file:")).read_text()
    )
    row = postgres.execute(
        "SELECT name, x, nan::text, flag, price, at AT TIME ZONE 'UTC', day, list, tags, bytes, "
        "nothing FROM sinks.all_of_them WHERE id = 1"
    ).fetchone()
    assert (row[0], row[1], row[2], row[3], str(row[4]), str(row[5]), str(row[6])) == (
        "a\tb\\n\n'\"",
        1.5,
        "NaN",
        False,
        "2.50",
        "2026-03-29 01:30:00.123456",
        "2026-02-28",
    )
    assert (row[7], row[8], bytes(row[9]), row[10]) == ([1, 2], {"k": "v"}, b"\x00\xff", None)

    postgres.execute(
        "CREATE VIEW sinks.readers AS SELECT * FROM sinks.few"
    )  # the table stays: a view on it does, too
    run_job(catalog, job(tmp_path, dsn))
    assert postgres.execute("SELECT count(*) FROM sinks.readers").fetchone()[0] == 1
    run_job(catalog, job(tmp_path, dsn, mode="append"))
    assert postgres.execute("SELECT count(*) FROM sinks.all_of_them").fetchone()[0] == 6

    postgres.execute("ALTER TABLE sinks.few ADD CONSTRAINT none CHECK (id <> 1) NOT VALID")
    with pytest.raises(
        predicat.PredicatError, match=r'PostgreSQL failed: .*violates check constraint "none"'
    ):
        run_job(catalog, job(tmp_path, dsn))
    assert postgres.execute("SELECT count(*) FROM sinks.all_of_them").fetchone()[0] == 6, "one transaction"
    assert spark.read.parquet(str(tmp_path / "out" / "few")).count() == 2, "and nothing else was put in place"
    assert not list((tmp_path / "out" / "_predicat").glob("run-*/"))
    postgres.execute("ALTER TABLE sinks.few DROP CONSTRAINT none, ADD COLUMN more text")
    with pytest.raises(
        predicat.PredicatError,
        match=r"the rows do not fit into the table sinks.few: the rows have no column more",
    ):
        run_job(catalog, job(tmp_path, dsn))


def test_an_append_that_is_repeated_adds_nothing(spark: Any, postgres: Any, dsn: str, tmp_path: Path) -> None:
    target = Target("jdbc", "sinks.once", "accepted", None, "append", "parquet", "")
    for _ in range(2):
        settle_tables(spark, dsn, [(target, spark.sql("SELECT 1 AS a"))], "run-1")
    settle_tables(spark, dsn, [(target, spark.sql("SELECT 2 AS a"))], "run-2")
    assert postgres.execute("SELECT a FROM sinks.once ORDER BY a").fetchall() == [(1,), (2,)]
