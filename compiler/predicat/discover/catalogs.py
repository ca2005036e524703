"""The filters of a catalog as conditions, so that those of the code can be compared with them."""

from __future__ import annotations

from predicat.catalog import Catalog
from predicat.catalog.model import Filter
from predicat.discover.conditions import Condition, Place
from predicat.ir.nodes import fields_of, params_of

_READ = ("sql", "spark", "postgres", "cel")
"""The languages whose bodies are texts that stand for themselves."""


def known_filters(catalog: Catalog) -> tuple[list[Condition], list[str]]:
    """The filters that have a condition of their own, and their names. Those that refer to others are left
    out: their parts are compared.
    """
    rows = [row for row in catalog.filters() if row.current.predicate.language in _READ]
    rows = [row for row in rows if not row.current.references]
    return [_condition(catalog, row) for row in rows], [row.qualified for row in rows]


def _condition(catalog: Catalog, row: Filter) -> Condition:
    dataset = catalog.datasets[row.dataset]
    predicate = row.current.predicate
    outer = row.span.outermost()
    line, column = outer.source.line_column(outer.start)
    written = predicate.language == "sql"
    return Condition(
        row.current.body,
        "sql" if predicate.language in ("spark", "postgres") else predicate.language,
        predicate.language if predicate.language in ("spark", "postgres") else "",
        next(iter(dataset.relation.values()), dataset.name),
        "where",
        Place(outer.source.name, line, column, outer.start, outer.end),
        fields={name: str(decl.type) for name, decl in fields_of(predicate.node).items()},
        params={name: str(decl.type) for name, decl in params_of(predicate.node).items()},
        owner=row.owner or None,
        sql=row.current.body if written else "",
    )
