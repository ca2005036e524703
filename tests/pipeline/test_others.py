"""Nothing of others is replaced or rounded, and what stops a run is told in the words of its user."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import predicat
import predicat_spark
from predicat.catalog.jobs import Job, JobFilter, Sink, Source
from predicat_spark import failures
from predicat_spark.pipeline.start import run_job
from predicat_spark.pipeline.work import Options
from tests.processes import completed, spark_environment

CATALOG = """\
apiVersion: predicat/v1
dataset: numbers
fields: {n: bigint}
filters:
  even: {sql: n % 2 = 0}
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    folder = tmp_path_factory.mktemp("catalog")
    (folder / "c.yml").write_text(CATALOG)
    return predicat.load_catalog(folder)


@pytest.fixture(scope="module")
def source(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("source") / "in")
    spark.sql("SELECT id AS n, CAST(id + 0.33333333 AS decimal(16,8)) AS third FROM range(6)").coalesce(
        1
    ).write.parquet(folder)
    return folder


def a_note(spark: Any, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "README.txt").write_text("ours")


def a_file_of_spark(spark: Any, folder: Path) -> None:
    spark.sql("SELECT 1 AS n").write.parquet(str(folder))


def a_hidden_file(spark: Any, folder: Path) -> None:
    (folder / "day=1").mkdir(parents=True)
    (folder / "day=1" / ".keep").touch()


def sinks_of_another_run(spark: Any, folder: Path) -> None:
    (folder / "_predicat").mkdir(parents=True)
    (folder / "_predicat" / "run-1.json").write_text("{}")


def no_folder(spark: Any, folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("a file")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    "left",
    [a_note, a_file_of_spark, a_hidden_file, sinks_of_another_run, no_folder],
    ids=lambda one: one.__name__,
)
def test_files_of_others_are_not_replaced(
    spark: Any, catalog: predicat.Catalog, source: str, tmp_path: Path, left: Any
) -> None:
    left(spark, tmp_path / "out" / "even")
    before = contents(tmp_path / "out")
    with pytest.raises(
        predicat.PredicatError, match=r"(?s)has files that predicat has\s+not written.*--adopt"
    ):
        predicat_spark.run(catalog, "numbers", ["even"], source, tmp_path / "out")
    assert contents(tmp_path / "out") == before
    for adopt in (True, False):  # from then on the folder has files of runs only
        predicat_spark.run(catalog, "numbers", ["even"], source, tmp_path / "out", adopt=adopt)
    assert spark.read.parquet(str(tmp_path / "out" / "even")).count() == 3


def test_a_file_beside_those_of_a_run(
    spark: Any, catalog: predicat.Catalog, source: str, tmp_path: Path
) -> None:
    """An append leaves it, what replaces the folder or partitions of it is refused."""
    job = Job(
        "",
        "numbers",
        Source(paths=(source,)),
        (JobFilter("even", "even"),),
        (Sink("path", f"{tmp_path}/{{filter}}", "json", partition_by=("n",)),),
    )
    run_job(catalog, job)
    (tmp_path / "even" / "n=2" / "_notes.txt").write_text("ours")
    for mode in ("overwrite", "overwrite_partitions"):
        with pytest.raises(predicat.PredicatError, match=r"notes\.txt"):
            run_job(catalog, replace(job, mode=mode))
    run_job(catalog, replace(job, mode="append"))
    assert (tmp_path / "even" / "n=2" / "_notes.txt").read_text() == "ours"
    run_job(catalog, job, Options(adopt=True))
    assert not (tmp_path / "even" / "n=2" / "_notes.txt").exists()


def test_rows_of_tables_are_read_once(spark: Any, catalog: predicat.Catalog, source: str) -> None:
    """Moving staged rows into their table is no reading of the source."""
    try:
        report = predicat_spark.run(catalog, "numbers", ["even"], source, tables="once_")
        assert (report.rows, report.rows_read) == (6, 6)
        assert report.sinks[0].written == 3
    finally:
        spark.sql("DROP TABLE IF EXISTS once_even")


