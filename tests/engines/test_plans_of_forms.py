"""Conditions on columns with types of their own are planned as those that people write."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

import predicat
from predicat import backends

ROWS = 20_000
# A row that occurs once, by the hash of 700.
UUID = "e5841df2-166d-d424-a571-27423d276bbe"
FIELDS = {
    "id": "uuid",
    "st": "enum(new, paid, lost)",
    "t": "timestamp_ntz",
    "c": "char(3)",
    "m": "citext",
    "ip": "inet",
    "net": "cidr",
    "tm": "time",
    "n": "name",
    "b": "binary",
}


class Written(NamedTuple):
    """A condition, and what a person writes on each engine."""

    text: str
    postgres: str
    duckdb: str
    spark: str


HASH = UUID.replace("-", "")
DAY = "t >= TIMESTAMP '2026-01-05 00:00:00' AND t < TIMESTAMP '2026-01-06 00:00:00'"
NTZ = DAY.replace("TIMESTAMP '", "TIMESTAMP_NTZ '")
CONDITIONS = [
    Written(*[f"id = '{UUID}'"] * 2, f"id = '{UUID}'::UUID", f"id = '{UUID}'"),
    Written(*[f"id IN ('{UUID}', '{UUID[:-1]}f')"] * 4),
    Written(*["id < '80000000-0000-0000-0000-000000000000'"] * 4),
    Written(*["st = 'paid'"] * 4),
    Written(*["st IN ('paid', 'lost')"] * 4),
    Written(*["st <> 'new'"] * 4),
    Written(*[DAY] * 3, NTZ),
    Written(*["c = '07'"] * 2, "rtrim(c, ' ') = '07'", "rtrim(c) = '07'"),
    Written("m = 'USER7@x'", "m = 'USER7@x'", "lower(m) = 'user7@x'", "lower(m) = 'user7@x'"),
    Written(*["ip = '10.0.7.7'"] * 4),
    Written(*["net = '10.7.0.0/16'"] * 4),
    Written(*["tm >= '08:00:00'"] * 2, "tm >= '08:00:00'::TIME", "tm >= '08:00:00'"),
    Written(*["n = 'n7'"] * 4),
    Written(f"b = '{HASH}'", f"b = '\\x{HASH}'", f"b = unhex('{HASH}')", f"b = X'{HASH}'"),
    Written("st IS NULL AND id IS NOT NULL", *["st IS NULL AND id IS NOT NULL"] * 3),
]
_POSTGRES = f"""
CREATE EXTENSION IF NOT EXISTS citext;
CREATE TYPE plan_state AS ENUM ('new', 'paid', 'lost');
CREATE TABLE plans_of_forms AS SELECT md5(i::text)::uuid AS id,
  CASE WHEN i % 50 = 0 THEN NULL WHEN i % 10 < 7 THEN 'new' WHEN i % 10 < 9 THEN 'paid' ELSE 'lost'
    END::plan_state AS st,
  TIMESTAMP '2026-01-01' + i * INTERVAL '1 minute' AS t, lpad((i % 50)::text, 2, '0')::char(3) AS c,
  ('User' || i % 1000 || '@X')::citext AS m, ('10.0.' || i % 200 || '.' || i % 250)::inet AS ip,
  ('10.' || i % 200 || '.0.0/16')::cidr AS net, TIME '00:00' + i * INTERVAL '1 minute' AS tm,
  ('n' || i % 100)::name AS n, decode(md5((i % 500)::text), 'hex') AS b
