"""A catalog that stays loaded while its files change: only what an edit can touch is read and checked again.

Each version remembers the inputs of its check: its own text, the fields and enumeration constants that it
looked up, the filters that it refers to, and the macros and variables if it is a template. It is checked
again if one of these has changed. Versions with errors are always checked again: there are few, and an error
message depends on more than these inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from operator import is_
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.build import Builder
from predicat.catalog.definitions import DefinitionReader
from predicat.catalog.files import catalog_files, macro_folder, read_source
from predicat.catalog.inline_tests import run_tests
from predicat.catalog.lists import Values
from predicat.catalog.model import (
    Catalog,
    Filter,
    FilterTest,
    Version,
    WrittenDataset,
    WrittenFilter,
    WrittenVersion,
)
from predicat.catalog.parts import FileParts, PartNode
from predicat.catalog.parts import read as read_parts
from predicat.catalog.paths import lock_path
from predicat.catalog.templates import LOCKS, Templates, is_template
from predicat.catalog.yaml_nodes import YamlNode
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Severity, Source, Span
from predicat.ir.nodes import FieldDecl, Node

T = TypeVar("T")


class Loaded(Struct, frozen=True):
    """The current state of a catalog. `catalog` has the filters without problems; `definitions` is the
    content of the files.

    `diagnostics` has all errors, sorted by place, and then the warnings. `files` has the root of each file
    that is valid YAML, by its resolved path. `tests` has for each filter the number of its tests and the
    number of those that fail. Places are valid until the next load.
    """

    catalog: Catalog
    definitions: Mapping[str, WrittenDataset]
    diagnostics: tuple[Diagnostic, ...]
    files: Mapping[Path, YamlNode]
    tests: Mapping[str, tuple[int, int]]
    templates: Templates

    @property
    def good(self) -> bool:
        """Whether there are no errors."""
        return not any(item.severity is Severity.ERROR for item in self.diagnostics)


class LiveCatalog:
    """The catalog of a folder, for repeated loading. `variables` override the variables of the files."""

    def __init__(self, folder: Path, variables: Mapping[str, Any] | None = None) -> None:
        self.folder = folder
        self.variables = dict(variables or {})
        self._files: dict[Path, FileParts] = {}
        self._disk: dict[Path, tuple[object, Source]] = {}
        self._resolved: dict[Path, Path] = {}
        self._memory = _Memory()
        self._templates: tuple[object, Templates] | None = None
        self._today: date | None = None

    def load(self, texts: Mapping[Path, str], today: date | None = None) -> Loaded:
        """Load the catalog and run its inline tests. `texts` has replacements of the contents of files, by
        resolved path.
        """
        today = today or datetime.now(tz=UTC).date()
        if today != self._today:
            self._today, self._memory = today, _Memory()
        reporter = Reporter()
        reader = _LiveDefinitionReader(reporter, root=self.folder)
        files: dict[Path, FileParts] = {}
        roots: dict[Path, YamlNode] = {}
        for file in catalog_files(self.folder, reporter):
            path = self._resolved.get(file) or self._resolved.setdefault(file, file.resolve())
            source = self._source(file, path, texts, reporter)
            if source is None:
                continue
            files[path] = read_parts(source, self._files.get(path))
            item = files[path].item(reporter)
            if item is not None:
                reader.add(item)
                roots[path] = item
        reader.finish()
        self._files = files
        templates = self._rendering({**reader.variables, **self.variables})
        lock = lock_path(self.folder)
        builder = _Builder(
            reader, templates, reporter, True, today, lock=lock, strict=True, memory=self._memory
        )
        catalog = builder.catalog()
        if not reporter.errors:  # while a file is broken its filters are gone, and come back
            self._memory.forget(builder)
        outcome = (*reporter.sorted_errors(), *reporter.warnings)
        return Loaded(catalog, reader.datasets, outcome, roots, builder.outcomes, templates)

    def _source(self, file: Path, path: Path, texts: Mapping[Path, str], reporter: Reporter) -> Source | None:
        """The text of a file; `path` is resolved. It is read again only if the file has changed."""
        before = self._files.get(path)
        if texts and (text := texts.get(path)) is not None:
            same = before is not None and before.source.text == text
            return before.source if same and before is not None else read_source(file, reporter, texts)
        try:
            status = file.stat()
        except OSError:
            return read_source(file, reporter, {})
        state = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._disk.get(path)
        if known is not None and known[0] == state:
            return known[1]
        source = read_source(file, reporter, {})
        if source is not None:
            self._disk[path] = state, source
        return source

    def _rendering(self, variables: dict[str, Any]) -> Templates:
        """The templates; the same object as long as no macro and no variable changes."""
        folder = macro_folder(self.folder, None)
        files = [file for file in folder.rglob("*.sql") if not file.name.startswith(LOCKS)] if folder else []
        state = (
            folder,
            sorted((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files),
            variables,
        )
        if self._templates is None or self._templates[0] != state:
            self._templates = state, Templates(folder, variables)
        self._templates[1].renew()
        return self._templates[1]


class _LiveDefinitionReader(DefinitionReader):
    """Reads definitions. An unchanged text is not read again."""

    def definition(self, dataset: str, name: str, item: YamlNode, span: Span) -> WrittenFilter | None:
        return self.once_read(
            item,
            (dataset, name, self.now),
            lambda own: super(_LiveDefinitionReader, self).definition(dataset, name, own, span),
        )

    def declared(self, name: str, item: YamlNode, span: Span) -> FieldDecl | None:
        read = super().declared
        return self.once_read(item, name, lambda own: read(name, own, span))

    def listed_tests(self, item: YamlNode) -> list[FilterTest]:
        return self.once_read(item, self.now, super().listed_tests)

    def once_read(self, item: YamlNode, key: object, read: Callable[[YamlNode], T]) -> T:
        """The result of `read` for an item, with its diagnostics; the former result if the item is in an
        unchanged part of the file.
        """
        if not isinstance(item, PartNode):
            return read(item)
        key = key, id(item.node)
        kept = item.part.kept.get(key)
        if kept is None:
            outer, self.reporter = self.reporter, Reporter()
            try:
                kept = item.part.kept[key] = (
                    read(YamlNode(item.node, item.source, self.reporter)),
                    tuple(self.reporter.diagnostics),
                )
            finally:
                self.reporter = outer
        result: T
        result, diagnostics = kept
        self.reporter.extend(diagnostics)
        return result


class _Asked(Mapping[str, Any]):
    """A mapping that records each lookup and its result."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names
        self.asked: dict[str, Any] = {}
        self.all: list[tuple[str, Any]] | None = None

    def __contains__(self, name: object) -> bool:
        definition = self.asked[str(name)] = self.names.get(str(name))
        return definition is not None

    def __getitem__(self, name: str) -> Any:
        self.asked[name] = self.names.get(name)
        return self.names[name]

    def __iter__(self) -> Iterator[str]:
        self.all = list(self.names.items())
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def holds(self, names: Mapping[str, Any]) -> bool:
        """Whether the recorded lookups have the same results in other names."""
        if self.names is names:
            return True
        if bool(names) != bool(self.names) or (self.all is not None and self.all != list(names.items())):
            return False
        return all((now := names.get(name)) is then or now == then for name, then in self.asked.items())


