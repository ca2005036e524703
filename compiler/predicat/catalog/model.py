"""The catalog in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.api import Predicate
from predicat.catalog.file_formats import ANY, FileFormat
from predicat.catalog.jobs import Job
from predicat.catalog.keys import VIEW_MATERIALIZED
from predicat.catalog.lists import ValueList
from predicat.catalog.policies import Attribute, Policy
from predicat.catalog.versions import version_number
from predicat.diagnostics import NOWHERE, Diagnostic, PredicatError, Source, Span
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import references
from predicat.diagnostics.wording import quantity
from predicat.ir.nodes import NOW, FieldDecl, Node, ParamDecl, code_of
from predicat.ir.syntax import Tree

if TYPE_CHECKING:
    from predicat.catalog.macros import Macro


# What a catalog says of views: options of security, and the columns that they show.
ViewOptions = dict[str, bool | str | list[str]]


class FilterTest(Struct, frozen=True):
    """A test: a row and whether the filter accepts it (None: its predicate is UNKNOWN). `version` is None for
    the latest.

    `places` has the places of the row's keys in the source of `span`. `now` is the current time of a filter
    that reads it.
    """

    row: Mapping[str, Any]
    matches: bool | None
    span: Span
    version: int | None = None
    description: str = ""
    places: Mapping[str, tuple[int, int]] = {}
    now: datetime | None = None

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The row with the current time, if the test sets one."""
        return self.row if self.now is None else {**self.row, f":{NOW.name}": self.now}

    def place(self, name: str) -> Span:
        """The place of a key of the row; the whole test if that is not known."""
        span = self.places.get(name)
        return Span(self.span.source, *span) if span is not None else self.span


class Threshold(Struct, frozen=True):
    """A limit, as a number and as text. `severity` is what a value behind it is: error or warn."""

    value: float
    text: str
    severity: str = "error"


# The limit of a bound; or two: of an error, then a stricter one of a warning.
Thresholds = tuple[Threshold, ...]


def limit_text(thresholds: Thresholds) -> str:
    """The limits of a bound as text: `50% (warn: 20%)`."""
    limit, *warning = thresholds
    return "".join([limit.text, *(f" (warn: {item.text})" for item in warning)])


class Bound(Struct, frozen=True):
    """A bound on how many rows a filter accepts: a share (0 to 1) if `share`, else a number of rows.
    `severity` is error or warn; `warn` is a stricter value, behind which there is a warning.
    """

    value: float
    share: bool
    severity: str = "error"
    warn: float | None = None

    @property
    def thresholds(self) -> Thresholds:
        """The limits, an error first."""
        values = [(self.value, self.severity), *([] if self.warn is None else [(self.warn, "warn")])]
        return tuple(Threshold(value, self._text(value), severity) for value, severity in values)

    def _text(self, value: float) -> str:
        return f"{value * 100:.15g}%" if self.share else quantity(int(value), "row")

    def __str__(self) -> str:
        return limit_text(self.thresholds)


class Freshness(Struct, frozen=True):
    """How old the newest value of a field of type timestamp or date may be, in seconds."""

    field: str
    thresholds: Thresholds
    span: Span = NOWHERE


class Partition(Struct, frozen=True):
    """The partitions of a dataset: the hours, days, weeks or months (`by`) of a timestamp or date field.
    `zone` is their time zone; "" is UTC, and for dates none.
    """

    field: str
    by: str
    zone: str = ""
    span: Span = NOWHERE


class Baseline(Struct, frozen=True):
    """How old the baseline of drift may be, in days."""

    thresholds: Thresholds


class Group(Struct, frozen=True):
    """A group of filters of a dataset.

    Attributes:
        filters: The filters, as the file names them (`late`, `late@2`).
        exclusive: Whether at most one of them may accept a row.
        exhaustive: Whether at least one of them must accept each row.
        severity: The severity of a row that violates this: error or warn.
        description: What it is for.
        limits: How many rows may violate `exclusive` or `exhaustive`. Default: none.
    """

    filters: tuple[str, ...]
    exclusive: bool = False
    exhaustive: bool = False
    severity: str = "error"
    description: str = ""
    limits: Mapping[str, Bound] = {}

    @property
    def bounds(self) -> dict[str, Bound]:
        """How many rows may violate each condition that it has."""
        none = Bound(0, share=False, severity=self.severity)
        conditions = {"exclusive": self.exclusive, "exhaustive": self.exhaustive}
        return {key: self.limits.get(key, none) for key, holds in conditions.items() if holds}


