"""Incremental runs: what is new is read once, over retries too; partitions are replaced; a rebuild starts
anew.
"""

import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import predicat
from predicat_spark.pipeline import Following, Job, JobFilter, Options, Report, Sink, Source, run_job, stream
from predicat_spark.pipeline.commit import records
from predicat_spark.pipeline.files import Files
from predicat_spark.pipeline.run import Repeated, Run
from predicat_spark.pipeline.source import read_source
from predicat_spark.pipeline.work import resolved

CATALOG = """\
apiVersion: predicat/v1
dataset: numbers
fields: {n: bigint, day: bigint}
filters:
  even: {sql: n % 2 = 0}
  small: {sql: n < 100}
"""


def load(tmp_path: Path, text: str = CATALOG) -> predicat.Catalog:
    (tmp_path / "c.yml").write_text(text)
    return predicat.load_catalog(tmp_path / "c.yml")


def add(spark: Any, tmp_path: Path, first: int, last: int, day: int = 1) -> None:
    spark.sql(f"SELECT id AS n, {day}L AS day FROM range({first}, {last})").coalesce(1).write.mode(
        "append"
    ).parquet(str(tmp_path / "in"))


def job_of(tmp_path: Path, *names: str, sinks: tuple[Sink, ...] = (), **more: Any) -> Job:
    """A job of filters, which reads the folder `in` and, if no sinks are given, writes to `out`."""
    filters = tuple(JobFilter(name, name) for name in names)
    source, out = Source(paths=(str(tmp_path / "in"),)), (Sink("path", str(tmp_path / "out")),)
    return Job("", "numbers", source, filters, sinks or out, **more)


def test_only_what_is_new_is_read(spark: Any, tmp_path: Path) -> None:
    catalog = load(tmp_path)
    sinks = (Sink("path", str(tmp_path / "out" / "{filter}")),)
    job = job_of(
        tmp_path, "even", "small", sinks=sinks, mode="append", checkpoint=str(tmp_path / "checkpoint")
    )

    def rows(name: str) -> list[int]:
        return sorted(row.n for row in spark.read.parquet(str(tmp_path / "out" / name)).collect())

    add(spark, tmp_path, 0, 90)
    first = run_job(catalog, job)
    assert (first.rows, first.filters[1].accepted, rows("even")) == (90, 90, list(range(0, 90, 2)))
    assert (run_job(catalog, job).rows, rows("small")) == (0, list(range(90)))
    add(spark, tmp_path, 90, 120)
    second = run_job(catalog, job)
    assert (second.rows, second.rows_read, second.batches, second.filters[1].rejected) == (30, 30, 1, 20)
    assert rows("even") == list(range(0, 120, 2)) and rows("small") == list(range(100))

    (last,) = sorted((tmp_path / "checkpoint" / "0" / "commits").glob("[0-9]*"))[-1:]
    last.unlink()  # as if Spark was killed before it noted the end of the batch: it repeats it
    (tmp_path / "checkpoint" / "0" / "commits" / f".{last.name}.crc").unlink(missing_ok=True)
    assert run_job(catalog, job).batches == 0 and rows("even") == list(range(0, 120, 2))
    assert len(records(Files(spark), Files(spark).whole(str(tmp_path / "out")))) == 2

    other = load(tmp_path, CATALOG.replace("n < 100", "n < 50"))
    add(spark, tmp_path, 0, 10)
    changed = run_job(other, job)
    assert (
        changed.rows == 10
        and "small accepts other rows" in changed.changes[0]
        and "--rebuild" in changed.changes[0]
    )
    rebuilt = run_job(other, job, Options(rebuild=True))
    assert (rebuilt.rows, rows("small")) == (130, sorted([*range(50), *range(10)]))
    add(spark, tmp_path, 200, 202)
    assert run_job(other, job).rows == 2 and rows("even") == sorted(
        [*range(0, 120, 2), *range(0, 10, 2), 200]
    )
    with pytest.raises(predicat.PredicatError, match="--from and --to are for jobs without a checkpoint"):
        run_job(other, job, Options(start="1"))


