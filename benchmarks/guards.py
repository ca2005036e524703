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
_YEAR_2020 = "TIMESTAMP '2020-01-01 00:00:00Z'"
_ZONED = "TIMESTAMPTZ '2020-01-01 00:00:00Z'"
PAIRS: dict[str, tuple[str, dict[str, str]]] = {
    "comparison": ("a > 900 AND s = 'x7'", {}),
    "OR of equalities": ("a = 1 OR a = 2 OR a = 3", {}),
    "integer sum": ("a + b > 900", {}),
    "integer product": ("a * b > 900", {}),
    "integer quotient": (
        "div(a, b) = 3",
        {"spark": "a DIV b = 3", "postgres": "a / b = 3", "duckdb": "a // b = 3"},
    ),
    "remainder": ("a % b = 3", {}),
    "absolute": ("abs(a - b) > 500", {}),
    "sum of three": ("a + b + a > 900", {}),
    "difference, product, quotient": (
        "div((a - b) * 100, b) > 900",
        {
            "spark": "(a - b) * 100 DIV b > 900",
            "postgres": "(a - b) * 100 / b > 900",
            "duckdb": "(a - b) * 100 // b > 900",
        },
    ),
    "double comparison": ("d > 0.5", {}),
    "double sum": ("d + d > 0.5", {}),
    "double product": ("d * d > 0.5", {}),
    "double quotient": ("d / b > 0.1", {}),
    "double sum and product": ("(d + 1) * d > 0.5", {}),
    "prefix": ("s LIKE 'x1%'", {}),
    "contains": ("s LIKE '%7%'", {}),
    "pattern": ("s LIKE 'x_7'", {}),
    "ILIKE": ("s ILIKE 'x1%'", {}),
    "regular expression": (
        "s RLIKE '^x[1-3]+$'",
        {"postgres": "s ~ '^x[1-3]+$'", "duckdb": "regexp_matches(s, '^x[1-3]+$')"},
    ),
    "repeated group, rounds told apart": (
        r"t RLIKE '^(\d+[-:T])+\d+Z$'",
        {
            "spark": r"t RLIKE r'^(\d+[-:T])+\d+Z$'",
            "postgres": r"t ~ '^(\d+[-:T])+\d+Z$'",
            "duckdb": r"regexp_matches(t, '^(\d+[-:T])+\d+Z$')",
        },
    ),
    "repeated group, rounds not told apart": (
        r"t RLIKE '^(\w+[-:]?)*$'",
        {
            "spark": r"t RLIKE r'^(\w+[-:]?)*$'",
            "postgres": r"t ~ '^(\w+[-:]?)*$'",
            "duckdb": r"regexp_matches(t, '^(\w+[-:]?)*$')",
        },
    ),
    "lower case": ("lower(s) = 'x7'", {}),
    "concatenation": ("s || n = 'x77'", {}),
    "substring": ("substring(s, 2, 1) = '7'", {}),
    "integer to text": ("CAST(a AS string) = '7'", {"postgres": "CAST(a AS TEXT) = '7'"}),
    "double to integer": (
        "CAST(floor(d * 100) AS bigint) = 7",
        {"postgres": "CAST(trunc(d * 100) AS BIGINT) = 7", "duckdb": "CAST(trunc(d * 100) AS BIGINT) = 7"},
    ),
    "hour": ("hour(moment) = 3", {"postgres": "extract(hour FROM moment) = 3"}),
    "year": ("year(moment) = 2020", {"postgres": "extract(year FROM moment) = 2020"}),
    "day": (
        "CAST(moment AS date) = '2020-01-01'",
        dict.fromkeys(COLUMNS, "CAST(moment AS DATE) = DATE '2020-01-01'"),
    ),
    "interval": (
        "moment + INTERVAL '1' DAY > '2020-01-01 00:00:00'",
        {
            "spark": f"moment + INTERVAL '1' DAY > {_YEAR_2020}",
            **dict.fromkeys(("postgres", "duckdb"), f"moment + INTERVAL '1 day' > {_ZONED}"),
        },
    ),
    "difference of timestamps": (
        "moment - other > INTERVAL '1' DAY",
        dict.fromkeys(("postgres", "duckdb"), "moment - other > INTERVAL '24:00:00'"),
    ),
    "days between dates": ("datediff(x, y) > 3", dict.fromkeys(("postgres", "duckdb"), "x - y > 3")),
    "days added": ("date_add(x, 3) > y", dict.fromkeys(("postgres", "duckdb"), "x + 3 > y")),
    "element": ("element_at(e, 2) = 7", dict.fromkeys(("postgres", "duckdb"), "e[2] = 7")),
    "key of a map": ("m['k'] = 'x7'", {"postgres": "m ->> 'k' = 'x7'"}),
    "exists": (
        "exists(e, x -> x > 900)",
        {
            "postgres": "EXISTS (SELECT 1 FROM unnest(e) AS i WHERE i > 900)",
            "duckdb": "list_bool_or([i > 900 FOR i IN e])",
        },
    ),
    "text to integer": ("CAST(n AS bigint) > 500", {}),
    "text to double": ("CAST(f AS double) > 0.5", {"postgres": "CAST(f AS DOUBLE PRECISION) > 0.5"}),
    "text to date": (
        "CAST(left(t, 10) AS date) > '2020-01-01'",
        dict.fromkeys(COLUMNS, "CAST(left(t, 10) AS DATE) > DATE '2020-01-01'"),
    ),
    "text to timestamp": (
        "CAST(t AS timestamp) > '2020-01-01 00:00:00'",
        {
            "spark": f"CAST(t AS TIMESTAMP) > {_YEAR_2020}",
            **dict.fromkeys(("postgres", "duckdb"), f"CAST(t AS TIMESTAMPTZ) > {_ZONED}"),
        },
    ),
}

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
        ours, by_hand = PAIRS[label]
        node = predicat.parse(ours, "sql", FIELDS).node
        hand, sql = (
            by_hand.get(engine, ours),
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
