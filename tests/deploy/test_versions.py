"""Views of one version of PostgreSQL in another: nothing changes, and changes by hand are still found."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from benchmarks import indexes
from predicat.deploy import definitions, deployment
from predicat.deploy.plan import Action, Rules
from predicat.diagnostics import PredicatError
from tests.deploy import servers

CONDITIONS = [condition for group in indexes.GROUPS for condition in group["conditions"]]
EDITS = {
    "records__f00": ("n = 5", "n = 6"),
    "records__f06": ("n", "(n + 0)"),
    "records__f15": ("AND", "OR"),
}


def order_of(connection: psycopg.Connection) -> str:
    """The order of strings of a database: in one with another order, views have other SQL."""
    query = b"SELECT datlocprovider::text, datcollate FROM pg_database WHERE datname = current_database()"
    ((provider, collation),) = connection.execute(query).fetchall()
    return "ICU" if provider == "i" else {"C": "C", "en_US.UTF-8": "en_US"}.get(collation, "C.UTF-8")


@pytest.fixture(scope="module")
def restored(postgres: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """The views of an older server, dumped and restored into the server of the tests."""
    if not servers.OTHERS or str(postgres.info.server_version // 10000) in str(servers.OTHERS[0]):
        pytest.skip("no PostgreSQL of another version in /usr/lib/postgresql")
    with (
        servers.server(servers.OTHERS[0], order_of(postgres)) as dsn,
        psycopg.connect(dsn, autocommit=True) as older,
    ):
        older.execute(indexes.TABLE.format(rows=10).encode())
        deployment.apply(indexes.catalog(CONDITIONS), older, "upgraded")
        dump = servers.program("pg_dump", older)
    postgres.execute("CREATE DATABASE upgraded")
    info = postgres.info
    there = psycopg.conninfo.make_conninfo(info.dsn, dbname="upgraded", password=info.password)
    with psycopg.connect(there, autocommit=True) as connection:
        servers.program("psql", connection, "-q", "-v", "ON_ERROR_STOP=1", text=dump)
        yield connection
    postgres.execute("DROP DATABASE upgraded WITH (FORCE)")


def test_no_view_changes_with_the_version_of_the_server(restored: psycopg.Connection) -> None:
    catalog = indexes.catalog(CONDITIONS)
    plan = deployment.plan(catalog, restored, "upgraded")
    assert len(plan.renewed) + len(plan.changes) == len(CONDITIONS)
    # Functions that a server before 16 does not have make shorter SQL.
    assert all(step.view and " predicat." in step.view.query for step in plan.changes)
    assert len(plan.changes) <= len(CONDITIONS) // 50
    for name, (part, edited) in EDITS.items():
        text = _text(restored, name)
        head, where, condition = text.partition("WHERE")
        assert part in condition
        restored.execute(
            f"CREATE OR REPLACE VIEW public.{name} AS {head}{where}{condition.replace(part, edited)}".encode()
        )
    with pytest.raises(PredicatError) as caught:
        deployment.plan(catalog, restored, "upgraded")
    assert [item.message.split()[0] for item in caught.value.diagnostics] == [
        f"public.{name}" for name in EDITS
    ]
    done = deployment.apply(catalog, restored, "upgraded", rules=Rules(force=True))
    assert {step.shown for step in done.changes} >= {f"public.{name}" for name in EDITS}
    again = deployment.plan(catalog, restored, "upgraded")
    assert {step.action for step in again.steps} == {Action.KEEP} and again.renewed == []


def _text(connection: psycopg.Connection, name: str) -> str:
    row: Any = connection.execute("SELECT pg_get_viewdef(%s::regclass)", (f"public.{name}",)).fetchone()
    return str(row[0])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("SELECT t.a FROM s.t WHERE (t.a > 1)", "SELECT a\n FROM s.t\n WHERE (a > 1)", True),
        ("SELECT t.a FROM s.t WHERE (t.a = 't.a')", "SELECT a FROM s.t WHERE (a = 'a')", False),
        ('SELECT "t".a FROM s."t"', 'SELECT a FROM s."t"', True),
        ('SELECT "x t.a" FROM s.t', 'SELECT "x a" FROM s.t', False),
        ("SELECT a FROM s.t", "SELECT a FROM r.t", False),
        ("SELECT a FROM s.t WHERE t.f(a)", "SELECT a FROM s.t WHERE x.f(a)", False),
        ("SELECT a FROM s.t WHERE x.a", "SELECT a FROM s.t WHERE a", False),
    ],
)
def test_what_makes_no_difference_between_texts(one: str, other: str, same: bool) -> None:
    assert (definitions.fingerprint(one) == definitions.fingerprint(other)) is same
