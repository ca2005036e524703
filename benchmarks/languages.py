"""Times front ends, the evaluator and the guards of generated SQL: `python benchmarks/languages.py [rows]`.

Filters a second that each front end parses (text or data to an untyped tree) on one core, rows a second of the evaluator,
and, on Spark, the time of generated SQL, which never raises, as a ratio to the raising SQL that a person writes, on the same
Parquet rows, where both give the same rows.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import predicat
from predicat.diagnostics import Source, Span
from predicat.frontends import LANGUAGES, Body
from predicat.frontends.pulsar import proto

EXPR = 'tp: PREDICATE predicate { ref: PROPERTY name: "a" op: IN values: "x" values: "y" }'
BODIES: dict[str, Any] = {
    "sql": "a > 5 AND s = 'x'", "cel": 'a > 5 && s == "x"', "pip": {"property": "a", "op": "IN", "values": ["x", "y"]}, "pulsar": EXPR,
    "attributes": {"type": "a", "source": "b"}, "cloudevents": {"all": [{"exact": {"type": "a"}}, {"prefix": {"source": "b"}}]},
    "cesql": "type = 'a' AND source LIKE 'b%'", "headers": {"and": [{"headerEquals": {"a": "x"}}, {"headerIn": {"b": ["y", "z"]}}]},
    "sns": {"a": ["x", {"prefix": "y"}], "b": [{"numeric": [">", 5]}]}, "pubsub": 'attributes.a = "x" AND NOT attributes:b', "rabbitmq": "a.*.#",
    "labels": "a in (x, y), !b, c != z", "jms": "a > 5 AND s = 'x'", "kafka": {"type": "TopicNameMatches", "pattern": "a.*"},
}  # fmt: skip
FIELDS = {"a": "bigint", "d": "double", "s": "string"}
PAIRS = {
    "comparison": ("a > 900 AND s = 'x7'", "a > 900 AND s = 'x7'"),
    "OR of equalities": ("a = 1 OR a = 2 OR a = 3", "a = 1 OR a = 2 OR a = 3"),
    "integer sum": ("a + b > 900", "a + b > 900"),
    "integer product": ("a * b > 900", "a * b > 900"),
    "integer division": ("a / b = 3", "a DIV b = 3"),
    "double comparison": ("d > 0.5", "d > 0.5"),
    "double sum": ("d + d > 0.5", "d + d > 0.5"),
    "text to integer": ("CAST(n AS bigint) > 500", "CAST(n AS BIGINT) > 500"),
    "text to timestamp": ("CAST(t AS timestamp) > '2020-01-01 00:00:00'", "CAST(t AS TIMESTAMP) > TIMESTAMP '2020-01-01 00:00:00Z'"),
    "text to date": ("CAST(left(t, 10) AS date) > '2020-01-01'", "CAST(left(t, 10) AS DATE) > DATE '2020-01-01'"),
    "text to double": ("CAST(n AS double) > 0.5", "CAST(n AS DOUBLE) > 0.5"),
    "prefix": ("s LIKE 'x1%'", "s LIKE 'x1%'"),
    "regular expression": ("s RLIKE '^x[1-3]+$'", "s RLIKE '^x[1-3]+$'"),
    "hour": ("hour(moment) = 3", "hour(moment) = 3"),
    "remainder": ("a % b = 3", "a % b = 3"),
    "absolute": ("abs(a - b) > 500", "abs(a - b) > 500"),
    "double quotient": ("d / b > 0.1", "d / b > 0.1"),
    "substring": ("substring(s, 2, 1) = '7'", "substring(s, 2, 1) = '7'"),
    "lower case": ("lower(s) = 'x7'", "lower(s) = 'x7'"),
    "concatenation": ("s || n = 'x77'", "s || n = 'x77'"),
    "ILIKE": ("s ILIKE 'x1%'", "s ILIKE 'x1%'"),
    "contains": ("s LIKE '%7%'", "s LIKE '%7%'"),
    "pattern": ("s LIKE 'x_7'", "s LIKE 'x_7'"),
    "integer to text": ("CAST(a AS string) = '7'", "CAST(a AS STRING) = '7'"),
    "double to integer": ("CAST(d * 100 AS bigint) = 7", "CAST(d * 100 AS BIGINT) = 7"),
    "day": ("CAST(moment AS date) = '2020-01-01'", "CAST(moment AS DATE) = DATE '2020-01-01'"),
    "interval": ("moment + INTERVAL '1' DAY > '2020-01-01 00:00:00'", "moment + INTERVAL '1' DAY > TIMESTAMP '2020-01-01 00:00:00Z'"),
    "element": ("e[1] = 7", "e[1] = 7"),
    "key of a map": ("m['k'] = 'x7'", "m['k'] = 'x7'"),
    "exists": ("exists(e, x -> x > 900)", "exists(e, x -> x > 900)"),
}  # fmt: skip


def rate(seconds: float, run: Callable[[], object]) -> float:
    """Runs a second, of at least so many seconds."""
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for _ in range(50):
            run()
        count += 50
    return count / (time.perf_counter() - start)


def best(times: int, run: Callable[[], object]) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def main(rows: int) -> None:
    gc.disable()
    for name, body in BODIES.items():
        source = Source(name, body if isinstance(body, str) else "")
        given = Body(body, source, Span(source, 0, len(source.text)))
        print(f"{name}: {rate(0.5, lambda read=LANGUAGES[name].read, given=given: read(given)):,.0f} filters a second")
    from google.protobuf import text_format

    message = proto.messages()["Expr"]
    data = text_format.Parse(EXPR, message()).SerializeToString()
    print(f"protobuf message alone: {rate(0.5, lambda: message.FromString(data)):,.0f} a second")
    source = Source("pulsar", "")
    given = Body(data, source, Span(source, 0, 0))
    print(f"pulsar from bytes: {rate(0.5, lambda: LANGUAGES['pulsar'].read(given)):,.0f} filters a second")
    function = predicat.parse('a > 5 && s == "x"', "cel", FIELDS)
    row = {"a": 7, "s": "x"}
    print(f"evaluator: {rate(0.5, lambda: function.evaluate(row)):,.0f} rows a second")
    gc.enable()
    spark_ratios(rows)


def spark_ratios(rows: int) -> None:
    import predicat_spark

    predicat_spark.ensure_java()
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "4g").config(
        "spark.ui.showConsoleProgress", "false").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    declared = {"a": "bigint", "b": "bigint", "d": "double", "s": "string", "n": "string", "t": "string", "moment": "timestamp",
                "e": "array<bigint>", "m": "map<string, string>"}  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        place = str(Path(name) / "data")
        spark.range(0, rows, 1, 2).selectExpr(
            "id % 1000 AS a", "1 + id % 7 AS b", "(id % 1000) / 1000.0D AS d", "concat('x', id % 100) AS s", "CAST(id % 1000 AS STRING) AS n",
            "concat('20', 10 + id % 20, '-01-02T03:04:05Z') AS t", "timestamp_seconds(1500000000 + id) AS moment",
            "array(id % 10, id % 1000) AS e", "map('k', concat('x', id % 100)) AS m").write.parquet(place)  # fmt: skip
        table = spark.read.parquet(place)
        for label, (ours, hand) in PAIRS.items():
            sql = predicat.parse(ours, "sql", declared).sql("spark")
            counts = [table.where(condition).count() for condition in (hand, sql)]
            if counts[0] != counts[1]:
                sys.exit(f"{label}: they disagree: {counts}")
            # In turn, so that a slow moment of the machine meets both.
            runs = [[best(1, lambda condition=condition: table.where(condition).count()) for condition in (hand, sql)] for _ in range(9)]
            taken = [min(times) for times in zip(*runs, strict=True)]
            print(f"{label}: {taken[1] / taken[0]:.2f} of the raising one ({taken[0]:.2f} s, {taken[1]:.2f} s)")
        spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
