"""The filters of a catalog as conditions, so that those of the code can be compared with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from predicat.catalog import Catalog
from predicat.catalog.model import Dataset, Filter
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


def with_types(conditions: Sequence[Condition], catalog: Catalog) -> list[Condition]:
    """Conditions on relations of a catalog, with the types that the catalog declares for their fields."""
    return [_typed(row, catalog) for row in conditions]


def dataset_of(relation: str | None, catalog: Catalog) -> Dataset | None:
    """The dataset of a relation, if there is exactly one. Either name may lack its schema."""
    found = [
        dataset
        for dataset in catalog.datasets.values()
        if relation and any(_same_relation(relation, name) for name in dataset.relation.values())
    ]
    return found[0] if len(found) == 1 else None


def _typed(row: Condition, catalog: Catalog) -> Condition:
    dataset = None if row.derived or row.language != "sql" else dataset_of(row.relation, catalog)
    if dataset is None:
        return row
    types = {name: str(decl.type) for name, decl in dataset.fields.items()}
    return dataclasses.replace(row, fields={**row.fields, **types}, relation=_relation(dataset))


def _relation(dataset: Dataset) -> str:
    """The one name by which conditions of a dataset are compared."""
    return next(iter(dataset.relation.values()), dataset.name)


def _same_relation(one: str, other: str) -> bool:
    left, right = one.lower(), other.lower()
    return left == right or left.endswith("." + right) or right.endswith("." + left)


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
        _relation(dataset),
        "where",
        Place(outer.source.name, line, column, outer.start, outer.end),
        fields={name: str(decl.type) for name, decl in dataset.fields.items()}
        or {name: str(decl.type) for name, decl in fields_of(predicate.node).items()},
        params={name: str(decl.type) for name, decl in params_of(predicate.node).items()},
        owner=row.owner or None,
        sql=row.current.body if written else "",
    )
