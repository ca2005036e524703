"""Reads a catalog folder: every file, every definition, every filter checked. All problems come at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.api import Predicate
from predicat.catalog.definitions import DefinitionReader
from predicat.catalog.jobs import JobFilter
from predicat.catalog.lists import Values, names_in
from predicat.catalog.model import (
    Catalog,
    Dataset,
    Filter,
    FilterTest,
    Version,
    WrittenDataset,
    WrittenFilter,
    WrittenVersion,
    made_of,
)
from predicat.catalog.paths import PROJECT_FILE, lock_path
from predicat.catalog.released import Released
from predicat.catalog.templates import LOCKS, Templates
from predicat.catalog.versions import version_number
from predicat.catalog.yaml_nodes import compose
from predicat.check.resolve import check
from predicat.check.scope import Scope
from predicat.diagnostics import NOWHERE, Diagnostic, PredicatError, Reporter, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import entries, sql
from predicat.diagnostics.reading import reading
from predicat.forms.conversions import argument
from predicat.ir.codec import to_data
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, ParamDecl, rewrite_children
from predicat.ir.rows import misfit, unknown_keys
from predicat.ir.tree import Tree
from predicat.ir.types import BOOLEAN, DATE, STRING, TIMESTAMP
from predicat.ir.values import RowError, to_value
from predicat.language import LANGUAGES, Body, Language
from predicat.lower import core
from predicat.rewrite.simplify import simplify
from predicat.rewrite.substitute import substitute

SUFFIXES = (".yml", ".yaml")


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
        today: The day by which deprecations are judged. Default: today in UTC.
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
    templates = Templates(macro_folder(root, macros), {**reader.variables, **(variables or {})})
    builder = Builder(reader, templates, reporter, tests, today, lock=lock_path(root), strict=strict)
    return Definitions(builder, tuple(unread))


def read_definitions(
    folder: Path, *, variables: Mapping[str, Any] | None = None, files: Collection[Path] | None = None
) -> Definitions:
    """A catalog folder (or some files of it) as it is written, with no filter checked yet."""
    return _definitions(folder, None, variables, files, {}, tests=False, today=datetime.now(tz=UTC).date())


def catalog_files(root: Path, reporter: Reporter) -> list[Path]:
    """The files of a catalog, in the order of their names."""
    if root.is_file():
        return [root]
    if not root.is_dir():
        reporter.add(msg.no_folder(str(root), None if root.is_absolute() else _above(root)))
        return []
    found = sorted(
        file
        for file in root.rglob("*")
        if file.suffix in SUFFIXES
        and not file.is_dir()
        and not file.name.startswith(LOCKS)
        and file.name != PROJECT_FILE
    )
    if not found:
        reporter.add(msg.empty_catalog(str(root)))
    for file in found:
        if not file.is_file():
            reporter.add(say.no_file(str(file), link=file.is_symlink()))
    return [file for file in found if file.is_file()]


def _above(root: Path) -> str | None:
    """A folder of this name above the current one, up to the root of the repository."""
    here = Path.cwd()
    for steps, folder in enumerate((here, *here.parents)):
        if steps and (folder / root).is_dir():
            return str(Path(*[".."] * steps) / root)
        if (folder / ".git").exists():
            break
    return None


def macro_folder(root: Path, macros: str | Path | None) -> Path | None:
    """Where the macros of a catalog are, by default beside it; None if there is no such folder."""
    folder = Path(macros) if macros is not None else root.parent / "macros"
    return folder if folder.is_dir() else None


def read_source(file: Path, reporter: Reporter, texts: Mapping[Path, str]) -> Source | None:
    """A file, or what `texts` has in its place; a file that cannot be read is reported."""
    if texts and (text := texts.get(file.resolve())) is not None:
        return Source(_shown(file), text)
    try:
        with reading(str(file)):
            text = file.read_bytes().decode("utf-8")
    except PredicatError as problem:
        reporter.extend(problem.diagnostics)
        return None
    # Places count characters as the YAML reader does, which drops a byte order mark.
    return Source(_shown(file), text.removeprefix("\ufeff"))


def _shown(file: Path) -> str:
    try:
        return str(file.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(file)


class Definitions(Struct, frozen=True):
    """A catalog that was read, whose versions are checked when they are asked for. `unread` are the files
    that are no YAML, or no mapping.
    """

    builder: Builder
    unread: tuple[Path, ...] = ()

    @property
    def datasets(self) -> Mapping[str, WrittenDataset]:
        """What the files say of each dataset."""
        return self.builder.reader.datasets

    @property
    def templates(self) -> Templates:
        """The macros and the variables."""
        return self.builder.templates

    def version(self, dataset: str, name: str, number: int) -> Version | None:
        """A version of a filter, checked; None where it has a problem, which `problems` has from then on."""
        return self.builder.version(self.datasets[dataset].filters[name], number)

    @property
    def filters(self) -> dict[str, WrittenFilter]:
        """The filters by `dataset.filter`, as they are written."""
        return {row.qualified: row for dataset in self.datasets.values() for row in dataset.filters.values()}

    def apart(self, *, tests: bool = False) -> Definitions:
        """The same files with no filter checked yet, and no problem met."""
        old = self.builder
        builder = Builder(
            old.reader, old.templates, Reporter(), tests, old.today, lock=old.lock, strict=tests or old.strict
        )
        return Definitions(builder, self.unread)

    def checked(self, names: Iterable[str]) -> Catalog:
        """Some filters and those that they refer to, with the tests of the former run.

        Raises PredicatError with the problems of these, and of files that cannot be read.
        """
        one = self.apart(tests=True)
        known = {name: row for name in names if (row := one.filter(name)) is not None}
        reporter = one.builder.reporter
        reporter.extend(self.problems)
        reporter.raise_errors()
        datasets = {row.dataset: one.dataset(row.dataset) for row in known.values()}
        return Catalog(
            datasets, tuple(reporter.warnings), known, one.templates.variables, one.templates.folder
        )

    def filter(self, name: str) -> Filter | None:
        """A filter (`dataset.filter`) with all its versions checked; None where there is none, or it has a
        problem.
        """
        dataset, _, short = name.partition(".")
        found = self.datasets.get(dataset)
        row = found.filters.get(short) if found is not None else None
        return self.builder.filter(row) if row is not None else None

    def dataset(self, name: str) -> Dataset:
        """A dataset without its filters."""
        return made_of(Dataset, self.datasets[name], filters={})

    @property
    def problems(self) -> list[Diagnostic]:
        """The errors that were met so far."""
        return self.builder.reporter.errors


class Builder(Struct, dict=True):
    """Checks each version once, following references as they come."""

    reader: DefinitionReader
    templates: Templates
    reporter: Reporter
    tests: bool
    today: date
    done: dict[tuple[str, int], Version | None] = field(default_factory=dict[tuple[str, int], Version | None])
    path: list[str] = field(default_factory=list[str])
    lock: Path | None = None
    strict: bool = False
    """Whether SQL that engines mean differently is an error where `lock` has no such version."""
    lists: dict[str, Mapping[str, Values]] = field(default_factory=dict[str, Mapping[str, Values]])

    @cached_property
    def released(self) -> Mapping[str, Released]:
        """The versions that the lock file has, as `dataset.filter@1`; none where it cannot be read."""
        from predicat.catalog.lock import read_lock_file  # noqa: PLC0415  # most catalogs do without

        try:
            file = read_lock_file(self.lock) if self.lock is not None else None
        except PredicatError:
            file = None
        return file.lock.versions if file is not None else {}

    def catalog(self) -> Catalog:
        datasets: dict[str, Dataset] = {}
        known: dict[str, Filter] = {}
        for name, definition in self.reader.datasets.items():
            filters: dict[str, Filter] = {}
            for row in definition.filters.values():
                found = self.filter(row)
                if found is not None:
                    filters[found.name] = known[found.qualified] = found
            datasets[name] = made_of(Dataset, definition, filters=filters)
        self.members()
        self.jobs(known)
        self.views(known.values())
        return Catalog(
            datasets, tuple(self.reporter.warnings), known, self.templates.variables, self.templates.folder
        )

    def views(self, filters: Iterable[Filter]) -> None:
        """No two filters share the name of their views, dataset__filter."""
        seen: dict[str, Filter] = {}
        for row in filters:
            if (other := seen.setdefault(row.view, row)) is not row:
                self.reporter.add(msg.same_view(row.span, row.view, other.qualified))

    def members(self) -> None:
        """Groups and subscriptions name filters that exist, keys fields, and freshness a field that tells
        a time.
        """
        for dataset in self.reader.datasets.values():
            self.freshness(dataset)
            for name in dataset.key:
                if name not in dataset.fields and "unknown-field" not in dataset.unread:
                    self.reporter.add(msg.unknown_field(dataset.places["key"], name, dataset.fields))
            for name, span in dataset.uses:
                self.use(dataset.name, name, span)

    def use(self, dataset: str, name: str, span: Span) -> None:
        """A name stands for a filter, or for a version that it has."""
        found = self.lookup(dataset, name)
        if found is None:
            if not self.declares(dataset, name):
                self.reporter.add(msg.unknown_filter(span, name, self.names(dataset)))
            return
        row, number = found
        if number is not None and number not in row.versions:
            version = name.partition("@")[2]
            self.reporter.add(msg.unknown_version(span, row.qualified, version, map(str, row.versions)))

    def jobs(self, known: Mapping[str, Filter]) -> None:
        """Jobs name filters that exist and values that their parameters take, and a range column that is a
        field.
        """
        for dataset in self.reader.datasets.values():
            for job in dataset.jobs.values():
                if job.name in self.reader.datasets:
                    self.reporter.add(say.job_named_as_dataset(job.span, job.name))
                if job.range is not None and job.range not in dataset.fields:
                    self.reporter.add(msg.unknown_field(job.span, job.range, dataset.fields))
                if job.every == "subscriptions" and not dataset.subscriptions:
                    self.reporter.add(say.no_subscriptions(job.span, dataset.name))
                for row in job.filters:
                    self.job_filter(dataset, row, known)

    def job_filter(self, dataset: WrittenDataset, row: JobFilter, known: Mapping[str, Filter]) -> None:
        name = dataset.filter_named(row.filter)
        found = self.lookup(dataset.name, name)
        if found is None and self.declares(dataset.name, name):
            return  # its own problems are reported where they are
        if found is None:
            self.reporter.add(
                msg.unknown_filter(row.span, row.filter, [*self.names(dataset.name), *dataset.subscriptions])
            )
            return
        target = known.get(f"{found[0].dataset}.{found[0].name}")
        if target is None:
            return  # its own problems are reported where they are
        number = found[1] or target.latest
        if found[0].dataset != dataset.name:
            self.reporter.add(say.filter_of_another_dataset(row.span, row.filter, dataset.name))
        elif number not in target.versions:
            if row.filter not in dataset.subscriptions:  # where it is reported
                version = name.partition("@")[2]
                self.reporter.add(
                    msg.unknown_version(row.span, target.qualified, version, map(str, target.versions))
                )
        else:
            self.reporter.extend(
                argument_problems(row.span, target.qualified, target.versions[number].params, row.params)
            )

    def freshness(self, dataset: WrittenDataset) -> None:
        spec = dataset.freshness
        if spec is None:
            return
        declared = dataset.fields.get(spec.field)
        if declared is None:
            self.reporter.add(msg.unknown_field(spec.span, spec.field, dataset.fields))
        elif declared.type not in (TIMESTAMP, DATE):
            self.reporter.add(say.freshness_of_no_time(spec.span, spec.field, str(declared.type)))

    def filter(self, row: WrittenFilter) -> Filter | None:
        versions: dict[int, Version] = {}
        for number in row.versions:
            found = self.version(row, number)
            if found is not None:
                versions[number] = found
        if not versions or row.latest not in versions:
            return None
        dataset = self.reader.datasets[row.dataset]
        checked = made_of(
            Filter,
            row,
            versions=versions,
            tests=(*row.tests, *dataset.tests.get(row.name, ())),
            view_options={**dataset.view, **row.view_options},
        )
        if self.tests:
            self.test(checked)
        return checked

    def test(self, found: Filter) -> None:
        """The tests of a filter, on the reference evaluator."""
        self.run_tests(found, self.reader.datasets[found.dataset].fields)

    def run_tests(self, found: Filter, fields: Mapping[str, FieldDecl]) -> None:
        for test in found.tests:
            for name, known in unknown_keys(test.row, fields):
                self.reporter.add(msg.unknown_row_key(test.place(name), name, known))
            if test.version is not None and test.version not in found.versions:
                self.reporter.add(
                    msg.unknown_version(
                        test.span, found.qualified, str(test.version), map(str, found.versions)
                    )
                )
                continue
            try:
                outcome = outcome_of(found.versions[test.version or found.latest].predicate, test)
            except PredicatError as error:
                wrong = misfit(test.row, fields)
                place = test.span if wrong is None else test.place(wrong)
                is_text = wrong is not None and fields[wrong].type == STRING
                for item in error.diagnostics:
                    self.reporter.add(
                        item if item.span != NOWHERE else msg.row_of_a_test(place, item.message, text=is_text)
                    )
                continue
            if not test_passes(found, test, outcome):
                self.reporter.add(
                    msg.failed_test(
                        test.span, found.qualified, expected_text(test), actual_text(found, test, outcome)
                    )
                )

    # --- names

    def names(self, dataset: str) -> list[str]:
        own = self.reader.datasets[dataset].filters
        return [
            *own,
            *(f"{name}.{row}" for name, other in self.reader.datasets.items() for row in other.filters),
        ]

    def declares(self, dataset: str, name: str) -> bool:
        """Whether a filter of this name is in a file, where it may have problems."""
        owner, _, short = name.partition("@")[0].rpartition(".")
        found = self.reader.datasets.get(owner or dataset)
        return found is not None and f"filter {short}" in found.places

    def lookup(self, dataset: str, name: str) -> tuple[WrittenFilter, int | None] | None:
        """The definition that a name means inside a dataset, and the version that it asks for."""
        base, _, version = name.partition("@")
        owner, _, short = base.rpartition(".")
        found = self.reader.datasets.get(owner or dataset)
        row = found.filters.get(short) if found else None
        if row is None:
            return None
        return row, (version_number(version) or -1) if version else None

    # --- one version

    def version(self, row: WrittenFilter, number: int) -> Version | None:
        key = (f"{row.dataset}.{row.name}", number)
        if key not in self.done:
            self.path.append(key[0])
            try:
                self.done[key] = self.checked(row, number)
            finally:
                self.path.pop()
        return self.done[key]

    def checked(self, row: WrittenFilter, number: int) -> Version | None:
        """A version; None if it has problems, which are reported."""
        try:
            return self.build(row, row.versions[number])
        except PredicatError as error:
            unread = self.reader.datasets[row.dataset].unread
            self.reporter.extend(item for item in error.diagnostics if item.code not in unread)
            return None

    def build(self, row: WrittenFilter, version: WrittenVersion) -> Version:
        dataset = self.names_of(row, version)
        language = LANGUAGES[version.language].meant(ansi=dataset.ansi)
        references: list[str] = []

        def resolve(name: str, args: tuple[tuple[str, Node], ...], span: Span) -> Node:
            found, node = self.reference(row, name, args, span)
            if found.partition(".")[0] != row.dataset:
                node = _fitting(node, dataset, found, span)
            references.append(found)
            return node

        body, source = version.data, version.source
        rendered = language.shape != "data" and isinstance(body, str)
        if rendered:
            source = self.templates.render(source, version.language)
            body = source.text
        on = version.on if version.on is not None else language.on
        tree = language.read(Body(body, source, version.span, on, dataset.fields))
        doubts: list[Diagnostic] = []
        scope = Scope(
            dataset.fields,
            version.params,
            resolve,
            dataset.enums,
            language.placeholders,
            doubts,
            self.lists_of(row.dataset),
        )
        qualified = f"{row.dataset}.{row.name}@{version.number}"
        surface = self.typed(qualified, tree, scope, language)
        self.doubted(qualified, doubts)
        surface = self.as_released(qualified, surface, tree, scope, language)
        return made_of(
            Version,
            version,
            # A text that stands for data, such as `not: other`, has no source of its own.
            body=source.text.strip() if rendered else version.template,
            predicate=Predicate(core(surface), version.language, written=simplify(surface)),
            references=tuple(dict.fromkeys(references)),
            tree=tree,
        )

    def doubted(self, name: str, doubts: list[Diagnostic]) -> None:
        """What engines mean differently in a version: an error, unless it was released like that."""
        if doubts and self.strict and name not in self.released:
            raise PredicatError(doubts)
        self.reporter.extend(sql.released_ambiguity(doubt, name) for doubt in doubts)

    def typed(self, name: str, tree: Tree, scope: Scope, language: Language) -> Node:
        """A typed predicate. What the rules of today refuse may have been released by earlier ones."""
        try:
            return check(tree, scope, language.rules)
        except PredicatError:
            nothing = Literal(BOOLEAN, None)
            before = self.as_released(name, nothing, tree, scope, language)
            if before is nothing:
                raise
            return before

    def as_released(self, name: str, surface: Node, tree: Tree, scope: Scope, language: Language) -> Node:
        """A predicate by the rules under which its version was released, if those of today change it."""
        if name not in self.released or to_data(core(surface)) == self.released[name].meaning:
            return surface
        for flags in _earlier(language):
            try:
                before = check(tree, scope, replace(language.rules, **dict.fromkeys(flags, False)))
            except PredicatError:
                continue  # a body that was not supported by these rules was not released by them
            if to_data(core(before)) == self.released[name].meaning:
                self.reporter.extend(sql.RELEASED_BY[flag](before.span, name) for flag in flags)
                return before
        return surface

    def lists_of(self, dataset: str) -> Mapping[str, Values]:
        """The lists that bodies of a dataset may name."""
        if dataset not in self.lists:
            every = {name: row.lists for name, row in self.reader.datasets.items() if row.lists}
            self.lists[dataset] = names_in(dataset, every)
        return self.lists[dataset]

    def names_of(self, row: WrittenFilter, _version: WrittenVersion) -> WrittenDataset:
        """The dataset whose fields and enumerations a version may name."""
        return self.reader.datasets[row.dataset]

    def reference(
        self, row: WrittenFilter, name: str, args: tuple[tuple[str, Node], ...], span: Span
    ) -> tuple[str, Node]:
        """The node of another filter, with its parameters bound."""
        found = self.lookup(row.dataset, name)
        if found is None and self.declares(row.dataset, name):
            raise PredicatError([])  # its own problems are reported where they are
        if found is None:
            raise PredicatError.of(msg.unknown_filter(span, name, self.names(row.dataset)))
        target, asked = found
        number = target.latest if asked is None else asked
        qualified = f"{target.dataset}.{target.name}"
        if number not in target.versions:
            raise PredicatError.of(
                msg.unknown_version(span, qualified, str(name.partition("@")[2]), map(str, target.versions))
            )
        if target.versions[number].language == "python":
            raise PredicatError.of(entries.part_of_another(span, name))
        if qualified in self.path:
            raise PredicatError.of(msg.cycle(span, [*self.path[self.path.index(qualified) :], qualified]))
        version = self.version(target, number)
        if version is None:
            raise PredicatError([])  # its own problems are reported where they are
        self.warn_deprecated(span, qualified, target, version)
        node = substitute(version.predicate.surface, _values(qualified, version, args, span))
        if target.on_unknown == "accept":
            node = Call(BOOLEAN, "coalesce", (node, Literal(BOOLEAN, True)), span)
        return f"{qualified}@{number}", node

    def warn_deprecated(self, span: Span, name: str, target: WrittenFilter, version: Version) -> None:
        if version.deprecated:
            other = f"{name}@{target.latest}" if target.latest != version.number else None
            over = date.fromisoformat(version.deprecated) < self.today
            message = msg.deprecated_use if over else msg.deprecated
            self.reporter.add(message(span, f"{name}@{version.number}", version.deprecated, other))


def _fitting(node: Node, dataset: WrittenDataset, name: str, span: Span) -> Node:
    """A predicate of another dataset with the fields of this one. Raises PredicatError for a field that this
    one does not have, or has with another type or another meaning of NULL.
    """

    def rewrite(part: Node) -> Node:
        if not isinstance(part, Field):
            return rewrite_children(part, rewrite)
        own = dataset.fields.get(part.decl.name)
        expected_text = str(part.decl.type), part.decl.nulls
        has = (str(own.type), own.nulls) if own is not None else None
        if own is None or has != expected_text:
            raise PredicatError.of(
                say.field_does_not_fit(span, name, dataset.name, part.decl.name, expected_text, has)
            )
        return Field(part.type, own, part.span)

    return rewrite(node)


def argument_problems(
    span: Span, name: str, params: Mapping[str, ParamDecl], given: Mapping[str, Any]
) -> list[Diagnostic]:
    """What keeps values from being those of a filter's parameters: surplus ones, missing ones, those of
    another type.
    """
    found = [msg.surplus_param(span, name, key, params) for key in given if key not in params]
    for key, decl in params.items():
        if key not in given:
            if decl.required:
                found.append(msg.missing_param(span, name, key))
            continue
        try:
            to_value(given[key], decl.type)
        except RowError:
            found.append(say.bad_argument(span, key, name, given[key], decl.type))
    return found


def outcome_of(predicate: Predicate, test: FilterTest) -> bool | None:
    """The outcome of a predicate on the row of a test.

    Raises PredicatError where a value does not fit its field, or the predicate reads the current time and the
    test does not say it: its outcome would change.
    """
    if test.now is None and predicate.reads_now:
        raise PredicatError.of(say.test_without_now(test.span))
    return predicate.evaluate(test.row, now=test.now)


def test_passes(row: Filter, test: FilterTest, outcome: bool | None) -> bool:
    """Whether an outcome is the one that a test wants: UNKNOWN itself, or what the filter makes of it."""
    if test.matches is None:
        return outcome is None
    return (row.on_unknown == "accept" if outcome is None else outcome) == test.matches


def expected_text(test: FilterTest) -> str:
    """What a test wants, in words."""
    return "UNKNOWN" if test.matches is None else str(test.matches).lower()


def actual_text(row: Filter, test: FilterTest, outcome: bool | None) -> str:
    """What a test got, in words."""
    if outcome is None and test.matches is not None:
        return say.unknown_outcome(row.on_unknown)
    return "UNKNOWN" if outcome is None else str(outcome).lower()


def _values(name: str, version: Version, args: tuple[tuple[str, Node], ...], span: Span) -> dict[str, Node]:
    """What each parameter of a referred filter stands for: the argument given, or its default."""
    actual_text = dict(args)
    for key in actual_text:
        if key not in version.params:
            raise PredicatError.of(msg.surplus_param(span, name, key, version.params))
    values: dict[str, Node] = {}
    for key, decl in version.params.items():
        if key in actual_text:
            node = actual_text[key]
            value = argument(node, decl.type)
            if value is None:
                raise PredicatError.of(msg.param_type(node.span, name, key, str(decl.type), str(node.type)))
            values[key] = value
        elif decl.required:
            raise PredicatError.of(msg.missing_param(span, name, key))
        else:
            values[key] = Literal(decl.type, decl.default, span)
    return values


def _earlier(language: Language) -> Iterator[tuple[str, ...]]:
    """The rules of a language that earlier releases did not have: one, then several of them together."""
    flags = [flag for flag in sql.RELEASED_BY if getattr(language.rules, flag)]
    for number in range(1, len(flags) + 1):
        yield from combinations(flags, number)
