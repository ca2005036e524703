"""Materialized views of filters: what one would silently get wrong, and their refresh.

A materialized view has the rows of its last refresh, as its owner reads them. So what it reads must not
depend on the time, the session or the reader. Its unique index on the key of its dataset lets the server
refresh it while others read.
"""

from collections.abc import Iterable, Iterator, Sequence

import psycopg

from predicat.backends import dialect
from predicat.backends.sql import expressions
from predicat.catalog.model import Catalog, Filter
from predicat.deploy import dependents, failures, inventory
from predicat.deploy.filter_functions import is_immutable
from predicat.deploy.inventory import Existing
from predicat.deploy.relations import BELOW
from predicat.deploy.sessions import Limits, guarded
from predicat.deploy.views import View
from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics.messages import deploy as say

_POLICIES = f"""{BELOW}
SELECT b.root::bigint, b.oid::regclass::text FROM below b JOIN pg_class t ON t.oid = b.oid
WHERE t.relrowsecurity ORDER BY 1, 2
"""
# What the parsed query of a view has: CURRENT_DATE, CURRENT_USER and the like are nodes of their own.
_CHANGING = f"""{BELOW}
SELECT b.root::bigint, b.oid::regclass::text, found.what FROM below b
JOIN pg_class v ON v.oid = b.oid AND v.relkind = 'v'
JOIN pg_rewrite r ON r.ev_class = b.oid AND r.rulename = '_RETURN', LATERAL (
  SELECT 'CURRENT_DATE, CURRENT_USER or the like' WHERE strpos(r.ev_action::text, '{{SQLVALUEFUNCTION ') > 0
  UNION ALL SELECT p.proname || '()'
    FROM regexp_matches(r.ev_action::text, ':(?:funcid|opfuncid) (\\d+)', 'g') AS m
    JOIN pg_proc p ON p.oid = m[1]::oid
  WHERE p.provolatile = 'v' OR p.proname = ANY (%s) OR starts_with(p.proname, 'current_')
    OR starts_with(p.proname, 'has_') AND p.proname LIKE '%%privilege' OR p.proname = 'pg_has_role'
    OR p.proname = 'age' AND p.pronargs = 1
) AS found (what) ORDER BY 1, 2, 3
"""


def problems(
    connection: psycopg.Connection, catalog: Catalog, views: Sequence[View], relations: dict[int, str]
) -> Iterator[Diagnostic]:
    """Why some views must not be materialized; `relations` are their relations as SQL, by OID."""
    asked = [view for view in views if view.materialized]
    oids = list({view.relation for view in asked})
    if not asked:
        return
    tables = connection.execute(_POLICIES.encode(), (oids,)).fetchall()
    policies = {int(oid): str(table) for oid, table in tables}
    rows = connection.execute(_CHANGING.encode(), (oids, list(expressions.CHANGING))).fetchall()
    changing = {int(oid): (str(view), str(what)) for oid, view, what in rows}
    for view in asked:
        if view.relation in policies and view.stated.get("security_invoker") is not False:
            yield say.materialized_policies(view.span, policies[view.relation])
        if view.relation in changing:
            yield say.materialized_changing(view.span, *changing[view.relation])
        predicate = catalog.datasets[view.mark.dataset].filters[view.mark.filter].current.predicate
        for decl in predicate.fields.values():
            found = expressions.of_field(decl, "postgres")
            if found is not None:
                text = dialect("postgres").text(found.sql)
                if not is_immutable(connection, relations[view.relation], f"({text}) IS NULL"):
                    yield say.materialized_expression(view.span, decl.name, decl.expression("postgres"))


def ours(connection: psycopg.Connection, catalog: str, schema: str | None) -> list[Existing]:
    """The materialized views of a catalog, each behind those that it reads."""
    with guarded(connection):
        first = inventory.read(connection, catalog, [], [])
        found = {
            one.oid: one
            for one in inventory.read(connection, catalog, [one.place for one in first], [])
            if one.kind == "m" and one.trusted and _is_of(one, catalog, schema)
        }
        order = dependents.closure(connection, sorted(found)).order
    return [found[oid] for oid in order if oid in found]


def _is_of(view: Existing, catalog: str, schema: str | None) -> bool:
    mark = view.mark
    place = "relation" if schema is None else "schema"
    return (
        mark is not None and (mark.catalog, mark.place) == (catalog, place) and schema in (None, view.schema)
    )


def refresh(connection: psycopg.Connection, view: Existing, limits: Limits) -> bool:
    """Refresh a view, in a transaction of its own. Returns whether others could read it meanwhile: that needs
    rows from a refresh before. Raises PredicatError.
    """
    with guarded(connection, limits):
        query = b"SELECT relispopulated FROM pg_class WHERE oid = %s"
        found = connection.execute(query, (view.oid,)).fetchall()
        now = inventory.read(connection, "", [view.place], [])
        if not found or [one.oid for one in now if one.mark is not None] != [view.oid]:
            raise PredicatError.of(say.view_changing([view.shown]))
        word = "CONCURRENTLY " if found[0][0] else ""
        try:
            connection.execute(f"REFRESH MATERIALIZED VIEW {word}{view.sql}".encode())
        except psycopg.Error as error:
            raise PredicatError.of(failures.diagnostic(error, connection.info.user, view.shown)) from None
    return bool(found[0][0])


def of_filters(
    filters: Iterable[Filter], there: Sequence[Existing]
) -> tuple[list[Existing], list[Diagnostic]]:
    """The views of some filters, and the problems of those that have none."""
    asked = {row.qualified for row in filters if row.is_materialized}
    found = {f"{view.mark.dataset}.{view.mark.filter}": view for view in there if view.mark is not None}
    missing = [say.not_materialized(name) for name in sorted(asked - found.keys())]
    return [view for name, view in found.items() if name in asked], missing
