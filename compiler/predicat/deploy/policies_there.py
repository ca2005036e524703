"""Row policies as a database has them, and as the catalog wants them, with the SQL that makes them."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import psycopg
from msgspec import Struct

from predicat import backends
from predicat.backends.sql.builders import Sql
from predicat.backends.sql.postgres import session
from predicat.catalog.model import Catalog, Dataset
from predicat.catalog.policies import PUBLIC, Policy
from predicat.catalog.policy_conditions import condition
from predicat.deploy import failures, marks
from predicat.deploy.dependents import literal, quoted
from predicat.deploy.inventory import OWN_ROLES
from predicat.deploy.names import InSchema
from predicat.deploy.relations import Relation
from predicat.diagnostics import PredicatError, Span

_MARK = re.compile(r"^(?:predicat: [^\n]*\n)?\[predicat-policy/1 ([^\]\n]*)\]", re.MULTILINE)
# The commands of pg_policy.
_COMMANDS = {"*": "all", "r": "select", "a": "insert", "w": "update", "d": "delete"}
# What predicat turned on, in marks.
ENABLED, FORCED = "enabled", "forced"
# The version of PostgreSQL that can test whether a text is a document.
_TESTS_INPUT = 160_000


class Rule(Struct, frozen=True):
    """What a policy says, in SQL: "" for no condition."""

    command: str
    permissive: bool
    roles: tuple[str, ...]
    using: str
    check: str

    def changed(self, table: str, name: str) -> str:
        """The statement that gives a policy that is there these roles and conditions."""
        return f"ALTER POLICY {quoted(name)} ON {table} TO {self._roles}{self._conditions}"

    def created(self, table: str, name: str) -> str:
        """The statement that creates the policy."""
        kind = "PERMISSIVE" if self.permissive else "RESTRICTIVE"
        head = f"CREATE POLICY {quoted(name)} ON {table} AS {kind} FOR {self.command.upper()}"
        return f"{head} TO {self._roles}{self._conditions}"

    @property
    def _roles(self) -> str:
        return ", ".join("PUBLIC" if role == PUBLIC else quoted(role) for role in self.roles)

    @property
    def _conditions(self) -> str:
        using = f" USING ({self.using})" if self.using else ""
        return using + (f" WITH CHECK ({self.check})" if self.check else "")

    def can_become(self, other: "Rule") -> bool:
        """Whether ALTER POLICY can make the other one of it."""
        kept = (self.command, self.permissive) == (other.command, other.permissive)
        return kept and not (self.using and not other.using) and not (self.check and not other.check)


class Wanted(Struct, frozen=True):
    """A policy of the catalog for a table. `identity` is `dataset.policy`, `note` says what it is."""

    table: Relation
    name: str
    identity: str
    rule: Rule
    note: str
    span: Span

    @property
    def hash(self) -> str:
        """A hash of what it is made of."""
        return definition(self.rule)


class Table(InSchema, frozen=True):
    """A table: its kind as in pg_class, and its row-level security."""

    oid: int
    kind: str
    owner: str
    enabled: bool
    forced: bool


class Present(Struct, frozen=True):
    """A policy that is there. `trusted`: its table belongs to a role of this user."""

    table: Table
    name: str
    rule: Rule
    comment: str
    trusted: bool

    @property
    def shown(self) -> str:
        """The name in messages."""
        return f"{self.name} on {self.table.shown}"

    @property
    def dropped(self) -> str:
        """The statement that drops it."""
        return f"DROP POLICY {quoted(self.name)} ON {self.table.sql}"

    @property
    def mark(self) -> Mapping[str, str]:
        """The parts of its mark; none without one."""
        found = _MARK.search(self.comment)
        parts = (part.partition("=") for part in found[1].split(" ")) if found is not None else ()
        return {key: value for key, _, value in parts}


_TABLE = (
    "c.oid::bigint, n.nspname::text, c.relname::text, c.relkind::text, pg_get_userbyid(c.relowner)::text, "
    "c.relrowsecurity, c.relforcerowsecurity"
)
_TABLES = f"""SELECT {_TABLE} FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = ANY (%s::bigint[]::oid[])"""
_POLICIES = f"""
SELECT p.polname::text, p.polcmd::text, p.polpermissive,
  ARRAY(SELECT CASE r WHEN 0 THEN '{PUBLIC}' ELSE pg_get_userbyid(r)::text END FROM unnest(p.polroles) r
    ORDER BY 1), COALESCE(pg_get_expr(p.polqual, p.polrelid), ''),
  COALESCE(pg_get_expr(p.polwithcheck, p.polrelid), ''), COALESCE(obj_description(p.oid, 'pg_policy'), ''),
  c.oid = ANY (%(asked)s::bigint[]::oid[]) OR c.relowner IN ({OWN_ROLES}), {_TABLE}
FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = ANY (%(tables)s::bigint[]::oid[])
  OR strpos(COALESCE(obj_description(p.oid, 'pg_policy'), ''), %(mark)s::text) > 0
ORDER BY n.nspname, c.relname, p.polname
"""


def prefix(catalog: str) -> str:
    """The beginning of the mark in the comments of the policies of a catalog."""
    return f"[predicat-policy/1 catalog={catalog} "


def read(
    connection: psycopg.Connection, catalog: str, tables: Collection[int], asked: Collection[int] = ()
) -> list[Present]:
    """The policies of these tables, and those with the mark of the catalog. Marks count on the tables that
    the catalog asks for, whoever owns them.
    """
    arguments = {"tables": list(tables), "mark": prefix(catalog), "asked": list(asked)}
    return [_present(*row) for row in connection.execute(_POLICIES.encode(), arguments).fetchall()]


def tables(connection: psycopg.Connection, oids: Collection[int]) -> dict[int, Table]:
    """Tables by OID."""
    rows = connection.execute(_TABLES.encode(), (list(oids),)).fetchall()
    return {row[0]: _table(*row) for row in rows}


def _table(oid: int, schema: str, name: str, kind: str, owner: str, enabled: bool, forced: bool) -> Table:
    return Table(schema, name, oid, kind, owner, enabled, forced)


def _present(
    name: str,
    command: str,
    permissive: bool,
    roles: Sequence[str],
    using: str,
    check: str,
    comment: str,
    trusted: bool,
    *table: Any,
) -> Present:
    rule = Rule(_COMMANDS[command], permissive, tuple(sorted(roles)), using, check)
    return Present(_table(*table), name, rule, comment, trusted)


def stored(connection: psycopg.Connection, wanted: Wanted) -> Rule:
    """What the server makes of a policy. Nothing stays, and the table is not locked for its readers.

    Raises PredicatError for a policy that the server does not take.
    """
    copy = "pg_temp.predicat_row"
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(f"CREATE TEMPORARY TABLE predicat_row (LIKE {wanted.table.sql})".encode())
            connection.execute(wanted.rule.created(copy, wanted.name).encode())
            oid = connection.execute(b"SELECT 'pg_temp.predicat_row'::regclass::oid::bigint").fetchall()[0][0]
            (found,) = read(connection, "", [oid])
            return found.rule
    except psycopg.Error as error:
        shown = f"policy {wanted.name} on {wanted.table.schema}.{wanted.table.name}"
        raise PredicatError.of(failures.diagnostic(error, connection.info.user, shown)) from None


def values(connection: psycopg.Connection, catalog: Catalog) -> dict[str, Sql]:
    """The SQL of the attributes of a catalog on this server, by the names of their fields."""
    newer = connection.info.server_version >= _TESTS_INPUT
    return {
        row.decl.name: session.read(row.postgres, row.decl, checks_json=newer)
        for row in catalog.attributes.values()
    }


def wanted(
    catalog: Catalog, dataset: Dataset, policy: Policy, table: Relation, given: Mapping[str, Sql]
) -> Wanted:
    """A policy of the catalog in SQL. Raises Unsupported for a filter that PostgreSQL cannot express."""

    def sql(used: Any) -> str:
        if used is None:
            return ""
        node = condition(catalog, dataset, used)
        return backends.dialect("postgres").render(node, condition=True, storage=table.storage, given=given)

    named = " and ".join(dict.fromkeys(used.filter for used in policy.filters))
    note = ". ".join(part.rstrip(".") for part in (policy.description, f"Filter {named}") if part) + "."
    rule = Rule(
        policy.command, policy.permissive, tuple(sorted(policy.roles)), sql(policy.using), sql(policy.check)
    )
    return Wanted(table, policy.name, f"{dataset.name}.{policy.name}", rule, note, policy.span)


def comment(
    connection: psycopg.Connection, catalog: str, row: Wanted, before: str, made: Rule, turned: Sequence[str]
) -> str:
    """The comment of a policy: text of others stays. `turned` is what predicat turned on for its table."""
    parts = {"policy": row.identity, "hash": row.hash, "definition": definition(made)}
    parts |= {"server": str(connection.info.server_version // 10_000)}
    parts |= dict.fromkeys(turned, "true")
    text = " ".join(f"{key}={value}" for key, value in parts.items())
    return marks.placed(before, row.note, f"{prefix(catalog)}{text}]", _MARK)


def commented(connection: psycopg.Connection, table: str, name: str, text: str) -> str:
    """The statement that sets the comment of a policy."""
    return f"COMMENT ON POLICY {quoted(name)} ON {table} IS {literal(connection, text) if text else 'NULL'}"


def definition(rule: Rule) -> str:
    """A fingerprint of what the server stores."""
    return marks.digest(rule.command, rule.permissive, *rule.roles, rule.using, rule.check)
