"""The catalog in memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from predicat.api import Predicate
from predicat.catalog.jobs import Job
from predicat.diagnostics import NOWHERE, Diagnostic, PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.ir.nodes import FieldDecl, ParamDecl
from predicat.ir.tree import Tree

if TYPE_CHECKING:
    from predicat.catalog.macros import Macro


class FilterTest(Struct, frozen=True):
    """A test: a row and whether the filter accepts it (None: its predicate is UNKNOWN). `version` is by
    default the latest.

    `places` has the places of the row's keys in the source of `span`.
    """

    row: Mapping[str, Any]
    matches: bool | None
    span: Span
    version: int | None = None
    description: str = ""
    places: Mapping[str, tuple[int, int]] = {}

    def place(self, name: str) -> Span:
        """Where a key of the row stands; the whole test if that is not known."""
        found = self.places.get(name)
        return Span(self.span.source, *found) if found is not None else self.span


class Bound(Struct, frozen=True):
    """A bound on how many rows a filter accepts: a share (0 to 1) if `share`, else a number of rows.
    `severity` is error or warn.
    """

    value: float
    share: bool
    severity: str = "error"

    def __str__(self) -> str:
        return f"{self.value * 100:.15g}%" if self.share else f"{self.value:.15g} rows"


class Freshness(Struct, frozen=True):
    """How old the newest value of a field of type timestamp or date may be, in seconds; `text` is the
    limit as written.
    """

    field: str
    seconds: int
    text: str
    severity: str = "error"
    span: Span = NOWHERE


class Version(Struct, frozen=True):
    """One version of a filter: its body as text for people, and its checked predicate.

    `template` is the body as the file has it, before Jinja; `on` the field that it reads its keys from, where
    it names one;
    `tree` is what was read, as it is written.
    """

    number: int
    language: str
    body: str
    predicate: Predicate
    params: Mapping[str, ParamDecl]
    references: tuple[str, ...]
    deprecated: str | None
    span: Span
    template: str = ""
    on: str | None = None
    tree: Tree | None = None


class Filter(Struct, frozen=True):
    """A named filter. `on_unknown` says whether it accepts ("accept") or rejects a row for which it is
    UNKNOWN.
    """

    name: str
    dataset: str
    description: str
    owner: str
    tags: tuple[str, ...]
    on_unknown: str
    latest: int
    versions: Mapping[int, Version]
    tests: tuple[FilterTest, ...]
    coverage: Mapping[str, Bound]
    span: Span
    view_options: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """The security options of its view that the catalog states, for the filter or for its dataset."""

    @property
    def qualified(self) -> str:
        return f"{self.dataset}.{self.name}"

    @property
    def view(self) -> str:
        """The name of its view."""
        return f"{self.dataset}__{self.name}"

    @property
    def current(self) -> Version:
        return self.versions[self.latest]


class Dataset(Struct, frozen=True):
    """A relation with declared fields, and what is defined on it.

    `baseline` may say how many days (`max_age`) old one may be; `enums` has the words of enumerations
    (`Status.ACTIVE`) with their values;
    `key` are the fields that name a row.
    `rows` are bounds on the number of rows (`at_least`, `at_most`, `drift`), `freshness` one on their newest
    value.
    """

    name: str
    description: str
    relation: Mapping[str, str]
    fields: Mapping[str, FieldDecl]
    filters: Mapping[str, Filter]
    groups: Mapping[str, Mapping[str, Any]]
    subscriptions: Mapping[str, Mapping[str, Any]]
    baseline: Mapping[str, Any] = field(default_factory=dict[str, Any])
    enums: Mapping[str, int | str] = field(default_factory=dict[str, int | str])
    rows: Mapping[str, Bound] = field(default_factory=dict[str, Bound])
    freshness: Freshness | None = None
    key: tuple[str, ...] = ()
    view: Mapping[str, bool] = field(default_factory=dict[str, bool])
    jobs: Mapping[str, Job] = field(default_factory=dict[str, Job])


class Catalog(Struct, frozen=True):
    """A catalog in memory. `catalog["flights.late@2"]` is a Predicate.

    Attributes:
        datasets: The datasets by name.
        warnings: Problems that do not fail the loading, such as use of deprecated versions.
        known: All filters by `dataset.filter`.
        variables: The values of Jinja variables.
        macro_folder: The folder of Jinja macros.
    """

    datasets: Mapping[str, Dataset]
    warnings: tuple[Diagnostic, ...] = ()
    known: Mapping[str, Filter] = field(default_factory=dict[str, Filter])
    variables: Mapping[str, Any] = field(default_factory=dict[str, Any])
    macro_folder: Path | None = None

    @property
    def macros(self) -> dict[str, Macro]:
        """The Jinja macros, read on first use."""
        from predicat.catalog.macros import read_macros  # noqa: PLC0415  # only a manifest needs them

        return read_macros(self.macro_folder)

    def __getitem__(self, name: str) -> Predicate:
        """The predicate of `dataset.filter`, `dataset.filter@version`, or `filter` if that is unique.
        Raises PredicatError with similar names.
        """
        found, version = self.find(name)
        return found.versions[version].predicate

    def filters(self) -> list[Filter]:
        """All filters, in file order."""
        return list(self.known.values())

    def find(self, name: str) -> tuple[Filter, int]:
        """The filter and version of a name, as for `catalog[name]`. Raises PredicatError with similar
        names.
        """
        base, _, version = name.partition("@")
        found = self.known.get(base)
        if found is None:
            short = [item for item in self.known.values() if item.name == base]
            if len(short) > 1:
                names = " and ".join(item.qualified for item in short)
                raise PredicatError.of(say.several_datasets(base, names))
            found = short[0] if short else None
        if found is None:
            known = [*self.known, *(item.name for item in self.known.values())]
            raise PredicatError.of(msg.unknown_filter(NOWHERE, base, known))
        if not version:
            return found, found.latest
        number = version_number(version)
        if number is None or number not in found.versions:
            raise PredicatError.of(
                msg.unknown_version(NOWHERE, found.qualified, version, map(str, found.versions))
            )
        return found, number

    def accepted(self, name: str) -> Predicate:
        """The predicate that is TRUE for the rows that a filter accepts, at the defaults of its parameters.

        `on_unknown: accept` is a part of it. Raises PredicatError for an unknown name, and for a parameter
        without a default.
        """
        from predicat.catalog.acceptance import accepted_by  # noqa: PLC0415  # that imports this module

        return accepted_by(self, name)

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
        from predicat.catalog.acceptance import union_of  # noqa: PLC0415  # that imports this module

        return union_of(self, names)


_VERSION = re.compile(r"0{0,6}[1-9][0-9]{0,5}\Z")


def version_number(text: str) -> int | None:
    """The number of a version, from 1 to 999,999; None for any other text."""
    return int(text) if _VERSION.match(text) else None
