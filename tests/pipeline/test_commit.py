"""All or nothing: a run that is killed anywhere leaves the old rows or the new ones, and the next run
tidies up.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import predicat
import predicat_spark
from predicat.catalog.jobs import Job, JobFilter, Sink, Source
from predicat.diagnostics.messages import pipeline as say
from predicat_spark.pipeline import lease, tables
from predicat_spark.pipeline.commit import Target, records
from predicat_spark.pipeline.files import Files
from predicat_spark.pipeline.lease import Lease
from tests.pipeline.kills import Killed, Kills, kill_while_writing
from tests.processes import completed, spark_environment

CATALOG = """\
apiVersion: predicat/v1
dataset: numbers
fields: {n: bigint, run: bigint}
filters:
  even: {sql: n % 2 = 0}
  small: {sql: n < 100}
"""
ROWS = 300


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    folder = tmp_path_factory.mktemp("catalog")
    (folder / "c.yml").write_text(CATALOG)
    return predicat.load_catalog(folder)


@pytest.fixture(scope="module")
def sources(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("sources")
    for number in range(2):
        spark.sql(f"SELECT id AS n, {number}L AS run FROM range({ROWS})").coalesce(1).write.parquet(
            str(folder / str(number))
        )
    return [str(folder / str(number)) for number in range(2)]


def standing(files: Files, target: Target) -> list[str]:
    """Where the files of a target are: in their places, or still staged where a run was killed before it
    put them there.
    """
    found: list[str] = []
    for file in target.files:
        place = f"{target.place}/{file.path}"
        found.append(place if files.exists(place) else f"{target.staged}/{file.path}")
    return found


def visible(files: Files, out: str) -> set[int]:
    """The runs whose rows a reader sees who goes by the newest record; every sink has all rows of it."""
    record = records(files, files.whole(out))[-1]
    found: set[int] = set()
    for target in record.targets:
        rows = [
            row
            for path in standing(files, target)
            for row in pq.read_table(path.removeprefix("file:")).to_pylist()
        ]
        assert {row["n"] for row in rows} == set(
            range(0, ROWS, 2) if target.filter == "even" else range(100)
        ), target
        assert len(rows) == target.count
        found |= {row["run"] for row in rows}
    return found


def test_a_run_that_is_killed_at_any_step(
    spark: Any, catalog: predicat.Catalog, sources: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    files = Files(spark)

    def run(number: int) -> Any:
        return predicat_spark.run(catalog, "numbers", ["even", "small"], sources[number], out)

    run(0)
    kills = Kills(monkeypatch)
    now, killed, completed = 0, 0, 0
    for place in range(60):
        report = kills.result(place, partial(run, 1 - now))
        if report is not None:
            assert any("was killed" in text for text in report.recovered)
            now = 1 - now
            break
        killed += 1
        seen = visible(files, str(out))
        assert seen in ({0}, {1}), "rows of two runs"
        completed += seen != {now}
        now = seen.pop()
    assert killed > 15 and completed > 3
    assert visible(files, str(out)) == {now}
    for name, count in (("even", ROWS // 2), ("small", 100)):
        found = spark.read.parquet(str(out / name)).groupBy("run").count().collect()
        assert [tuple(row) for row in found] == [(now, count)]
    assert sorted(path.name for path in out.iterdir()) == ["_predicat", "even", "small"]
    assert all(
        path.name.startswith("run-") and path.suffix == ".json" for path in (out / "_predicat").iterdir()
    ), list((out / "_predicat").iterdir())


def test_appended_rows_come_once(
    spark: Any, catalog: predicat.Catalog, sources: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    run = partial(predicat_spark.run, catalog, "numbers", ["even"], out=out, mode="append")
    kills = Kills(monkeypatch)
    runs = 0
    for place in range(8, 40, 3):
        report = kills.result(place, partial(run, sources[0]))
        runs = len(records(Files(spark), Files(spark).whole(str(out))))
        if report is not None:
            break
    run(sources[1])
    assert spark.read.parquet(str(out / "even")).count() == (runs + 1) * ROWS // 2
    spark.sql("SELECT 'a' AS n, 1L AS run").write.parquet(str(tmp_path / "other"))
    spark.sql("SELECT 1L AS n, 1L AS run, 2 AS more").write.parquet(str(tmp_path / "more"))
    with pytest.raises(
        predicat.PredicatError,
        match=r"do not match the columns of .*more is missing there, but int in the rows",
    ):
        predicat_spark.run(catalog, "numbers", ["even"], str(tmp_path / "more"), out, mode="append")


@pytest.mark.parametrize(
    ("form", "options"), [("json", {}), ("csv", {"header": "true"}), ("csv", {})], ids=str
)
def test_rows_are_appended_to_files_that_lack_a_column(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path, form: str, options: dict[str, str]
) -> None:
    """JSON leaves out what is NULL in all rows; no row at all has no columns; CSV may lack the names."""
    spark.sql("SELECT id AS n, CAST(NULL AS string) AS t FROM range(1, 9)").write.parquet(
        str(tmp_path / "in")
    )
    job = Job(
        "",
        "numbers",
        Source(paths=(str(tmp_path / "in"),)),
        (JobFilter("even", "even"),),
        tuple(
            Sink("path", str(tmp_path / rows), form, options, rows=rows) for rows in ("accepted", "unknown")
        ),
        mode="append",
    )
    for count in (4, 8):
        predicat_spark.run_job(catalog, job)
        texts = [
            path.read_text() for path in (tmp_path / "accepted").glob("*.*") if path.suffix == f".{form}"
        ]
        assert sum(line != "n,t" for text in texts for line in text.splitlines()) == count


def test_an_append_to_a_table_that_may_be_doubled_is_said(
    spark: Any, catalog: predicat.Catalog, sources: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(source: str) -> Any:
        return predicat_spark.run(
            catalog, "numbers", ["even"], source, tables="doubled_", mode="append", at_least_once=True
        )

    real = tables.settle_table

    def killed(*args: Any) -> None:
        real(*args)
        raise Killed

    monkeypatch.setattr(lease, "_dead", lambda holder: True)
    monkeypatch.setattr(tables, "settle_table", killed)
    with pytest.raises(Killed):
        run(sources[0])
    monkeypatch.setattr(tables, "settle_table", real)
    said = run(sources[1]).recovered
    assert any("may be twice in the table doubled_even" in text for text in said), said
    assert spark.table("doubled_even").where("run = 1").count() == ROWS // 2
    assert run(sources[1]).recovered == []
    spark.sql("DROP TABLE doubled_even")


@pytest.mark.slow  # a dozen runs
@pytest.mark.parametrize("failing", range(3))
@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_a_move_that_fails_is_done_by_the_next_run(
    spark: Any,
    catalog: predicat.Catalog,
    sources: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    failing: int,
) -> None:
    """Whichever rename of it fails: no row of before or of the run is lost or comes twice."""
    sink = Sink("path", str(tmp_path / "out" / "even"), partition_by=("part",))
    real, left = Files.rename, [10**9]

    def rename(files: Files, old: str, new: str) -> None:
        left[0] -= 1
        if left[0] == -1:
            raise predicat.PredicatError.of(say.cannot_move(old, new))
        real(files, old, new)

    def run(number: int, mode: str) -> Any:
        frame = spark.read.parquet(sources[0]).selectExpr("n", f"{number}L AS run", "n % 4 AS part")
        frame.write.mode("overwrite").parquet(str(tmp_path / "in"))
        source, filters = Source(paths=(str(tmp_path / "in"),)), (JobFilter("even", "even"),)
        return predicat_spark.run_job(catalog, Job("", "numbers", source, filters, (sink,), mode=mode))

    def runs() -> Counter[int]:
        return Counter(row.run for row in spark.read.parquet(sink.target).collect())

    monkeypatch.setattr(Files, "rename", rename)
    run(0, "append")
    left[0] = failing
    with suppress(predicat.PredicatError):
        run(1, mode)
    left[0] = 10**9
    run(2, "append")
    assert runs() == dict.fromkeys((0, 1, 2) if mode == "append" else (1, 2), ROWS // 2)


def test_a_lease_keeps_two_runs_apart(
    spark: Any, catalog: predicat.Catalog, sources: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    files = Files(spark)
    held = Lease(files, files.whole(str(out)), "another", 60)
    with pytest.raises(
        predicat.PredicatError, match=f"run another \\(process {os.getpid()} on .*\\) is writing to"
    ):
        predicat_spark.run(catalog, "numbers", ["even"], sources[0], out)
    with pytest.raises(predicat.PredicatError, match="is writing to"):
        Lease(files, files.whole(str(out)), "third", 60)
    monkeypatch.setattr(lease, "_dead", lambda holder: holder["run"] == "another")
    taken = Lease(files, files.whole(str(out)), "third", 60)
    with pytest.raises(predicat.PredicatError, match="expired, and another run has taken it"):
        held.check()
    taken.check()
    for one in (held, taken):
        one.give_back()
    predicat_spark.run(catalog, "numbers", ["even"], sources[0], out)
    renewed = Lease(files, files.whole(str(out)), "renewed", 0.9)
    time.sleep(1.5)
    with pytest.raises(predicat.PredicatError, match="run renewed"):
        Lease(files, files.whole(str(out)), "third", 60)
    renewed.over.set()
    renewed.thread.join()
    time.sleep(1)
    Lease(files, files.whole(str(out)), "fourth", 60).give_back()


def test_a_lease_is_waited_for(spark: Any, tmp_path: Path) -> None:
    """By one that is told to; and a number that is given again is another lease."""
    files, root = Files(spark), str(tmp_path)
    first = Lease(files, root, "first", 60)
    threading.Timer(0.5, first.give_back).start()
    second = Lease(files, root, "second", 60, waits=lambda: True)
    with pytest.raises(predicat.PredicatError, match="run second"):
        Lease(files, root, "third", 60, waits=lambda: False)
    assert second.number == first.number
    second.check()
    with pytest.raises(predicat.PredicatError, match="another run has taken it"):
        first.check()
    first.give_back()
    second.check()
    # Of two that looked at different moments, one has a lease.
    files.write(f"{root}/_predicat/lease-000000.json", Path(second.path).read_text())
    second.give_back()
    with pytest.raises(predicat.PredicatError, match="run second"):
        Lease(files, root, "third", 60)
    assert [path.name for path in (tmp_path / "_predicat").iterdir()] == ["lease-000000.json"]


def test_what_a_kill_left_beside_its_place_goes(
    spark: Any, catalog: predicat.Catalog, sources: list[str], tmp_path: Path
) -> None:
    """A record is written beside its place and moved there: a kill may be between the two."""
    predicat_spark.run(catalog, "numbers", ["even"], sources[0], tmp_path / "out")
    left = tmp_path / "out" / "_predicat" / f".run-20260101T000000-1.json.{'0a' * 16}"
    left.write_text("{}")
    predicat_spark.run(catalog, "numbers", ["even"], sources[0], tmp_path / "out")
    assert not left.exists()
    assert len(list((tmp_path / "out" / "_predicat").glob("run-*.json"))) == 2


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the start of a process is in /proc")
def test_a_number_that_is_given_again_is_another_process() -> None:
    mine = {
        "home": lease._home(),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "started": lease._started(os.getpid()),
    }
    assert not lease._dead(mine)
    assert not lease._dead({key: value for key, value in mine.items() if key != "started"})
    assert lease._dead({**mine, "started": "1"})
    assert lease._dead({**mine, "pid": 2**22 + 1})
    assert not lease._dead({**mine, "host": "another", "started": "1"})


def test_a_meaning_that_changed_is_said(
    catalog: predicat.Catalog, sources: list[str], tmp_path: Path
) -> None:
    (tmp_path / "c.yml").write_text(CATALOG.replace("n < 100", "n < 200"))
    other = predicat.load_catalog(tmp_path / "c.yml")
    assert (
        predicat_spark.run(catalog, "numbers", ["even", "small"], sources[0], tmp_path / "out").changes == []
    )
    (said,) = predicat_spark.run(other, "numbers", ["even", "small"], sources[0], tmp_path / "out").changes
    assert said.startswith("small accepts other rows than in the run of ") and "version 1 has changed" in said


# --- real processes


PROGRAM = """
import sys, predicat, predicat_spark
from predicat_spark.sessions import local_session
local_session("local[2]", "killed", {"spark.driver.memory": "1g"}, jar=True)
for source in sys.argv[3:]:
    predicat_spark.run(predicat.load_catalog(sys.argv[1]), "numbers", ["even", "small"], source, sys.argv[2])
