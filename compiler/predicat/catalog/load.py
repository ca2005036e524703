"""Reads a catalog folder and checks every definition and filter. All problems are reported together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

from predicat.catalog.build import Builder
from predicat.catalog.definitions import DefinitionReader
from predicat.catalog.files import catalog_files, macro_folder, read_source
from predicat.catalog.model import (
    Catalog,
    Dataset,
    Filter,
    Version,
    WrittenDataset,
    WrittenFilter,
    made_of,
)
from predicat.catalog.paths import lock_path
from predicat.catalog.templates import Templates
from predicat.catalog.yaml_nodes import compose
from predicat.diagnostics import Diagnostic, Reporter
from predicat.diagnostics.messages import files as say


def load_catalog(
    folder: str | Path,
    *,
    macros: str | Path | None = None,
    variables: Mapping[str, Any] | None = None,
    files: Collection[Path] | None = None,
    tests: bool = True,
    today: date | None = None,
    texts: Mapping[Path, str] | None = None,
) -> Catalog:
    """Load and check a catalog.

    Args:
        folder: The catalog folder, or one file.
        macros: The folder of Jinja macros. Default: `macros` beside the catalog folder.
        variables: Values for Jinja variables. They override `vars` of the files.
        files: The files to read. Default: all.
        tests: Whether inline tests are run. A failed test is a problem.
        today: The day on which deprecations are evaluated. Default: today in UTC.
        texts: Contents that replace those of files, by resolved path.

    Raises:
        PredicatError: The catalog has problems. The error has all of them, from all files.
    """
    day = today or datetime.now(tz=UTC).date()
    definitions = _definitions(
        Path(folder), macros, variables, files, texts or {}, tests=tests, today=day, strict=True
    )
    catalog = definitions.builder.catalog()
    definitions.builder.reporter.raise_errors()
    return catalog


def _definitions(
    root: Path,
    macros: str | Path | None,
    variables: Mapping[str, Any] | None,
    files: Collection[Path] | None,
    texts: Mapping[Path, str],
    *,
    tests: bool,
    today: date,
    strict: bool = False,
) -> Definitions:
    reporter = Reporter()
    reader = DefinitionReader(reporter, root=root)
    unread: list[Path] = []
    for file in catalog_files(root, reporter) if files is None else sorted(files):
        problems = len(reporter.errors)
        source = read_source(file, reporter, texts)
        item = compose(source, reporter) if source is not None else None
        if item is not None:
            reader.add(item)
        if (item is None or not item.is_mapping) and len(
            reporter.errors
        ) > problems:  # an empty file has none
            unread.append(file)
    reader.finish()
    if files is None and not reader.datasets and not reporter.errors:
        reporter.add(say.no_dataset_in(str(root)))
    templates = Templates(macro_folder(root, macros), {**reader.variables, **(variables or {})})
    builder = Builder(reader, templates, reporter, tests, today, lock=lock_path(root), strict=strict)
    return Definitions(builder, tuple(unread))


def read_definitions(
    folder: Path, *, variables: Mapping[str, Any] | None = None, files: Collection[Path] | None = None
) -> Definitions:
    """The definitions of a catalog folder (or of some of its files), with no filter checked yet."""
    return _definitions(folder, None, variables, files, {}, tests=False, today=datetime.now(tz=UTC).date())


class Definitions(Struct, frozen=True):
    """A catalog that was read, whose versions are checked on first use. `unread` has the files that are not
    valid YAML, or not a mapping.
    """

    builder: Builder
    unread: tuple[Path, ...] = ()

    @property
    def datasets(self) -> Mapping[str, WrittenDataset]:
        """The datasets as written in the files."""
        return self.builder.reader.datasets

    @property
    def templates(self) -> Templates:
        """The macros and the variables."""
        return self.builder.templates

    def version(self, dataset: str, name: str, number: int) -> Version | None:
        """A version of a filter, checked; None if it has a problem, which is then in `problems`."""
        return self.builder.version(self.datasets[dataset].filters[name], number)

    @property
    def filters(self) -> dict[str, WrittenFilter]:
        """The filters as written, by `dataset.filter`."""
        return {
            filter_.qualified: filter_
            for dataset in self.datasets.values()
            for filter_ in dataset.filters.values()
        }

    def apart(self, *, tests: bool = False) -> Definitions:
        """The same files, with no filter checked yet and no problems."""
        old = self.builder
        builder = Builder(
            old.reader, old.templates, Reporter(), tests, old.today, lock=old.lock, strict=tests or old.strict
        )
        return Definitions(builder, self.unread)

    def checked(self, names: Iterable[str]) -> Catalog:
        """Some filters and those that they refer to. The tests of the former are run.

        Raises PredicatError with the problems of all of these, and of files that cannot be read.
        """
        one = self.apart(tests=True)
        known = {name: row for name in names if (row := one.filter(name)) is not None}
        reporter = one.builder.reporter
        reporter.extend(self.problems)
        reporter.raise_errors()
        datasets = {row.dataset: one.dataset(row.dataset) for row in known.values()}
        return Catalog(
            datasets,
            tuple(reporter.warnings),
            known,
            one.templates.variables,
            one.templates.folder,
            one.builder.reader.attributes,
        )

    def filter(self, name: str) -> Filter | None:
        """A filter (`dataset.filter`) with all its versions checked; None if it does not exist or has a
        problem.
        """
        dataset, _, short = name.partition(".")
        definitions = self.datasets.get(dataset)
        row = definitions.filters.get(short) if definitions is not None else None
        return self.builder.filter(row) if row is not None else None

    def dataset(self, name: str) -> Dataset:
        """A dataset without its filters."""
        return made_of(Dataset, self.datasets[name], filters={})

    @property
    def problems(self) -> list[Diagnostic]:
        """The errors found so far."""
        return self.builder.reporter.errors
