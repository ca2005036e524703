"""Times the dispatch of many subscriptions: `python benchmarks/dispatch.py [rows] [--filters N] [--folders]`.

The filters and rows are those of `matching.py`, each filter with a subscription. `predicat run` writes each
row once for every subscription that accepts it, with `rows: matched`, and counts the rows of each
subscription. By hand it is an explode of `matching_subscriptions`. Both write a table of (subscription, row),
and with `--folders` a folder for each subscription. Rows a second, and CPU time of the JVM and of Python: the
least of all turns.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matching import FIELDS, ROWS, sql_of
from pipeline import turns

import predicat
import predicat_spark
from predicat_spark.pipeline import Job, Options, Sink, Source, run_job


def catalog(folder: Path, count: int) -> predicat.Catalog:
    rng = random.Random(7)  # nothing secret
    lines = ["apiVersion: predicat/v1", "dataset: bench", "fields:"]
    lines += [f"  {name}: {kind!r}" for name, kind in FIELDS.items()]
    lines += ["filters:", *(f'  f{place}: {{spark: "{sql_of(place, rng)}"}}' for place in range(count))]
    lines += ["subscriptions:", *(f"  s{place}: {{filter: f{place}}}" for place in range(count))]
    (folder / "catalog.yml").write_text("\n".join(lines) + "\n")
    return predicat.load_catalog(folder / "catalog.yml")


def ways(
    spark: Any, found: predicat.Catalog, source: Path, parts: tuple[str, ...]
) -> dict[str, Callable[[Path], None]]:
    def ours(out: Path) -> None:
        sink = Sink("path", str(out / "all"), rows="matched", partition_by=parts)
        place = Source(paths=(str(source),), format="parquet")
        run_job(found, Job("", "bench", place, sinks=(sink,), every="subscriptions"), Options())

    def by_hand(out: Path) -> None:
        from pyspark.sql import functions as F

        named = F.explode(predicat_spark.matching_subscriptions("bench")).alias("filter")
        spark.read.parquet(str(source)).select("*", named).write.partitionBy(*parts).parquet(str(out / "all"))

    return {"predicat run": ours, "explode of matching_subscriptions": by_hand}


def cpu(process: int) -> float:
    """Seconds of the JVM and of this process so far, as Linux counts them."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + time.process_time()


def main(rows: int, filters: int, runs: int, *, folders: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = catalog(folder, filters)
        spark = predicat_spark.session(
            folder / "catalog.yml",
            config={
                "spark.master": "local[2]",
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
                "spark.driver.memory": "6g",
                "spark.sql.maxConcurrentOutputFileWriters": "200",
            },
        )
        spark.sparkContext.setLogLevel("OFF")
        spark.sql(ROWS.format(rows=rows)).write.parquet(str(folder / "rows"))
        process = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
        taken: dict[str, list[tuple[float, float]]] = {}
        written: dict[str, int] = {}
        out = folder / "out"
        for turn, label, run in turns(
            ways(spark, found, folder / "rows", ("filter",) if folders else ()), runs, out
        ):
            before, started = cpu(process), time.perf_counter()
            run()
            seconds, used = time.perf_counter() - started, cpu(process) - before
            if turn:
                taken.setdefault(label, []).append((used, seconds))
            else:
                written[label] = spark.read.parquet(str(out / "all")).count()
        assert len(set(written.values())) == 1, written
        best = {label: tuple(map(min, zip(*times, strict=True))) for label, times in taken.items()}
        mine = best["predicat run"][0]
        pairs = next(iter(written.values()))
        print(f"{rows:,} rows, {filters:,} subscriptions, {pairs / rows:.2f} matches a row")
        for label, (used, seconds) in best.items():
            speed = f"{rows / seconds:,.0f} rows/s, CPU {used:.1f} s"
            print(f"{label}: {speed}, {used / mine:.2f} times that of predicat run", flush=True)
        spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--filters", type=int, default=10_000)
    parser.add_argument("--folders", action="store_true", help="a folder for each subscription")
    parser.add_argument("--runs", type=int, default=3, help="turns that count, after one to warm up")
    options = parser.parse_args()
    main(options.rows, options.filters, options.runs, folders=options.folders)
