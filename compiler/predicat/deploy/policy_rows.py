"""Runs the tests of policies on a PostgreSQL server, as the role: in a transaction that is rolled back, on a
temporary table with the rows of the tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import psycopg
from msgspec import Struct
from psycopg import errors

from predicat import backends
from predicat.backends.sql.names import quoted
from predicat.catalog.model import Catalog
from predicat.deploy import policies_there as there
from predicat.deploy.policy_sessions import Session
from predicat.deploy.rows import TABLE, fill_postgres
from predicat.diagnostics.messages import policy_runs as say
from predicat.ir.nodes import Node, fields_of
from predicat.policies.access import PUBLIC, Rule
from predicat.policies.runs import Case, Result
from predicat.rewrite.substitute import at, without_expression

# The rows that tests write, without policies.
_NEW = "predicat_new"
_ENGINE = "postgres"


def on_server(connection: psycopg.Connection, catalog: Catalog, asked: Iterable[Case]) -> list[Result]:
    """Tests on a server. Those that it cannot run are skipped, with the reason."""
    groups: dict[object, list[Case]] = {}
    for case in asked:
        groups.setdefault((case.dataset.name, case.rules, case.test.now), []).append(case)
    return [result for group in groups.values() for result in _Group(connection, catalog, group).results()]


def enforce(
    connection: psycopg.Connection, catalog: Catalog, rules: Iterable[Rule], now: datetime | None = None
) -> None:
    """Give the temporary table of rows the policies of a catalog, as `apply` makes them. `now` is the current
    time of their conditions.
    """
    given = there.values(connection, catalog)

    def sql(node: Node | None) -> str:
        return "" if node is None else dialect.render(at(node, now), condition=True, given=given)

    dialect = backends.dialect(_ENGINE)
    for key in ("ENABLE", "FORCE"):
        connection.execute(f"ALTER TABLE {TABLE} {key} ROW LEVEL SECURITY".encode())
    for rule in rules:
        made = there.Rule(rule.command, rule.permissive, rule.roles, sql(rule.using), sql(rule.check))
        connection.execute(made.created(TABLE, rule.name).encode())


class _Group(Struct):
    """Tests of one table that have the same current time."""

    connection: psycopg.Connection
    catalog: Catalog
    cases: Sequence[Case]

    def results(self) -> list[Result]:
        try:
            with self.connection.transaction(force_rollback=True):
                return self.ran()
        except psycopg.Error as error:
            return [self.skipped(case, str(error).partition("\n")[0]) for case in self.cases]

    def ran(self) -> list[Result]:
        first = self.cases[0]
        fields = [without_expression(decl) for decl in first.dataset.fields.values()]
        rows = [{decl.name: case.value(decl) for decl in fields} for case in self.cases]
        fill_postgres(self.connection, fields, rows)
        self.run(f"CREATE TEMPORARY TABLE {_NEW} AS SELECT * FROM {TABLE}")
        columns = [quoted(decl.column(_ENGINE), _ENGINE) for decl in fields]
        missing = dict(self.roles(first.rules))
        session = Session(self.connection, self.catalog.attributes)
        session.create()
        enforce(self.connection, self.catalog, first.rules, first.test.now)
        return [
            self.skipped(case, missing[case.role])
            if case.role in missing
            else self.result(session, case, number, columns)
            for number, case in enumerate(self.cases)
        ]

    def run(self, statement: str, *values: Any) -> Any:
        return self.connection.execute(statement.encode(), values or None)

    def roles(self, rules: Iterable[Rule]) -> Iterator[tuple[str, str]]:
        """Create the roles that the server does not have. Those that have no policies are returned, with the
        reason.
        """
        named = {role for rule in rules for role in rule.roles} - {PUBLIC}
        for role in sorted(named.union(case.role for case in self.cases)):
            query = "SELECT rolsuper OR rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = %s"
            found = self.run(query, role).fetchone()
            if found is None:
                self.run(f"CREATE ROLE {quoted(role, _ENGINE)}")
            elif found[0]:
                yield role, say.passes_by(role)
            self.run(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLE} TO {quoted(role, _ENGINE)}")
            self.run(f"GRANT SELECT ON {_NEW} TO {quoted(role, _ENGINE)}")

    def result(self, session: Session, case: Case, number: int, columns: Sequence[str]) -> Result:
        with self.connection.transaction(force_rollback=True):
            session.start(case.role, case.session)
            if wrong := session.differing(case.session, _read(case)):
                return self.skipped(case, say.other_session(wrong))
            outcome = self.outcome(case, number, columns)
        return self.skipped(case, say.NOTHING_TO_CHANGE) if outcome is None else case.judged(_ENGINE, outcome)

    def outcome(self, case: Case, number: int, columns: Sequence[str]) -> bool | None:
        """Whether the role may; None if it has no row that it could change to another one."""
        match case.access.command, case.access.new:
            case "select", _:
                return bool(self.run(f"SELECT 1 FROM {TABLE} WHERE __id = {number}").fetchall())
            case "delete", _:
                return bool(self.run(f"DELETE FROM {TABLE} WHERE __id = {number}").rowcount)
            case "insert", _:
                return (
                    self.accepted(f"INSERT INTO {TABLE} SELECT * FROM {_NEW} WHERE __id = {number}")
                    is not None
                )
            case _, False:
                return self.accepted(f"UPDATE {TABLE} SET __id = __id WHERE __id = {number}") != 0
            case _:
                new = ", ".join(columns)
                query = f"SELECT {new} FROM {_NEW} WHERE __id = {number}"
                # A WHERE, so that the new row must be one that the role sees.
                changed = self.accepted(f"UPDATE {TABLE} SET ({new}) = ({query}) WHERE __id >= 0")
                return None if changed == 0 else changed is not None

    def accepted(self, statement: str) -> int | None:
        """How many rows a statement writes; None if a policy refuses one."""
        try:
            with self.connection.transaction():
                return int(self.run(statement).rowcount)
        except errors.InsufficientPrivilege:
            return None

    def skipped(self, case: Case, reason: str) -> Result:
        return Result(case.dataset.name, case.policy.name, case.test, _ENGINE, None, skipped=reason)


def _read(case: Case) -> set[str]:
    """The fields that the policies of a test read, attributes among them."""
    conditions = [node for rule in case.rules for node in (rule.using, rule.check) if node is not None]
    return {name for node in conditions for name in fields_of(node)}