@pytest.mark.parametrize(
    ("kind", "fits"), [("decimal(10,1)", False), ("decimal(9,8)", False), ("decimal(38,8)", True)]
)
def test_digits_of_a_decimal_are_not_lost(
    spark: Any, catalog: predicat.Catalog, source: str, kind: str, fits: bool
) -> None:
    assert str(spark.read.parquet(source).schema["third"].dataType.simpleString()) == "decimal(16,8)"
    spark.sql(f"CREATE TABLE digits_even (n bigint, third {kind}) USING parquet")
    try:
        for mode in ("append", "overwrite"):
            if fits:
                predicat_spark.run(
                    catalog, "numbers", ["even"], source, tables="digits_", mode=mode, at_least_once=True
                )
                assert spark.table("digits_even").where("third = 2.33333333").count() == 1
            else:
                with pytest.raises(
                    predicat.PredicatError, match=re.escape(f"third is {kind} there, but decimal(16,8)")
                ):
                    predicat_spark.run(catalog, "numbers", ["even"], source, tables="digits_", mode=mode)
                assert spark.table("digits_even").count() == 0
    finally:
        spark.sql("DROP TABLE digits_even")


def test_a_missing_right_is_named_with_its_folder(tmp_path: Path) -> None:
    """Of a lease, whose folder has to be made first, that is the folder above."""
    out = tmp_path / "out"
    out.mkdir(mode=0o500)
    as_root = os.geteuid() == 0
    if as_root:
        for folder in (tmp_path, *tmp_path.parents):
            folder.chmod(folder.stat().st_mode | 0o055)
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError) as caught:
            (out / "_predicat").mkdir()
        told = failures.diagnostic(caught.value)
    finally:
        if as_root:
            os.seteuid(0)
    assert told.message == f"Spark failed: there is no right to write in the folder {out}"


def test_a_missing_file_is_no_table(spark: Any, catalog: predicat.Catalog) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat_spark.run(catalog, "numbers", ["even"], "nope.parquet")
    assert str(caught.value).startswith(
        "error[engine]: Spark failed: there is no file or folder nope.parquet"
    )
    assert "Hive" not in str(caught.value)


@pytest.mark.slow
def test_a_jar_for_a_cluster_leaves_none_in_the_cache(tmp_path: Path) -> None:
    """Its build may have no home to write to."""
    environment = {**spark_environment(), "PREDICAT_CACHE": str(tmp_path / "cache")}
    done = completed(
        [sys.executable, "-m", "predicat", "spark", "jar", "--out", "new/x.jar"],
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new" / "x.jar").stat().st_size > 100_000
    assert not list((tmp_path / "cache").rglob("*.jar"))


_KILLED_JAVA = """\
#!/bin/sh
case "$*" in *-version*|*nsc.Main*) exec {java} "$@";; esac
{java} "$@" & started=$!
sleep {seconds}
kill -9 $started
wait $started
"""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.3, 1.0, 1.7, 2.4])
def test_java_is_killed_while_it_starts(tmp_path: Path, seconds: float) -> None:
    java = Path(str(predicat_spark.ensure_java())) / "bin" / "java"
    script = tmp_path / "java" / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(_KILLED_JAVA.format(java=java, seconds=seconds))
    script.chmod(0o755)
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    (tmp_path / "in.csv").write_text("n\n1\n")
    done: subprocess.CompletedProcess[str] = completed(
        [sys.executable, "-m", "predicat", "run", "numbers", "even", "--input", "in.csv"],
        cwd=tmp_path,
        env={**spark_environment(), "JAVA_HOME": str(tmp_path / "java")},
    )
    assert done.returncode == 3, done.stderr
    assert "error[engine]: Spark failed: the Java process of Spark has ended" in done.stderr
    assert "Traceback" not in done.stderr