def test_a_file_that_comes_late_is_read(spark: Any, tmp_path: Path) -> None:
    """Spark leaves out files that are a week older than the newest one, such as those of a copy."""
    catalog = load(tmp_path)
    job = job_of(tmp_path, "even", mode="append", checkpoint=str(tmp_path / "checkpoint"))
    for number, age in enumerate((0, 30 * 86_400, 0)):
        spark.sql(f"SELECT {number * 2}L AS n, 1L AS day").coalesce(1).write.parquet(str(tmp_path / "new"))
        (file,) = (tmp_path / "new").glob("*.parquet")
        written = time.time() - age
        os.utime(file, (written, written))
        (tmp_path / "in").mkdir(exist_ok=True)
        file.rename(tmp_path / "in" / file.name)
        shutil.rmtree(tmp_path / "new")
        assert run_job(catalog, job).rows == 1, number
    assert sorted(row.n for row in spark.read.parquet(str(tmp_path / "out")).collect()) == [0, 2, 4]


def test_a_batch_that_another_process_has_committed(spark: Any, tmp_path: Path) -> None:
    """It looks again when the other one has given its place back."""
    catalog = load(tmp_path)
    add(spark, tmp_path, 0, 10)
    job, rows = resolved(catalog, job_of(tmp_path, "even", mode="append"))
    run = Run(spark, catalog, job, rows, Options())
    reading = read_source(spark, job.source, catalog.datasets["numbers"])
    assert run.batch(reading, "0123abcd-0123-000001").rows == 10
    with pytest.raises(Repeated):
        run.batch(reading, "0123abcd-0123-000001")
    assert spark.read.parquet(str(tmp_path / "out")).count() == 5


def test_partitions_are_replaced(spark: Any, tmp_path: Path) -> None:
    catalog = load(tmp_path)
    sink = Sink("path", str(tmp_path / "out"), partition_by=("day",))
    job = job_of(tmp_path, "even", sinks=(sink,), range="day")
    for day in (1, 2):
        add(spark, tmp_path, 0, 10, day)
    run_job(catalog, job)
    add(spark, tmp_path, 10, 14, 2)
    report = run_job(
        catalog,
        Job("", "numbers", job.source, job.filters, (sink,), mode="overwrite_partitions", range="day"),
        Options(start="2"),
    )
    assert report.rows == 14
    found = {
        (row.day, row["count"])
        for row in spark.read.parquet(str(tmp_path / "out")).groupBy("day").count().collect()
    }
    assert found == {(1, 5), (2, 7)}


