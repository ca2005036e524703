"""CPU of a backfill beside a GROUP BY by hand: `python benchmarks/coverage_partitions.py [rows] [--filters N]
[--runs N] [--engines duckdb postgres spark]`.

Rows are spread over 60 days; partitions are days in Berlin. By hand it is one query: date_trunc of the local
time, COUNT(*), and for each filter the rows for which it is TRUE. predicat counts these, where filters are
UNKNOWN, the conditions inside filters, missing values and overlaps, and judges every bound of each day. CPU
is that of the engine and of this process; the median of some runs counts, after one to warm up. PostgreSQL
has no parallel workers, Spark two threads, for both ways.
"""

import argparse
import resource
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import predicat
from predicat.quality.bounds import judge
from predicat.quality.history import PartHistory, Series, entries
from predicat.quality.measure import Measure
from predicat.quality.partitions import Parts, in_range
from predicat.quality.plan import Plan, plan

DAYS = 60
RANGE = "2026-01-15..2026-03-15"
START = int(datetime(2026, 1, 14, 23, tzinfo=UTC).timestamp())
NOW = datetime(2026, 3, 20, tzinfo=UTC)
ROWS = {
    "n": "(i * 7919) % 1000",
    "m": "CASE WHEN i % 11 = 0 THEN NULL ELSE (i * 104729) % 5000 END",
    "s": "CASE i % 7 WHEN 0 THEN 'a' WHEN 1 THEN 'b' WHEN 2 THEN 'c' ELSE 'd' END",
}
CATALOG = """apiVersion: predicat/v1
dataset: shop
relation: {spark: shop, postgres: shop, duckdb: shop.parquet}
fields: {n: bigint, m: bigint, s: string, placed_at: timestamp}
partition: {column: placed_at, by: day, zone: Europe/Berlin}
rows: {at_least: 1, drift: 50%}
filters:
"""


def catalog(folder: Path, filters: int) -> predicat.Catalog:
    """Filters of one to three conditions, each with three bounds."""
    shapes = ("n < {0}", "n >= {0} AND s = 'a'", "m > {0} OR n < 20", "m BETWEEN {0} AND 4000 AND s <> 'b'")
    lines = [
        f'  f{place}: {{sql: "{shapes[place % 4].format(50 + 37 * place % 900)}", coverage: '
        "{at_most: 99%, unknown_at_most: 20%, drift: 20%}}"
        for place in range(filters)
    ]
    (folder / "shop.yml").write_text(CATALOG + "\n".join(lines) + "\n")
    return predicat.load_catalog(folder)


def own() -> float:
    """The CPU seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def of_process(pid: int) -> float:
    """The CPU seconds of another process, of which the system counts 100 ticks a second."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / 100


class Way:
    """An engine with its two ways, and its CPU seconds."""

    def __init__(
        self, hand: Callable[[], int], ours: Callable[[Plan], Measure], cpu: Callable[[], float]
    ) -> None:
        self.hand, self.ours, self.cpu = hand, ours, cpu


def by_hand(found: predicat.Catalog, dialect: str, day: str, source: str) -> str:
    conditions = [found[name].sql(dialect) for name in found.known]
    counts = ", ".join(f"COUNT(CASE WHEN {item} THEN 1 END)" for item in conditions)
    return f"SELECT {day}, COUNT(*), {counts} FROM {source} GROUP BY 1"


@contextmanager
def duckdb_way(found: predicat.Catalog, folder: Path, rows: int) -> Iterator[Way]:
    import duckdb

    from predicat.quality.engines import on_duckdb

    file = folder / "shop.parquet"
    columns = ", ".join(f"{sql} AS {name}" for name, sql in ROWS.items())
    step = DAYS * 86_400 / rows
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {columns}, to_timestamp({START} + i * {step}) AS placed_at "
            f"FROM range({rows}) AS t(i)) TO '{file}'"
        )
    day = "date_trunc('day', placed_at AT TIME ZONE 'Europe/Berlin')"
    query = by_hand(found, "duckdb", day, f"'{file}'")

    def hand() -> int:
        with duckdb.connect() as connection:
            return len(connection.execute(query).fetchall())

    yield Way(hand, lambda plan_: on_duckdb(plan_, str(file)), own)