"""


def start(catalog: Path, out: Path, *runs: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, str(catalog), str(out), *runs]
    return subprocess.Popen(
        command,
        env=spark_environment(),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def kills(spark: Any, sources: list[str], tmp_path: Path, count: int) -> None:
    """Kill the process and its JVM at random moments while it runs one job after another."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    out, files, rng = tmp_path / "out", Files(spark), random.Random(count)
    predicat_spark.run(
        predicat.load_catalog(tmp_path / "catalog"), "numbers", ["even", "small"], sources[0], out
    )
    for _ in range(count):
        process = start(tmp_path / "catalog", out, *(sources[::-1] * 200))
        kill_while_writing(process, out, rng.uniform(0, 3))
        assert visible(files, str(out)) in ({0}, {1}), "rows of two runs"
    predicat_spark.run(
        predicat.load_catalog(tmp_path / "catalog"), "numbers", ["even", "small"], sources[1], out
    )
    assert visible(files, str(out)) == {1}
    assert spark.read.parquet(str(out / "even")).count() == ROWS // 2
    assert not [path for path in (out / "_predicat").iterdir() if path.suffix != ".json"]


KILLS = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "12"))


def test_a_kill(spark: Any, sources: list[str], tmp_path: Path) -> None:
    kills(spark, sources, tmp_path, 1)