FROM generate_series(1, {ROWS}) AS i;
ANALYZE plans_of_forms;
"""
_DUCKDB = f"""
SELECT md5(i::text)::uuid AS id,
  (CASE WHEN i % 50 = 0 THEN NULL WHEN i % 10 < 7 THEN 'new' WHEN i % 10 < 9 THEN 'paid' ELSE 'lost' END)
    ::ENUM('new', 'paid', 'lost') AS st,
  TIMESTAMP '2026-01-01' + i * INTERVAL '1 minute' AS t, lpad((i % 50)::text, 2, '0') AS c,
  'User' || i % 1000 || '@X' AS m, '10.0.' || i % 200 || '.' || i % 250 AS ip,
  '10.' || i % 200 || '.0.0/16' AS net, make_time(i // 60 % 24, i % 60, 0) AS tm, 'n' || i % 100 AS n,
  unhex(md5((i % 500)::text)) AS b
FROM range(1, {ROWS + 1}) AS r (i)
"""


def ours(engine: str, text: str) -> str:
    node = predicat.parse(text, "sql", FIELDS).node
    return backends.dialect(engine).render(node, condition=True)


@pytest.fixture
def table(postgres: Any) -> Iterator[Any]:
    postgres.execute(_POSTGRES.encode())
    yield postgres
    postgres.execute(b"DROP TABLE plans_of_forms; DROP TYPE plan_state")


def test_estimates_of_postgres_are_those_by_hand(table: Any) -> None:
    def estimated(condition: str) -> float:
        query = f"EXPLAIN (FORMAT JSON) SELECT * FROM plans_of_forms WHERE {condition}"
        return float(table.execute(query.encode()).fetchone()[0][0]["Plan"]["Plan Rows"])

    for one in CONDITIONS:
        mine, theirs = estimated(ours("postgres", one.text)), estimated(one.postgres)
        assert theirs / 2 <= mine <= theirs * 2, (ours("postgres", one.text), mine, theirs)


def test_duckdb_filters_in_the_scan_as_by_hand(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({_DUCKDB}) TO '{tmp_path}/rows.parquet'")
        connection.execute(f"CREATE TABLE t AS {_DUCKDB}")

        def scanned(relation: str, condition: str) -> tuple[list[str], bool]:
            """The filters of the scan, and whether others are above it."""
            query = f"EXPLAIN (FORMAT JSON) SELECT count(*) FROM {relation} WHERE {condition}"
            plan = str(connection.execute(query).fetchall()[0][1])
            inside = re.findall(r'"Filters": (\[[^\]]*\]|"[^"]*")', plan)
            return [re.sub(r"\s+", "", part) for part in inside], '"FILTER' in plan

        for one in CONDITIONS:
            for relation in ("t", f"'{tmp_path}/rows.parquet'"):
                mine, theirs = scanned(relation, ours("duckdb", one.text)), scanned(relation, one.duckdb)
                is_pushed = len(mine[0]) == 1 and not mine[1]
                assert is_pushed or one.text.startswith(("c ", "m ", "id IN", "st")), (one, mine)
                assert mine == theirs, (relation, ours("duckdb", one.text), mine, theirs)
                count = f"SELECT count(*) FROM {relation} WHERE "
                found = [
                    connection.execute(count + sql).fetchall()
                    for sql in (ours("duckdb", one.text), one.duckdb)
                ]
                assert found[0] == found[1], one


def test_spark_pushes_filters_as_by_hand(spark: Any, tmp_path: Path) -> None:
    texts = _DUCKDB.replace("::uuid AS id", "::uuid::VARCHAR AS id").replace(
        "::ENUM('new', 'paid', 'lost')", ""
    )
    texts = texts.replace(
        "make_time(i // 60 % 24, i % 60, 0) AS tm", "make_time(i // 60 % 24, i % 60, 0)::VARCHAR AS tm"
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({texts}) TO '{tmp_path}/rows.parquet'")
    spark.read.parquet(f"{tmp_path}/rows.parquet").createOrReplaceTempView("plans_of_forms")

    def pushed(condition: str) -> list[str]:
        frame = spark.sql(f"SELECT * FROM plans_of_forms WHERE {condition}")
        plan = re.sub(r"#\d+L?|@[0-9a-f]+", "", str(frame._jdf.queryExecution().executedPlan().toString()))
        return re.findall(r"PushedFilters: \[.*?\]", plan)

    for one in CONDITIONS:
        mine, theirs = pushed(ours("spark", one.text)), pushed(one.spark)
        assert mine == theirs, (ours("spark", one.text), mine, theirs)
        if not one.text.startswith(("c ", "m ")):
            assert mine != ["PushedFilters: []"], one
