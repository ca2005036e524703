"""`predicat run --stream` as a process: a new catalog while it runs, and what is killed at any moment."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import predicat
import predicat_spark
from predicat.catalog.jobs import Source
from predicat_spark.pipeline.commit import Record, records
from predicat_spark.pipeline.files import Files
from tests.pipeline.kills import writers
from tests.processes import spark_environment

CATALOG = """\
apiVersion: predicat/v1
dataset: numbers
fields: {n: bigint}
filters:
  even: {sql: n % 2 = 0}
jobs:
  follow:
    source: {path: "FOLDER/in", format: parquet}
    filters: [even]
    sinks: [{path: "FOLDER/out/{filter}"}]
    checkpoint: FOLDER/checkpoint
"""
ROWS = 20


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    (tmp_path / "c.yml").write_text(CATALOG.replace("FOLDER", str(tmp_path)))
    (tmp_path / "in").mkdir()
    return tmp_path / "c.yml"


def add(tmp_path: Path, number: int, folder: str = "in", *, age: float = 0) -> None:
    """A file of rows, whole from the first moment that it is seen; it was written `age` seconds ago."""
    table = pa.table({"n": pa.array(range(number * ROWS, (number + 1) * ROWS), pa.int64())})
    beside = tmp_path / f"{number}.tmp"
    pq.write_table(table, beside)
    written = time.time() - age
    os.utime(beside, (written, written))
    beside.rename(tmp_path / folder / f"{number}.parquet")


def replaced(file: Path, text: str) -> None:
    """Write a file that its readers never see half."""
    file.with_suffix(".tmp").write_text(text)
    file.with_suffix(".tmp").rename(file)


def start(catalog: Path, *more: str, job: str = "follow") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            str(Path(sys.executable).parent / "predicat"),
            "run",
            job,
            "--catalog",
            str(catalog),
            "--master",
            "local[2]",
            *more,
        ],
        env=spark_environment(),
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def rows(tmp_path: Path, name: str = "even") -> list[int]:
    files = (tmp_path / "out" / name).glob("*.parquet")
    return sorted(value for file in files for value in pq.read_table(file)["n"].to_pylist())


def wait_for(process: subprocess.Popen[str], tmp_path: Path, count: int) -> None:
    deadline = time.monotonic() + 120
    while len(rows(tmp_path)) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)


@pytest.mark.slow  # a start of Spark
def test_a_new_catalog_while_the_stream_goes_on(catalog: Path, tmp_path: Path) -> None:
    """One with an error is reported and not taken. Spark's metrics have the counts of the filters."""
    add(tmp_path, 0)
    (tmp_path / "metrics").mkdir()
    sink = {
        "class": "org.apache.spark.metrics.sink.CsvSink",
        "directory": str(tmp_path / "metrics"),
        "period": "1",
    }
    options = [f"--conf=spark.metrics.conf.driver.sink.csv.{key}={value}" for key, value in sink.items()]
    process = start(catalog, "--stream", "0.2", *options)
    wait_for(process, tmp_path, 10)
    good = catalog.read_text()
    catalog.write_text(good.replace("n % 2 = 0", "m % 2 = 0"))
    add(tmp_path, 1)
    wait_for(process, tmp_path, 20)
    catalog.write_text(good.replace("n % 2 = 0", "n % 5 = 0"))
    add(tmp_path, 2)
    wait_for(process, tmp_path, 24)
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert rows(tmp_path) == [*range(0, 40, 2), 40, 45, 50, 55]
    assert "no field is named 'm'" in errors
    assert "the stream continues with its current filters" in errors
    assert "Traceback" not in errors
    assert "even accepts other rows" in output
    (metric,) = (tmp_path / "metrics").glob("*.driver.predicat.numbers.follow.even.accepted.csv")
    assert {line.split(",")[1] for line in metric.read_text().splitlines()} <= {"count", "10", "20", "24"}


def killed(
    catalog: Path, tmp_path: Path, *, times: int, lives: tuple[float, float], pauses: tuple[float, float]
) -> int:
    """Start a stream, and kill it and its JVM after some seconds, so many times. How many files of rows came
    meanwhile.
    """
    rng = random.Random(times)
    number = 0
    for _ in range(times):
        process = start(catalog, "--stream", "0")
        until = time.monotonic() + rng.uniform(*lives)
        while time.monotonic() < until:
            add(tmp_path, number)
            number += 1
            time.sleep(rng.uniform(*pauses))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return number


def finish(catalog: Path, job: str = "follow") -> None:
    """Run the job once: it completes what is left."""
    process = start(catalog, job=job)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors


KILLS = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "10"))


TWO = """\
apiVersion: predicat/v1
dataset: numbers
fields: {n: bigint}
filters:
  even: {sql: n % 2 = 0}
  changing: {sql: n % 3 = 0}
jobs:
  one:
    source: {path: "FOLDER/in/one", format: parquet}
    filters: [even, changing]
    sinks: [{path: "FOLDER/out/{filter}"}]
    checkpoint: FOLDER/checkpoint/one
  other:
    source: {path: "FOLDER/in/other", format: parquet}
    filters: [even, changing]
    sinks: [{path: "FOLDER/out/{filter}"}]
    checkpoint: FOLDER/checkpoint/other
"""
MONTH = 30 * 86_400