class Subscription(Struct, frozen=True):
    """A subscription: a filter as the file names it (`late`, `late@2`), and properties of the subscriber."""

    filter: str
    properties: Mapping[str, str] = {}
    description: str = ""


class WrittenVersion(Struct, frozen=True):
    """One version of a filter as written in its file.

    Attributes:
        number: The number of the version.
        language: The language of the body.
        params: The parameters by name.
        deprecated: The day from which it is deprecated, in ISO format, or None.
        on: The field that the body reads its keys from, or None for the default of the language.
        span: The place of the body.
        template: The body as text, before Jinja.
        data: The body: a string, or data for languages whose filters are data.
        source: The source of the body's text.
    """

    number: int
    language: str
    params: Mapping[str, ParamDecl]
    deprecated: str | None
    on: str | None
    span: Span
    template: str
    data: Any
    source: Source


class Version(WrittenVersion, frozen=True):
    """One version of a filter, checked.

    Attributes:
        body: The body as text, after Jinja.
        predicate: The checked predicate.
        references: The filters that it refers to, as `dataset.filter@version`.
        tree: The syntax tree of the body, before it was checked.
    """

    body: str
    predicate: Predicate
    references: tuple[str, ...]
    tree: Tree


class WrittenFilter(Struct, frozen=True):
    """A named filter as written in its file. `on_unknown` tells whether it accepts ("accept") or rejects a
    row for which it is UNKNOWN. `view_options` are the security options of its view that the catalog sets.
    """

    name: str
    dataset: str
    description: str
    owner: str
    tags: tuple[str, ...]
    on_unknown: str
    latest: int
    versions: Mapping[int, WrittenVersion]
    tests: tuple[FilterTest, ...]
    coverage: Mapping[str, Bound]
    span: Span
    view_options: ViewOptions = field(default_factory=ViewOptions)

    @property
    def qualified(self) -> str:
        """Its full name, `dataset.filter`."""
        return f"{self.dataset}.{self.name}"

    @property
    def view(self) -> str:
        """The name of its view."""
        return f"{self.dataset}__{self.name}"


class Filter(WrittenFilter, frozen=True):
    """A filter whose versions are checked. The tests and view options of its dataset are added."""

    versions: Mapping[int, Version]

    @property
    def current(self) -> Version:
        """The latest version."""
        return self.versions[self.latest]

    def has_view(self) -> bool:
        """Whether views can be made of the latest version: its parameters have defaults, and it has no Python
        code.
        """
        version = self.current
        return not code_of(version.predicate.node) and not any(
            param.required for param in version.params.values()
        )

    @property
    def is_materialized(self) -> bool:
        """Whether it has a materialized view."""
        return bool(self.view_options.get(VIEW_MATERIALIZED)) and self.has_view()

    def row_filter(self, number: int | None = None, *, written: bool = False) -> Node | None:
        """The predicate of a version (default: the latest) with the defaults of its parameters, TRUE for the
        rows that the filter accepts: its core form or, with `written`, its surface form.

        `on_unknown: accept` is a part of it. None if a parameter has no default.
        """
        from predicat.catalog.acceptance import accepted_rows  # noqa: PLC0415  # not to load a catalog
        from predicat.rewrite.substitute import with_defaults  # noqa: PLC0415  # as above

        version = self.current if number is None else self.versions[number]
        if any(param.required for param in version.params.values()):
            return None
        predicate = version.predicate
        node = predicate.surface if written else predicate.node
        return accepted_rows(with_defaults(node), self.on_unknown)


R = TypeVar("R", bound=Struct)


