"""Checks that the relations of a catalog exist in PostgreSQL, with columns that fit the declared fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp

from predicat.backends.column_types import Composites
from predicat.backends.sql import expressions
from predicat.backends.sql.storage import NOTHING_KNOWN, Storage
from predicat.catalog.model import Catalog
from predicat.deploy import failures, storage
from predicat.deploy.columns import expressions_of, problems
from predicat.deploy.names import qualified
from predicat.deploy.sessions import guard, outermost
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import expressions as say_expressions
from predicat.ir.nodes import FieldDecl

if TYPE_CHECKING:
    import psycopg


class Column(Struct, frozen=True):
    """A column: its type as text, and the OIDs of its type and collation."""

    name: str
    kind: str
    identity: str


class Relation(Struct, frozen=True):
    """A table or view with its columns, by the search path of the session; None if there is none."""

    oid: int
    schema: str
    name: str
    columns: tuple[Column, ...]
    storage: Storage = NOTHING_KNOWN
    past_policies: tuple[str, str] | None = None
    """A view below it that reads a table with the rights of the view's owner, past the row-level security of
    the table, and that table.
    """

    @property
    def sql(self) -> str:
        """Its name in SQL, with its schema."""
        return qualified(self.schema, self.name)


# The type of a column, or what its domain is made of, with a collation for which texts of other
# characters may be equal.
_KIND = """
CASE t.typtype WHEN 'd' THEN format_type(t.typbasetype, t.typtypmod)
  WHEN 'e' THEN (SELECT 'enum(' || string_agg(quote_literal(e.enumlabel), ', '
    ORDER BY e.enumsortorder) || ')' FROM pg_enum e WHERE e.enumtypid = t.oid)
  ELSE COALESCE((SELECT 'enum(' || string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder)
    || ')[]' FROM pg_enum e WHERE e.enumtypid = t.typelem), format_type(a.atttypid, a.atttypmod)) END ||
COALESCE((SELECT ' COLLATE ' || quote_ident(k.collname) FROM pg_collation k WHERE k.oid = a.attcollation
  AND NOT k.collisdeterministic), '')
"""
# What the type of a column is to PostgreSQL.
IDENTITY = "concat_ws(' ', a.atttypid, a.atttypmod, a.attcollation)"
_RELATIONS = f"""
SELECT c.oid::bigint, n.nspname, c.relname, a.attname, {_KIND}, {IDENTITY}
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
WHERE c.oid = ANY (%s::bigint[]::oid[]) ORDER BY c.oid, a.attnum
"""
_COMPOSITES = f"""
SELECT format_type(c.reltype, NULL), a.attname, {_KIND}
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_class c ON c.oid = a.attrelid
  AND c.reltype <> 0
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema') AND a.attnum > 0
  AND NOT a.attisdropped
"""
_TABLES = (
    "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', "
    "'information_schema')"
)


# Relations, and all that the queries of views read below them.
BELOW = """
WITH RECURSIVE below (root, view, oid) AS (
  SELECT c.oid, c.oid, c.oid FROM pg_class c WHERE c.oid = ANY (%s::bigint[]::oid[])
  UNION
  SELECT b.root, b.oid, d.refobjid FROM below b JOIN pg_rewrite r ON r.ev_class = b.oid
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
      AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> b.oid
  WHERE r.rulename = '_RETURN' AND (SELECT relkind FROM pg_class WHERE oid = b.oid) = 'v'
)"""
# The views below relations that read a table with row-level security as their owner.
#
# Only the view that names the table counts: PostgreSQL checks a table as the owner of this view, or as the
# reader if the view has security_invoker, however many views are above it.
_PAST_POLICIES = f"""{BELOW}
SELECT b.root::bigint, b.view::regclass::text, b.oid::regclass::text
FROM below b JOIN pg_class t ON t.oid = b.oid JOIN pg_class v ON v.oid = b.view
WHERE t.relrowsecurity AND v.relkind = 'v' AND NOT COALESCE((SELECT option_value::boolean
  FROM pg_options_to_table(v.reloptions) WHERE option_name = 'security_invoker'), FALSE)
ORDER BY 1, 2, 3
"""


def check_relations(catalog: Catalog, connection: psycopg.Connection) -> dict[str, Relation]:
    """The relation of each dataset that names one, found as the session finds tables.

    Raises PredicatError with every relation and column that is missing or of another type, and for an
    encoding that is not UTF-8.
    """
    reporter = Reporter()
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise PredicatError.of(
            say.encoding(str(encoding))
        )  # the driver does not decode the names of such a database
    named = {
        dataset.name: dataset.relation["postgres"]
        for dataset in catalog.datasets.values()
        if "postgres" in dataset.relation and dataset.filters
    }
    outermost(connection)
    with failures.errors_reported(connection), connection.transaction():
        relations, composites, known = _read(connection, named)
    for name, relation in named.items():
        dataset = catalog.datasets[name]
        if name not in relations:
            reporter.add(say.relation_missing(dataset.place("relation"), "PostgreSQL", relation, name, known))
            continue
        columns = {column.name: column.kind for column in relations[name].columns}
        read = [decl for row in dataset.filters.values() for decl in row.current.predicate.fields.values()]
        there = partial(describe, connection, relations[name].sql)
        types, wrong = expressions_of("postgres", dict.fromkeys(read), there, dataset.places)
        columns |= types
        found = problems("postgres", relation, columns, dataset.filters.values(), composites, dataset.places)
        reporter.extend([*wrong, *found])
    reporter.raise_errors()
    return relations


def columns_of(
    connection: psycopg.Connection, relation: str, fields: Iterable[FieldDecl] = ()
) -> tuple[dict[str, str], Composites]:
    """The types of the columns of a relation (none if it is not there) and of the expressions of fields, and
    the composite types of the database. Raises PredicatError for expressions that it cannot read.
    """
    outermost(connection)
    with failures.errors_reported(connection), connection.transaction():
        found = find(connection, relation)
        columns = {column.name: column.kind for column in found.columns} if found else {}
        known = composites(connection) if found else {}
    if found is not None:
        types, wrong = expressions_of("postgres", fields, partial(describe, connection, found.sql))
        if wrong:
            raise PredicatError(wrong)
        columns |= types
    return columns, known


_VOLATILE = """
SELECT p.proname FROM pg_proc p WHERE p.proname = ANY (%s) AND p.provolatile = 'v'
  AND NOT EXISTS (SELECT 1 FROM pg_proc o WHERE o.proname = p.proname AND o.provolatile <> 'v')
