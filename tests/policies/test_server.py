"""Policies on PostgreSQL: tests as the role, and the rows that roles see, compared with the evaluator."""

import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from predicat.catalog import Catalog, load_catalog
from predicat.catalog.policies import Policy, PolicyTest
from predicat.deploy.policy_rows import enforce, on_server
from predicat.deploy.policy_sessions import Session
from predicat.deploy.rows import TABLE, fill_postgres
from predicat.diagnostics.messages.policy_runs import NOTHING_TO_CHANGE
from predicat.ir.nodes import NOW, FieldDecl
from predicat.ir.types import BOOLEAN
from predicat.policies import runs
from predicat.policies.access import SEEN, Rule, allowed
from predicat.policies.bind import MARK, rules_of
from predicat.proof.inputs import over_inputs
from tests.deploy import servers
from tests.policies.shapes import SESSIONS, SHAPES, catalog, rows
from tests.policies.test_access import CASES, FIELDS


def test_the_evaluator_and_the_server_agree(postgres: psycopg.Connection) -> None:
    made = load_catalog(Path(__file__).parent / "notes.yml")
    asked = list(runs.cases(made))
    for results in (runs.on_evaluator(asked), on_server(postgres, made, asked)):
        assert [(one.name, one.problem, one.skipped) for one in results if one.problem or one.skipped] == []
        assert len(results) == len(asked) == 14
    assert postgres.execute("SELECT 1 FROM pg_roles WHERE rolname = 'writer'").fetchall() == []


def test_what_a_server_cannot_run_is_skipped_with_the_reason(postgres: psycopg.Connection) -> None:
    made = load_catalog(Path(__file__).parent / "notes.yml")
    (case, *_) = runs.cases(made)
    tests = [
        PolicyTest("postgres_like", {"org": 3}, {"org": 3}, sees=True, writes=None, command="select"),
        PolicyTest(
            "reader", {"org": 3, "role_of_user": "x"}, {"org": 3}, sees=True, writes=None, command="select"
        ),
        PolicyTest("reader", {"org": 3}, {"org": 3}, sees=None, writes=False, command="update"),
    ]
    asked = [
        runs.Case(case.dataset, case.policy, test, case.rules, {"role_of_user": test.role, **test.attributes})
        for test in tests
    ]
    with postgres.transaction(force_rollback=True):
        postgres.execute("CREATE ROLE postgres_like BYPASSRLS")
        reasons = [result.skipped for result in on_server(postgres, made, asked)]
    words = ["BYPASSRLS", "role_of_user has another value", "no row of the tests"]
    assert all(word in reason for word, reason in zip(words, reasons, strict=True)), reasons


def test_the_rules_of_postgres(postgres: psycopg.Connection) -> None:
    """The cases of test_access, as roles of a server."""
    made = load_catalog(Path(__file__).parent / "notes.yml")
    fields = {name: FieldDecl(name, BOOLEAN) for name in FIELDS}
    dataset = replace(made.datasets["notes"], fields=fields)
    asked = []
    for what, rules, access, _ in CASES:
        named = tuple(replace(rule, name=f"p{number}") for number, rule in enumerate(rules))
        for mask in range(16):
            row = {name: True for at, name in enumerate(FIELDS) if mask & 1 << at}
            may = over_inputs(allowed(rules, ["reader"], access))(row) is True
            sees, writes = (None, may) if access.new else (may, None)
            test = PolicyTest("reader", {}, row, sees, writes, access.command, description=what)
            asked.append(runs.Case(dataset, Policy(what), test, named, {}))
    results = on_server(postgres, made, asked)
    assert [(one.test.description, one.test.row) for one in results if one.problem] == []
    assert {one.skipped for one in results} <= {"", NOTHING_TO_CHANGE}
    assert sum(not one.skipped for one in results) > 250


# --- the rows of roles

Policies = Mapping[str, Mapping[str, Any]]


@contextmanager
def filled(connection: psycopg.Connection, made: Catalog, number: int) -> Iterator[list[dict[str, Any]]]:
    """A table with rows, in a transaction that is rolled back; it yields the rows."""
    with connection.transaction(force_rollback=True):
        ((now,),) = connection.execute("SELECT now()").fetchall()
        given = rows(number, 1, now)
        fill_postgres(connection, list(made.datasets["documents"].fields.values()), given)
        connection.execute(f"CREATE INDEX ON {TABLE} (tenant_id)".encode())
        for role in SESSIONS:
            connection.execute(f"CREATE ROLE {role}".encode())
            connection.execute(f"GRANT SELECT ON {TABLE} TO {role}".encode())
        for row in given:
            row[f":{NOW.name}"] = now
        yield given


def differing(
    connection: psycopg.Connection, made: Catalog, rules: Iterable[Rule], given: list[dict[str, Any]]
) -> list[str]:
    """The roles that see other rows on the server than on the evaluator."""
    rules = list(rules)
    session = Session(connection, made.attributes)
    found = []
    with connection.transaction(force_rollback=True):
        session.create()
        enforce(connection, made, rules)
        for role, attributes in SESSIONS.items():
            accepts = over_inputs(allowed(rules, [role], SEEN))
            values = {f"{MARK}{name}": value for name, value in attributes.items()}
            expected = {row["id"] for row in given if accepts({**row, **values}) is True}
            with connection.transaction(force_rollback=True):
                session.start(role, attributes)
                seen = {
                    number for (number,) in connection.execute(f"SELECT id FROM {TABLE}".encode()).fetchall()
                }
            if seen != expected:
                found.append(f"{role}: {len(seen)} rows, not {len(expected)}")
    return found


def some_policies(seed: int) -> Policies:
    """A few policies of shapes, for some roles, permissive and restrictive."""
    chance = random.Random(seed)
    names = chance.sample(sorted(SHAPES), chance.randint(2, 6))
    return {
        name: {
            "using": name,
            "command": chance.choice(["all", "select"]),
            "roles": chance.choice([["public"], chance.sample(sorted(SESSIONS), 2)]),
            "permissive": chance.random() < 0.6,
        }
        for name in names
    }


def compared(connection: psycopg.Connection, folder: Path, number: int) -> None:
    made = catalog(folder, SHAPES, {name: {"using": name} for name in SHAPES})
    wrong: dict[str, list[str]] = {}
    with filled(connection, made, number) as given:
        for rule in rules_of(made, made.datasets["documents"])[""]:
            wrong[rule.name] = differing(connection, made, [rule], given)
        for seed in range(20):
            several = catalog(folder, SHAPES, some_policies(seed))
            rules = rules_of(several, several.datasets["documents"])[""]
            wrong[str(seed)] = differing(connection, several, rules, given)
    assert {name: roles for name, roles in wrong.items() if roles} == {}


@pytest.mark.slow
@pytest.mark.parametrize("programs", [servers.PROGRAMS, *servers.OTHERS], ids=lambda place: place.parent.name)
def test_roles_see_the_rows_of_the_evaluator(programs: Path, tmp_path: Path) -> None:
    with servers.server(programs) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        compared(connection, tmp_path, 10_000)