def made_of(kind: type[R], record: Struct, **more: Any) -> R:
    """Convert a record to another class: the common members are copied, `more` has the others."""
    names = [name for name in kind.__struct_fields__ if name in record.__struct_fields__]
    return kind(**{name: getattr(record, name) for name in names} | more)


class DatasetHead(Struct):
    """A dataset without its filters.

    Attributes:
        name: The name.
        description: The meaning of a row.
        relation: The table or view on each dialect, or the path of its files.
        files: How the files of relations are written, by dialect.
        fields: The declared fields by name.
        enums: The constants of enumerations (`Status.ACTIVE`) and their values.
        lists: Lists of values by name.
        groups: Groups of filters by name.
        subscriptions: Subscriptions by name.
        baseline: How old the baseline of drift may be.
        view: The security options of all its views.
        indexes: The indexes of the relation in PostgreSQL, as written after the table name in CREATE INDEX.
        collation: The collation of its string columns in PostgreSQL, such as `C` or `en_US.UTF-8`.
        ansi: Whether its `spark` conditions have the meaning of Spark's ANSI mode.
        rows: Bounds on the number of rows: `at_least`, `at_most`, `drift`, `anomaly`.
        freshness: A bound on the newest value of a field.
        partition: How its rows are divided for coverage.
        where: The filter of the rows that coverage counts; "" for all.
        key: The fields that identify a row.
        jobs: Jobs by name.
        policies: Row policies by name.
        places: The places of its definitions in the files.
    """

    name: str
    description: str = ""
    relation: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, FileFormat] = field(default_factory=dict[str, FileFormat])
    fields: dict[str, FieldDecl] = field(default_factory=dict[str, FieldDecl])
    enums: dict[str, int | str] = field(default_factory=dict[str, int | str])
    lists: dict[str, ValueList] = field(default_factory=dict[str, ValueList])
    groups: dict[str, Group] = field(default_factory=dict[str, Group])
    subscriptions: dict[str, Subscription] = field(default_factory=dict[str, Subscription])
    baseline: Baseline | None = None
    view: ViewOptions = field(default_factory=ViewOptions)
    indexes: tuple[str, ...] = ()
    collation: str = ""
    ansi: bool = True
    rows: dict[str, Bound] = field(default_factory=dict[str, Bound])
    freshness: Freshness | None = None
    partition: Partition | None = None
    where: str = ""
    key: tuple[str, ...] = ()
    jobs: dict[str, Job] = field(default_factory=dict[str, Job])
    policies: dict[str, Policy] = field(default_factory=dict[str, Policy])
    places: dict[str, Span] = field(default_factory=dict[str, Span])

    @property
    def is_sensitive(self) -> bool:
        """Whether a field is sensitive."""
        return any(decl.sensitive for decl in self.fields.values())

    def place(self, what: str) -> Span:
        """The place of a definition (`field carrier`) or of a key (`relation`), if there is one."""
        return self.places.get(what, NOWHERE)

    def form(self, engine: str) -> FileFormat:
        """How the files are written that an engine reads: as its relation says, or that of another engine if
        it has none.
        """
        if engine in self.relation:
            return self.files.get(engine, ANY)
        return next(iter(self.files.values()), ANY)

    def filter_named(self, name: str) -> str:
        """The filter of the subscription with this name, or else the name itself."""
        subscription = self.subscriptions.get(name)
        return subscription.filter if subscription is not None else name


class WrittenDataset(DatasetHead):
    """A dataset as written in its files. `tests` has the tests of its `tests` section, `uses` the filters
    that groups, subscriptions and these tests refer to.
    `unread` has the codes of errors to suppress because they would only follow from a reported one: if a
    field cannot be read, no field is reported as unknown.
    """

    filters: dict[str, WrittenFilter] = field(default_factory=dict[str, WrittenFilter])
    tests: dict[str, list[FilterTest]] = field(default_factory=dict[str, list[FilterTest]])
    uses: list[tuple[str, Span]] = field(default_factory=list[tuple[str, Span]])
    unread: set[str] = field(default_factory=set[str])