def test_bad_cells_of_a_stream(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("n,day\n1,1\nx,1\n")
    job = job_of(tmp_path, "small", mode="append", checkpoint=str(tmp_path / "checkpoint"))
    report = run_job(load(tmp_path), job)
    assert (
        report.rows,
        report.filters[0].accepted,
        [(cell.column, cell.cells, cell.samples) for cell in report.bad_cells],
    ) == (2, 1, [("n", 1, ["x"])])


def test_names_with_a_backtick(spark: Any, tmp_path: Path) -> None:
    text = CATALOG.replace("{n: bigint, day: bigint}", "{n: {type: bigint, column: 'a`b'}, day: bigint}")
    frame = spark.sql("SELECT id AS `a``b`, id AS day FROM range(10)")
    frame.coalesce(1).write.parquet(str(tmp_path / "in"))
    job = job_of(
        tmp_path,
        "even",
        sinks=(Sink("path", str(tmp_path / "out")), Sink("table", "with_a_backtick")),
        range="n",
    )
    report = run_job(load(tmp_path, text), job, Options(start="3", end="8"))
    assert (report.rows, report.filters[0].accepted) == (5, 2)
    for found in (spark.read.parquet(str(tmp_path / "out")), spark.table("with_a_backtick")):
        assert sorted(tuple(row) for row in found.select("`a``b`", "day").collect()) == [(4, 4), (6, 6)]
    spark.sql("DROP TABLE with_a_backtick")


def test_a_stream_goes_on(spark: Any, tmp_path: Path) -> None:
    catalog = load(tmp_path)
    job = job_of(tmp_path, "even", checkpoint=str(tmp_path / "checkpoint"))
    add(spark, tmp_path, 0, 10)
    heard: list[int] = []

    def told(report: Report) -> bool:
        heard.append(report.rows)
        if len(heard) == 1:
            add(spark, tmp_path, 10, 16)
        return len(heard) < 2

    total = stream(catalog, job, following=Following(0.1, told))
    assert (heard, total.rows, total.batches, total.filters[0].accepted) == ([10, 6], 16, 2, 8)
    again = run_job(catalog, job)
    assert again.batches == 0
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    assert sorted(row.n for row in found) == list(range(0, 16, 2))
    with pytest.raises(predicat.PredicatError, match="a stream needs a checkpoint"):
        stream(catalog, replace(job, checkpoint=None))


def test_a_stream_takes_a_new_catalog_between_batches(spark: Any, tmp_path: Path) -> None:
    """Each record names the version that decided its batch; the checkpoint and the source stay."""
    catalog = load(tmp_path)
    job = job_of(
        tmp_path,
        "even",
        sinks=(Sink("path", str(tmp_path / "out" / "{filter}")),),
        checkpoint=str(tmp_path / "checkpoint"),
    )
    add(spark, tmp_path, 0, 10)
    batches: list[Report] = []

    def told(report: Report) -> bool:
        batches.append(report)
        add(spark, tmp_path, 10, 20)
        return len(batches) < 2

    def newer() -> tuple[predicat.Catalog, Job] | None:
        if not batches:
            return None
        changed = CATALOG.replace("n % 2 = 0", "n % 5 = 0")
        return load(tmp_path, changed), replace(
            job, source=Source(table="elsewhere"), filters=(*job.filters, JobFilter("small", "small"))
        )

    total = stream(catalog, job, following=Following(0.1, told, newer))
    found = {
        name: sorted(row.n for row in spark.read.parquet(str(tmp_path / "out" / name)).collect())
        for name in ("even", "small")
    }
    assert found == {"even": [0, 2, 4, 6, 8, 10, 15], "small": list(range(10, 20))}
    first, second = (batch.filters[0].hash for batch in batches)
    assert first != second
    assert [row.filters[0]["hash"] for row in records(Files(spark), str(tmp_path / "out"))] == [first, second]
    assert total.changes == batches[1].changes and "even accepts other rows" in total.changes[0]
    assert [(row.name, row.accepted) for row in total.filters] == [("even", 5), ("even", 2), ("small", 10)]


def test_a_new_catalog_may_have_a_long_list(spark: Any, tmp_path: Path) -> None:
    """The session of a stream is a copy of the one in which it began."""
    job = job_of(tmp_path, "even", checkpoint=str(tmp_path / "checkpoint"))
    add(spark, tmp_path, 0, 10)
    (tmp_path / "listed.csv").write_text("n\n" + "".join(f"{n * 7}\n" for n in range(10_001)))
    listed = CATALOG.replace("n % 2 = 0", "n IN list('listed')").replace(
        "filters:", "lists:\n  listed: {type: bigint, file: listed.csv}\nfilters:"
    )
    batches: list[Report] = []

    def told(report: Report) -> bool:
        batches.append(report)
        add(spark, tmp_path, 10, 20)
        return len(batches) < 2

    def newer() -> tuple[predicat.Catalog, Job] | None:
        return (load(tmp_path, listed), job) if batches else None

    stream(load(tmp_path), job, following=Following(0.1, told, newer))
    found = sorted(row.n for row in spark.read.parquet(str(tmp_path / "out")).collect())
    assert found == [0, 2, 4, 6, 8, 14]


def test_a_stream_of_a_source_without_files(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: ticks\nfields: {value: bigint}\n"
        "filters: {odd: {sql: value % 2 = 1}}\n"
    )
    job = Job(
        "",
        "ticks",
        Source(format="rate", options={"rowsPerSecond": "50"}),
        (JobFilter("odd", "odd"),),
        (Sink("path", str(tmp_path / "out")),),
        checkpoint=str(tmp_path / "checkpoint"),
    )
    total = stream(
        predicat.load_catalog(tmp_path / "c.yml"),
        job,
        following=Following(0.1, lambda report: not report.rows),
    )
    found = sorted(row.value for row in spark.read.parquet(str(tmp_path / "out")).collect())
    assert found and found == list(range(1, total.rows, 2))
