"""Builds filters from definitions: parses and checks bodies, and resolves references to other filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from itertools import combinations
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.api import Predicate, read_body
from predicat.catalog.checks import Checks
from predicat.catalog.definitions import DefinitionReader
from predicat.catalog.inline_tests import run_tests
from predicat.catalog.lists import Values, names_in
from predicat.catalog.model import (
    Catalog,
    Dataset,
    Filter,
    Version,
    WrittenDataset,
    WrittenFilter,
    WrittenVersion,
    made_of,
)
from predicat.catalog.names import Names
from predicat.catalog.policy_conditions import PolicyChecks
from predicat.catalog.released import Released
from predicat.catalog.templates import Templates
from predicat.check.resolve import check
from predicat.check.scope import Scope
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Span
from predicat.diagnostics.messages import entries, keys, references, sql_meanings
from predicat.diagnostics.messages import jobs as say
from predicat.forms.conversions import argument
from predicat.ir.codec import to_data
from predicat.ir.nodes import Call, Field, Literal, Node, rewrite_children
from predicat.ir.syntax import Tree
from predicat.ir.types import BOOLEAN
from predicat.language import LANGUAGES, Language
from predicat.language.common.body import Body
from predicat.lower import core
from predicat.rewrite.simplify import simplify
from predicat.rewrite.substitute import substitute


class Builder(Struct, dict=True):
    """Checks each version once, and before it the versions that it refers to.

    Attributes:
        reader: The definitions.
        templates: The macros and variables of bodies.
        reporter: Takes the problems.
        tests: Whether the tests of filters are run.
        today: The day on which deprecations are evaluated.
        done: The checked versions by `dataset.filter` and number; None for a version with problems.
        path: The filters that are being checked; each is referenced by the previous one.
        lock: The lock file.
        strict: Whether SQL that engines interpret differently is an error, unless `lock` has the version.
        lists: The lists that bodies may name, by dataset.
    """

    reader: DefinitionReader
    templates: Templates
    reporter: Reporter
    tests: bool
    today: date
    done: dict[tuple[str, int], Version | None] = field(default_factory=dict[tuple[str, int], Version | None])
    path: list[str] = field(default_factory=list[str])
    lock: Path | None = None
    strict: bool = False
    lists: dict[str, Mapping[str, Values]] = field(default_factory=dict[str, Mapping[str, Values]])

    @cached_property
    def names(self) -> Names:
        """Resolves the names of filters."""
        return Names(self.reader.datasets)

    @cached_property
    def released(self) -> Mapping[str, Released]:
        """The versions in the lock file, as `dataset.filter@1`; empty if it cannot be read."""
        from predicat.catalog.lock import read_lock_file  # noqa: PLC0415  # most catalogs do without

        try:
            file = read_lock_file(self.lock) if self.lock is not None else None
        except PredicatError:
            file = None
        return file.lock.versions if file is not None else {}

    def catalog(self) -> Catalog:
        """The filters without problems, in their datasets."""
        datasets: dict[str, Dataset] = {}
        known: dict[str, Filter] = {}
        for name, definition in self.reader.datasets.items():
            filters: dict[str, Filter] = {}
            for one in definition.filters.values():
                filter_ = self.filter(one)
                if filter_ is not None:
                    filters[filter_.name] = known[filter_.qualified] = filter_
            datasets[name] = made_of(Dataset, definition, filters=filters)
        Checks(self.names, self.reporter).run(known)
        attributes, unread = self.reader.attributes, frozenset(self.reader.unread_attributes)
        PolicyChecks(self.names, self.reporter, attributes, unread).run(known)
        return Catalog(
            datasets,
            tuple(self.reporter.warnings),
            known,
            self.templates.variables,
            self.templates.folder,
            attributes,
        )

    def filter(self, filter_: WrittenFilter) -> Filter | None:
        """A filter; None if its latest version has problems, which are reported."""
        versions: dict[int, Version] = {}
        for number in filter_.versions:
            version = self.version(filter_, number)
            if version is not None:
                versions[number] = version
        if not versions or filter_.latest not in versions:
            return None
        dataset = self.reader.datasets[filter_.dataset]
        checked = made_of(
            Filter,
            filter_,
            versions=versions,
            tests=(*filter_.tests, *dataset.tests.get(filter_.name, ())),
            view_options={**dataset.view, **filter_.view_options},
        )
        if self.tests:
            self.test(checked)
        return checked

    def test(self, filter_: Filter) -> None:
        """Run the tests of a filter on the reference evaluator."""
        run_tests(filter_, self.reader.datasets[filter_.dataset].fields, self.reporter)

    # --- one version

    def version(self, filter_: WrittenFilter, number: int) -> Version | None:
        """A version, checked on first use; None if it has problems."""
        key = (filter_.qualified, number)
        if key not in self.done:
            self.path.append(key[0])
            try:
                self.done[key] = self.checked(filter_, number)
            finally:
                self.path.pop()
        return self.done[key]

    def checked(self, filter_: WrittenFilter, number: int) -> Version | None:
        """A version; None if it has problems, which are reported."""
        try:
            return self.build(filter_, filter_.versions[number])
        except PredicatError as error:
            unread = self.reader.datasets[filter_.dataset].unread
            self.reporter.extend(item for item in error.diagnostics if item.code not in unread)
            return None

    def build(self, filter_: WrittenFilter, version: WrittenVersion) -> Version:
        """A version. Raises PredicatError with its problems."""
        dataset = self.names_of(filter_, version)
        language = LANGUAGES[version.language].meant(ansi=dataset.ansi)
        references: list[str] = []

        def resolve(name: str, args: tuple[tuple[str, Node], ...], span: Span) -> Node:
            resolved, node = self.reference(filter_, name, args, span)
            if resolved.partition(".")[0] != filter_.dataset:
                node = _fitting(node, dataset, resolved, span)
            references.append(resolved)
            return node

        body, source = version.data, version.source
        rendered = language.shape != "data" and isinstance(body, str)
        if rendered:
            source = self.templates.render(source, version.language)
            body = source.text
        on = version.on if version.on is not None else language.on
        doubts: list[Diagnostic] = []
        scope = Scope(
            dataset.fields,
            version.params,
            resolve,
            dataset.enums,
            language.placeholders,
            doubts,
            self.lists_of(filter_.dataset),
            _tables(self.reader.datasets[filter_.dataset]),
        )
        try:
            tree = read_body(language, Body(body, source, version.span, on, dataset.fields), scope)
        except PredicatError as error:
            raise (_cut_by_yaml(error, version.span) if rendered else error) from None
        qualified = f"{filter_.qualified}@{version.number}"
        surface = self.typed(qualified, tree, scope, language)
        self.doubted(qualified, doubts)
        surface = self.as_released(qualified, surface, tree, scope, language)
        return made_of(
            Version,
            version,
            # A string that is data, such as `not: other`, has no source of its own.
            body=source.text.strip() if rendered else version.template,
            predicate=Predicate(core(surface), version.language, written=simplify(surface)),
            references=tuple(dict.fromkeys(references)),
            tree=tree,
        )

    def doubted(self, name: str, doubts: list[Diagnostic]) -> None:
        """SQL that engines interpret differently: an error in strict mode, a warning if it was
        released so.
        """
        if doubts and self.strict and name not in self.released:
            raise PredicatError(doubts)
        self.reporter.extend(sql_meanings.released_ambiguity(doubt, name) for doubt in doubts)

    def typed(self, name: str, tree: Tree, scope: Scope, language: Language) -> Node:
        """The typed predicate. A body that the current rules reject may have been released under earlier
        ones.
        """
        try:
            return check(tree, scope, language.rules)
        except PredicatError:
            nothing = Literal(BOOLEAN, None)
            before = self.as_released(name, nothing, tree, scope, language)
            if before is nothing:
                raise
            return before

    def as_released(self, name: str, surface: Node, tree: Tree, scope: Scope, language: Language) -> Node:
        """The predicate by the rules under which its version was released, if the current ones change it."""
        if name not in self.released or to_data(core(surface)) == self.released[name].meaning:
            return surface
        for flags in _earlier(language):
            try:
                before = check(tree, scope, replace(language.rules, **dict.fromkeys(flags, False)))
            except PredicatError:
                continue  # a body that was not supported by these rules was not released by them
            if to_data(core(before)) == self.released[name].meaning:
                self.reporter.extend(sql_meanings.released(before.span, name, flag) for flag in flags)
                return before
        return surface

    def lists_of(self, dataset: str) -> Mapping[str, Values]:
        """The lists that bodies of a dataset may refer to."""
        if dataset not in self.lists:
            every = {name: row.lists for name, row in self.reader.datasets.items() if row.lists}
            self.lists[dataset] = names_in(dataset, every)
        return self.lists[dataset]

    def names_of(self, filter_: WrittenFilter, _version: WrittenVersion) -> WrittenDataset:
        """The dataset with the fields and enumerations that a version may use."""
        return self.reader.datasets[filter_.dataset]

    def reference(
        self, filter_: WrittenFilter, name: str, args: tuple[tuple[str, Node], ...], span: Span
    ) -> tuple[str, Node]:
        """The full name of the version that a body refers to, and its node with parameters bound.

        Raises PredicatError; without diagnostics if the other filter has problems, which are reported there.
        """
        definition = self.names.lookup(filter_.dataset, name)
        if definition is None and self.names.declares(filter_.dataset, name):
            raise PredicatError([])
        if definition is None:
            raise PredicatError.of(references.unknown_filter(span, name, self.names.all(filter_.dataset)))
        target, asked = definition
        number = target.latest if asked is None else asked
        qualified = target.qualified
        if number not in target.versions:
            raise PredicatError.of(
                references.unknown_version(
                    span, qualified, str(name.partition("@")[2]), map(str, target.versions)
                )
            )
        if target.versions[number].language == "python":
            raise PredicatError.of(entries.part_of_another(span, name))
        if qualified in self.path:
            raise PredicatError.of(
                references.cycle(span, [*self.path[self.path.index(qualified) :], qualified])
            )
        version = self.version(target, number)
        if version is None:
            raise PredicatError([])
        self.warn_deprecated(span, qualified, target, version)
        node = substitute(version.predicate.surface, _values(qualified, version, args, span))
        if target.on_unknown == "accept":
            node = Call(BOOLEAN, "coalesce", (node, Literal(BOOLEAN, True)), span)
        return f"{qualified}@{number}", node

    def warn_deprecated(self, span: Span, name: str, target: WrittenFilter, version: Version) -> None:
        """Warn of a reference to a deprecated version."""
        if version.deprecated:
            other = f"{name}@{target.latest}" if target.latest != version.number else None
            over = date.fromisoformat(version.deprecated) < self.today
            message = references.deprecated_use if over else references.deprecated
            self.reporter.add(message(span, f"{name}@{version.number}", version.deprecated, other))


def _cut_by_yaml(error: PredicatError, body: Span) -> PredicatError:
    """The problems of a body; in a mapping with braces YAML ends a text at a comma, as that of `f(a, b)`."""
    rest = body.source.text[body.end :].lstrip()
    if not rest.startswith(",") or body.text.count("(") <= body.text.count(")"):
        return error
    return PredicatError([replace(item, hint=keys.CONDITION_IN_QUOTES) for item in error.diagnostics])


def _tables(dataset: WrittenDataset) -> frozenset[str]:
    """The names that may stand before a field: those of the dataset and of its relations."""
    names = (part.strip('"`') for relation in dataset.relation.values() for part in relation.split("."))
    return frozenset((dataset.name, *names))


def _fitting(node: Node, dataset: WrittenDataset, name: str, span: Span) -> Node:
    """A predicate of another dataset with the fields of this one. Raises PredicatError for a field that this
    one does not have, or has with another type or another meaning of NULL.
    """

    def rewrite(part: Node) -> Node:
        if not isinstance(part, Field):
            return rewrite_children(part, rewrite)
        own = dataset.fields.get(part.decl.name)
        wanted = str(part.decl.type), part.decl.nulls
        has = (str(own.type), own.nulls) if own is not None else None
        if own is None or has != wanted:
            raise PredicatError.of(
                say.field_does_not_fit(span, name, dataset.name, part.decl.name, wanted, has)
            )
        return Field(part.type, own, part.span)

    return rewrite(node)


def _values(name: str, version: Version, args: tuple[tuple[str, Node], ...], span: Span) -> dict[str, Node]:
    """The value of each parameter of a referenced filter: its argument, or its default."""
    given = dict(args)
    for key in given:
        if key not in version.params:
            raise PredicatError.of(references.surplus_param(span, name, key, version.params))
    values: dict[str, Node] = {}
    for key, decl in version.params.items():
        if key in given:
            node = given[key]
            value = argument(node, decl.type)
            if value is None:
                raise PredicatError.of(
                    references.param_type(node.span, name, key, str(decl.type), str(node.type))
                )
            values[key] = value
        elif decl.required:
            raise PredicatError.of(references.missing_param(span, name, key))
        else:
            values[key] = Literal(decl.type, decl.default, span)
    return values


def _earlier(language: Language) -> Iterator[tuple[str, ...]]:
    """The rules of a language that earlier releases did not have: each one, then their combinations."""
    flags = [flag for flag in sql_meanings.RELEASED_BY if getattr(language.rules, flag)]
    for number in range(1, len(flags) + 1):
        yield from combinations(flags, number)
