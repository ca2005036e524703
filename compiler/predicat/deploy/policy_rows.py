"""Runs the tests of policies on a PostgreSQL server, as the role: in a transaction that is rolled back, on a
temporary table with the rows of the tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import psycopg
from msgspec import Struct
from psycopg import errors
from sqlglot import exp

from predicat import backends
from predicat.backends.sql.builders import Sql
from predicat.backends.sql.names import quoted
from predicat.backends.sql.postgres import session
from predicat.catalog.model import Catalog
from predicat.catalog.policies import Attribute
from predicat.deploy.rows import TABLE, fill_postgres, postgres_type
from predicat.diagnostics.messages import policy_runs as say
from predicat.ir.nodes import Node, fields_of
from predicat.ir.values import to_value
from predicat.policies.access import PUBLIC, Rule
from predicat.policies.runs import Case, Result
from predicat.rewrite.substitute import at, without_expression

# The rows that tests write, without policies; and the role of `public`, which no policy names.
_NEW, _NOBODY = "predicat_new", "predicat_nobody"
_ENGINE = "postgres"


def on_server(connection: psycopg.Connection, catalog: Catalog, asked: Iterable[Case]) -> list[Result]:
    """Tests on a server. Those that it cannot run are skipped, with the reason."""
    groups: dict[object, list[Case]] = {}
    for case in asked:
        groups.setdefault((case.dataset.name, case.rules, case.test.now), []).append(case)
    return [result for group in groups.values() for result in _Group(connection, catalog, group).results()]


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
        for attribute in self.catalog.attributes.values():
            self.function(attribute)
        for statement in statements(first.rules, self.catalog.attributes, TABLE, first.test.now):
            self.run(statement)
        return [
            self.skipped(case, missing[role])
            if (role := _role(case)) in missing
            else self.result(case, number, columns)
            for number, case in enumerate(self.cases)
        ]

    def run(self, statement: str, *values: Any) -> Any:
        return self.connection.execute(statement.encode(), values or None)

    def roles(self, rules: Iterable[Rule]) -> Iterator[tuple[str, str]]:
        """Create the roles that the server does not have. Those that have no policies are returned, with the
        reason.
        """
        named = {role for rule in rules for role in rule.roles if role != PUBLIC} | set(
            map(_role, self.cases)
        )
        for role in sorted(named):
            query = "SELECT rolsuper OR rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = %s"
            found = self.run(query, role).fetchone()
            if found is None:
                self.run(f"CREATE ROLE {quoted(role, _ENGINE)}")
            elif found[0]:
                yield role, say.passes_by(role)
            self.run(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLE} TO {quoted(role, _ENGINE)}")
            self.run(f"GRANT SELECT ON {_NEW} TO {quoted(role, _ENGINE)}")

    def function(self, attribute: Attribute) -> None:
        """Create the function that an attribute is read from, if the server does not have it."""
        name = function_of(attribute)
        if name is None or self.run("SELECT pg_catalog.to_regproc(%s)", name).fetchone()[0] is not None:
            return
        self.run(f"CREATE SCHEMA IF NOT EXISTS {name.rpartition('.')[0]}")
        self.run(f"GRANT USAGE ON SCHEMA {name.rpartition('.')[0]} TO PUBLIC")
        kind = postgres_type(attribute.type) if not attribute.stored else attribute.stored
        setting = f"NULLIF(pg_catalog.current_setting('{_own(attribute)}', true), '')"
        self.run(
            f"CREATE FUNCTION {name}() RETURNS {kind} STABLE LANGUAGE sql AS $$ SELECT {setting}::{kind} $$"
        )

    def result(self, case: Case, number: int, columns: Sequence[str]) -> Result:
        with self.connection.transaction(force_rollback=True):
            for name, value in settings(self.catalog.attributes.values(), case.session).items():
                self.run("SELECT pg_catalog.set_config(%s, %s, true)", name, value)
            self.run(f"SET LOCAL ROLE {quoted(_role(case), _ENGINE)}")
            if wrong := self.differing(case):
                return self.skipped(case, say.other_session(wrong))
            outcome = self.outcome(case, number, columns)
        return self.skipped(case, say.NOTHING_TO_CHANGE) if outcome is None else case.judged(_ENGINE, outcome)

    def differing(self, case: Case) -> str:
        """An attribute that has another value in this session than in the test, "" if there is none."""
        conditions = [node for rule in case.rules for node in (rule.using, rule.check) if node is not None]
        read_fields = {name for node in conditions for name in fields_of(node)}
        for name, attribute in self.catalog.attributes.items():
            if attribute.decl.name not in read_fields:
                continue
            value = to_value(case.session.get(name), attribute.type)
            kind = attribute.stored or postgres_type(attribute.type)
            read = session.read(attribute.postgres, attribute.decl).sql("postgres").replace("%", "%%")
            (same,) = self.run(f"SELECT ({read}) IS NOT DISTINCT FROM %s::{kind}", _text(value)).fetchone()
            if not same:
                return name
        return ""

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
                changed = self.accepted(f"UPDATE {TABLE} SET ({new}) = ({query})")
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


def _role(case: Case) -> str:
    return _NOBODY if case.test.role == PUBLIC else case.test.role


# --- attributes of the session


def function_of(attribute: Attribute) -> str | None:
    """The function of the database that an attribute is read from."""
    tree = session.read(attribute.postgres, attribute.decl)
    found = tree.find(exp.Dot)
    return (
        None
        if found is None or not isinstance(found.expression, exp.Anonymous)
        else (f"{found.this.sql('postgres')}.{found.expression.this}")
    )


def _own(attribute: Attribute) -> str:
    """The setting that an own function reads."""
    return f"predicat.{attribute.name}"


def settings(attributes: Iterable[Attribute], values: Mapping[str, Any]) -> dict[str, str]:
    """The settings of a session that has values of attributes; those that are missing are not set."""
    found: dict[str, Any] = {}
    for attribute in attributes:
        value = to_value(values.get(attribute.name), attribute.type)
        if value is None:
            continue
        path = _setting(session.parsed(attribute.postgres))
        if path is None:
            found[_own(attribute)] = _text(value)
        elif len(path) == 1:
            found[path[0]] = _text(value)
        else:
            holder = found.setdefault(path[0], {})
            for key in path[1:-1]:
                holder = holder.setdefault(key, {})
            holder[path[-1]] = value if isinstance(value, int) else _text(value)
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in found.items()}


def _setting(tree: Sql) -> list[str] | None:
    """The setting that an expression reads, and the keys of the document in it; None for another source."""
    match tree:
        case exp.Paren() | exp.Cast() | exp.Nullif():
            return _setting(tree.this)
        case exp.JSONExtract() | exp.JSONExtractScalar():
            base = _setting(tree.this)
            return None if base is None else [*base, session.key_of(tree.expression).name]
        case exp.Anonymous() if tree.name.lower() == "current_setting":
            return [tree.expressions[0].find(exp.Literal).name]
        case _:
            return None


def _text(value: Any) -> str | None:
    """A value as PostgreSQL reads it."""
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case list() | tuple():
            return (
                "{"
                + ",".join(json.dumps(_text(item)) if item is not None else "NULL" for item in value)
                + "}"
            )
        case date():
            return value.isoformat()
        case _:
            return str(value)


# --- policies


def statements(
    rules: Iterable[Rule], attributes: Mapping[str, Attribute], table: str, now: Any = None
) -> Iterator[str]:
    """The SQL of the policies of a table."""
    given = {
        attribute.decl.name: exp.Subquery(
            this=exp.Select(expressions=[session.read(attribute.postgres, attribute.decl)])
        )
        for attribute in attributes.values()
    }
    dialect = backends.dialect(_ENGINE)

    def sql(node: Node) -> str:
        return dialect.render(at(node, now), condition=True, given=given)

    yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY"
    for rule in rules:
        roles = ", ".join(role.upper() if role == PUBLIC else quoted(role, _ENGINE) for role in rule.roles)
        kind = "PERMISSIVE" if rule.permissive else "RESTRICTIVE"
        name, command = quoted(rule.name, _ENGINE), rule.command.upper()
        text = f"CREATE POLICY {name} ON {table} AS {kind} FOR {command} TO {roles}"
        text += f" USING ({sql(rule.using)})" if rule.using is not None else ""
        yield text + (f" WITH CHECK ({sql(rule.check)})" if rule.check is not None else "")
