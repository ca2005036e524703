"""The tables of long lists, which views read.

A table has the values of one list, and its name contains their hash: changed values get a new table, to which
the views switch in their own transactions. Tables that no view uses any more are dropped. All readers of a
view may read the tables of its lists, because views run with the privileges of their readers.

The comment of a table has a checksum of its rows, which shows changes by hand.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import psycopg
from msgspec import Struct, field

from predicat.backends.sql.postgres.value_lists import array_text
from predicat.deploy import dependents
from predicat.deploy.inventory import AT_PLACES, TRUSTED
from predicat.deploy.names import InSchema, qualified
from predicat.deploy.views import View
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import deploy as say
from predicat.ir.types import DecimalType, Type
from predicat.ir.value_sets import ValueSet

Place = tuple[str, str]


class ListTable(InSchema, frozen=True):
    """A table of a list, and the views that read it."""

    kind: Type
    listed: ValueSet
    readers: tuple[Place, ...]


class ListPlan(Struct):
    """What is to be done about tables of lists. `restore` are those whose rows were changed by hand, `grants`
    are roles, as SQL, that are to read a table.
    """

    catalog: str = ""
    wanted: Mapping[Place, ListTable] = field(default_factory=dict[Place, ListTable])
    create: Sequence[ListTable] = ()
    restore: Sequence[ListTable] = ()
    grants: Mapping[Place, Sequence[str]] = field(default_factory=dict[Place, Sequence[str]])
    drop: Sequence[Place] = ()

    @property
    def changes(self) -> bool:
        """Whether there is something to do."""
        return bool(self.create or self.restore or self.drop or any(self.grants.values()))

    def lines(self) -> Iterator[str]:
        """The changes, one per line."""
        for table in self.create:
            yield f"fill {table.shown}: {table.listed.count:,} values of the list {table.listed.name}"
        for table in self.restore:
            yield f"restore {table.shown}: its rows were changed by hand"
        for place, roles in self.grants.items():
            if roles:
                yield f"grant {'.'.join(place)}: to {', '.join(roles)}"
        for place in self.drop:
            yield f"drop {'.'.join(place)}: no view uses it"


def tables_of(views: Iterable[View]) -> dict[Place, ListTable]:
    """The tables of the lists of some views."""
    tables: dict[Place, tuple[Type, ValueSet, list[Place]]] = {}
    for view in views:
        for kind, listed in view.lists:
            assert listed.table is not None  # noqa: S101  # views look into tables
            tables.setdefault(listed.table, (kind, listed, []))[2].append(view.place)
    return {place: ListTable(*place, kind, listed, tuple(of)) for place, (kind, listed, of) in tables.items()}


_MARK = "[predicat-list/1 catalog="
# In the comment of a table.
_CHECKSUM = re.compile(r"^\[predicat-list/1 .* rows=(\S+)\]$", re.MULTILINE)
_OF_ROWS = (
    "SELECT count(*) || '-' || COALESCE(sum(('x' || left(md5(value::text), 15))::bit(60)::bigint), 0) FROM "
)
_THERE = f"""
WITH trusted AS ({TRUSTED})
SELECT n.nspname, c.relname, c.relkind = 'r' AND c.relowner IN (SELECT oid FROM trusted),
  COALESCE(d.description, ''), has_table_privilege(c.oid, 'SELECT')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = 0
WHERE {AT_PLACES}
OR c.relkind = 'r' AND strpos(d.description, %(mark)s::text) > 0
"""
_READERS = f"""
WITH asked AS (SELECT c.oid, c.relowner, c.relacl
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE {AT_PLACES}),
own AS (SELECT c.relowner, c.relacl FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = %(schema)s AND c.relname = %(name)s),
readers (role) AS (
  SELECT x.grantee FROM asked, aclexplode(asked.relacl) x WHERE x.privilege_type = 'SELECT'
  UNION SELECT x.grantee FROM asked JOIN pg_attribute a ON a.attrelid = asked.oid, aclexplode(a.attacl) x
    WHERE x.privilege_type = 'SELECT'
  UNION SELECT relowner FROM asked)
SELECT CASE role WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(role)) END FROM readers
WHERE role NOT IN (SELECT relowner FROM own) AND role NOT IN (
  SELECT x.grantee FROM own, aclexplode(own.relacl) x WHERE x.privilege_type = 'SELECT')
