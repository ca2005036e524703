"""Sessions that have the attributes of a test: its settings, and the functions that the server lacks."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from datetime import date
from typing import Any

import psycopg
from msgspec import Struct
from sqlglot import exp

from predicat.backends.sql.builders import Sql
from predicat.backends.sql.names import quoted
from predicat.backends.sql.postgres import session
from predicat.catalog.policies import Attribute
from predicat.deploy.rows import postgres_type
from predicat.ir.values import to_value

_SET = "SELECT pg_catalog.set_config(%s, %s, true)"


class Session(Struct):
    """A session in a transaction that is rolled back."""

    connection: psycopg.Connection
    attributes: Mapping[str, Attribute]

    def create(self) -> None:
        """Create the functions that attributes are read from, as far as the server does not have them."""
        for attribute in self.attributes.values():
            name = _function_of(attribute)
            if name is None or self.one("SELECT pg_catalog.to_regproc(%s)", name) is not None:
                continue
            schema = name.rpartition(".")[0]
            self.run(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            self.run(f"GRANT USAGE ON SCHEMA {schema} TO PUBLIC")
            kind, setting = _column_type(attribute), f"pg_catalog.current_setting('{_own(attribute)}', true)"
            body = f"SELECT NULLIF({setting}, '')::{kind}"
            self.run(f"CREATE FUNCTION {name}() RETURNS {kind} STABLE LANGUAGE sql AS $$ {body} $$")

    def start(self, role: str, values: Mapping[str, Any]) -> None:
        """Become a role with values of attributes. The others are missing."""
        for name, value in settings(self.attributes.values(), values).items():
            self.run(_SET, name, value)
        self.run(f"SET LOCAL ROLE {quoted(role, 'postgres')}")

    def differing(self, values: Mapping[str, Any], fields: Container[str]) -> str:
        """An attribute among these fields that has another value here, "" if there is none."""
        for name, attribute in self.attributes.items():
            if attribute.decl.name in fields:
                read = session.read(attribute.postgres, attribute.decl).sql("postgres").replace("%", "%%")
                value = _text(to_value(values.get(name), attribute.type))
                if not self.one(f"SELECT ({read}) IS NOT DISTINCT FROM %s::{_column_type(attribute)}", value):
                    return name
        return ""

    def run(self, statement: str, *values: Any) -> Any:
        """The cursor of a statement."""
        return self.connection.execute(statement.encode(), values or None)

    def one(self, query: str, *values: Any) -> Any:
        """The value of a query."""
        return self.run(query, *values).fetchone()[0]


def _column_type(attribute: Attribute) -> str:
    return attribute.stored or postgres_type(attribute.type)


def _function_of(attribute: Attribute) -> str | None:
    """The function of the database that an attribute is read from, as SQL."""
    found = session.read(attribute.postgres, attribute.decl).find(exp.Dot)
    if found is None or not isinstance(found.expression, exp.Anonymous):
        return None
    return f"{found.this.sql('postgres')}.{found.expression.this}"


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
