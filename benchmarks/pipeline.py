"""predicat run beside two jobs written by hand: a filtered write for each sink, and one pass with explode and
partitionBy.

`predicat run` counts accepted, rejected and UNKNOWN rows of each filter as it goes, and commits all sinks at
once; the others do neither.
`--wide` reads 200 columns of random numbers instead of the flights.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import predicat
from predicat_spark.pipeline import Job, JobFilter, Options, Sink, Source, run_job
from predicat_spark.sessions import local_session

CARRIERS = ("UA", "B6", "EV", "DL", "AA", "MQ", "US", "9E", "WN", "VX")
WIDE = 200


def conditions(count: int, *, wide: bool) -> list[str]:
    """Conditions of several kinds, as people write them; each accepts between none and a third of the
    rows.
    """
    found: list[str] = []
    for number in range(count):
        if wide:
            found.append(f"c{number % 50} < {0.01 + number % 7 / 100} AND c{(number + 1) % 50} > 0.1")
            continue
        found.append(
            (
                f"dep_delay >= {60 + number}",
                f"carrier = '{CARRIERS[number % 10]}' AND dep_delay > {number}",
                f"month = {number % 12 + 1} AND distance > {number * 20}",
                f"dest IN ('LAX', 'SFO', 'ORD') AND hour BETWEEN {number % 20} AND {number % 20 + 3}",
            )[number % 4]
        )
    return found


def source(session: Any, folder: Path, rows: int, *, wide: bool) -> Path:
    """The flights again and again, or columns of random numbers, in eight files of Parquet."""
    place = folder / ("wide" if wide else "flights")
    if wide:
        columns = ", ".join(f"rand({number}) AS c{number}" for number in range(WIDE))
        session.sql(f"SELECT {columns} FROM range(0, {rows}, 1, 8)").write.parquet(str(place))
        return place
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from examples.data import to_parquet

    flights = session.read.parquet(str(to_parquet(folder / "data")["flights"]))
    copies = -(-rows // flights.count())
    flights.crossJoin(session.range(copies).select()).limit(rows).repartition(8).write.parquet(str(place))
    return place


def catalog(folder: Path, texts: list[str], frame: Any) -> predicat.Catalog:
    fields = "".join(f"  {field.name}: {field.dataType.simpleString()}\n" for field in frame.schema)
    filters = "".join(f'  f{number}: {{sql: "{text}"}}\n' for number, text in enumerate(texts))
    (folder / "c.yml").write_text(
        f"apiVersion: predicat/v1\ndataset: bench\nfields:\n{fields}filters:\n{filters}"
    )
    return predicat.load_catalog(folder / "c.yml")


def ways(session: Any, place: Path, texts: list[str], folder: Path) -> dict[str, Callable[[Path], None]]:
    from pyspark.sql import functions as F

    found = catalog(folder, texts, session.read.parquet(str(place)))
    asked = tuple(JobFilter(f"f{number}", f"f{number}") for number in range(len(texts)))

    def ours(out: Path) -> None:
        sinks = (Sink("path", str(out / "{filter}")),)
        run_job(
            found,
            Job("", "bench", Source(paths=(str(place),), format="parquet"), asked, sinks, passes="one"),
            Options(),
        )

    def writes(out: Path) -> None:
        frame = session.read.parquet(str(place))
        for number, text in enumerate(texts):
            frame.where(text).write.parquet(str(out / f"f{number}"))

    def explode(out: Path) -> None:
        frame = session.read.parquet(str(place))
        ids = F.array_compact(
            F.array(*(F.when(F.expr(text), F.lit(number)) for number, text in enumerate(texts)))
        )
        frame.withColumn("sink", F.explode(ids)).write.partitionBy("sink").parquet(str(out))

    return {"predicat run": ours, "a write for each sink": writes, "explode and partitionBy": explode}


def turns(
    all_ways: Mapping[str, Callable[[Path], None]], runs: int, out: Path
) -> Iterator[tuple[int, str, Callable[[], None]]]:
    """Each way in each turn, with an empty folder to write into. The first turn, number 0, warms up."""
    for turn in range(runs + 1):
        for label, run in all_ways.items():
            shutil.rmtree(out, ignore_errors=True)
            yield turn, label, partial(run, out)


def main(rows: int, sinks: list[int], runs: int, *, wide: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session = local_session(
            "local[2]",
            "bench",
            {
                "spark.driver.memory": "6g",
                "spark.sql.maxConcurrentOutputFileWriters": "200",
                "spark.sql.warehouse.dir": str(folder / "warehouse"),
            },
            jar=True,
        )
        place = source(session, folder, rows, wide=wide)
        for count in sinks:
            all_ways = ways(session, place, conditions(count, wide=wide), folder)
            times: dict[str, list[float]] = {label: [] for label in all_ways}
            for turn, label, run in turns(all_ways, runs, folder / "out"):
                started = time.monotonic()
                run()
                if turn:
                    times[label].append(time.monotonic() - started)
            seconds = {label: statistics.median(taken) for label, taken in times.items()}
            mine = seconds["predicat run"]
            said = ", ".join(
                f"{label} {taken:.1f} s (ratio {taken / mine:.2f})" for label, taken in seconds.items()
            )
            print(f"{count} sinks of {rows:,} rows: {said}", flush=True)
        session.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=5_000_000)
    parser.add_argument("--sinks", type=int, nargs="*", default=[1, 5, 25, 100])
    parser.add_argument(
        "--runs", type=int, default=3, help="turns that count, after one to warm up; the median counts"
    )
    parser.add_argument("--wide", action="store_true")
    options = parser.parse_args()
    main(options.rows, options.sinks, options.runs, wide=options.wide)
