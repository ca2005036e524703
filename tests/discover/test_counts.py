"""`predicat discover --engine`: rows of conditions on a real PostgreSQL server, and on files with DuckDB."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from predicat.diagnostics import PredicatError
from predicat.discover import counts, engines
from predicat.discover.read import folder
from tests.processes import in_process

SQL = """
select 1 from shop.orders where status = 'open' and amount > 3;
select 1 from shop.orders where status = 'gone';
select 1 from shop.orders where Status <> 'open';
select 1 from shop.orders where colour = 'red';
select 1 from shop.nowhere where a = 1;
select 1 from shop.orders where place = 'here';
select 1 from shop.orders where amount > :least;
"""
ROWS = "VALUES ('open', 5, '{}'), ('open', 1, '{}'), ('shut', NULL, '{}'), (NULL, 9, '{}')"
# All rows, TRUE and UNKNOWN of the first three conditions, by hand.
WANTED = [(4, 1, 1), (4, 0, 1), (4, 1, 1)]


@pytest.fixture
def sql(tmp_path: Path) -> Path:
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "a.sql").write_text(SQL)
    return tmp_path


@pytest.fixture
def dsn(postgres: Any) -> Iterator[str]:
    postgres.execute(
        f"""
        CREATE SCHEMA shop;
        CREATE TABLE shop.orders (status text, amount int, place point);
        INSERT INTO shop.orders SELECT status, amount, NULL FROM ({ROWS}) AS rows (status, amount, place);
        CREATE VIEW shop.slow AS SELECT status FROM shop.orders, pg_sleep(10);
        """
    )
    info = postgres.info
    yield f"host={info.host} port={info.port} dbname={info.dbname} user={info.user}"
    postgres.execute("DROP SCHEMA shop CASCADE")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    import duckdb

    (tmp_path / "data" / "visits").mkdir(parents=True)
    rows = f'(SELECT * FROM ({ROWS}) AS rows (status, amount, "Place"))'
    duckdb.sql(f"COPY {rows} TO '{tmp_path}/data/orders.parquet'")
    duckdb.sql(f"COPY {rows} TO '{tmp_path}/data/visits/part-0.parquet'")
    duckdb.sql(f"COPY {rows} TO '{tmp_path}/data/visits/part-1.parquet'")
    (tmp_path / "data" / "users.csv").write_text("name,age\nann,7\nbob,\n")
    return tmp_path / "data"


def counted(place: Path | str, sql: Path, seconds: float = 30) -> list[counts.Count]:
    found = folder.read([sql / "sql"], "postgres").conditions
    with engines.engine(str(place), seconds) as opened:
        return counts.counts(found, opened)


def test_rows_on_a_server(dsn: str, sql: Path) -> None:
    found = counted(dsn, sql)
    assert [(row.total, row.true, row.unknown) for row in found[:3]] == WANTED
    assert {row.relation for row in found[:3]} == {"shop.orders"}
    assert [row.reason for row in found[3:]] == [
        "the relation has no column colour",
        "the engine has no relation shop.nowhere",
        "the type of column place is not supported: point",
        "it has parameters",
    ]


def test_a_slow_relation_is_given_up(dsn: str, sql: Path) -> None:
    (sql / "sql" / "a.sql").write_text(
        "select 1 from shop.slow where status = 'open'; select 1 from shop.orders where amount > 3;"
    )
    slow, quick = counted(dsn, sql, 0.3)
    assert "timeout" in slow.reason
    assert (quick.total, quick.true, quick.unknown) == (4, 2, 1)


def test_times_without_a_zone_are_times_of_utc(dsn: str, postgres: Any, sql: Path) -> None:
    postgres.execute(
        """
        CREATE TABLE shop."Visits" (id int, placed timestamp(3), "Zoned" timestamptz);
        INSERT INTO shop."Visits" VALUES (1, '2026-02-01', '2026-02-01 00:00:00Z'),
          (2, '2026-01-31 23:59:59.999', '2026-01-31 23:59:59Z'), (3, NULL, 'infinity'),
          (4, 'infinity', NULL);
        """
    )
    (sql / "sql" / "a.sql").write_text(
        "select 1 from shop.visits where placed >= '2026-02-01' and id < 9;"
        "select 1 from shop.visits where \"Zoned\" < timestamp '2026-02-01';"
        "select 1 from shop.visits where date_trunc('month', placed) = timestamp '2026-01-01';"
    )
    found = counted(dsn, sql)
    assert [row.reason for row in found] == [""] * 3
    assert [(row.total, row.true, row.unknown) for row in found] == [(4, 2, 1), (4, 1, 1), (4, 1, 1)]


def test_a_server_is_only_read(dsn: str) -> None:
    with engines.engine(dsn) as opened, pytest.raises(PredicatError, match="read-only"):
        opened.numbers(("shop", "orders"), ["lo_creat(-1)"])


def test_rows_of_files(data: Path, sql: Path) -> None:
    found = counted(data, sql)
    assert [(row.total, row.true, row.unknown) for row in found[:3]] == WANTED
    assert found[3].reason == "the relation has no column colour"
    assert (found[5].total, found[5].true) == (4, 0)  # `place` is `Place` there
    (sql / "sql" / "a.sql").write_text(
        "select 1 from visits where amount > 3; select 1 from users where age < 9 and name like '%a%';"
    )
    visits, users = counted(data, sql)
    assert (visits.total, visits.true, visits.unknown) == (8, 4, 2)
    assert (users.total, users.true, users.unknown) == (2, 1, 0)


def test_files_that_are_none(data: Path, sql: Path) -> None:
    (data / "orders.parquet").write_text("no parquet")
    found = counted(data, sql)
    assert "orders.parquet" in found[0].reason and found[0].total == 0


def test_a_long_query_on_files_is_interrupted(data: Path) -> None:
    with (
        engines.engine(str(data), 0.2) as opened,
        pytest.raises(PredicatError, match=r"more than 0\.2 seconds"),
    ):
        opened.numbers(("visits",), ["(SELECT count(*) FROM range(100000000) a, range(100000000) b)"])


def test_names_of_several_relations() -> None:
    known = [("a", "t"), ("b", "t"), ("a", "u"), ("T2",)]
    assert counts.relation_named("b.t", known) == ("b", "t")
    assert counts.relation_named("db.A.U", known) == ("a", "u")
    assert counts.relation_named("t2", known) == ("T2",)
    assert counts.relation_named("t", known) == "t may be a.t, b.t"
    assert counts.relation_named("c.u", known) == "the engine has no relation c.u"


def test_the_command_shows_rows(data: Path, sql: Path) -> None:
    (sql / "sql" / "b.sql").write_text("select 1 from orders where status = 'a' and status = 'b';\n")
    args = ("discover", "sql", "--dialect", "postgres", "--engine", "data")
    done = in_process(*args, cwd=sql)
    assert done.returncode == 0, done.stderr
    assert "  = rows: TRUE for 0 of 4 rows of orders, UNKNOWN for 1" in done.stdout
    assert "sql/a.sql:3: it accepts none of the 4 rows of orders; it is UNKNOWN for 1" in done.stdout
    assert "sql/b.sql:1: it accepts" not in done.stdout  # its finding says so
    assert "counted          5  in 1 relation; 3 accept no row" in done.stdout
    assert "not counted      3" in done.stdout
    read = json.loads(in_process(*args, "--format", "json", cwd=sql).stdout)
    assert read["conditions"][0]["rows"] == {"relation": "orders", "total": 4, "true": 1, "unknown": 1}
    assert read["conditions"][3]["rows"] == {"reason": "the relation has no column colour"}
    assert read["findings"][-1]["rows"]["true"] == 0
    page = in_process(*args, "--format", "html", cwd=sql).stdout
    assert '">TRUE for 1 of 4 rows of orders, UNKNOWN for 1</td>' in page
    assert "Not counted: the relation has no column colour" in page


def test_an_engine_that_is_not_there(sql: Path) -> None:
    done = in_process("discover", "sql", "--engine", "nowhere", cwd=sql)
    assert done.returncode == 2 and "neither a folder nor a DSN" in done.stderr
    done = in_process("discover", "sql", "--engine", "host=/nowhere dbname=x", cwd=sql)
    assert done.returncode != 0 and "Traceback" not in done.stderr
