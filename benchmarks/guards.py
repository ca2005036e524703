"""Times generated SQL, which never raises, beside the raising SQL that a person writes:
`python benchmarks/guards.py [rows] [engine ...] [--runs N] [--only LABEL] [--functions]`.

On Spark, PostgreSQL and DuckDB, where both give the same rows. Printed as ratios, each of the best of runs in
turn. With --functions the SQL calls the functions that `predicat apply` installs and that the extension has.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

import predicat
from predicat import backends

FIELDS = {
    "a": "bigint",
    "b": "bigint",
    "d": "double",
    "s": "string",
    "n": "string",
    "f": "string",
    "t": "string",
    "moment": "timestamp",
    "other": "timestamp",
    "x": "date",
    "y": "date",
    "e": "array<bigint>",
    "m": "map<string, string>",
}
COLUMNS = {
    "spark": "id % 1000 AS a, 1 + id % 7 AS b, (id % 1000) / 1000.0D AS d, "
    "concat('x', id % 100) AS s, CAST(id "
    "% 1000 AS STRING) AS n,"
    " CAST((id % 1000) / 1000.0D AS STRING) AS f, concat('20', 10 + id % 20, '-01-02T03:04:05Z') AS t, "
    "timestamp_seconds(1500000000 + id) AS moment,"
    " timestamp_seconds(1500000000 + id % 7 * 86400) AS other, date_add(DATE '2020-01-01', CAST(id % "
    "300 AS INT)) AS x,"
    " date_add(DATE '2020-01-03', CAST(id % 30 AS INT)) AS y, array(id % 10, id % 1000) AS e, map('k', "
    "concat('x', id % 100)) AS m",
    "postgres": "id % 1000 AS a, 1 + id % 7 AS b, (id % 1000) / 1000.0::float8 "
    "AS d, concat('x', id % 100) AS s, "
    "(id % 1000)::text AS n,"
    " ((id % 1000) / 1000.0::float8)::text AS f, concat('20', 10 + id % 20, '-01-02T03:04:05Z') AS t, "
    "to_timestamp(1500000000 + id) AS moment,"
    " to_timestamp(1500000000 + id % 7 * 86400) AS other, date '2020-01-01' + (id % 300)::int AS x, "
    "date '2020-01-03' + (id % 30)::int AS y,"
    " array[id % 10, id % 1000] AS e, jsonb_build_object('k', concat('x', id % 100)) AS m",
    "duckdb": "id % 1000 AS a, 1 + id % 7 AS b, (id % 1000) / 1000.0::double "
    "AS d, concat('x', id % 100) AS s, "
    "(id % 1000)::text AS n,"
    " ((id % 1000) / 1000.0::double)::text AS f, concat('20', 10 + id % 20, '-01-02T03:04:05Z') AS t, "
    "to_timestamp(1500000000 + id) AS moment,"
    " to_timestamp(1500000000 + id % 7 * 86400) AS other, date '2020-01-01' + (id % 300)::int AS x, "
    "date '2020-01-03' + (id % 30)::int AS y,"
    " [id % 10, id % 1000] AS e, map(['k'], [concat('x', id % 100)]) AS m",
}
# The SQL of a filter, and what a person writes for an engine, where it is another text.
PAIRS: dict[str, dict[str, str]] = yaml.safe_load(
    Path(__file__).with_suffix(".yml").read_text(encoding="utf-8")
)

Count = Callable[[str], int]


@contextmanager
def on_spark(rows: int, folder: Path) -> Iterator[Count]:
    import predicat_spark

    jar = predicat_spark.ensure_jar()
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.jars", str(jar))
        .config("spark.sql.extensions", "io.predicat.spark.PredicatExtensions")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql(f"SELECT {COLUMNS['spark']} FROM range(0, {rows}, 1, 2)").write.parquet(str(folder / "data"))
    table = spark.read.parquet(str(folder / "data"))
    yield lambda condition: table.where(condition).count()
    spark.stop()


@contextmanager
def on_postgres(rows: int, folder: Path) -> Iterator[Count]:
    """One process and no JIT compiler, whatever the server's settings."""
    from predicat.backends.sql.postgres.installed import definitions
    from predicat.deploy.server import connect

    folder.chmod(0o755)
    with connect(None, folder / "postgres") as connection:
        connection.autocommit = True
        for statement in (
            "SET timezone = 'UTC'",
            "SET max_parallel_workers_per_gather = 0",
            "SET jit = off",
            (
                f"CREATE TABLE guards AS SELECT {COLUMNS['postgres']} FROM generate_series(0::bigint, "
                f"{rows - 1}) AS id"
            ),
            "VACUUM ANALYZE guards",
            "CREATE SCHEMA predicat",
            *(row.sql for row in definitions(connection.info.server_version)),
        ):
            connection.execute(statement.encode())

        def count(condition: str) -> int:
            found = connection.execute(f"SELECT count(*) FROM guards WHERE {condition}".encode()).fetchone()
            return int(found[0]) if found else 0

        yield count


