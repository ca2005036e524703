"""Times `WHERE matches_filter(...)` beside other ways to say it: `python benchmarks/spark.py [rows] [--runs
N] [--filters N]`.

All in one run on the same Parquet file, alternately, the best of five (Python UDFs: of two); printed as
ratios to the condition written out by hand. Also: milliseconds of analysis for each query, and the rows that
the scan hands on when the file is sorted by the column (pushdown to row groups). Before that the time from
the start of a program to its first result, with an empty cache, with the jar in it, and without the
extension; and the analysis with a manifest of N filters (10,000).
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from generated import ONE, write

import predicat
import predicat_spark
import predicat_spark.sessions

ROOT = Path(__file__).resolve().parent.parent
CATALOG = """apiVersion: predicat/v1
dataset: bench
relation: {spark: bench}
fields: {id: bigint, a: bigint, b: bigint, s: string}
filters:
  wanted: {cel: 'a > 900 && b in [1, 2, 3] && s.startsWith("x1")'}
  recent: {sql: id >= $RECENT}
"""


def best(times: int, run: Callable[[], Any]) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def cel_function() -> Callable[[int, int, str], bool]:
    """Google's CEL runtime in a Python UDF; the expression is compiled once in each worker."""
    programs: list[Any] = []

    def evaluate(a: int, b: int, s: str) -> bool:
        from cel_expr_python import cel

        if not programs:
            environment = cel.NewEnv()
            programs.append(
                environment.compile('a > 900 && b in [1, 2, 3] && s.startsWith("x1")', disable_check=True)
            )
        return bool(programs[0].eval(data={"a": a, "b": b, "s": s}).plain_value())

    return evaluate


FIRST = """
import sys, time
import predicat_spark
predicat_spark.ensure_java()
config = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.log.level": "ERROR"}
if sys.argv[1] == "plain":
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.config(map=config).getOrCreate()
    spark.sql("SELECT count(*) FROM (SELECT 7L AS a) WHERE a > 5").collect()
else:
    spark = predicat_spark.session(manifest=sys.argv[1], config=config)
    spark.sql("SELECT count(*) FROM (SELECT 7L AS a) WHERE matches_filter('big')").collect()
"""


def first_query(folder: Path, runs: int) -> None:
    """The time of a program with one query."""
    (folder / "first").mkdir()
    (folder / "first" / "f.yml").write_text(
        "apiVersion: predicat/v1\ndataset: f\nfields: {a: bigint}\nfilters: {big: {sql: a > 5}}\n"
    )
    manifest = str(predicat_spark.compile_manifest(folder / "first", folder / "first.json"))

    def start(argument: str, cache: str) -> float:
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        environment = os.environ | {"PREDICAT_CACHE": str(folder / cache)}
        subprocess.run(
            [sys.executable, "-c", FIRST, argument], env=environment, check=True, capture_output=True
        )
        taken = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return taken

    for label, argument, cache in (
        ("plain Spark", "plain", "cache0"),
        ("an empty cache", manifest, "cache"),
        ("the jar in the cache", manifest, "cache0"),
    ):
        cpu: list[float] = []
        seconds = min(start(argument, cache + ("" if cache == "cache0" else str(run))) for run in range(runs))
        print(f"a program with one query, {label}: {seconds:.1f} s, {min(cpu):.1f} s CPU")