@contextmanager
def postgres_way(found: predicat.Catalog, folder: Path, rows: int) -> Iterator[Way]:
    from predicat.deploy import server
    from predicat.quality.engines import on_postgres

    folder.chmod(0o755)  # under root the embedded server runs as another user
    columns = ", ".join(f"{sql} AS {name}" for name, sql in ROWS.items())
    step = DAYS * 86_400 / rows
    with server.connect(None, folder / "data") as connection:
        connection.autocommit = True
        connection.execute("SET max_parallel_workers_per_gather = 0")
        connection.execute(
            f"CREATE TABLE shop AS SELECT {columns}, to_timestamp({START} + i * {step}) AS placed_at "
            f"FROM generate_series(0::bigint, {rows - 1}) AS t(i)".encode()
        )
        connection.execute("VACUUM ANALYZE shop")
        query = by_hand(found, "postgres", "date_trunc('day', placed_at, 'Europe/Berlin')", "shop")
        yield Way(
            lambda: len(connection.execute(query.encode()).fetchall()),
            lambda plan_: on_postgres(plan_, connection),
            lambda: own() + of_process(connection.info.backend_pid),
        )


@contextmanager
def spark_way(found: predicat.Catalog, folder: Path, rows: int) -> Iterator[Way]:
    import predicat_spark
    from predicat_spark.quality import on_spark

    spark = predicat_spark.session(
        catalog=folder, config={"spark.master": "local[2]", "spark.ui.enabled": "false"}
    )
    columns = [f"{sql} AS {name}" for name, sql in ROWS.items()]
    step = DAYS * 86_400 / rows
    path = str(folder / "rows")
    spark.range(rows).withColumnRenamed("id", "i").selectExpr(
        *columns, f"timestamp_seconds({START} + i * {step}D) AS placed_at"
    ).write.parquet(path)
    frame = spark.read.parquet(path)
    frame.createOrReplaceTempView("shop_rows")
    day = "date_trunc('day', from_utc_timestamp(placed_at, 'Europe/Berlin'))"
    query = by_hand(found, "spark", day, "shop_rows")
    java: Any = spark._jvm
    pid = int(java.java.lang.ProcessHandle.current().pid())
    yield Way(
        lambda: len(spark.sql(query).collect()),
        lambda plan_: on_spark(plan_, frame),
        lambda: own() + of_process(pid),
    )
    spark.stop()


WAYS = {"duckdb": duckdb_way, "postgres": postgres_way, "spark": spark_way}


def backfill(found: predicat.Catalog, engine: str, parts: Parts, way: Way) -> int:
    """Count and judge every partition; returns how many there are."""
    measured = way.ours(plan(found, "shop", (), engine, None, parts))
    series = Series("bench", "shop", engine, "", 1.0, parts.text)
    known = PartHistory(series, ())
    for one in measured.parts:
        assert one.part is not None
        checks = judge(found, one, known.before(one.part), {}, NOW, one.part.name)
        series.partition = one.part.name
        known.add(entries(found, one, series, checks, NOW))
    return len(measured.parts)


def medians(found: predicat.Catalog, engine: str, way: Way, runs: int) -> tuple[float, float]:
    """The CPU seconds of the two ways, in turn, so that a slow moment meets both."""
    of = found.datasets["shop"].partition
    assert of is not None
    parts = in_range(of, RANGE)
    ways = (way.hand, lambda: backfill(found, engine, parts, way))
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs + 1):
        for times, run in zip(took, ways, strict=True):
            start = way.cpu()
            days = run()
            assert days == DAYS, days
            times.append(way.cpu() - start)
    one, other = (statistics.median(times[1:]) for times in took)
    return one, other


def main(rows: int, filters: int, runs: int, engines: list[str]) -> None:
    for engine in engines:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "catalog").mkdir()
            found = catalog(folder / "catalog", filters)
            with WAYS[engine](found, folder, rows) as way:
                hand, ours = medians(found, engine, way, runs)
            print(
                f"{engine}: a backfill of {DAYS} days took {ours:.2f} CPU s, the GROUP BY {hand:.2f}: "
                f"{ours / hand:.2f} times",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=6_000_000)
    parser.add_argument("--filters", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5, help="runs of each way after the first")
    parser.add_argument("--engines", nargs="+", choices=WAYS, default=list(WAYS))
    options = parser.parse_args()
    main(options.rows, options.filters, options.runs, options.engines)
