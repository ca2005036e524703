"""PostgreSQL views of filters: `dataset__filter`, one transaction for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from predicat import backends
from predicat.catalog.model import Catalog, Filter, Version
from predicat.deploy import failures
from predicat.deploy.columns import problems
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BOOLEAN
from predicat.passes.accept import accepting
from predicat.passes.simplify import simplify
from predicat.passes.substitute import with_defaults

if TYPE_CHECKING:
    import psycopg

MAX_NAME = 63
"""Bytes of a name that PostgreSQL keeps; names of filters and datasets are ASCII."""


def accepted(row: Filter, version: Version, *, exact: bool = False) -> Node | None:
    """The predicate with its parameters' defaults, as a row filter; None where a parameter has no default.

    `exact` keeps FALSE and UNKNOWN apart, and leaves `on_unknown` out.
    """
    if any(param.required for param in version.params.values()):
        return None
    node = with_defaults(version.predicate.node)
    if exact:
        return simplify(node)
    if row.on_unknown == "accept":
        node = Call(BOOLEAN, "coalesce", (node, Literal(BOOLEAN, True)))
    return accepting(simplify(node))


def statements(catalog: Catalog, schema: str | None = None) -> list[tuple[str, str]]:
    """`(view, SQL)` for every filter that needs no parameter: CREATE VIEW and COMMENT statements.

    Raises PredicatError with every name that PostgreSQL would cut off.
    """
    reporter = Reporter()
    out: list[tuple[str, str]] = []
    for dataset in catalog.datasets.values():
        relation = dataset.relation.get("postgres")
        if relation is None:
            continue
        for row in dataset.filters.values():
            node = accepted(row, row.current)
            if node is None:
                continue
            if len(row.view) > MAX_NAME:
                reporter.add(msg.long_name(row.span, "view", row.view, MAX_NAME))
            out += _view(row, node, relation, schema)
    reporter.raise_errors()
    return out


def _view(row: Filter, node: Node, relation: str, schema: str | None) -> list[tuple[str, str]]:
    source = exp.to_table(relation, dialect="postgres")
    own = schema if schema is not None else source.db or None
    view = exp.table_(row.view, db=own, quoted=True)
    postgres = backends.dialect("postgres")
    condition = postgres.render(node)
    # The condition is rendered SQL: reading it back through sqlglot could change it.
    head = exp.Create(this=view, kind="VIEW").sql(dialect="postgres")
    create = f"{head} AS SELECT * FROM {source.sql(dialect='postgres')} WHERE {condition}"
    parts = [row.description, f"Version {row.latest}", f"Owner {row.owner}" if row.owner else ""]
    note = ". ".join(part.rstrip(".") for part in parts if part)
    comment = postgres.text(exp.Comment(this=view.copy(), kind="VIEW", expression=exp.Literal.string(f"predicat: {note}.")))
    drop = f"DROP VIEW IF EXISTS {view.sql(dialect='postgres')}"
    return [(row.view, drop), (row.view, create), (row.view, comment)]


def apply(catalog: Catalog, connection: psycopg.Connection, schema: str | None = None) -> list[str]:
    """Create or replace the views, all or none, and drop those of filters that are gone. Returns their names.

    Raises PredicatError with every column that is missing or of another type.
    """
    check_relations(catalog, connection)
    import psycopg  # noqa: PLC0415  # optional

    done: list[str] = []
    try:
        with connection.transaction(), connection.cursor() as cursor:
            for name, sql in statements(catalog, schema):
                cursor.execute(sql.encode())
                if name not in done:
                    done.append(name)
            for view in _gone(catalog, cursor, schema, done):
                cursor.execute(f"DROP VIEW {view.sql(dialect='postgres')}".encode())
    except psycopg.Error as error:
        raise PredicatError.of(failures.diagnostic(error, connection.info.user)) from None
    return done


def check_relations(catalog: Catalog, connection: psycopg.Connection) -> None:
    """Every relation exists and has the columns that filters read, in UTF-8. Raises PredicatError with all that is missing."""
    reporter = Reporter()
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        reporter.add(msg.encoding(str(encoding)))
    composites = _composites(connection)
    for dataset in catalog.datasets.values():
        relation = dataset.relation.get("postgres")
        if relation is None or not dataset.filters:
            continue
        table = exp.to_table(relation, dialect="postgres")
        columns = _columns(connection, table.db, table.name)
        if not columns:
            reporter.add(msg.relation_missing("PostgreSQL", relation, dataset.name, _tables(connection)))
            continue
        reporter.extend(problems("postgres", relation, columns, dataset.filters.values(), composites))
    reporter.raise_errors()


def _gone(catalog: Catalog, cursor: psycopg.Cursor, schema: str | None, done: Sequence[str]) -> list[exp.Table]:
    """The views that predicat made for these datasets, in these schemas, which have no filter now."""
    found: list[exp.Table] = []
    for dataset in catalog.datasets.values():
        relation = dataset.relation.get("postgres")
        if relation is None:
            continue
        own = schema or exp.to_table(relation, dialect="postgres").db or None
        cursor.execute(_OURS, (own, f"{dataset.name}__"))
        found += [exp.table_(view, db=place, quoted=True) for place, view in cursor.fetchall() if view not in done]
    return found


_OURS = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'v' AND n.nspname = COALESCE(%s, current_schema()) AND starts_with(c.relname, %s)
AND starts_with(obj_description(c.oid, 'pg_class'), 'predicat: ')
"""


_ATTRIBUTES = "pg_attribute a JOIN pg_type t ON t.oid = a.atttypid"
_KIND = """
CASE t.typtype WHEN 'd' THEN format_type(t.typbasetype, t.typtypmod) ELSE format_type(a.atttypid, a.atttypmod) END ||
COALESCE((SELECT ' COLLATE ' || quote_ident(k.collname) FROM pg_collation k WHERE k.oid = a.attcollation AND NOT k.collisdeterministic), '')
"""
"""The type of a column, or what its domain is made of, with a collation for which texts of other characters may be equal."""


def _columns(connection: psycopg.Connection, schema: str, table: str) -> dict[str, str]:
    query = f"SELECT a.attname, {_KIND} FROM {_ATTRIBUTES} WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped"
    quoted = exp.table_(table, db=schema or None, quoted=True).sql(dialect="postgres")
    return {str(row[0]): str(row[1]) for row in connection.execute(query.encode(), (quoted,)).fetchall()}


def _composites(connection: psycopg.Connection) -> dict[str, dict[str, str]]:
    """The composite types, those of tables' rows among them."""
    query = f"""
    SELECT format_type(c.reltype, NULL), a.attname, {_KIND} FROM {_ATTRIBUTES} JOIN pg_class c ON c.oid = a.attrelid AND c.reltype <> 0
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema') AND a.attnum > 0 AND NOT a.attisdropped
    """
    found: dict[str, dict[str, str]] = {}
    for name, member, kind in connection.execute(query.encode()).fetchall():
        found.setdefault(str(name), {})[str(member)] = str(kind)
    return found


def _tables(connection: psycopg.Connection) -> list[str]:
    query = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
    return [str(row[0]) for row in connection.execute(query).fetchall()]