def many_filters(spark: Any, folder: Path, count: int, runs: int) -> None:
    """Analysis with a large manifest beside that of the condition by hand."""
    (folder / "many").mkdir()
    write(folder / "many", count, ONE)
    manifest = predicat_spark.compile_manifest(folder / "many", folder / "many.json")
    row = "(SELECT 7L AS a, 'x' AS s)"
    hand = f"SELECT * FROM {row} WHERE a > 1 AND s = 'x1'"
    ours = f"SELECT * FROM {row} WHERE matches_filter('generated0.f1')"

    spark.sql(hand)
    before = spark.conf.get(predicat_spark.sessions.MANIFEST)
    spark.conf.set(predicat_spark.sessions.MANIFEST, str(manifest))
    loaded = best(1, lambda: predicat_spark.refresh(spark))
    first = best(1, lambda: spark.sql(ours))
    print(f"{count:,} filters: load and check {loaded:.2f} s, first analysis {first * 1000:.0f} ms")
    times = {hand: 9.9, ours: 9.9}
    for _ in range(20 * runs):  # alternately
        for query, least in times.items():
            times[query] = min(least, best(1, lambda query=query: spark.sql(query)))
    print(
        f"then {times[hand] * 1000:.1f} ms by hand, {times[ours] * 1000:.1f} ms with matches_filter, "
        f"ratio {times[ours] / times[hand]:.2f}"
    )
    names = spark._jvm.io.predicat.spark.Settings.manifest(False).names()
    hint = spark._jvm.io.predicat.spark.Near.hint
    near = [best(1, lambda: hint("generated0.g1", names)) for _ in range(20 * runs)]
    print(f"near names: {near[0] * 1000:.1f} ms the first time, then {min(near) * 1000:.1f} ms")
    asked = {text: best(3 * runs, lambda text=text: spark.sql(text).collect()) for text in (hand, ours)}
    print(
        f"query and result: {asked[hand] * 1000:.0f} ms by hand, {asked[ours] * 1000:.0f} ms, ratio "
        f"{asked[ours] / asked[hand]:.2f}"
    )
    spark.conf.set(predicat_spark.sessions.MANIFEST, before)


def many_calls(spark: Any, folder: Path, runs: int) -> None:
    """Analysis of a query with 50 calls beside that of the conditions by hand: the processor's time, which
    says the same on a busy machine.
    """
    days = [
        f"a > {n} AND (b IN ({n}, 2) OR s LIKE 'x{n}%') AND t >= DATE '2024-01-{n + 1:02}'" for n in range(25)
    ]
    conditions = [*days, *(f"{text} OR b IS NULL" for text in days)]
    (folder / "calls").mkdir()
    filters = "".join(f'  f{place}: {{sql: "{text}"}}\n' for place, text in enumerate(conditions))
    head = "apiVersion: predicat/v1\ndataset: calls\nfields: {a: bigint, b: bigint, s: string, t: date}\n"
    (folder / "calls" / "c.yml").write_text(f"{head}filters:\n{filters}")
    before = spark.conf.get(predicat_spark.sessions.MANIFEST)
    manifest = predicat_spark.compile_manifest(folder / "calls", folder / "calls.json")
    spark.conf.set(predicat_spark.sessions.MANIFEST, str(manifest))
    row = "(SELECT 7L AS a, 2L AS b, 'x' AS s, DATE'2024-01-01' AS t)"
    hand = [f"({text}) IS TRUE" for text in conditions]
    ours = [f"matches_filter('calls.f{place}')" for place in range(len(conditions))]
    clock = spark._jvm.java.lang.management.ManagementFactory.getThreadMXBean()
    for shape, ways in {
        "as columns": [f"SELECT {', '.join(calls)} FROM {row}" for calls in (hand, ours)],
        "in a WHERE": [f"SELECT * FROM {row} WHERE {' OR '.join(calls)}" for calls in (hand, ours)],
    }.items():
        least = dict.fromkeys(ways, 9e9)
        for _ in range(20 * runs):  # alternately
            for query in ways:
                start = clock.getCurrentThreadCpuTime()
                spark.sql(query)
                least[query] = min(least[query], (clock.getCurrentThreadCpuTime() - start) / 1e6)
        by_hand, called = least.values()
        print(f"50 calls {shape}: {by_hand:.1f} ms by hand, {called:.1f} ms, ratio {called / by_hand:.2f}")
    spark.conf.set(predicat_spark.sessions.MANIFEST, before)


