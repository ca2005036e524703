"""What is asked of an engine: the classes of its rows, so that one GROUP BY answers all questions.

Coverage, overlaps, gaps and dead conditions all follow from the number of rows in each class.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime

from msgspec import Struct

from predicat import backends
from predicat.backends.sql.dialect import Dialect
from predicat.catalog.model import Catalog, Dataset, Filter, Version
from predicat.diagnostics import PredicatError, Unsupported
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import coverage as say_coverage
from predicat.diagnostics.messages import review as say
from predicat.explain.explanation import atoms as conditions
from predicat.explain.prose import describe
from predicat.ir.column_forms import of_field
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, fields_of
from predicat.ir.types import BOOLEAN, DATE
from predicat.lower import core_of_part
from predicat.quality.classes import Classes, classes
from predicat.quality.fold import Program
from predicat.quality.partitions import Parts
from predicat.quality.program import program
from predicat.rewrite.solve import for_rows
from predicat.rewrite.substitute import at, with_defaults


class CountedPredicate(Struct, frozen=True):
    """A predicate to count: of a filter, of an earlier `version` of it, of a condition (`atom`) of it, or
    whether a field has no value.
    """

    kind: str
    name: str
    text: str
    node: Node


class Plan(Struct, frozen=True):
    """The predicates of a dataset for an engine; `refused` are filters that it cannot evaluate, with the
    reason.

    `groups` are the groups of the dataset all of whose filters are measured, in the order of the program.
    """

    dataset: Dataset
    engine: str
    filters: tuple[Filter, ...]
    items: tuple[CountedPredicate, ...]
    refused: Mapping[str, str]
    classes: Classes
    program: Program
    groups: tuple[str, ...]
    now: datetime | None = None
    """The current time. Default: the engine's own."""
    parts: Parts | None = None
    where: Node | None = None
    """The rows that are counted; None for all."""

    @property
    def scope(self) -> list[FieldDecl]:
        """The fields that decide which rows are counted, and in which partition."""
        return [] if self.where is None else list(fields_of(self.where).values())

    def rows_of(self, source: str) -> str:
        """The rows to count, as an item of FROM."""
        if self.where is None:
            return source
        return f"(SELECT * FROM {source} WHERE {self.dialect.render(self.where)}) AS predicat_rows"

    def part_keys(self) -> list[str]:
        """SQL for the keys of the partition of a row."""
        count = len(self.program.places)
        return self.classes.numbers()[-count:] if count else []

    def part_sql(self, number: int) -> str:
        """The condition of the rows of a partition, as SQL."""
        assert self.parts is not None  # noqa: S101  # who asks has one
        return part_sql(self.dataset, self.parts, self.engine, number)

    @property
    def accepting_unknown(self) -> set[str]:
        """The filters that accept rows for which they are UNKNOWN."""
        return {item.qualified for item in self.filters if item.on_unknown == "accept"}

    @property
    def dialect(self) -> Dialect:
        """The dialect of the engine."""
        return backends.dialect(self.engine)

    def condition(self, name: str) -> Node:
        """The predicate of a filter."""
        return next(item.node for item in self.items if item.kind == "filter" and item.name == name)

    def sql(self, name: str) -> str:
        """The condition of a filter, as SQL."""
        return self.dialect.render(self.condition(name))


def plan(
    catalog: Catalog,
    dataset: str,
    names: Sequence[str],
    engine: str,
    now: datetime | None = None,
    parts: Parts | None = None,
) -> Plan:
    """What to ask of an engine about some filters of a dataset (all of them if none is named), at a current
    time, of all rows or of partitions. Raises PredicatError.
    """
    if dataset not in catalog.datasets:
        raise PredicatError.of(say.no_dataset(dataset, msg.did_you_mean(dataset, catalog.datasets)))
    owner = catalog.datasets[dataset]
    rows = [catalog.find(name if "." in name else f"{dataset}.{name}")[0] for name in names] or list(
        owner.filters.values()
    )
    nodes = {filter_.qualified: _node(engine, filter_.current) for filter_ in rows}
    refused = {name: node for name, node in nodes.items() if isinstance(node, str)}
    measured = [filter_ for filter_ in rows if filter_.qualified not in refused]
    return _plan(owner, engine, measured, refused, now, parts, _where(catalog, owner, now, parts))


def without(plan: Plan, names: Collection[str]) -> Plan:
    """The plan without some of its filters."""
    remaining = [item for item in plan.filters if item.qualified not in names]
    return _plan(plan.dataset, plan.engine, remaining, plan.refused, plan.now, plan.parts, plan.where)


