"""The arguments and options with which a command is given some of the filters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from predicat.cli.options import CATALOG, VARIABLES, argument, option
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import selection as say

if TYPE_CHECKING:
    from predicat.catalog.model import Catalog, Filter
    from predicat.catalog.select import Filters, Selected


def completed(context: click.Context, _parameter: click.Parameter, text: str) -> list[str]:
    """The selectors that begin with a text, for shells."""
    from predicat.cli.completion import selectors  # noqa: PLC0415  # only when a shell asks

    return selectors(context, text)


def selectors(**more: Any) -> Any:
    """The argument SELECTOR..., of which there may be any number."""
    return argument(**{"nargs": -1, "metavar": "[SELECTOR]...", "shell_complete": completed, **more})


EXCLUDE = option("--exclude SELECTOR", "Leave out the filters that this selector selects.")


@contextmanager
def no_paths(names: Iterable[str], *, file: str | None = None) -> Iterator[None]:
    """Filters are looked up by names. One that there is not, and that is a folder or a file, was meant for
    another option; `file` is the one that takes files. Raises PredicatError.
    """
    try:
        yield
    except PredicatError as error:
        if any(problem.code == "unknown-filter" for problem in error.diagnostics):
            for name in names:
                if Path(name).is_dir():
                    raise PredicatError.of(say.path_as_filter(name, "folder", "--catalog")) from error
                if file is not None and Path(name).is_file():
                    raise PredicatError.of(say.path_as_filter(name, "file", file)) from error
        raise


class Selection(Struct, frozen=True, kw_only=True):
    """What a command was given to select filters with."""

    selectors: tuple[str, ...] = selectors()
    exclude: tuple[str, ...] = EXCLUDE
    base: str | None = option(
        "--base REVISION",
        "state:changed and state:new compare with the merge base of this git revision. "
        "Default: the main branch.",
    )
    folder: Path = CATALOG
    variables: dict[str, str] = VARIABLES

    @property
    def everything(self) -> bool:
        """Whether nothing was given, which selects every filter."""
        return not self.selectors and not self.exclude

    def states(self) -> Mapping[str, Collection[str]]:
        """What differs from the base. Raises PredicatError."""
        from predicat.review.states import states  # noqa: PLC0415  # only for state:

        return states(self.folder, self.variables, self.base)

    def of(self, filters: Filters) -> list[Selected]:
        """What is selected; nothing is told on standard error. Raises PredicatError."""
        from predicat.catalog.select import select  # noqa: PLC0415  # not for --help

        with no_paths(self.selectors):
            result = select(filters, self.selectors, self.exclude)
        if not result:
            click.echo(say.NOTHING_SELECTED, err=True)
        return result

    def versions(self, catalog: Catalog) -> list[tuple[Filter, int]]:
        """The filters of a catalog that are selected, with their versions. Raises PredicatError."""
        from predicat.catalog.select import of_catalog  # noqa: PLC0415  # not for --help

        names = self.of(of_catalog(catalog, self.states))
        return [(catalog.known[one.name], one.number) for one in names]

    def filters(self, catalog: Catalog) -> list[Filter]:
        """The filters of a catalog that are selected, each once. Raises PredicatError."""
        return list({filter_.qualified: filter_ for filter_, _ in self.versions(catalog)}.values())


class SomeSelection(Selection, frozen=True, kw_only=True):
    """The same of a command that needs selectors."""

    selectors: tuple[str, ...] = selectors(required=True)