@pytest.mark.slow  # each kill is a start of Spark
def test_two_streams_on_one_sink_are_killed(spark: Any, tmp_path: Path) -> None:
    """Both processes are killed at random moments, while rows keep coming, some of them in files that are a
    month old, and a filter changes. No row is lost or repeated, and the counts are those of a batch.
    """
    catalog, jobs, rng = tmp_path / "c.yml", ("one", "other"), random.Random(KILLS)
    texts = [TWO.replace("FOLDER", str(tmp_path)).replace("n % 3", f"n % {divisor}") for divisor in (3, 5)]
    catalog.write_text(texts[0])
    for name in jobs:
        (tmp_path / "in" / name).mkdir(parents=True)
    files, seen = Files(spark), dict[str, Record]()
    number, changed, coming = 0, 0, 0.0
    for _ in range(KILLS):
        processes = {name: start(catalog, "--stream", "0", job=name) for name in jobs}
        deaths: dict[str, float] = {}
        while processes:
            now = time.monotonic()
            if now > coming:
                add(tmp_path, number, f"in/{rng.choice(jobs)}", age=rng.choice((0, MONTH)))
                number, coming = number + 1, now + rng.uniform(0.2, 0.8)
                if rng.random() < 0.1:
                    changed += 1
                    replaced(catalog, texts[changed % 2])
            writing = writers(tmp_path / "out")
            for name, process in list(processes.items()):
                if process.pid in writing:
                    deaths.setdefault(name, now + rng.uniform(0, 4))
                if deaths.get(name, now) < now:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    del processes[name]
                else:
                    assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        seen.update((record.run, record) for record in records(files, files.whole(str(tmp_path / "out"))))
    for name in jobs:
        finish(catalog, job=name)
    seen.update((record.run, record) for record in records(files, files.whole(str(tmp_path / "out"))))
    everything = range(number * ROWS)
    assert rows(tmp_path) == [n for n in everything if n % 2 == 0]
    found = rows(tmp_path, "changing")
    assert len(found) == len(set(found))
    assert (
        {n for n in everything if n % 15 == 0}
        <= set(found)
        <= {n for n in everything if n % 3 * (n % 5) == 0}
    )

    both = Source(paths=tuple(str(tmp_path / "in" / name) for name in jobs))
    batch = predicat_spark.run(predicat.load_catalog(catalog), "numbers", ["even"], both)
    counts: Counter[tuple[str, str]] = Counter()
    for record in seen.values():
        for one in record.filters:
            counts.update({(one["name"], key): one[key] for key in ("accepted", "rejected", "unknown")})
    assert sum(record.rows for record in seen.values()) == batch.rows == len(everything)
    (even,) = batch.filters
    assert counts["even", "accepted"] == even.accepted == len(rows(tmp_path))
    assert (counts["even", "rejected"], counts["even", "unknown"]) == (even.rejected, 0)
    assert counts["changing", "accepted"] == len(found)
    assert counts["changing", "rejected"] == len(everything) - len(found)


ENTRIES = CATALOG.replace(
    "  even: {sql: n % 2 = 0}\n",
    "  even: {sql: n % 2 = 0}\n  later: {python: entry_later.Later, after: even}\n",
).replace(
    'filters: [even]\n    sinks: [{path: "FOLDER/out/{filter}"}]',
    "filters: [later]\n    tries: 2\n"
    '    sinks: [{path: "FOLDER/out/{filter}"}, {path: FOLDER/dead, rows: dead_letter}]',
)
LATER = """\
from predicat.entry_filters import FilterResult


class Later:
    def filter_entry(self, entry, context):
        if entry["n"] % 3 == 0 or (entry["n"] % 3 == 1 and context.tries == 1):
            return FilterResult.RESCHEDULE
        return FilterResult.ACCEPT

    def close(self): ...
"""


@pytest.mark.slow  # as above
def test_kills_lose_and_repeat_no_row_that_was_put_off(spark: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """Each even row is delivered once, at its first or second offer, or is a dead letter once."""
    (tmp_path / "c.yml").write_text(ENTRIES.replace("FOLDER", str(tmp_path)))
    (tmp_path / "entry_later.py").write_text(LATER)
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path)
    number = killed(tmp_path / "c.yml", tmp_path, times=max(KILLS // 2, 1), lives=(8, 20), pauses=(0.1, 0.6))
    for _ in range(3):  # what waits is offered again without new rows
        finish(tmp_path / "c.yml")
    even = range(0, number * ROWS, 2)
    dead = [n for file in (tmp_path / "dead").glob("*.parquet") for n in pq.read_table(file)["n"].to_pylist()]
    assert sorted(dead) == [n for n in even if n % 3 == 0]
    assert rows(tmp_path, "later") == [n for n in even if n % 3]
