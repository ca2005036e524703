"""The filters of a catalog as conditions, so that those of the code can be compared with them."""

import dataclasses
from collections.abc import Sequence

from predicat.catalog import Catalog
from predicat.catalog.model import Dataset, Filter
from predicat.discover.calls import Use
from predicat.discover.conditions import Condition, SourceRange
from predicat.ir.nodes import fields_of, params_of

# The languages whose bodies are plain texts.
_READ = ("sql", "spark", "postgres", "cel")


def known_filters(catalog: Catalog) -> tuple[list[Condition], list[Use]]:
    """The filters that have a condition of their own, and how they are used. Those that refer to others are
    left out: their parts are compared.
    """
    rows = [filter_ for filter_ in catalog.filters() if filter_.current.predicate.language in _READ]
    rows = [filter_ for filter_ in rows if not filter_.current.references]
    return [_condition(catalog, filter_) for filter_ in rows], [Use(filter_.qualified) for filter_ in rows]


def with_types(conditions: Sequence[Condition], catalog: Catalog) -> list[Condition]:
    """Conditions on relations of a catalog, with the types that the catalog declares for their fields."""
    return [_typed(condition, catalog) for condition in conditions]


def dataset_of(relation: str | None, catalog: Catalog) -> Dataset | None:
    """The dataset of a relation, if there is exactly one. Either name may lack its schema."""
    datasets = [
        dataset
        for dataset in catalog.datasets.values()
        if relation and any(_same_relation(relation, name) for name in dataset.relation.values())
    ]
    return datasets[0] if len(datasets) == 1 else None


def _typed(condition: Condition, catalog: Catalog) -> Condition:
    dataset = (
        None if condition.derived or condition.language != "sql" else dataset_of(condition.relation, catalog)
    )
    if dataset is None:
        return condition
    types = {name: str(decl.type) for name, decl in dataset.fields.items()}
    return dataclasses.replace(condition, fields={**condition.fields, **types}, relation=_relation(dataset))


def _relation(dataset: Dataset) -> str:
    """The one name by which conditions of a dataset are compared."""
    return next(iter(dataset.relation.values()), dataset.name)


def _same_relation(one: str, other: str) -> bool:
    left, right = one.lower(), other.lower()
    return left == right or left.endswith("." + right) or right.endswith("." + left)


def _condition(catalog: Catalog, filter_: Filter) -> Condition:
    dataset = catalog.datasets[filter_.dataset]
    predicate = filter_.current.predicate
    outer = filter_.span.outermost()
    line, column = outer.source.line_column(outer.start)
    written = predicate.language == "sql"
    return Condition(
        filter_.current.body,
        "sql" if predicate.language in ("spark", "postgres") else predicate.language,
        predicate.language if predicate.language in ("spark", "postgres") else "",
        _relation(dataset),
        "where",
        SourceRange(outer.source.name, line, column, outer.start, outer.end),
        fields={name: str(decl.type) for name, decl in dataset.fields.items()}
        or {name: str(decl.type) for name, decl in fields_of(predicate.node).items()},
        params={name: str(decl.type) for name, decl in params_of(predicate.node).items()},
        owner=filter_.owner or None,
        sql=filter_.current.body if written else "",
    )
