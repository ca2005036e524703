"""What an export is asked for, and what it gives: texts with names, and refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

from msgspec import Struct, field

from predicat.api import Predicate
from predicat.catalog.acceptance import accepted_rows
from predicat.catalog.model import Catalog, Dataset, Filter
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Span
from predicat.diagnostics.messages import exports as say
from predicat.ir.nodes import FieldDecl, Node, code_of, fields_of, params_of
from predicat.rewrite.substitute import with_defaults

R = TypeVar("R")
T = TypeVar("T")


class Named(Protocol):
    """What has a name and a place in the catalog."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def span(self) -> Span: ...  # noqa: D102


N = TypeVar("N", bound=Named)


class Text(Struct, frozen=True):
    """A file that an export writes.

    Attributes:
        path: Its path below the folder of the export.
        body: Its text, without the mark.
        filters: The filters whose conditions it has, as `Row.name` has them.
        form: How a comment is written in it: a key of `marks.FORMS`.
    """

    path: str
    body: str
    filters: tuple[str, ...] = ()
    form: str = "sql"


class Row(Struct, frozen=True, dict=True):
    """A filter of an export: its predicate has no parameter left."""

    filter: Filter
    number: int
    dataset: Dataset
    predicate: Predicate

    @property
    def name(self) -> str:
        """`dataset.filter`, and the version if it is not the latest."""
        return reference(self.filter, self.number)

    @property
    def filter_name(self) -> str:
        """The name inside of its dataset, and the version if it is not the latest: `active`, `active_v2`."""
        return self.filter.name if self.number == self.filter.latest else f"{self.filter.name}_v{self.number}"

    @property
    def file(self) -> str:
        """The name of a file of its own, without the ending."""
        return self.name.replace("@", ".v")

    @property
    def identifier(self) -> str:
        """A name for it in SQL: `dataset__filter`, and the version if it is not the latest."""
        return (
            self.filter.view if self.number == self.filter.latest else f"{self.filter.view}__v{self.number}"
        )

    @property
    def filters(self) -> tuple[str, ...]:
        """Its own name: what a mark says of its file."""
        return (self.name,)

    @property
    def title(self) -> str:
        """The name, the version and the description, in one line: for comments."""
        text = f"{self.filter.qualified}, version {self.number}: {' '.join(self.filter.description.split())}"
        return text.removesuffix(": ")

    @property
    def span(self) -> Span:
        """The place of its version in the catalog."""
        return self.filter.versions[self.number].span

    @cached_property
    def node(self) -> Node:
        """TRUE for exactly the rows that the filter accepts; FALSE or NULL for the others."""
        return accepted_rows(self.predicate.node, self.filter.on_unknown)

    @cached_property
    def written(self) -> Node:
        """The same as its author wrote it, for writers of languages."""
        return accepted_rows(self.predicate.surface, self.filter.on_unknown)

    @property
    def fields(self) -> Mapping[str, FieldDecl]:
        """The fields that it reads, by name."""
        return fields_of(self.node)


def reference(filter_: Filter, number: int) -> str:
    """The name of a filter in a mark: with the version if it is not the latest."""
    return filter_.qualified if number == filter_.latest else f"{filter_.qualified}@{number}"


def no_values(_filter: Filter, _number: int) -> Mapping[str, Any]:
    """No values of parameters: each has its default."""
    return {}


class Asked(Struct, dict=True):
    """What an export is asked for.

    Attributes:
        catalog: The catalog.
        chosen: The chosen filters and their versions.
        settings: The values of the target's own options.
        params: Gives the values of parameters that replace the defaults of a filter.
        reporter: Takes the refusals, each with its place and its reason, and what is only told.
    """

    catalog: Catalog
    chosen: Sequence[tuple[Filter, int]]
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    params: Callable[[Filter, int], Mapping[str, Any]] = no_values
    reporter: Reporter = field(default_factory=Reporter)

    def needs(self, other: str, *names: str) -> None:
        """Raise PredicatError if an option is given that only another one reads, such as `--of policies`."""
        for name in names:
            if self.params is not no_values if name == "param" else self.settings[name]:
                raise PredicatError.of(say.option_not_read(f"--{name}", other))

    @cached_property
    def rows(self) -> Sequence[Row]:
        """The chosen filters. One that runs Python code, or has a parameter without a value, is refused."""
        return [row for one in self.chosen for row in self._tried(self._row, one)]

    def each(self, write: Callable[[Row], R]) -> Iterator[R]:
        """What a function makes of each filter. Where it raises PredicatError the filter is refused."""
        return self.each_of(self.rows, write)

    def each_of(self, given: Iterable[T], write: Callable[[T], R]) -> Iterator[R]:
        """The same of what is given."""
        return (made for one in given for made in self._tried(write, one))

    def by_dataset(self, write: Callable[[Row], R]) -> dict[str, list[tuple[Row, R]]]:
        """The same, by the name of the dataset: for a tool whose files have all filters of one, by name."""
        found: dict[str, list[tuple[Row, R]]] = {}
        for row in self.rows:
            for made in self._tried(write, row):
                found.setdefault(row.dataset.name, []).append((row, made))
        return {name: self.named_once(rows, lambda row: row.filter_name) for name, rows in found.items()}

    def named_once(self, found: Sequence[tuple[Row, R]], name: Callable[[Row], str]) -> list[tuple[Row, R]]:
        """Those whose names in a file differ. The second filter of a name is refused."""
        first: dict[str, tuple[Row, R]] = {}
        for row, made in found:
            other, _ = first.setdefault(name(row), (row, made))
            if other is not row:
                self.reporter.add(say.same_name(row.span, row.name, other.name, name(row)))
        return list(first.values())

    def one_of_each(self, given: Iterable[N], table: Callable[[N], str]) -> Iterator[tuple[N, str]]:
        """What is given with its table, where a table takes only one: several of a table are refused."""
        tables: dict[str, list[N]] = {}
        for row, name in self.each_of(given, lambda row: (row, table(row))):
            tables.setdefault(name, []).append(row)
        for name, rows in tables.items():
            if len(rows) > 1:
                self.reporter.add(say.one_row_filter(rows[1].span, name, [row.name for row in rows]))
            else:
                yield rows[0], name

    def _tried(self, write: Callable[[T], R], given: T) -> tuple[R] | tuple[()]:
        try:
            return (write(given),)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            return ()

    def _row(self, one: tuple[Filter, int]) -> Row:
        filter_, number = one
        version = filter_.versions[number]
        given = version.predicate.bound(**self.params(filter_, number))
        missing = [name for name, decl in params_of(given.node).items() if decl.required]
        problems: list[Diagnostic] = [say.no_value(version.span, filter_.qualified, name) for name in missing]
        problems += [say.python_code(version.span, filter_.qualified, name) for name in code_of(given.node)]
        if problems:
            raise PredicatError(problems)
        node, surface = with_defaults(given.node), with_defaults(given.surface)
        predicate = Predicate(node, given.language, written=surface)
        return Row(filter_, number, self.catalog.datasets[filter_.dataset], predicate)