class Dataset(DatasetHead):
    """A relation with declared fields, and its checked filters."""

    filters: Mapping[str, Filter] = field(default_factory=dict[str, Filter])

    def only(self, names: Collection[str]) -> Dataset:
        """The dataset with only these filters (`dataset.filter`), and the groups, subscriptions and jobs that
        refer to no others.
        """
        filters = {name: row for name, row in self.filters.items() if row.qualified in names}

        def known(name: str) -> bool:
            return self.filter_named(name).partition("@")[0].rpartition(".")[2] in filters

        return replace(
            self,
            filters=filters,
            groups={name: group for name, group in self.groups.items() if all(map(known, group.filters))},
            subscriptions={name: row for name, row in self.subscriptions.items() if known(row.filter)},
            jobs={
                name: job
                for name, job in self.jobs.items()
                if all(known(asked.filter) for asked in job.filters)
            },
            policies={
                name: policy
                for name, policy in self.policies.items()
                if all(known(used.filter) for used in policy.filters)
            },
        )


def subscribed(datasets: Iterable[DatasetHead]) -> dict[str, list[tuple[str, str]]]:
    """The subscriptions of datasets, by short and by full name. Each has its full name and the full name of
    its filter, with the version if one is given.
    """
    result: dict[str, list[tuple[str, str]]] = {}
    for dataset in datasets:
        for name, row in dataset.subscriptions.items():
            whole = row.filter if "." in row.filter else f"{dataset.name}.{row.filter}"
            for known in (name, f"{dataset.name}.{name}"):
                result.setdefault(known, []).append((f"{dataset.name}.{name}", whole))
    return result


