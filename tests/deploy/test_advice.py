"""`predicat advise` proposes what the planner then uses, and leaves the database as it was."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.cli.test_output import KEYS
from tests.deploy.test_connections import dsn_of
from tests.processes import in_process

CATALOG = """\
apiVersion: predicat/v1
dataset: orders
relation: {postgres: advice.orders}
fields: {id: bigint, kind: string, state: string, other: string, body: json}
filters:
  one: {sql: id = 77}
  folded: {sql: lower(kind) = 'k77'}
  member: {cel: body.city == 'c77'}
  either: {sql: id = 77 OR kind = 'K78'}
  part: {sql: state = 'lost' AND other = 'lost'}
  most: {sql: state <> 'lost'}
"""
TABLE = """
CREATE SCHEMA advice;
CREATE TABLE advice.orders AS SELECT i::bigint AS id, 'K' || i % 1000 AS kind,
  CASE WHEN i % 20 = 0 THEN 'lost' ELSE 'open' END AS state,
  CASE WHEN i % 20 = 0 THEN 'lost' ELSE 'open' END AS other,
  jsonb_build_object('city', 'c' || i % 999) AS body
FROM generate_series(1, 3000) AS i;
ANALYZE advice.orders
"""
STATE = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'advice'"


@pytest.fixture
def project(postgres: Any, tmp_path: Path) -> Iterator[tuple[Any, Path]]:
    postgres.execute(TABLE)
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    (tmp_path / "predicat.yml").write_text("catalog: advice\n")
    yield postgres, tmp_path
    postgres.execute("DROP SCHEMA advice CASCADE")


def advise(db: Any, folder: Path, *more: str) -> tuple[int, dict[str, Any]]:
    done = in_process("advise", "--dsn", dsn_of(db), "--format", "json", *more, cwd=folder)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_each_proposal_is_used_once_it_is_made(project: tuple[Any, Path]) -> None:
    db, folder = project
    before = db.execute(STATE).fetchall()
    code, data = advise(db, folder)
    assert (code, set(data), data["queries"]) == (1, KEYS["advise"], 6)
    assert db.execute(STATE).fetchall() == before
    indexes = [one for one in data["proposals"] if one["kind"] == "index"]
    queries = {use["query"] for one in indexes for use in one["queries"]}
    assert {"orders.one", "orders.folded", "orders.member", "orders.either"} <= queries
    assert "orders.most" not in queries
    for use in (use for one in indexes for use in one["queries"]):
        assert use["after"]["cost"] < use["before"]["cost"]
        assert use["after"]["buffers"] <= use["before"]["buffers"]
        assert use["after"]["rows"] == use["before"]["rows"]
    for one in data["proposals"]:
        for statement in one["sql"]:
            db.execute(statement)
    assert in_process("apply", "--dsn", dsn_of(db), cwd=folder).returncode == 0
    for name in queries:
        plan = db.execute(f"EXPLAIN SELECT * FROM advice.{name.replace('.', '__')}").fetchall()
        assert "Seq Scan" not in str(plan), name
    _, again = advise(db, folder)
    assert [one for one in again["proposals"] if one["kind"] == "index"] == []


def test_estimates_of_columns_that_depend_on_each_other(project: tuple[Any, Path]) -> None:
    db, folder = project
    (folder / "catalog" / "orders.yml").write_text(
        CATALOG.partition("  one:")[0] + "  part: {sql: state = 'lost' AND other = 'lost'}\n"
    )
    _, data = advise(db, folder)
    (proposal,) = [one for one in data["proposals"] if one["kind"] == "statistics"]
    assert proposal["sql"][0].startswith('CREATE STATISTICS "advice"."orders_part_stat" ON "state", "other"')
    assert db.execute("SELECT count(*) FROM pg_statistic_ext").fetchone() == (0,)


def test_indexes_that_help_nobody(project: tuple[Any, Path]) -> None:
    db, folder = project
    db.execute(
        "CREATE INDEX narrow ON advice.orders (other); CREATE INDEX wide ON advice.orders (other, body)"
    )
    db.execute(
        "CREATE INDEX idle ON advice.orders ((length(other))); CREATE UNIQUE INDEX kept ON advice.orders (id)"
    )
    _, data = advise(db, folder, "--plan-only", "--rows", "1000")
    told = {(one["code"], one["message"].split(" (")[0].rpartition(" ")[2]) for one in data["warnings"]}
    assert {("redundant-index", "advice.narrow"), ("unused-index", "advice.idle")} <= told
    assert not any("advice.kept" in one["message"] for one in data["warnings"])
    assert all(use["before"]["buffers"] is None for one in data["proposals"] for use in one["queries"])


def test_a_workload_is_served_and_writes_nothing(project: tuple[Any, Path]) -> None:
    db, folder = project
    (folder / "queries.sql").write_text(
        "SELECT o.id FROM advice.orders o WHERE o.kind = 'K5' ORDER BY 1;\n"
        "DELETE FROM advice.orders WHERE id = 5; SELECT nextval('advice.numbers');\n"
    )
    db.execute("CREATE SEQUENCE advice.numbers")
    _, data = advise(db, folder, "--workload", "queries.sql")
    found = {use["query"]: one["sql"] for one in data["proposals"] for use in one["queries"]}
    assert found["queries.sql:1"] == ['CREATE INDEX CONCURRENTLY ON "advice"."orders" ("kind")']
    assert found["queries.sql:2"] == ['CREATE INDEX CONCURRENTLY ON "advice"."orders" ("id")']
    assert any("queries.sql:3" in one["message"] for one in data["warnings"])
    assert db.execute("SELECT count(*), min(id) FROM advice.orders").fetchone() == (3000, 1)
    assert db.execute("SELECT is_called FROM advice.numbers").fetchone() == (False,)


def test_an_index_for_a_policy(project: tuple[Any, Path]) -> None:
    db, folder = project
    policies = """
  of_tenant: {sql: "kind = :tenant", params: {tenant: string}}