def scanned(frame: Any) -> int:
    """Rows that left the scan."""
    frame.collect()
    plan = frame._jdf.queryExecution().executedPlan()
    text = plan.toString()
    leaves = plan.collectLeaves()
    leaf = leaves.apply(0)
    if "AdaptiveSparkPlan" in text.split("\n")[0]:
        leaf = plan.executedPlan().collectLeaves().apply(0)
    return int(leaf.metrics().get("numOutputRows").get().value())


def main(rows: int, runs: int, filters: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first_query(folder, min(2, runs))
        (folder / "catalog").mkdir()
        (folder / "catalog" / "bench.yml").write_text(CATALOG.replace("$RECENT", str(rows - rows // 50)))
        spark = predicat_spark.session(
            catalog=folder / "catalog",
            config={
                "spark.master": "local[2]",
                "spark.ui.enabled": "false",
                "spark.driver.memory": "4g",
                "spark.log.level": "ERROR",
                "spark.ui.showConsoleProgress": "false",
                "spark.predicat.manifest.sessions": "true",
            },
        )
        many_filters(spark, folder, filters, runs)
        many_calls(spark, folder, runs)
        columns = ("id", "id % 1000 AS a", "id % 7 AS b", "concat('x', id % 100) AS s")
        spark.range(0, rows, 1, 1).selectExpr(*columns).write.parquet(str(folder / "data"))
        spark.read.parquet(str(folder / "data")).createOrReplaceTempView("bench")
        hand = "a > 900 AND b IN (1, 2, 3) AND startswith(s, 'x1')"

        from pyspark.sql import functions as F
        from pyspark.sql.types import BooleanType

        function = predicat.load_catalog(folder / "catalog")["wanted"]
        python = F.udf(lambda a, b, s: function.evaluate({"a": a, "b": b, "s": s}) is True, BooleanType())
        cel = F.udf(cel_function(), BooleanType())
        pandas = F.pandas_udf(
            lambda a, b, s: (a > 900) & b.isin([1, 2, 3]) & s.str.startswith("x1"), BooleanType()
        )
        table = spark.table("bench")

        def count(frame: Any) -> int:
            return frame.selectExpr("count(*)").first()[0]

        ways: dict[str, tuple[int, Callable[[], int]]] = {
            "written by hand": (runs, lambda: count(table.where(hand))),
            "matches_filter": (runs, lambda: count(table.where("matches_filter('bench.wanted')"))),
            "pandas UDF": (min(2, runs), lambda: count(table.where(pandas("a", "b", "s")))),
            "Python UDF (the reference evaluator)": (
                min(2, runs),
                lambda: count(table.where(python("a", "b", "s"))),
            ),
            "CEL UDF (cel-expr-python)": (min(2, runs), lambda: count(table.where(cel("a", "b", "s")))),
        }
        answers = {label: run() for label, (_, run) in ways.items()}  # warm, and check
        if len(set(answers.values())) != 1:
            sys.exit(f"they disagree: {answers}")
        seconds = {label: best(times, run) for label, (times, run) in ways.items()}
        for label, taken in seconds.items():
            print(f"{label}: {taken:.2f} s, ratio {taken / seconds['written by hand']:.2f}")
        plain = best(6 * runs, lambda: spark.sql(f"SELECT * FROM bench WHERE {hand}"))
        ours = best(6 * runs, lambda: spark.sql("SELECT * FROM bench WHERE matches_filter('bench.wanted')"))
        print(
            f"analysis: {plain * 1000:.1f} ms by hand, {ours * 1000:.1f} ms with matches_filter, ratio "
            f"{ours / plain:.2f}"
        )
        pushed = scanned(table.where("matches_filter('bench.recent')").select("a"))
        print(f"rows that leave the scan of sorted data: {pushed:,} of {rows:,}")
        spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=5_000_000)
    parser.add_argument(
        "--runs",
        type=int,
        default=5,
        help="runs of each query, of analysis six times as many; the fastest counts",
    )
    parser.add_argument("--filters", type=int, default=10_000, help="filters of the large manifest")
    options = parser.parse_args()
    main(options.rows, options.runs, options.filters)
