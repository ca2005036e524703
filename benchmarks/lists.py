"""Times lists of 10 to 1,000,000 values beside joins by hand: `python benchmarks/lists.py [rows] [sizes ...]
[--runs N] [--only ENGINE]`.

A relation of whole numbers, a quarter of which are in the list. On each engine, in one run, in turn: the
filter `id IN list('ids')` as users have it (the view that `predicat apply` makes in PostgreSQL,
`matches_filter` on Spark, the SQL of the API on DuckDB), and what a person would write (a join with a table
of the values; on Spark a broadcast left semi-join). Each is run once to warm up, then N times; the least
counts. Before that: CPU seconds to load and check the catalog, and the rows that the evaluator decides in a
second.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import predicat

Ways = dict[str, Callable[[], int]]
SIZES = (10, 1_000, 100_000, 1_000_000)
ENGINES = ("postgres", "duckdb", "spark")
CATALOG = """\
apiVersion: predicat/v1
dataset: bench
relation: {postgres: lists_bench.rows, spark: lists_rows, duckdb: rows}
fields: {id: bigint}
lists:
  ids: {type: bigint, file: ids.csv}
filters:
  listed: {sql: id IN list('ids')}
"""


def written(folder: Path, size: int) -> predicat.Catalog:
    """A catalog with a list of even numbers."""
    (folder / "ids.csv").write_text("id\n" + "".join(f"{2 * n}\n" for n in range(size)))
    (folder / "c.yml").write_text(CATALOG)
    return predicat.load_catalog(folder)


def least(ways: Ways, runs: int) -> dict[str, float]:
    """The least seconds of each way, in turn; all must give the same number."""
    counts = {name: run() for name, run in ways.items()}
    if len(set(counts.values())) > 1:
        raise SystemExit(f"the ways differ: {counts}")
    times: dict[str, float] = dict.fromkeys(ways, float("inf"))
    for _ in range(runs):
        for name, run in ways.items():
            start = time.perf_counter()
            run()
            times[name] = min(times[name], time.perf_counter() - start)
    return times


@contextmanager
def on_postgres(catalog: predicat.Catalog, rows: int, size: int) -> Iterator[Ways]:
    from predicat.deploy import deployment, server

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)  # under root the embedded server runs as another user
        with server.connect(None, Path(name) / "data") as connection:
            db: Any = connection
            db.autocommit = True
            db.execute("DROP SCHEMA IF EXISTS lists_bench CASCADE; CREATE SCHEMA lists_bench")
            numbers = f"SELECT n % {4 * size} AS id FROM generate_series(1, {rows}) n"
            db.execute(f"CREATE TABLE lists_bench.rows AS {numbers}")
            db.execute("CREATE TABLE lists_bench.hand (v bigint PRIMARY KEY)")
            db.execute(f"INSERT INTO lists_bench.hand SELECT 2 * n FROM generate_series(0, {size - 1}) n")
            db.execute("ANALYZE lists_bench.hand; ANALYZE lists_bench.rows")
            start = time.perf_counter()
            deployment.apply(catalog, db, "bench")
            print(f"  predicat apply: {time.perf_counter() - start:.1f} s", flush=True)

            def count(query: str) -> Callable[[], int]:
                return lambda: int(db.execute(query).fetchone()[0])

            by_hand = "lists_bench.rows WHERE id IN (SELECT v FROM lists_bench.hand)"
            yield {
                "predicat": count("SELECT count(*) FROM lists_bench.bench__listed"),
                "by hand": count(f"SELECT count(*) FROM {by_hand}"),
            }
            db.execute("DROP SCHEMA lists_bench CASCADE")


@contextmanager
def on_duckdb(catalog: predicat.Catalog, rows: int, size: int) -> Iterator[Ways]:
    import duckdb

    db = duckdb.connect()
    db.execute("SET threads = 2")
    db.execute(f"CREATE TABLE rows AS SELECT n % {4 * size} AS id FROM range(1, {rows + 1}) t(n)")
    db.execute(f"CREATE TABLE hand AS SELECT 2 * n AS v FROM range(0, {size}) t(n)")

    def count(query: str) -> Callable[[], int]:
        def run() -> int:
            (found,) = db.execute(query).fetchone() or (0,)
            return int(found)

        return run

    yield {
        "predicat": count(f"SELECT count(*) FROM rows WHERE {catalog['listed'].sql('duckdb')}"),
        "by hand": count("SELECT count(*) FROM rows WHERE id IN (SELECT v FROM hand)"),
    }


@contextmanager
def on_spark(folder: Path, rows: int, size: int) -> Iterator[Ways]:
    import predicat_spark

    manifest = predicat_spark.compile_manifest(folder, folder / "target" / f"{size}.json")
    config = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.driver.memory": "3g"}
    spark = predicat_spark.session(manifest=manifest, config=config)
    spark.sparkContext.setLogLevel("ERROR")
    place = str(folder / f"rows{size}")
    spark.range(1, rows + 1).selectExpr(f"id % {4 * size} AS id").write.mode("overwrite").parquet(place)
    spark.read.parquet(place).createOrReplaceTempView("lists_rows")
    hand = str(folder / f"hand{size}")
    spark.range(0, size).selectExpr("2 * id AS v").coalesce(1).write.mode("overwrite").parquet(hand)
    spark.read.parquet(hand).createOrReplaceTempView("hand")
    join = "SELECT /*+ BROADCAST(hand) */ * FROM lists_rows LEFT SEMI JOIN hand ON id = v"
    ours = "SELECT * FROM lists_rows WHERE matches_filter('bench.listed')"
    yield {"predicat": lambda: spark.sql(ours).count(), "by hand": lambda: spark.sql(join).count()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=5_000_000)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=ENGINES, action="append")
    given = parser.parse_args()
    for size in given.sizes or SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            start = time.process_time()
            catalog = written(folder, size)
            listed = catalog["listed"]
            print(f"{size:,} values: loaded in {time.process_time() - start:.2f} s of CPU", flush=True)
            rows = [{"id": n % (4 * size)} for n in range(100_000)]
            listed.evaluate(rows[0])
            start = time.process_time()
            for row in rows:
                listed.evaluate(row)
            print(f"  evaluator: {len(rows) / (time.process_time() - start):,.0f} rows a second", flush=True)
            for engine in given.only or ENGINES:
                with (
                    on_postgres(catalog, given.rows, size)
                    if engine == "postgres"
                    else on_duckdb(catalog, given.rows, size)
                    if engine == "duckdb"
                    else on_spark(folder, given.rows, size)
                ) as ways:
                    times = least(ways, given.runs)
                ratio = times["predicat"] / times["by hand"]
                shown = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in times.items())
                print(f"  {engine}, {size:,} values: {shown} (ratio {ratio:.2f})", flush=True)


if __name__ == "__main__":
    main()