class _Kept(Struct, eq=False):
    """A version that was checked without an error, and the inputs of the check."""

    definition: WrittenVersion
    fields: _Asked
    enums: _Asked
    templates: Templates | None
    lists: Mapping[str, Values]
    ansi: bool
    references: list[tuple[str, WrittenFilter, Version]] = field(
        default_factory=list[tuple[str, WrittenFilter, Version]]
    )
    version: Version | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


class _Tested(Struct, eq=False):
    """The outcome of a filter's tests, and the inputs that it depends on."""

    versions: Sequence[Version]
    tests: Sequence[FilterTest]
    on_unknown: str
    names: _Asked
    diagnostics: tuple[Diagnostic, ...] = ()

    def holds(self, filter_: Filter, fields: Mapping[str, FieldDecl]) -> bool:
        return (
            self.on_unknown == filter_.on_unknown
            and _same(self.versions, tuple(filter_.versions.values()))
            and _same(self.tests, filter_.tests)
            and self.names.holds(fields)
        )


def _same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether these are identical objects."""
    return len(some) == len(others) and all(map(is_, some, others))


class _Memory(Struct, eq=False):
    """The results of the last load: of versions and of filters, by name."""

    versions: dict[tuple[str, int], _Kept] = field(default_factory=dict[tuple[str, int], _Kept])
    tests: dict[str, _Tested] = field(default_factory=dict[str, _Tested])

    def forget(self, builder: _Builder) -> None:
        """Drop what is no longer in the catalog."""
        for key in [key for key in self.versions if key not in builder.done]:
            del self.versions[key]
        for name in [name for name in self.tests if name not in builder.outcomes]:
            del self.tests[name]


class _Builder(Builder):
    """Checks what has changed since the last load."""

    memory: _Memory = field(default_factory=_Memory)
    building: list[_Kept] = field(default_factory=list[_Kept])
    outcomes: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def checked(self, filter_: WrittenFilter, number: int) -> Version | None:
        key = (f"{filter_.dataset}.{filter_.name}", number)
        kept = self.memory.versions.get(key)
        if kept is not None and kept.definition is filter_.versions[number] and self.holds(kept, filter_):
            self.reporter.extend(kept.diagnostics)
            return kept.version
        outer, self.reporter = self.reporter, Reporter()
        depth = len(self.building)
        try:
            version = super().checked(filter_, number)
        finally:
            own, self.reporter = self.reporter, outer
            now = self.building[depth] if len(self.building) > depth else None
            del self.building[depth:]
        self.reporter.extend(own.diagnostics)
        if version is None or now is None:
            self.memory.versions.pop(key, None)
        else:
            now.version, now.diagnostics = version, tuple(own.diagnostics)
            self.memory.versions[key] = now
        return version

    def holds(self, kept: _Kept, filter_: WrittenFilter) -> bool:
        dataset = self.reader.datasets[filter_.dataset]
        if not kept.fields.holds(dataset.fields) or not kept.enums.holds(dataset.enums):
            return False
        if kept.lists != self.lists_of(filter_.dataset) or kept.ansi != dataset.ansi:
            return False
        if kept.templates is not None and kept.templates is not self.templates:
            return False
        for name, definition, version in kept.references:
            known = self.names.lookup(filter_.dataset, name)
            if known is None or known[0] is not definition:
                return False
            number = definition.latest if known[1] is None else known[1]
            if (
                f"{definition.dataset}.{definition.name}" in self.path
                or self.version(definition, number) is not version
            ):
                return False
        return True

    def names_of(self, filter_: WrittenFilter, version: WrittenVersion) -> WrittenDataset:
        dataset = self.reader.datasets[filter_.dataset]
        fields, enums = _Asked(dataset.fields), _Asked(dataset.enums)
        self.building.append(
            _Kept(
                version,
                fields,
                enums,
                self.templates if is_template(version.source.text) else None,
                self.lists_of(filter_.dataset),
                dataset.ansi,
            )
        )
        return replace(dataset, fields=fields, enums=enums)

    def reference(
        self, filter_: WrittenFilter, name: str, args: tuple[tuple[str, Node], ...], span: Span
    ) -> tuple[str, Node]:
        now = self.building[-1]
        reference = super().reference(filter_, name, args, span)
        target = self.names.lookup(filter_.dataset, name)
        if target is not None:
            definition, asked = target
            version = self.version(definition, definition.latest if asked is None else asked)
            if version is not None:
                now.references.append((name, definition, version))
        return reference

    def test(self, filter_: Filter) -> None:
        dataset = self.reader.datasets[filter_.dataset]
        kept = self.memory.tests.get(filter_.qualified)
        if kept is None or not kept.holds(filter_, dataset.fields):
            outer, self.reporter = self.reporter, Reporter()
            names = _Asked(dataset.fields)
            try:
                run_tests(filter_, names, self.reporter)
                diagnostics = tuple(self.reporter.diagnostics)
            except PredicatError as error:  # a test may not end the loading
                diagnostics = error.diagnostics
            finally:
                self.reporter = outer
            kept = _Tested(
                tuple(filter_.versions.values()), filter_.tests, filter_.on_unknown, names, diagnostics
            )
            self.memory.tests[filter_.qualified] = kept
        self.reporter.extend(kept.diagnostics)
        failing = {(item.span.start, id(item.span.source)) for item in kept.diagnostics}
        self.outcomes[filter_.qualified] = len(filter_.tests), len(failing)