attributes:
  tenant: {type: string, postgres: "current_setting('app.tenant')"}
policies:
  tenant_rows: {command: select, roles: [public], using: of_tenant}
"""
    head = CATALOG.partition("  one:")[0]
    (folder / "catalog" / "orders.yml").write_text(f"{head}  most: {{sql: state <> 'lost'}}{policies}")
    code, data = advise(db, folder)
    assert (code, data["queries"]) == (1, 2)
    (proposal,) = [one for one in data["proposals"] if one["kind"] == "index"]
    assert proposal["sql"] == ['CREATE INDEX CONCURRENTLY ON "advice"."orders" ("kind")']
    assert [use["query"] for use in proposal["queries"]] == ["policy orders.tenant_rows"]
    done = in_process("lint", "--select", "P306", "--dsn", dsn_of(db), "--format", "json", cwd=folder)
    assert [(one["code"], one["line"]) for one in json.loads(done.stdout)] == [("P306", 11)]
    for statement in proposal["sql"]:
        db.execute(statement)
    _, again = advise(db, folder)
    assert [one for one in again["proposals"] if one["kind"] == "index"] == []


def test_nothing_to_judge_fails(project: tuple[Any, Path]) -> None:
    db, folder = project
    file = folder / "catalog" / "orders.yml"
    file.write_text(CATALOG.replace("postgres: advice.orders", "spark: orders"))
    done = in_process("advise", "--dsn", dsn_of(db), cwd=folder)
    assert done.returncode == 2 and "nothing was judged" in done.stderr
    done = in_process("lint", "--select", "P306", "--dsn", dsn_of(db), cwd=folder)
    assert done.returncode == 2 and "nothing was judged" in done.stderr


def test_lint_finds_the_same(project: tuple[Any, Path]) -> None:
    db, folder = project
    db.execute(
        "CREATE INDEX narrow ON advice.orders (other); CREATE INDEX wide ON advice.orders (other, state)"
    )
    db.execute("CREATE INDEX idle ON advice.orders ((length(other)))")
    asked = ("lint", *(f"--select=P3{code}" for code in ("06", "07", "08", "09", "10")), "--format", "json")
    assert in_process(*asked, cwd=folder).returncode == 0
    done = in_process(*asked, "--dsn", dsn_of(db), cwd=folder)
    assert done.stdout, done.stderr
    found = {(one["code"], one["name"]) for one in json.loads(done.stdout)}
    assert done.returncode == 1
    assert {("P306", "orders.one"), ("P306", "orders.member"), ("P309", "advice.narrow")} <= found
    assert ("P310", "advice.idle") in found
    (line,) = {one["line"] for one in json.loads(done.stdout) if one["name"] == "orders.one"}
    assert line == 6


def test_writers_of_a_locked_table_wait_once(project: tuple[Any, Path]) -> None:
    db, folder = project
    with psycopg.connect(dsn_of(db)) as writer:
        writer.execute("DELETE FROM advice.orders WHERE id = 1")
        started = time.monotonic()
        code, data = advise(db, folder, "--lock-timeout", "0.1")
        assert time.monotonic() - started < 5
        writer.rollback()
    assert (code, data["proposals"], data["tried"]) == (1, [], 1)
    (told,) = (one for one in data["warnings"] if one["code"] == "engine")
    assert "holds a lock for too long" in told["message"]