class Catalog(Struct, frozen=True):
    """A catalog in memory. `catalog["flights.late@2"]` is a Predicate.

    Attributes:
        datasets: The datasets by name.
        warnings: Problems that do not prevent loading, such as the use of deprecated versions.
        known: All filters by `dataset.filter`.
        variables: The values of Jinja variables.
        macro_folder: The folder of Jinja macros.
        attributes: The attributes of the session that queries, by name.
    """

    datasets: Mapping[str, Dataset]
    warnings: tuple[Diagnostic, ...] = ()
    known: Mapping[str, Filter] = field(default_factory=dict[str, Filter])
    variables: Mapping[str, Any] = field(default_factory=dict[str, Any])
    macro_folder: Path | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])

    @property
    def macros(self) -> dict[str, Macro]:
        """The Jinja macros, read on first use."""
        from predicat.catalog.macros import read_macros  # noqa: PLC0415  # only a manifest needs them

        return read_macros(self.macro_folder)

    def __getitem__(self, name: str) -> Predicate:
        """The predicate of `dataset.filter`, `dataset.filter@version`, or `filter` if that is unique.
        Raises PredicatError with similar names.
        """
        filter_, version = self.find(name)
        return filter_.versions[version].predicate

    def __iter__(self) -> Iterator[str]:
        """The names of all filters, as `dataset.filter`."""
        return (row.qualified for row in self.filters())

    def __len__(self) -> int:
        """The number of filters."""
        return len(self.filters())

    def __contains__(self, name: object) -> bool:
        """Whether `catalog[name]` is a predicate."""
        try:
            return isinstance(name, str) and self.find(name) is not None
        except PredicatError:
            return False

    def items(self) -> Iterator[tuple[str, Predicate]]:
        """The names of all filters, and the predicates of their latest versions."""
        return ((name, self[name]) for name in self)

    def __repr__(self) -> str:
        """One line: the numbers of datasets and filters."""
        return f"Catalog({len(self.datasets)} datasets, {len(self)} filters)"

    def only(self, names: Iterable[str]) -> Catalog:
        """The catalog with only these filters (`dataset.filter`) and those that they refer to.

        Datasets without any of them are left out, and so are groups, subscriptions and jobs that refer to
        another filter.
        """
        kept: set[str] = set()
        front = list(names)
        while front:
            name = front.pop()
            if name not in kept:
                kept.add(name)
                versions = self.known[name].versions.values()
                front += [other.partition("@")[0] for version in versions for other in version.references]
        datasets = {
            name: dataset.only(kept)
            for name, dataset in self.datasets.items()
            if any(row.qualified in kept for row in dataset.filters.values())
        }
        return replace(
            self,
            datasets=datasets,
            known={name: row for name, row in self.known.items() if name in kept},
        )

    def filters(self) -> list[Filter]:
        """All filters, in file order."""
        return list(self.known.values())

    def find(self, name: str) -> tuple[Filter, int]:
        """The filter and version of a name, as for `catalog[name]`, or of the subscription with this name.
        Raises PredicatError with similar names.
        """
        base, _, version = name.partition("@")
        filter_ = self.known.get(base)
        if filter_ is None:
            short = [item for item in self.known.values() if item.name == base]
            if len(short) > 1:
                names = " and ".join(item.qualified for item in short)
                raise PredicatError.of(say.several_datasets(base, names))
            filter_ = short[0] if short else None
        if filter_ is None and not version:
            asked = self._subscribed(base)
            if asked is not None:
                return self.find(asked)
        if filter_ is None:
            known = [
                *self.known,
                *(item.name for item in self.known.values()),
                *subscribed(self.datasets.values()),
            ]
            raise PredicatError.of(references.unknown_filter(NOWHERE, base, known))
        if not version:
            return filter_, filter_.latest
        number = version_number(version)
        if number is None or number not in filter_.versions:
            raise PredicatError.of(
                references.unknown_version(NOWHERE, filter_.qualified, version, map(str, filter_.versions))
            )
        return filter_, number

    def _subscribed(self, name: str) -> str | None:
        """The filter of the subscription of a name. Raises PredicatError if several datasets have one."""
        subscriptions = subscribed(self.datasets.values()).get(name, [])
        if len(subscriptions) > 1:
            raise PredicatError.of(say.several_datasets(name, " and ".join(one for one, _ in subscriptions)))
        return subscriptions[0][1] if subscriptions else None

    def accepted(self, name: str) -> Predicate:
        """The predicate that is TRUE for the rows that a filter accepts, with the defaults of its parameters.

        `on_unknown: accept` is a part of it. Raises PredicatError for an unknown name, and for a parameter
        without a default.
        """
        filter_, number = self.find(name)
        version = filter_.versions[number]
        node, surface = filter_.row_filter(number), filter_.row_filter(number, written=True)
        if node is None:
            required = next(param.name for param in version.params.values() if param.required)
            raise PredicatError.of(references.missing_param(NOWHERE, filter_.qualified, required))
        return Predicate(node, version.language, written=surface)

    def union(self, *names: str) -> Predicate:
        """One predicate that is TRUE for the rows that at least one of the filters accepts.

        It is simplified: a condition that another one implies is left out, and a condition of several filters
        is written once. Parameters have their defaults.

        Args:
            *names: Names as in `catalog[name]`, or patterns such as `flights.*`. All are of one dataset.

        Raises:
            PredicatError: A name is unknown, the filters are of several datasets, or a parameter has no
                default.
        """
        from predicat.rewrite.union import union  # noqa: PLC0415  # not to load a catalog

        chosen = list(dict.fromkeys(name_ for name in names for name_ in self._matching(name)))
        datasets = {self.find(name)[0].dataset for name in chosen}
        if len(datasets) != 1:
            raise PredicatError.of(say.union_of_datasets(sorted(datasets)))
        parts = [self.accepted(name) for name in chosen]
        languages = {part.language for part in parts}
        return Predicate(
            union(part.node for part in parts),
            languages.pop() if len(languages) == 1 else "sql",
            written=union(part.surface for part in parts),
        )

    def _matching(self, name: str) -> list[str]:
        """The filters of a name, or of a pattern such as `flights.*`."""
        if "*" not in name and "?" not in name:
            filter_, number = self.find(name)
            return [f"{filter_.qualified}@{number}"]
        names = [
            f"{known.qualified}@{known.latest}"
            for known in self.filters()
            if fnmatchcase(known.qualified, name)
        ]
        if not names:
            raise PredicatError.of(references.unknown_filter(NOWHERE, name, self.known))
        return names
