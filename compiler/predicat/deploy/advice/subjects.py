"""The queries of which advice is given: the views of filters, and the statements of a workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psycopg
from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from predicat.backends.sql.functions import Runtime
from predicat.catalog.model import Catalog
from predicat.deploy import failures, relations, storage
from predicat.deploy.advice import candidates
from predicat.deploy.advice.candidates import Way
from predicat.deploy.policies import in_sql
from predicat.deploy.relations import Relation
from predicat.deploy.views import View, views_of
from predicat.diagnostics import NOWHERE, PredicatError, Span
from predicat.diagnostics.messages import advice as say
from predicat.diagnostics.reading import text_of


class Subject(Struct, frozen=True):
    """A query: its name, its SQL, the tables that it reads with the conditions on their columns, and its
    place. `filter_name` is the full name of the filter of which it is the view. `runs`: it only reads.
    """

    name: str
    sql: str
    reads: Mapping[int, tuple[exp.Expr, ...]]
    span: Span = NOWHERE
    filter_name: str = ""
    runs: bool = True

    def ways(self, table: Relation) -> list[Way]:
        """The ways to serve its conditions on a table."""
        columns = [column.name for column in table.columns]
        found = (way for part in self.reads[table.oid] for way in candidates.ways(part, columns))
        return list(dict.fromkeys(found))


class Views(Struct):
    """The views of a catalog, whose SQL depends on the indexes that are there."""

    catalog: Catalog
    name: str
    tables: Mapping[str, Relation]
    schema: str | None
    runtime: Runtime | None

    def subjects(self) -> Iterator[Subject]:
        """The query of each view."""
        for view in views_of(self.catalog, self.name, self.tables, self.schema, self.runtime):
            yield self.subject(view)

    def subject(self, view: View) -> Subject:
        """The query of a view."""
        full = f"{view.mark.dataset}.{view.mark.filter}"
        where = _parsed(view.query).args.get("where")
        conditions = (where.this,) if where is not None else ()
        return Subject(full, view.query, {view.relation: conditions}, view.span, full)

    def again(self, connection: psycopg.Connection, subjects: Sequence[Subject], oid: int) -> list[Subject]:
        """The queries as `apply` would have them with the indexes that a table has now."""
        stored = storage.read(connection, [oid])[oid]
        names = {subject.filter_name for subject in subjects if subject.filter_name}
        known = {
            name: replace(table, storage=stored) for name, table in self.tables.items() if table.oid == oid
        }
        asked = self.catalog.only(names)
        there = {name: table for name, table in known.items() if name in asked.datasets}
        views = views_of(asked, self.name, there, self.schema, self.runtime) if there else []
        texts = {f"{view.mark.dataset}.{view.mark.filter}": view.query for view in views}
        return [replace(one, sql=texts.get(one.filter_name, one.sql)) for one in subjects]


def policies(
    catalog: Catalog, connection: psycopg.Connection, tables: Mapping[str, Relation]
) -> Iterator[tuple[Subject, Relation]]:
    """The rows that each policy lets through, as a query that is only planned: its session is not known. With
    the table.
    """
    asked = replace(catalog, datasets={key: row for key, row in catalog.datasets.items() if row.policies})
    for row in in_sql(asked, connection, tables) if asked.datasets else ():
        if row.rule.using:
            query = f"SELECT * FROM {row.table.sql} WHERE {row.rule.using}"
            reads = {row.table.oid: (_parsed(query).args["where"].this,)}
            yield Subject(f"policy {row.identity}", query, reads, row.span, runs=False), row.table


def _parsed(query: str) -> exp.Expr:
    (tree,) = parse(query, dialect="postgres")
    return tree if isinstance(tree, exp.Expr) else exp.Select()


def workload(connection: psycopg.Connection, file: Path) -> tuple[list[Subject], dict[int, Relation]]:
    """The statements of a file, with the tables that they read. Raises PredicatError."""
    text = text_of(file)
    try:
        trees = [tree for tree in parse(text, dialect="postgres") if tree is not None]
    except SqlglotError as error:
        raise PredicatError.of(say.unreadable_workload(str(file), str(error).partition("\n")[0])) from None
    if not trees:
        raise PredicatError.of(say.no_statements(str(file)))
    subjects, found = [], {}
    for number, tree in enumerate(trees, 1):
        reads: dict[int, tuple[exp.Expr, ...]] = {}
        for select in tree.find_all(exp.Select, exp.Update, exp.Delete):
            conditions = [part.this for part in (select.args.get("where"),) if part is not None]
            joins = select.args.get("joins") or ()
            conditions += [on for join in joins if (on := join.args.get("on")) is not None]
            for table in select.find_all(exp.Table):
                if table.find_ancestor(exp.Select, exp.Update, exp.Delete) is not select:
                    continue
                known = _find(connection, table)
                if known is not None:
                    found[known.oid] = known
                    reads[known.oid] = (*reads.get(known.oid, ()), *_of_table(conditions, table))
        sql = tree.sql(dialect="postgres")
        subjects.append(Subject(f"{file.name}:{number}", sql, reads, runs=isinstance(tree, exp.Query)))
    return subjects, found


def _find(connection: psycopg.Connection, table: exp.Table) -> Relation | None:
    """A relation by the search path of the session."""
    name = exp.table_(table.name, db=table.db or None).sql(dialect="postgres")
    with failures.errors_reported(connection), connection.transaction():
        return relations.find(connection, name)


def _of_table(conditions: Sequence[exp.Expr], table: exp.Table) -> list[exp.Expr]:
    """The conditions, in which columns of other tables have names that no column has."""
    result = []
    for condition in conditions:
        own = condition.copy()
        for column in own.find_all(exp.Column):
            if column.table not in ("", table.alias_or_name):
                column.set("this", exp.to_identifier(f"{column.table}.{column.name}", quoted=True))
        result.append(own)
    return result