@pytest.mark.slow  # each is a start of Spark
def test_many_kills(spark: Any, sources: list[str], tmp_path: Path) -> None:
    kills(spark, sources, tmp_path, KILLS)


@pytest.mark.slow  # a start of Spark
def test_an_interrupt_leaves_nothing(sources: list[str], tmp_path: Path) -> None:
    """Ctrl-C: one sentence, exit code 130, no rows and no litter."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    command = [
        str(Path(sys.executable).parent / "predicat"),
        "run",
        "numbers",
        "even",
        "--catalog",
        str(tmp_path / "catalog"),
        "--input",
        sources[0],
        "--out",
        str(tmp_path / "out"),
        "--master",
        "local[1]",
    ]
    process = subprocess.Popen(
        command,
        env=spark_environment(),
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while (
        not list((tmp_path / "out" / "_predicat").glob("run-*/owner.json"))
        and process.poll() is None
        and time.monotonic() < deadline
    ):
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error.strip().splitlines()[-1]) == (
        130,
        "interrupted: no sink was changed",
    ), error
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


@pytest.mark.slow  # executors in processes of their own
def test_a_lost_executor_loses_no_row(sources: list[str], tmp_path: Path) -> None:
    """Spark runs the tasks of an executor that is killed again: no row is missing or there twice."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    script = tmp_path / "job.py"
    script.write_text(f"""
import os, signal, subprocess, threading, time
from pathlib import Path
import predicat, predicat_spark
spark = predicat_spark.session(catalog={str(tmp_path / "catalog")!r}, config={{
    "spark.master": "local-cluster[2,1,1024]", "spark.ui.enabled": "false", "spark.log.level": "OFF",
    "spark.executor.memory": "1g", "spark.driver.memory": "1g"}})
spark.range(0, 4_000_000, 1, 24).selectExpr("id AS n", "0L AS run").write.parquet({str(tmp_path / "in")!r})
spark.conf.set("spark.sql.files.maxPartitionBytes", "1m")
app = spark.sparkContext.applicationId
def executors():
    pattern = "CoarseGrainedExecutorBackend.*" + app
    return [int(pid) for pid in subprocess.check_output(["pgrep", "-f", pattern], text=True).split()]
killed = []
def kill():
    while not list(Path({str(tmp_path / "out")!r}).rglob("*.parquet*")):
        time.sleep(0.005)
    killed.append(executors()[0])
    os.kill(killed[0], signal.SIGKILL)
threading.Thread(target=kill, daemon=True).start()
catalog = predicat.load_catalog({str(tmp_path / "catalog")!r})
report = predicat_spark.run(
    catalog, "numbers", ["even", "small"], {str(tmp_path / "in")!r}, {str(tmp_path / "out")!r})
print(len(killed), [found.accepted for found in report.filters])
even = spark.read.parquet({str(tmp_path / "out" / "even")!r})
print(even.count(), even.distinct().count())
spark.stop()
""")
    done = completed([sys.executable, str(script)], env=spark_environment(), timeout=280)
    assert done.stdout.splitlines() == ["1 [2000000, 100]", "2000000 2000000"], done.stderr[-3000:]
    litter = [path for path in (tmp_path / "out" / "_predicat").iterdir() if path.suffix != ".json"]
    assert not litter
