"""Each kind of sink has the rows of the runs that were committed, once, wherever a run is killed."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

import predicat
from predicat_spark.pipeline import Job, JobFilter, Sink, Source, run_job
from predicat_spark.pipeline.commit import records
from predicat_spark.pipeline.files import Files
from tests.pipeline.kills import Kills, kill_while_writing
from tests.pipeline.numbers import catalog_in, source_in
from tests.processes import spark_environment
from tests.spark.recorded import recorded_jar

ROWS = 8
pytestmark = pytest.mark.slow  # a hundred runs


class Sinks:
    """A job with a sink of each kind, and its sources: one for each run."""

    def __init__(self, folder: Path, dsn: str) -> None:
        self.folder, self.dsn = folder, dsn
        (folder / "in").mkdir(parents=True, exist_ok=True)
        self.catalog = catalog_in(folder)

    @property
    def sinks(self) -> tuple[Sink, ...]:
        return (
            Sink("path", f"{self.folder}/out/{{filter}}"),
            Sink("path", f"{self.folder}/parts/{{filter}}", partition_by=("n",)),
            Sink("table", "versioned.db.{filter}_of_delta", "delta"),
            Sink("table", "versioned.db.{filter}_of_iceberg", "iceberg"),
            Sink("jdbc", "killed.{filter}", url=self.dsn),
        )

    def run(self, number: int, mode: str = "append", **more: Any) -> Any:
        file = source_in(self.folder / "in", number, ROWS)
        source = more.pop("source", Source(paths=(file,)))
        filters = (JobFilter("even", "even"),)
        return run_job(self.catalog, Job("", "numbers", source, filters, self.sinks, mode=mode, **more))

    def committed(self, spark: Any) -> list[int]:
        """The numbers of the runs that have a record, the oldest first."""
        files = Files(spark)
        found = records(files, files.whole(str(self.folder / "out")))
        return [int(Path(record.source).stem) for record in found]

    def rows(self, spark: Any, connection: Any) -> list[Counter[int]]:
        """How many rows of each run each sink has."""
        frames = [spark.read.parquet(f"{self.folder}/{name}/even") for name in ("out", "parts")]
        frames += [spark.table(f"versioned.db.even_of_{name}") for name in ("delta", "iceberg")]
        found = [Counter(row.run for row in frame.select("run").collect()) for frame in frames]
        return [
            *found,
            Counter(run for (run,) in connection.execute("SELECT run FROM killed.even").fetchall()),
        ]


@pytest.fixture
def sinks(versioned: Any, postgres: Any, tmp_path: Path) -> Iterator[Sinks]:
    postgres.execute("CREATE SCHEMA killed")
    for name in ("delta", "iceberg"):
        versioned.sql(f"DROP TABLE IF EXISTS versioned.db.even_of_{name}")
    dsn = psycopg.conninfo.make_conninfo(postgres.info.dsn, password=postgres.info.password or "")
    yield Sinks(tmp_path, dsn)
    postgres.execute("DROP SCHEMA killed CASCADE")


def expected(runs: list[int]) -> list[Counter[int]]:
    return [Counter(dict.fromkeys(runs, ROWS // 2))] * 5


def test_appends_that_are_killed_at_each_step(
    versioned: Any, postgres: Any, sinks: Sinks, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills, killed, committed = Kills(monkeypatch), 0, 0
    sinks.run(0)
    for step in range(200):
        if kills.result(step, partial(sinks.run, step + 1)) is not None:
            break
        killed += 1
        committed = len(sinks.committed(versioned))
    assert killed > 40 and committed > 20, (killed, committed)
    sinks.run(1000)
    assert sinks.rows(versioned, postgres) == expected(sinks.committed(versioned))


def test_replacements_that_are_killed_leave_one_run(
    versioned: Any, postgres: Any, sinks: Sinks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run completes the one that was killed, even if it then fails itself."""
    kills, killed = Kills(monkeypatch), 0
    sinks.run(0, "overwrite")
    bad = sinks.folder / "bad.csv"
    bad.write_text("n,run\nx,1\n")
    for step in range(6, 200, 2):
        if kills.result(step, partial(sinks.run, step, "overwrite")) is not None:
            break
        killed += 1
        with pytest.raises(predicat.PredicatError, match="cannot be converted"):
            sinks.run(1000, "overwrite", source=Source(paths=(str(bad),)), bad_records="fail")
        assert sinks.rows(versioned, postgres) == expected(sinks.committed(versioned)[-1:]), step
    assert killed > 5


PROGRAM = """
import sys
from pathlib import Path
from predicat_spark.sessions import local_session
from tests.pipeline.test_killed_sinks import Sinks
folder, dsn, jar, place, first = sys.argv[1:]
catalog = "spark.sql.catalog.versioned"
local_session("local[2]", "killed", {
    "spark.driver.memory": "1g", "spark.jars": jar, "spark.driver.extraClassPath": jar,
    catalog: "predicat.test.Versioned", f"{catalog}.path": place}, jar=True)
sinks = Sinks(Path(folder), dsn)
for number in range(int(first), int(first) + 1000):
    sinks.run(number)
"""
KILLS = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "10"))


def test_appends_whose_process_is_killed(versioned: Any, postgres: Any, sinks: Sinks) -> None:
    """The process and its JVM are killed at random moments while one run follows another."""
    place = versioned.conf.get("spark.sql.catalog.versioned.path")
    rng, committed, awaited = random.Random(KILLS), set[int](), 0
    sinks.run(0)
    started = time.monotonic()
    sinks.run(1)
    length = time.monotonic() - started
    for kill in range(1, KILLS + 1):
        given = (sinks.folder, sinks.dsn, recorded_jar(), place, kill * 1000)
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *map(str, given)],
            env=spark_environment(),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        seconds, runs = rng.uniform(0, length), rng.choice((0, 1, 2))
        kill_while_writing(process, sinks.folder / "out", seconds, runs)
        awaited += runs
        committed.update(sinks.committed(versioned))
    sinks.run(2)
    assert sinks.rows(versioned, postgres) == expected(sorted({*committed, 2}))
    assert len(committed) >= 2 + awaited  # those of this process, and those that each kill waited for
