"""What it costs to read JSON in a text: a key of a document by the engine's own functions, which raise errors
or take what is no JSON, and by filters.

`python benchmarks/json_texts.py [--rows 100000] [--skip-spark]`. Documents of three sizes; best of five
rounds, in turn.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

import predicat
from predicat.backends import dialect
from predicat.backends.sql.postgres import installed
from predicat.deploy.server import connect

BODY = "get_json_object(s, '$.a.b') = 'x'"
OWN = {
    "postgres": "(s::jsonb -> 'a' ->> 'b') = 'x'",
    "duckdb": "json_extract_string(s, '$.a.b') = 'x'",
    "spark": "try_variant_get(try_parse_json(s), '$.a.b', 'string') = 'x'",
}
Count = Callable[[str], object]


def documents() -> dict[str, str]:
    item = {"sku": "s1", "count": 3, "day": "2026-02-01"}
    return {
        "100 bytes": json.dumps({"a": {"b": "other"}, "items": [item]}),
        "3 kB": json.dumps({"a": {"b": "other"}, "note": "some words " * 200, "items": [item] * 20}),
        "18 kB": json.dumps({"a": {"b": "other"}, "items": [item] * 350}),
    }


def conditions(engine: str) -> dict[str, str]:
    """The ways to write the condition."""
    node = predicat.parse(BODY, "sql", {"s": "string"}).node
    row = dialect(engine)
    found = {"the engine's own": OWN[engine], "without functions": row.render(node, condition=True)}
    if row.runtime is not None:
        found["with functions"] = row.render(node, condition=True, runtime=row.runtime)
    return found


def measure(engine: str, size: str, rows: int, count: Count) -> None:
    ways = conditions(engine)
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(5):
        for way, condition in ways.items():
            start = time.perf_counter()
            count(condition)
            best[way] = min(best[way], time.perf_counter() - start)
    own = best["the engine's own"]
    for way, seconds in best.items():
        print(f"{engine:10}{size:10}{way:20}{seconds / rows * 1e6:10.2f} µs{seconds / own:8.1f}")


def on_postgres(rows: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="predicat-json-"))
    folder.chmod(0o755)
    with connect(None, folder / "data") as connection:
        connection.execute("CREATE SCHEMA predicat")
        for row in installed.definitions(connection.info.server_version):
            connection.execute(row.sql)
        connection.execute("SET max_parallel_workers_per_gather = 0")
        for size, text in documents().items():
            some = rows * 100 // len(text)
            connection.execute("DROP TABLE IF EXISTS given")
            connection.execute(
                "CREATE TABLE given AS SELECT replace(%s, 'other', i::text) AS s "
                f"FROM generate_series(1, {some}) AS i",
                [text],
            )
            measure(
                "postgres",
                size,
                some,
                lambda where: connection.execute(f"SELECT count(*) FROM given WHERE {where}"),
            )


def on_duckdb(rows: int) -> None:
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    for size, text in documents().items():
        some = rows * 100 // len(text)
        connection.execute(
            "CREATE OR REPLACE TABLE given AS SELECT replace(?, 'other', i::text) AS s "
            f"FROM range({some}) AS r(i)",
            [text],
        )
        measure(
            "duckdb",
            size,
            some,
            lambda where: connection.execute(f"SELECT count(*) FROM given WHERE {where}").fetchall(),
        )


def on_spark(rows: int) -> None:
    import predicat_spark

    manifest = Path(tempfile.mkdtemp()) / "manifest.json"
    predicat_spark.compile_manifest(Path(__file__).parent.parent / "catalog", manifest)
    config = {"spark.master": "local[1]", "spark.ui.enabled": "false"}
    session = predicat_spark.session(manifest=manifest, config=config)
    for size, text in documents().items():
        some = rows * 100 // len(text)
        frame = session.range(some).selectExpr(f"replace('{text}', 'other', CAST(id AS STRING)) AS s").cache()
        frame.count()
        frame.createOrReplaceTempView("given")
        measure(
            "spark",
            size,
            some,
            lambda where: session.sql(f"SELECT count(*) FROM given WHERE {where}").collect(),
        )
        frame.unpersist()
    session.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows", type=int, default=100_000, help="rows of 100 bytes; fewer of larger documents"
    )
    parser.add_argument("--skip-spark", action="store_true")
    given = parser.parse_args()
    on_postgres(given.rows)
    on_duckdb(given.rows)
    if not given.skip_spark:
        on_spark(given.rows)


if __name__ == "__main__":
    main()