AND (EXISTS (SELECT FROM own) OR role <> (SELECT oid FROM pg_roles WHERE rolname = current_user)) ORDER BY 1
"""
_USED = """
SELECT count(*) FROM pg_depend d JOIN pg_class c ON c.oid = d.refobjid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE d.refclassid = 'pg_class'::regclass AND d.deptype = 'n' AND n.nspname = %s AND c.relname = %s
"""


def plan(
    connection: psycopg.Connection,
    catalog: str,
    views: Iterable[View],
    relations: Collection[int],
    schemas: Collection[str],
    *,
    force: bool = False,
) -> ListPlan:
    """What the tables of the lists of some views need. Raises PredicatError for an object of others at the
    place of a table, and, without `force`, for rows that were changed by hand.
    """
    wanted = tables_of(views)
    arguments = {
        "schemas": [place[0] for place in wanted],
        "names": [place[1] for place in wanted],
        "mark": f"{_MARK}{catalog} ",
        "relations": list(relations),
    }
    there: dict[Place, str] = {}
    edited: list[ListTable] = []
    for schema, name, ours, comment, is_read in connection.execute(_THERE.encode(), arguments).fetchall():
        place = str(schema), str(name)
        digest = wanted[place].listed.digest if place in wanted else ""
        if not ours or _MARK not in comment or digest not in comment:
            if place in wanted:
                raise PredicatError.of(say.not_a_list(".".join(place), bool(ours)))
            continue
        there[place] = str(comment)
        if place in wanted and is_read and _is_edited(connection, wanted[place], str(comment)):
            edited.append(wanted[place])
    if edited and not force:
        raise PredicatError([say.list_edited(table.shown, table.listed.name) for table in edited])
    create = [table for place, table in wanted.items() if place not in there]
    gone = [
        place
        for place, comment in there.items()
        if place not in wanted and f"{_MARK}{catalog} " in comment and place[0] in schemas
    ]
    grants = {place: missing(connection, table) for place, table in wanted.items()}
    return ListPlan(catalog, wanted, create, edited, grants, gone)


def _is_edited(connection: psycopg.Connection, table: ListTable, comment: str) -> bool:
    """Whether the rows differ from those that predicat wrote."""
    known = _CHECKSUM.search(comment)
    if known is None:
        return False
    return bool(connection.execute(f"{_OF_ROWS}{table.sql}".encode()).fetchall()[0][0] != known[1])


def missing(connection: psycopg.Connection, table: ListTable) -> list[str]:
    """The roles, as SQL, that may read a view of a table but not yet the table."""
    arguments = {
        "schemas": [place[0] for place in table.readers],
        "names": [place[1] for place in table.readers],
        "schema": table.schema,
        "name": table.name,
    }
    return [str(role) for (role,) in connection.execute(_READERS.encode(), arguments).fetchall()]


def fill(connection: psycopg.Connection, plan: ListPlan) -> Iterator[tuple[str, str]]:
    """The statements that create and fill tables, each with the name of its table."""
    restored = {table.place for table in plan.restore}
    for table in (*plan.create, *plan.restore):
        kind = str(table.kind).upper() if isinstance(table.kind, DecimalType) else _TYPES[str(table.kind)]
        values = dependents.literal(connection, array_text(table.listed))
        if table.place in restored:
            yield table.shown, f"DELETE FROM {table.sql}"
        else:
            yield table.shown, f"CREATE TABLE {table.sql} (value {kind} PRIMARY KEY)"
        yield table.shown, f"INSERT INTO {table.sql} (value) SELECT unnest({values}::{kind}[])"
        yield table.shown, f"ANALYZE {table.sql}"
        yield table.shown, _comment(connection, plan.catalog, table)


def _comment(connection: psycopg.Connection, catalog: str, table: ListTable) -> str:
    """The statement that writes the comment, with the checksum of the rows: the server takes no expression
    for a comment.
    """
    note = f"The values of the list {table.listed.name}.\n{_MARK}{catalog} digest={table.listed.digest} rows="
    statement = f"COMMENT ON TABLE {table.sql.replace('%', '%%')} IS %L"
    template, text = (dependents.literal(connection, part) for part in (statement, note))
    body = f"BEGIN EXECUTE format({template}, {text} || ({_OF_ROWS}{table.sql}) || ']'); END"
    return f"DO {dependents.literal(connection, body)}"


def grants(plan: ListPlan, roles: Mapping[Place, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """The statements that let roles read tables."""
    for place, names in roles.items():
        for name in names:
            yield plan.wanted[place].shown, f"GRANT SELECT ON {plan.wanted[place].sql} TO {name}"


def is_used(connection: psycopg.Connection, place: Place) -> bool:
    """Whether any view, also a foreign one, still reads a table."""
    return bool(connection.execute(_USED.encode(), place).fetchall()[0][0])


def drop(place: Place) -> str:
    """The statement that drops a table."""
    return f"DROP TABLE {qualified(*place)}"


_TYPES = {"string": "TEXT", "bigint": "BIGINT", "date": "DATE", "timestamp": "TIMESTAMPTZ"}
