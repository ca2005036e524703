"""Spark Declarative Pipelines: what `predicat export pipeline` writes, and filters inside of a project,
run by `spark-pipelines`.
"""

import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import predicat
import predicat_spark
from examples.data import to_parquet
from predicat.catalog.jobs import Job, JobFilter, Source
from predicat.exporting import pipelines
from predicat_spark.java import spark_version
from tests.exporting.written import write
from tests.processes import completed, in_process, spark_environment

ROOT = Path(__file__).parent.parent.parent
CATALOG = ROOT / "catalog"
OWN = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession
import predicat_spark
from predicat_spark import pipelines as filters

spark = SparkSession.active()


@dp.materialized_view(name="own")
def own():
    return spark.read.parquet({source!r}).where(predicat_spark.matches_filter("flights.long_delay", minutes=300))


filters.routed_tables({manifest!r}, "flights.delay_band", lambda: spark.read.parquet({source!r}), prefix="band_")
filters.streaming_tables(["flights.late_united"], lambda: spark.readStream.schema({schema!r}).parquet({source!r}), prefix="stream_")
"""


def rows(folder: Path) -> set[int]:
    return set(pq.read_table(folder, columns=["row_id"])["row_id"].to_pylist())


@pytest.mark.slow
@pytest.mark.skipif(spark_version() < (4, 1), reason="Spark has pipelines from 4.1 on")
def test_a_project_runs_and_has_the_rows_of_predicat_run(spark: Any, tmp_path: Path) -> None:
    flights = to_parquet(tmp_path / "data")["flights"]
    folder = tmp_path / "flights"  # a stream reads folders
    folder.mkdir()
    flights.rename(folder / "flights.parquet")
    manifest = predicat_spark.compile_manifest(CATALOG, tmp_path / "manifest.json")
    catalog = predicat.load_catalog(CATALOG)
    asked = (
        JobFilter("late_united", "late_united"),
        JobFilter("long_delay@2", "four_hours", {"minutes": 240}),
        JobFilter("on_time", "on_time"),
    )
    job = Job("", "flights", Source(paths=(str(folder),), format="parquet"), asked)
    names, texts = pipelines.texts(catalog, job, "materialized-view", tmp_path / "project")
    assert names == ["late_united", "four_hours", "on_time"]
    assert texts[1].filters == ("flights.late_united", "flights.long_delay", "flights.on_time")
    write("pipeline", catalog, tmp_path / "project", texts)
    schema = ", ".join(
        f"`{field.name}` {field.dataType.simpleString()}" for field in spark.read.parquet(str(folder)).schema
    )
    own = OWN.format(source=str(folder), manifest=str(manifest), schema=schema)
    (tmp_path / "project" / "transformations" / "own.py").write_text(own)
    done = completed(
        [
            Path(sys.executable).parent / "spark-pipelines",
            "run",
            "--spec",
            "spark-pipeline.yml",
            "--jars",
            str(predicat_spark.ensure_jar()),
            "--conf",
            "spark.sql.extensions=io.predicat.spark.PredicatExtensions",
            "--conf",
            f"spark.predicat.manifest={manifest}",
        ],
        cwd=tmp_path / "project",
        env=spark_environment(),
        timeout=240,
    )
    assert "Run is COMPLETED" in done.stdout + done.stderr, (done.stdout + done.stderr)[-3000:]
    ran = predicat_spark.pipeline.run_job(
        catalog,
        Job(
            "",
            "flights",
            job.source,
            (*asked, *(JobFilter(name, name) for name in ("early", "late"))),
            (predicat_spark.Sink("path", str(tmp_path / "ran" / "{filter}")),),
        ),
    )
    made = tmp_path / "project" / "spark-warehouse"
    for name in ("late_united", "four_hours", "on_time"):
        assert rows(made / name) == rows(tmp_path / "ran" / name), name
    assert rows(made / "stream_late_united") == rows(tmp_path / "ran" / "late_united")
    for name in ("early", "on_time", "late"):
        assert rows(made / f"band_{name}") == rows(tmp_path / "ran" / name), name
    assert len(rows(made / "own")) < ran.filters[1].accepted


def test_other_kinds_of_projects(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text("""\
apiVersion: predicat/v1
dataset: d
relation: {spark: lake.d}
fields: {s: string, n: bigint}
filters:
  tricky: {sql: "s = 'it''s \\\\ \\"quoted\\"' OR s IS NULL", description: 'Its "text".'}
  open: {sql: n > 1, on_unknown: accept}
jobs:
  in: {source: {path: /data/in, format: csv, schema: "s string, n bigint"}, filters: [open]}
""")
    for asked in (
        ("d",),
        ("d", "--as", "streaming-table"),
        ("in", "--as", "sink", "--sinks", "/data/out"),
        ("in", "--as", "streaming-table"),
    ):
        done = in_process("export", "pipeline", *asked, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "target" / "pipeline" / "transformations" / "filters.py").read_text()
        compile(text, "filters.py", "exec")
        assert ("spark.readStream" in text) == (len(asked) > 1) and "COALESCE(n > 1, TRUE)" in text
    assert "a pipeline needs the format" not in done.stderr
    done = in_process("export", "pipeline", "in", "--as", "sink", cwd=tmp_path)
    assert done.returncode == 2 and "sinks need a folder" in done.stderr
