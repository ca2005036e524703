"""Every name of a catalog: where it is defined, and every place that means it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from predicat.catalog.keys import FILE
from predicat.catalog.live import Loaded
from predicat.catalog.model import WrittenDataset, WrittenFilter, WrittenVersion
from predicat.catalog.templates import Templates, is_template
from predicat.catalog.versions import version_number
from predicat.catalog.yaml_nodes import YamlNode
from predicat.diagnostics import PredicatError, Source, Span
from predicat.ir import syntax as t
from predicat.ir.nodes import FieldDecl
from predicat.language import LANGUAGES
from predicat.language.common.body import Body


class Symbol(Struct, frozen=True):
    """A name: `kind` is dataset, field, filter, parameter, group or subscription; `owner` is the filter and
    version of a parameter, such as `late@2`.
    """

    kind: str
    dataset: str
    name: str
    owner: str = ""


class Use(Struct, frozen=True):
    """A place that means a symbol: the name's own characters in a file. `span` is None where the name is not
    written as it is, such as a field that a language reads without naming it; `near` is the place then.
    `scalar`: it is a key or value of YAML, not a part of a text.
    """

    symbol: Symbol
    span: Span | None
    near: Span
    defines: bool = False
    scalar: bool = False


class Outline(Struct, frozen=True):
    """A definition for the outline of a file: its name, its place, and what is defined inside of it."""

    kind: str
    name: str
    detail: str
    place: Span
    whole: Span
    inner: tuple[Outline, ...] = ()


def file_of(span: Span) -> Path:
    """The file of a place."""
    return Path(span.outermost().source.name).resolve()


# --- the outline of a file


def outline(root: YamlNode) -> list[Outline]:
    """What a file defines, in its order."""
    keys = root.known("a catalog file", FILE)[0]
    result: list[Outline] = []
    for section, kind in _SECTIONS.items():
        for name, value, place in keys[section].entries(section) if section in keys else ():
            inner = tuple(_versions(value)) if kind == "filter" else ()
            result.append(
                Outline(kind, name, _detail(kind, value), place.outermost(), _whole(value, place), inner)
            )
    return sorted(result, key=lambda item: item.place.start)


_SECTIONS = {
    "fields": "field",
    "filters": "filter",
    "groups": "group",
    "subscriptions": "subscription",
    "jobs": "job",
    "policies": "policy",
    "attributes": "attribute",
}


def _versions(item: YamlNode) -> Iterator[Outline]:
    versions = dict_of(item).get("versions")
    for name, value, place in versions.entries("versions") if versions is not None else ():
        yield Outline("version", name, _detail("filter", value), place.outermost(), _whole(value, place))


def _detail(kind: str, item: YamlNode) -> str:
    """A word about a definition: the type of a field, the language of a filter."""
    if kind == "field":
        result = item.value if item.value is not None else _value(item, "type")
        return str(result or "")
    return next((key for key in dict_of(item) if key in LANGUAGES), "") if kind == "filter" else ""


def _value(item: YamlNode, key: str) -> object:
    result = dict_of(item).get(key)
    return result.value if result is not None else None


def dict_of(item: YamlNode) -> dict[str, YamlNode]:
    """The entries of a mapping; none of anything else."""
    return {key: value for key, value, _ in item.entries("a mapping")} if item.is_mapping else {}


def _whole(item: YamlNode, key: Span) -> Span:
    """From a key to the end of its value."""
    text = item.source.text
    end = max(len(text[: item.node.end_mark.index].rstrip()), key.end)
    return Span(key.source, key.start, end).outermost()


# --- places of names


class Index:
    """All uses of names. What a body names is kept as long as the catalog has that body and those fields."""

    def __init__(self) -> None:
        self._bodies: dict[int, tuple[WrittenVersion, object, list[Use]]] = {}

    def uses(self, loaded: Loaded) -> list[Use]:
        """Every use in a catalog, definitions too."""
        result: list[Use] = []
        for root in loaded.files.values():
            keys = root.known("a catalog file", FILE)[0]
            dataset = loaded.definitions.get(str(keys["dataset"].value)) if "dataset" in keys else None
            if dataset is not None:
                result += _File(dataset, loaded).read(keys)
        cache_: dict[int, tuple[WrittenVersion, object, list[Use]]] = {}
        for dataset in loaded.definitions.values():
            state = (list(dataset.fields), _targets(dataset), loaded.templates)
            for filter_ in dataset.filters.values():
                for version in filter_.versions.values():
                    known = self._bodies.get(id(version))
                    if known is None or known[0] is not version or known[1] != state:
                        known = (
                            version,
                            state,
                            list(_Reading(dataset, filter_, version, loaded.templates).uses()),
                        )
                    cache_[id(version)] = known
                    result += known[2]
        self._bodies = cache_
        return result


def _targets(dataset: WrittenDataset) -> list[tuple[str, int]]:
    return [(filter_.name, filter_.latest) for filter_ in dataset.filters.values()]


class _File(Struct):
    """Names in the YAML of a file, outside of bodies."""

    dataset: WrittenDataset
    loaded: Loaded
    found: list[Use] = field(default_factory=list[Use])

    def read(self, keys: Mapping[str, YamlNode]) -> list[Use]:
        self.add("dataset", self.dataset.name, keys["dataset"].span, defines=True)
        for section, kind in _SECTIONS.items():
            for name, value, place in keys[section].entries(section) if section in keys else ():
                self.add(kind, name, place, defines=True)
                if kind == "filter":
                    self.filter(name, value)
                elif kind == "group" and "filters" in (inner := dict_of(value)):
                    for member in inner["filters"].items("filters"):
                        self.filter_name(member)
                elif kind == "subscription" and "filter" in (inner := dict_of(value)):
                    self.filter_name(inner["filter"])
                elif kind == "policy":
                    self.policy(dict_of(value))
        for name, value, place in keys["tests"].entries("tests") if "tests" in keys else ():
            self.add("filter", name, place)
            self.rows(value)
        for key in ("key", "freshness", "partition"):
            if key in keys:
                self.fields_in(keys[key])
        if "where" in keys:
            self.filter_name(keys["where"])
        return self.found

    def add(self, kind: str, name: str, near: Span, *, owner: str = "", defines: bool = False) -> None:
        symbol = Symbol(kind, self.dataset.name, name, owner)
        self.found.append(Use(symbol, located(near, name), near, defines, scalar=True))

    def filter_name(self, item: YamlNode) -> None:
        if isinstance(item.value, str):
            symbol = filter_symbol(item.value, self.dataset.name)
            span = located(item.span, symbol.name, last=True)
            self.found.append(Use(symbol, span, item.span, scalar=True))

    def policy(self, keys: Mapping[str, YamlNode]) -> None:
        for used in (keys[key] for key in ("using", "check") if key in keys):
            self.filter_name(dict_of(used).get("filter", used))
        if "tests" in keys:
            self.rows(keys["tests"])

    def filter(self, name: str, item: YamlNode) -> None:
        keys = dict_of(item)
        if "tests" in keys:
            self.rows(keys["tests"])
        if "versions" not in keys:
            self.version(f"{name}@1", keys)
            return
        for number, value, _ in keys["versions"].entries("versions"):
            self.version(f"{name}@{number}", dict_of(value))

    def version(self, owner: str, keys: Mapping[str, YamlNode]) -> None:
        for name, _, place in keys["params"].entries("params") if "params" in keys else ():
            self.add("parameter", name, place, owner=owner, defines=True)
        if "on" in keys:
            self.field_name(keys["on"])

    def rows(self, tests: YamlNode) -> None:
        """The fields of the rows of tests."""
        for test in tests.items("tests") if not tests.is_mapping and tests.value is None else ():
            row = dict_of(test).get("row")
            for name, _, place in row.entries("a row") if row is not None and row.is_mapping else ():
                if name in self.dataset.fields:
                    self.add("field", name, place)

    def fields_in(self, item: YamlNode) -> None:
        if item.is_mapping:
            for value in dict_of(item).values():
                self.field_name(value)
        elif item.value is None:
            for value in item.items("fields"):
                self.field_name(value)
        else:
            self.field_name(item)

    def field_name(self, item: YamlNode) -> None:
        if item.value in self.dataset.fields:
            self.add("field", str(item.value), item.span)


def filter_symbol(name: str, dataset: str) -> Symbol:
    """The filter that `name`, `dataset.name` or `name@version` means."""
    owner, _, short = name.partition("@")[0].rpartition(".")
    return Symbol("filter", owner or dataset, short)


def located(near: Span, name: str, *, last: bool = False) -> Span | None:
    """The characters of a name at a place of a text; None if they are not there as they are."""
    pattern = re.compile(rf"(?<![\w@]){re.escape(name)}(?!\w)")
    places = list(pattern.finditer(near.source.text, near.start, near.end))
    if not places:
        return None
    place = places[-1 if last else 0]
    span = Span(near.source, place.start(), place.end())
    outer = span.outermost()
    return span if outer.text == name else None


# --- names in bodies


class _Reading(Struct):
    """Names in one body."""

    dataset: WrittenDataset
    row: WrittenFilter
    version: WrittenVersion
    templates: Templates

    def uses(self) -> Iterator[Use]:
        language = LANGUAGES[self.version.language].meant(ansi=self.dataset.ansi)
        body, source = self.version.data, self.version.source
        on = self.version.on if self.version.on is not None else language.on
        seen: set[tuple[Symbol, int | None]] = set()
        if isinstance(body, str) and is_template(body):
            yield from self.in_template(source, seen)
        try:
            if language.shape != "data" and isinstance(body, str):
                source = self.templates.render(source, self.version.language)
                body = source.text
            tree = language.read(Body(body, source, self.version.span, on, self.dataset.fields))
        except PredicatError:
            return
        for use in self.names(tree, frozenset()):
            outer = use.span.outermost().start if use.span is not None else None
            if (use.symbol, outer) not in seen:
                seen.add((use.symbol, outer))
                yield use

    def in_template(self, source: Source, seen: set[tuple[Symbol, int | None]]) -> Iterator[Use]:
        """Names in quotes within `{{ ... }}`: of filters, and of fields that macros take."""
        for block in re.finditer(r"\{[{%].*?[}%]\}", source.text, re.DOTALL):
            for word in re.finditer(r"(filter\(\s*)?(['\"])([\w.@]+)\2", block[0]):
                near = Span(source, block.start() + word.start(3), block.start() + word.end(3))
                symbol = (
                    filter_symbol(word[3], self.dataset.name)
                    if word[1]
                    else Symbol("field", self.dataset.name, word[3])
                )
                if symbol.kind == "field" and symbol.name not in self.dataset.fields:
                    continue
                span = located(near, symbol.name, last=True)
                seen.add((symbol, span.outermost().start if span is not None else None))
                yield Use(symbol, span, near)

    def names(self, tree: t.Tree, bound: frozenset[str]) -> Iterator[Use]:
        match tree:
            case t.Name() | t.Member():
                yield from self.name(tree, bound)
            case t.Param(name, span):
                yield self.use("parameter", name, span)
            case t.Ref():
                yield from self.reference(tree, bound)
            case t.Macro():
                yield from self.names(tree.source, bound)
                yield from self.names(tree.body, bound | {tree.variable})
            case _:
                for part in _parts(tree):
                    yield from self.names(part, bound)

    def name(self, tree: t.Name | t.Member, bound: frozenset[str]) -> Iterator[Use]:
        keys: list[str] = []
        base: t.Tree = tree
        while isinstance(base, t.Member):
            keys.insert(0, base.key)
            base = base.base
        if not isinstance(base, t.Name):
            yield from self.names(base, bound)
            return
        if base.name in bound and not base.rooted:
            return
        fields: Mapping[str, FieldDecl] = self.dataset.fields
        for length in range(len(keys), -1, -1):
            dotted = ".".join([base.name, *keys[:length]])
            if dotted in fields:
                yield self.use("field", dotted, tree.span)
                return
        if base.name in self.version.params:
            yield self.use("parameter", base.name, base.span)

    def reference(self, tree: t.Ref, bound: frozenset[str]) -> Iterator[Use]:
        symbol = filter_symbol(tree.name, self.dataset.name)
        quoted = re.compile(rf"(['\"])(?:\w+\.)?{re.escape(symbol.name)}(?:@\d+)?\1")
        text = tree.span.source.text
        outer = quoted.search(text, tree.span.start, tree.span.end)
        near = Span(tree.span.source, outer.start(), outer.end()) if outer else tree.span
        yield Use(
            symbol, located(near, symbol.name, last=True), near, scalar=not isinstance(self.version.data, str)
        )
        target = self.dataset.filters.get(symbol.name)
        number = version_number(tree.name.partition("@")[2]) or (target.latest if target else 1)
        for name, value in tree.args:
            at = text.rfind(name, tree.span.start, value.span.start)
            near = Span(tree.span.source, at, at + len(name)) if at >= 0 else tree.span
            parameter = Symbol("parameter", symbol.dataset, name, f"{symbol.name}@{number}")
            yield Use(parameter, located(near, name), near)
            yield from self.names(value, bound)

    def use(self, kind: str, name: str, near: Span) -> Use:
        owner = f"{self.row.name}@{self.version.number}" if kind == "parameter" else ""
        return Use(Symbol(kind, self.dataset.name, name, owner), located(near, name), near)


def _parts(tree: t.Tree) -> Sequence[t.Tree]:
    match tree:
        case t.OperatorCall():
            return tree.args
        case t.ListLiteral():
            return tree.items
        case t.MapLiteral():
            return [part for entry in tree.entries for part in entry]
        case _:
            return ()