@contextmanager
def on_duckdb(rows: int, _folder: Path) -> Iterator[Count]:
    import duckdb

    connection = duckdb.connect(config={"threads": 2})
    connection.execute("SET timezone = 'UTC'")
    connection.execute(f"CREATE TABLE guards AS SELECT {COLUMNS['duckdb']} FROM range(0, {rows}) AS r(id)")
    yield lambda condition: (
        connection.execute(f"SELECT count(*) FROM guards WHERE {condition}").fetchone() or (0,)
    )[0]


ENGINES = {"spark": on_spark, "postgres": on_postgres, "duckdb": on_duckdb}


def measure(engine: str, count: Count, times: int, labels: list[str], *, functions: bool) -> None:
    dialect = backends.dialect(engine)
    for label in labels:
        texts = PAIRS[label]
        node = predicat.parse(texts["sql"], "sql", FIELDS).node
        hand, sql = (
            texts.get(engine, texts["sql"]),
            dialect.render(node, runtime=dialect.runtime if functions else None),
        )
        counts = count(hand), count(sql)
        if counts[0] != counts[1]:
            sys.exit(f"{engine}, {label}: they disagree: {counts}")
        # In turn, so that a slow moment of the machine meets both.
        runs = [[seconds(count, condition) for condition in (hand, sql)] for _ in range(times)]
        one, other = (min(took) for took in zip(*runs, strict=True))
        print(
            (
                f"{engine}, {label}: {other / one:.2f} of the raising one ({one * 1000:.0f} ms, "
                f"{other * 1000:.0f} ms)"
            ),
            flush=True,
        )


def seconds(count: Count, condition: str) -> float:
    start = time.perf_counter()
    count(condition)
    return time.perf_counter() - start


def main(rows: int, engines: list[str], runs: int, labels: list[str], *, functions: bool) -> None:
    for engine in engines:
        with tempfile.TemporaryDirectory() as name, ENGINES[engine](rows, Path(name)) as count:
            measure(engine, count, runs, labels, functions=functions)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=5_000_000)
    parser.add_argument(
        "engines",
        nargs="*",
        metavar="engine",
        default=list(ENGINES),
        help=f"of {', '.join(ENGINES)}; all unless given",
    )
    parser.add_argument("--runs", type=int, default=9, help="runs of each condition; the fastest counts")
    parser.add_argument(
        "--only",
        action="append",
        metavar="LABEL",
        choices=list(PAIRS),
        help="only this condition; may be repeated",
    )
    parser.add_argument(
        "--functions", action="store_true", help="call the functions that the engine can have"
    )
    options = parser.parse_args()
    if unknown := sorted(set(options.engines) - set(ENGINES)):
        parser.error(f"no engine is named {', '.join(unknown)}; there are {', '.join(ENGINES)}")
    main(
        options.rows, options.engines, options.runs, options.only or list(PAIRS), functions=options.functions
    )
