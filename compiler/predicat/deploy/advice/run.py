"""Advice for a catalog and a workload."""

from __future__ import annotations

from pathlib import Path

import psycopg

from predicat.catalog.model import Catalog
from predicat.deploy import functions
from predicat.deploy.advice.advisor import Advice, Advisor, Rules
from predicat.deploy.advice.subjects import Views, policies, workload
from predicat.deploy.relations import check_relations
from predicat.deploy.sessions import Limits, guarded


def advise(
    catalog: Catalog,
    connection: psycopg.Connection,
    name: str,
    schema: str | None = None,
    file: Path | None = None,
    *,
    limits: Limits | None = None,
    rules: Rules | None = None,
) -> Advice:
    """Advice for the views and row policies of a catalog, and for the statements of a file. Nothing in the
    database changes.

    An index is created to try it, in a transaction that is rolled back; writers of its table wait meanwhile.
    Raises PredicatError for a catalog that does not fit the database, and for errors of the server.
    """
    path = str(connection.execute(b"SHOW search_path").fetchall()[0][0])
    connection.rollback()
    tables = check_relations(catalog, connection)
    with guarded(connection):
        choice = functions.choose(functions.read(connection))
    views = Views(catalog, name, tables, schema, choice.runtime)
    subjects = list(views.subjects())
    by_oid = {
        tables[row.dataset].oid: tables[row.dataset] for row in catalog.filters() if row.dataset in tables
    }
    for subject, table in policies(catalog, connection, tables):
        subjects.append(subject)
        by_oid.setdefault(table.oid, table)
    if file is not None:
        others, found = workload(connection, file)
        subjects += others
        by_oid = found | by_oid
    read = {oid for subject in subjects for oid in subject.reads}
    advisor = Advisor(connection, views, choice, limits or Limits(), rules or Rules(), path)
    return advisor.advise(subjects, {oid: table for oid, table in by_oid.items() if oid in read})