"""
_COLLATED = ("text", "character varying", "character")
_COLLATION = """
SELECT ' COLLATE ' || pg_catalog.quote_ident(k.collname) FROM pg_catalog.pg_collation k
WHERE NOT k.collisdeterministic
  AND k.oid = pg_catalog.pg_collation_for((SELECT {text} FROM {relation} LIMIT 0))::pg_catalog.regcollation
"""


def describe(connection: psycopg.Connection, relation: str, text: str) -> str:
    """The type of an expression over a relation, both as SQL. Raises BadExpression."""
    import psycopg  # noqa: PLC0415  # optional

    functions = list(expressions.read(text, "postgres").functions)
    try:
        with connection.transaction():
            cursor = connection.execute(f"SELECT {text} AS expression FROM {relation} LIMIT 0".encode())
            column = (cursor.description or [])[0]
            kind = f"{column.type_display}" if column.precision or column.display_size else None
            query = b"SELECT pg_catalog.format_type(%s, NULL)"
            named = str((connection.execute(query, (column.type_code,)).fetchone() or ("",))[0])
            if named in _COLLATED:
                asked = _COLLATION.format(text=text, relation=relation)
                named += str((connection.execute(asked.encode()).fetchone() or ("",))[0])
            volatile = connection.execute(_VOLATILE.encode(), (functions,)).fetchone()
    except psycopg.Error as error:
        raise expressions.BadExpression(" ".join(str(error).partition("\nLINE ")[0].split())) from None
    if volatile is not None:
        raise expressions.BadExpression(say_expressions.VOLATILE(str(volatile[0])))
    return kind if kind is not None and named not in _COLLATED else named


def tables(connection: psycopg.Connection) -> list[str]:
    """The tables of a database, as schema.name."""
    return [str(row[0]) for row in connection.execute(_TABLES).fetchall()]


def find(connection: psycopg.Connection, relation: str) -> Relation | None:
    """A table or view with its columns, found as the session finds tables; None if there is none."""
    oid = _oid(connection, relation)
    guard(connection)
    return None if oid is None else _relations(connection, [oid]).get(oid)


def _read(
    connection: psycopg.Connection, named: Mapping[str, str]
) -> tuple[dict[str, Relation], Composites, list[str]]:
    oids = {name: oid for name, relation in named.items() if (oid := _oid(connection, relation)) is not None}
    guard(connection)  # from here on names are PostgreSQL's own
    by_oid = _relations(connection, list(oids.values()))
    stored = storage.read(connection, by_oid.keys())
    rows = connection.execute(_PAST_POLICIES.encode(), (list(by_oid),)).fetchall()
    past = {int(oid): (str(view), str(table)) for oid, view, table in reversed(rows)}
    result = {
        name: replace(by_oid[oid], storage=stored[oid], past_policies=past.get(oid))
        for name, oid in oids.items()
        if oid in by_oid
    }
    return result, composites(connection), tables(connection) if len(result) < len(named) else []


def composites(connection: psycopg.Connection) -> Composites:
    """The composite types of a database, with the types of their members."""
    result: dict[str, dict[str, str]] = {}
    for name, member, kind in connection.execute(_COMPOSITES.encode()).fetchall():
        result.setdefault(str(name), {})[str(member)] = str(kind)
    return result


def _oid(connection: psycopg.Connection, relation: str) -> int | None:
    table = exp.to_table(relation, dialect="postgres")
    quoted = exp.table_(table.name, db=table.db or None, quoted=True).sql(dialect="postgres")
    query = b"SELECT pg_catalog.to_regclass(%s::pg_catalog.text)::pg_catalog.oid::pg_catalog.int8"
    row = connection.execute(query, (quoted,)).fetchone()
    return None if row is None or row[0] is None else int(row[0])


def _relations(connection: psycopg.Connection, oids: list[int]) -> dict[int, Relation]:
    result: dict[int, Relation] = {}
    for oid, schema, name, column, kind, identity in connection.execute(
        _RELATIONS.encode(), (oids,)
    ).fetchall():
        before = result.get(oid, Relation(int(oid), str(schema), str(name), ()))
        result[oid] = Relation(
            before.oid,
            before.schema,
            before.name,
            (*before.columns, Column(str(column), str(kind), str(identity))),
        )
    return result