def _plan(
    dataset: Dataset,
    engine: str,
    filters: Sequence[Filter],
    refused: Mapping[str, str],
    now: datetime | None,
    parts: Parts | None,
    where: Node | None,
) -> Plan:
    items: list[CountedPredicate] = []
    fields: dict[str, Node] = {}
    for filter_ in filters:
        node = _node(engine, filter_.current)
        assert not isinstance(node, str)  # noqa: S101  # those are refused
        items += [
            CountedPredicate("filter", filter_.qualified, "", node),
            *_earlier(engine, filter_),
            *_atoms(filter_),
        ]
        fields.update({decl.name: Field(decl.type, decl) for decl in fields_of(node).values()})
    items += [
        CountedPredicate("null", name, "", Call(BOOLEAN, "is_null", (field,)))
        for name, field in fields.items()
    ]
    items = [CountedPredicate(item.kind, item.name, item.text, at(item.node, now)) for item in items]
    classes_ = classes((part for item in items for part in conditions(item.node)), backends.dialect(engine))
    if parts is not None:
        field = time_of(dataset, parts.of.field)
        classes_ = classes_.with_cuts(field, [_value(field, moment) for moment, _ in parts.cuts])
    places = [place for place, item in enumerate(items) if item.kind == "filter"]
    accepts_unknown = [filter_.on_unknown == "accept" for filter_ in filters]
    groups = _groups(dataset, filters)
    program_ = program(
        classes_,
        [item.node for item in items],
        list(zip(places, accepts_unknown, strict=True)),
        list(groups.values()),
        [part for _, part in parts.cuts] if parts is not None else (),
    )
    return Plan(
        dataset,
        engine,
        tuple(filters),
        tuple(items),
        refused,
        classes_,
        program_,
        tuple(groups),
        now,
        parts,
        where,
    )


def _where(catalog: Catalog, dataset: Dataset, now: datetime | None, parts: Parts | None) -> Node | None:
    """The rows to count: those that the filter of `where` accepts, of the partitions or without one."""
    conditions: list[Node] = []
    if dataset.where:
        filter_, number = catalog.find(f"{dataset.name}.{dataset.where}")
        accepted = filter_.row_filter(number)
        if accepted is None:
            raise PredicatError.of(say_coverage.where_needs_values(dataset.name, dataset.where))
        conditions.append(at(accepted, now))
    if parts is not None:
        field = time_of(dataset, parts.of.field)
        missing = Call(BOOLEAN, "is_null", (field,))
        conditions.append(_any([*(_between(field, span) for span in parts.spans()), missing]))
    return Call(BOOLEAN, "and", tuple(conditions)) if len(conditions) > 1 else next(iter(conditions), None)


def part_sql(dataset: Dataset, parts: Parts, engine: str, number: int | None = None) -> str:
    """The condition of the rows of a partition, or of all together, as SQL."""
    field = time_of(dataset, parts.of.field)
    return backends.dialect(engine).render(_any(_between(field, span) for span in parts.spans(number)))


def time_of(dataset: Dataset, field: str) -> Node:
    """A field of time as filters read it: the moment of a local time, if its column holds these."""
    return moment_of(dataset.fields[field])


def moment_of(declared: FieldDecl) -> Node:
    """The same for a field."""
    column = Field(declared.type, declared)
    form = of_field(column)
    return column if form is None else form.seen(column)


def _value(field: Node, moment: datetime) -> datetime | date:
    """A moment as a value of a field."""
    return moment.date() if field.type == DATE else moment


def _between(field: Node, span: tuple[datetime, datetime]) -> Node:
    start, end = (Literal(field.type, _value(field, moment)) for moment in span)
    inside = Call(BOOLEAN, "and", (Call(BOOLEAN, "ge", (field, start)), Call(BOOLEAN, "lt", (field, end))))
    return for_rows(inside)


def _any(nodes: Iterable[Node]) -> Node:
    first, *more = nodes
    return Call(BOOLEAN, "or", (first, *more)) if more else first


def members(dataset: Dataset, group: str) -> list[str]:
    """The qualified names of the filters of a group."""
    return [f"{dataset.name}.{member.partition('@')[0]}" for member in dataset.groups[group].filters]


def _groups(dataset: Dataset, filters: Sequence[Filter]) -> dict[str, list[int]]:
    """The groups all of whose filters are measured, with the places of these."""
    places = {filter_.qualified: place for place, filter_ in enumerate(filters)}
    names = {name: members(dataset, name) for name in dataset.groups}
    return {
        name: [places[member] for member in inner]
        for name, inner in names.items()
        if set(inner) <= set(places)
    }


def _node(engine: str, version: Version) -> Node | str:
    """The predicate of a version with its defaults; the reason if an engine cannot be asked for it."""
    if any(decl.required for decl in version.params.values()):
        return "a parameter has no default"
    node = with_defaults(version.predicate.node)
    try:
        backends.dialect(engine).render(node)
    except Unsupported as error:
        return error.diagnostics[0].message
    return node


def _earlier(engine: str, filter_: Filter) -> list[CountedPredicate]:
    """The earlier versions of a filter that is watched for drift: what a new version moved can be told
    from what the data did.
    """
    earlier = [
        version
        for version in filter_.versions.values()
        if version.number != filter_.latest and "drift" in filter_.coverage
    ]
    nodes = [(version.number, _node(engine, version)) for version in earlier]
    return [
        CountedPredicate("version", f"{filter_.qualified}@{number}", "", node)
        for number, node in nodes
        if not isinstance(node, str)
    ]


def _atoms(filter_: Filter) -> list[CountedPredicate]:
    """The conditions of a filter, as they are written."""
    surface = with_defaults(filter_.current.predicate.surface)
    atoms = list(dict.fromkeys(conditions(surface)))
    if len(atoms) < 2:
        return []
    return [CountedPredicate("atom", filter_.qualified, describe(atom), core_of_part(atom)) for atom in atoms]
