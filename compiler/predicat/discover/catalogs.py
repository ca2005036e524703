"""The filters of a catalog as conditions, so that those of the code can be compared with them."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct, field

from predicat.api import Predicate
from predicat.catalog import Catalog
from predicat.catalog.acceptance import accepted_rows
from predicat.catalog.model import Dataset, Filter
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import discover as say
from predicat.discover.calls import Use
from predicat.discover.conditions import Condition, SourceRange
from predicat.discover.instances import operands_of, uses_of
from predicat.ir.nodes import FieldDecl, Node, code_of, fields_of
from predicat.language import LANGUAGES
from predicat.rewrite.substitute import with_defaults

# The languages whose bodies are SQL, with the dialect that reads them.
_SQL = {"sql": "", "spark": "spark", "postgres": "postgres"}
# The dialects that a filter is compared in, with what compiles it; first the one that any dialect is like.
_COMPILED = {"": "duckdb", "spark": "spark", "postgres": "postgres"}


class Known(Struct):
    """The filters of a catalog as conditions, how each is used, why others are not compared, by the
    reason, and how many are.
    """

    conditions: list[Condition] = field(default_factory=list[Condition])
    uses: list[Use] = field(default_factory=list[Use])
    left: Counter[str] = field(default_factory=Counter[str])
    compared: int = 0


def known_filters(catalog: Catalog, conditions: Sequence[Condition]) -> Known:
    """The filters as conditions: what their authors wrote, and what they compile to where that says more.
    Filters with parameters are there with the values that the conditions have.
    """
    known = Known()
    by_dataset: dict[str, list[Condition]] = {}
    for condition in conditions:
        dataset = None if condition.derived or not condition.sql else dataset_of(condition.relation, catalog)
        if dataset is not None:
            by_dataset.setdefault(dataset.name, []).append(condition)
    operands: dict[str, list[list[Node]]] = {}
    for filter_ in catalog.filters():
        if code_of(filter_.current.predicate.node):
            known.left[say.IS_CODE] += 1
            continue
        uses = [Use(filter_.qualified)]
        if any(param.required for param in filter_.current.params.values()):
            name = filter_.dataset
            if name not in operands:
                operands[name] = operands_of(by_dataset.get(name, ()), columns_of(catalog.datasets[name]))
            uses = uses_of(filter_, operands[name])
        try:
            forms = [(use, form) for use in uses for form in _forms(catalog, filter_, use)]
        except PredicatError as error:
            known.left[error.diagnostics[0].message] += 1
            continue
        known.compared += 1
        known.uses += [use for use, _ in forms]
        known.conditions += [form for _, form in forms]
    return known


def _forms(catalog: Catalog, filter_: Filter, use: Use) -> Iterator[Condition]:
    """The conditions that a use of a filter is. Raises PredicatError where there is none."""
    version = filter_.current
    language = version.predicate.language
    plain = not version.references and filter_.on_unknown == "reject" and not version.params
    if plain and language in _SQL:
        yield _condition(catalog, filter_, version.body, "sql", _SQL[language])
    elif plain:
        with suppress(PredicatError):
            yield _condition(catalog, filter_, version.predicate.to(language), language)
    accepted = accepted_by(filter_, use)
    texts: set[str] = set()
    for dialect, engine in _COMPILED.items():
        own = plain and language in _SQL and _SQL[language] in ("", dialect)
        renamed = any(decl.column(engine) != decl.name for decl in fields_of(accepted.node).values())
        text = "" if own and not renamed else accepted.sql(engine)
        if text and text not in texts:
            texts.add(text)
            yield _condition(catalog, filter_, text, "sql", dialect)


def accepted_by(filter_: Filter, use: Use) -> Predicate:
    """The predicate that is TRUE for the rows that a use of a filter accepts. Raises PredicatError."""
    node = with_defaults(filter_.current.predicate.bound(**dict(use.params)).node)
    return Predicate(accepted_rows(node, filter_.on_unknown), "sql")


def with_types(conditions: Sequence[Condition], catalog: Catalog) -> list[Condition]:
    """Conditions on relations of a catalog, with the types that the catalog declares for their fields."""
    return [_typed(condition, catalog) for condition in conditions]


def dataset_of(relation: str | None, catalog: Catalog) -> Dataset | None:
    """The dataset of a relation, if there is exactly one: that of the very name, or else of one of which
    either lacks its schema.
    """
    for is_same in (_same_name, _same_relation):
        datasets = [
            dataset
            for dataset in catalog.datasets.values()
            if relation and any(is_same(relation, name) for name in dataset.relation.values())
        ]
        if datasets:
            return datasets[0] if len(datasets) == 1 else None
    return None


def columns_of(dataset: Dataset) -> dict[str, FieldDecl]:
    """The fields by their names, and by those that their columns have on engines."""
    renamed = {column: decl for decl in dataset.fields.values() for _, column in decl.columns}
    return {**renamed, **dataset.fields}


def _typed(condition: Condition, catalog: Catalog) -> Condition:
    dataset = (
        None if condition.derived or condition.language != "sql" else dataset_of(condition.relation, catalog)
    )
    if dataset is None:
        return condition
    types = _types(dataset)
    return dataclasses.replace(
        condition, fields={**condition.fields, **types}, relation=relation_name(dataset)
    )


def relation_name(dataset: Dataset) -> str:
    """The one name by which conditions of a dataset are compared."""
    return next(iter(dataset.relation.values()), dataset.name)


def _same_name(one: str, other: str) -> bool:
    return one.lower() == other.lower()


def _same_relation(one: str, other: str) -> bool:
    left, right = one.lower(), other.lower()
    return left.endswith("." + right) or right.endswith("." + left)


def _condition(catalog: Catalog, filter_: Filter, text: str, language: str, dialect: str = "") -> Condition:
    dataset = catalog.datasets[filter_.dataset]
    outer = filter_.span.outermost()
    line, column = outer.source.line_column(outer.start)
    node = filter_.current.predicate.node
    return Condition(
        text,
        language,
        dialect,
        relation_name(dataset),
        "where",
        SourceRange(outer.source.name, line, column, outer.start, outer.end),
        fields=_types(dataset) or {name: str(decl.type) for name, decl in fields_of(node).items()},
        owner=filter_.owner or None,
        sql=text if language == "sql" and not dialect else "",
        on=filter_.current.on or (LANGUAGES[language].on if language in LANGUAGES else None),
    )


def _types(dataset: Dataset) -> dict[str, str]:
    return {name: str(decl.type) for name, decl in columns_of(dataset).items()}
