"""Reads definitions from the YAML files, before any filter is parsed. Checks keys, types and names."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.backends import DIALECTS
from predicat.catalog.bounds import (
    read_baseline,
    read_freshness,
    read_limits,
    read_partition,
    read_rows,
    read_severity,
)
from predicat.catalog.field_sets import FieldSets, files_of, is_definitions
from predicat.catalog.fields import read_enum, read_field, with_sensitive
from predicat.catalog.file_formats import KEYS as FORMAT_KEYS
from predicat.catalog.file_formats import KINDS, FileFormat, read_files
from predicat.catalog.filters import read_filter, read_now, read_tests, read_view_options
from predicat.catalog.jobs import JobReader
from predicat.catalog.keys import (
    API_VERSION,
    ENUM_NAME,
    FIELD_NAME,
    FILE,
    GROUP,
    GROUP_CONDITIONS,
    NAME,
    SPARK,
    SUBSCRIPTION,
    SUBSCRIPTION_NAME,
)
from predicat.catalog.lists import ListReader
from predicat.catalog.model import FilterTest, Group, Subscription, WrittenDataset, WrittenFilter
from predicat.catalog.policies import Attribute, PolicyReader, read_attribute
from predicat.catalog.yaml_nodes import YamlNode, text_of
from predicat.diagnostics import Diagnostic, Reporter, Span
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import row_policies as say_policies
from predicat.diagnostics.messages import tables as say_tables
from predicat.ir.nodes import FieldDecl


class DefinitionReader(Struct, dict=True):
    """Collects the definitions of all files.

    Attributes:
        reporter: Takes the problems.
        now: The current time of the tests of the file that is being read.
        datasets: The datasets by name; several files may define parts of one.
        variables: The values of `vars`.
        variable_places: Their places.
        attributes: The attributes of sessions.
        unread_attributes: The names of those with problems, which are reported.
        list_files: The files with the values of lists.
        others: The files without definitions.
        root: The folder of the catalog, or its file.
    """

    reporter: Reporter
    now: datetime | None = None
    datasets: dict[str, WrittenDataset] = field(default_factory=dict[str, WrittenDataset])
    variables: dict[str, Any] = field(default_factory=dict[str, Any])
    variable_places: dict[str, Span] = field(default_factory=dict[str, Span])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    unread_attributes: set[str] = field(default_factory=set[str])
    list_files: set[Path] = field(default_factory=set[Path])
    others: list[YamlNode] = field(default_factory=list[YamlNode])
    root: Path | None = None

    def __post_init__(self) -> None:
        self.sets = FieldSets(self.reporter, self.root)

    def add(self, item: YamlNode) -> None:
        """Add a file: definitions, or the values of a list or a set of fields that a definition refers to."""
        if item.is_mapping and is_definitions(item):
            self.file(item)
        else:
            self.others.append(item)

    def finish(self) -> None:
        """Read the sets of fields, see which are sensitive, and report files that nothing refers to."""
        self.sets.finish(self.others, self.shared_field)
        for dataset in self.datasets.values():
            dataset.fields = with_sensitive(dataset.fields)
        for item in self.others:
            if Path(item.source.name).resolve() not in (self.list_files | self.sets.files):
                self.file(item)

    def file(self, item: YamlNode) -> None:
        """Read a file of definitions."""
        keys = item.keys(say.CATALOG_FILE, FILE)
        for needed in ("apiVersion", "dataset"):
            item.lacks(keys, needed, say.CATALOG_FILE, Span(item.source, 0, 1))
        if "apiVersion" in keys and keys["apiVersion"].text("apiVersion") != API_VERSION:
            self.reporter.add(say.api_version(keys["apiVersion"].span, API_VERSION))
        if "vars" in keys:
            for key, value, span in keys["vars"].entries("vars"):
                self.variables[key] = value.data()
                self.variable_places[key] = span
        if "attributes" in keys:
            self.session(keys["attributes"])
        if "dataset" not in keys:
            return
        name = keys["dataset"].text("dataset")
        if not NAME.match(name):
            self.reporter.add(say_keys.bad_name(keys["dataset"].span, "dataset", name))
            return
        dataset = self.datasets.setdefault(name, WrittenDataset(name))
        dataset.places.setdefault("dataset", keys["dataset"].span)
        self.dataset(dataset, keys)

    def session(self, item: YamlNode) -> None:
        """Read the attributes of sessions, which are those of the whole catalog."""
        for name, value, span in item.entries("attributes"):
            if not NAME.match(name):
                self.reporter.add(say_keys.bad_name(span, "attribute", name))
            elif name in self.attributes:
                first = _where(self.attributes[name].span)
                self.reporter.add(say_policies.attribute_twice(span, name, first))
            elif (attribute := read_attribute(name, value, span)) is not None:
                self.attributes[name] = attribute
            else:
                self.unread_attributes.add(name)

    def dataset(self, dataset: WrittenDataset, keys: dict[str, YamlNode]) -> None:
        """Read the definitions of one file for a dataset."""
        self.now = read_now(keys["now"]) if "now" in keys else None
        if "description" in keys:
            dataset.description = keys["description"].text("description")
            dataset.places["description"] = keys["description"].span
        if "relation" in keys and self.once(dataset, "relation", keys["relation"].span):
            dataset.relation, dataset.files = _relation(keys["relation"])
        for key, (attribute, read) in _PROPERTIES.items():
            if key in keys and self.once(dataset, key, keys[key].span):
                setattr(dataset, attribute, read(keys[key]))
        for key, read_section in _SECTIONS.items():
            if key in keys:
                read_section(self, dataset, keys[key])

    def once(self, dataset: WrittenDataset, what: str, span: Span) -> bool:
        """Whether this is the first definition of a thing, such as `field carrier`. A second one, in the same
        or another file, is reported.
        """
        first = dataset.places.setdefault(what, span)
        if first != span:
            kind, _, name = what.partition(" ")
            self.reporter.add(say_keys.duplicate_name(span, kind, name or dataset.name, _where(first)))
            return False
        return True

    def define(self, dataset: WrittenDataset, key: str, name: str, item: YamlNode, span: Span) -> None:
        """Read one entry of a section if its name is valid and new."""
        row = _NAMED[key]
        if not row.names.match(name):
            self.reporter.add(row.bad_name(span, name))
        elif self.once(dataset, f"{row.kind} {name}", span):
            row.read(self, dataset, name, item, span)

    # --- sections

    def fields(self, dataset: WrittenDataset, item: YamlNode) -> None:
        """Read the fields of a dataset, and note the sets of fields that it includes."""
        for name, value, span in item.entries("fields"):
            files = files_of(name, value)
            if files is not None:
                self.sets.include(dataset, files)
            elif not ("unknown-field" in dataset.unread and say_keys.is_rest(name)):
                # Otherwise it is the rest of a type that was cut at a comma, which is reported.
                self.define(dataset, "fields", name, value, span)

    def tests(self, dataset: WrittenDataset, item: YamlNode) -> None:
        """Read the tests in the `tests` section of a dataset."""
        for name, value, span in item.entries("tests"):
            base, _, version = name.partition("@")
            if version:
                self.reporter.add(say.tests_of_a_version(span, base, version))
                continue
            dataset.uses.append((name, span))
            dataset.tests.setdefault(name, []).extend(self.listed_tests(value))

    # --- entries of sections. The first three are read again only if their text changes: see `catalog.live`.

    def declared(self, name: str, item: YamlNode, span: Span) -> FieldDecl | None:
        """A field. The result depends on its own text only."""
        return read_field(name, item, span)

    def definition(self, dataset: str, name: str, item: YamlNode, span: Span) -> WrittenFilter | None:
        """A filter. The result depends on its own text, the name of its dataset and `now` only."""
        return read_filter(dataset, name, item, span, self.now)

    def listed_tests(self, item: YamlNode) -> list[FilterTest]:
        """A filter's tests in the `tests` section. The result depends on their own text and `now` only."""
        return read_tests(item, self.now)

    def shared_field(self, name: str, item: YamlNode, span: Span) -> FieldDecl | None:
        """A field of a set."""
        if not FIELD_NAME.match(name):
            self.reporter.add(say.bad_field_name(span, name))
            return None
        return self.declared(name, item, span)

    def field(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        """A field of a dataset."""
        declared = self.declared(name, item, span)
        if declared is not None:
            dataset.fields[name] = declared
        else:
            dataset.unread.add("unknown-field")

    def enum(self, dataset: WrittenDataset, name: str, item: YamlNode, _span: Span) -> None:
        """An enumeration."""
        dataset.enums |= read_enum(name, item)

    def value_list(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        """A list of values."""
        values = ListReader(self.reporter, self.list_files).list(name, item, span)
        if values is not None:
            dataset.lists[name] = values
        else:
            dataset.unread.add("unknown-list")

    def filter(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        """A filter."""
        definition = self.definition(dataset.name, name, item, span)
        if definition is not None:
            dataset.filters[name] = definition

    def group(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        """A group of filters."""
        keys = item.keys(what := say.group(name), GROUP)
        if item.lacks(keys, "filters", what, span):
            return
        members = [
            (member.text(say.FILTER_OF_GROUP), member.span) for member in keys["filters"].items("filters")
        ]
        dataset.uses += members
        limits = read_limits({key: keys[key] for key in GROUP_CONDITIONS if key in keys})
        exclusive, exhaustive = (
            key in limits or (key in keys and bool(keys[key].value)) for key in GROUP_CONDITIONS
        )
        dataset.groups[name] = Group(
            tuple(member for member, _ in members),
            exclusive,
            exhaustive,
            read_severity(keys),
            text_of(keys, "description"),
            limits,
        )

    def subscription(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        """A subscription to a filter."""
        keys = item.keys(what := say.subscription(name), SUBSCRIPTION)
        if item.lacks(keys, "filter", what, span):
            return
        filter_ = keys["filter"].text("filter")
        dataset.uses.append((filter_, keys["filter"].span))
        properties = keys["properties"].entries("properties") if "properties" in keys else ()
        dataset.subscriptions[name] = Subscription(
            filter_,
            {key: value.text(f"property {key!r}") for key, value, _ in properties},
            text_of(keys, "description"),
        )

    def job(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        """A job."""
        job = JobReader(self.reporter).job(dataset.name, name, item, span)
        if job is not None:
            dataset.jobs[name] = job

    def policy(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        """A row policy."""
        policy = PolicyReader(self.now, read_now).policy(name, item, span)
        if policy is not None:
            dataset.policies[name] = policy


# --- properties of a dataset: each is in one of its files


def _key(item: YamlNode) -> tuple[str, ...]:
    """The fields that identify a row: one, or a list of them."""
    return item.texts("key", say.KEY_FIELD)


def _relation(item: YamlNode) -> tuple[dict[str, str], dict[str, FileFormat]]:
    """The tables or paths by dialect, and how files are written, where a mapping says it."""
    if item.value is not None:
        return dict.fromkeys(DIALECTS, item.text("relation")), {}
    paths: dict[str, str] = {}
    forms: dict[str, FileFormat] = {}
    for engine, value in item.keys("relation", DIALECTS).items():
        if not value.is_mapping:
            paths[engine] = value.text(say.relation_of(engine))
        elif engine == "postgres":
            item.reporter.add(say_tables.no_files_there(value.span, engine))
        else:
            paths[engine], forms[engine] = read_files(
                value, value.keys(say.relation_of(engine), (*KINDS, *FORMAT_KEYS))
            )
    return paths, forms


def _collation(item: YamlNode) -> str:
    return item.text("collation")


def _indexes(item: YamlNode) -> tuple[str, ...]:
    """The indexes of the relation in PostgreSQL, as written after the table name in CREATE INDEX."""
    from predicat.backends.sql.postgres.stored import read_index  # noqa: PLC0415  # not for --help

    texts: list[str] = []
    for part in item.items("indexes"):
        text = part.text("an index")
        texts.append(text)
        if read_index(text) is None:
            item.reporter.add(say.bad_index(part.span, text))
    return tuple(texts)


def _ansi(item: YamlNode) -> bool:
    """The mode of `spark` conditions, `{ansi: false}`: whether they have the meaning of ANSI mode."""
    return item.truths("spark", SPARK).get("ansi", True)


# By key of the file: the attribute of the dataset, and its reader.
_PROPERTIES: dict[str, tuple[str, Callable[[YamlNode], Any]]] = {
    "key": ("key", _key),
    "baseline": ("baseline", read_baseline),
    "view": ("view", read_view_options),
    "indexes": ("indexes", _indexes),
    "collation": ("collation", _collation),
    "spark": ("ansi", _ansi),
    "rows": ("rows", read_rows),
    "freshness": ("freshness", read_freshness),
    "partition": ("partition", read_partition),
    "where": ("where", lambda item: item.text("where")),
}


# --- sections of a file: mappings with an entry for each name


class _Named(Struct, frozen=True):
    """A section whose entries are definitions: their kind, the valid names, and the function that
    reads one.
    """

    kind: str
    names: re.Pattern[str]
    bad_name: Callable[[Span, str], Diagnostic]
    read: Callable[[DefinitionReader, WrittenDataset, str, YamlNode, Span], None]


def _simply_named(
    kind: str, read: Callable[[DefinitionReader, WrittenDataset, str, YamlNode, Span], None]
) -> _Named:
    return _Named(kind, NAME, lambda span, name: say_keys.bad_name(span, kind, name), read)


_NAMED = {
    "fields": _Named("field", FIELD_NAME, say.bad_field_name, DefinitionReader.field),
    "enums": _Named("enum", ENUM_NAME, say.bad_enumeration, DefinitionReader.enum),
    "lists": _simply_named("list", DefinitionReader.value_list),
    "filters": _simply_named("filter", DefinitionReader.filter),
    "groups": _simply_named("group", DefinitionReader.group),
    "subscriptions": _Named(
        "subscription", SUBSCRIPTION_NAME, say.bad_subscription_name, DefinitionReader.subscription
    ),
    "jobs": _simply_named("job", DefinitionReader.job),
    "policies": _simply_named("policy", DefinitionReader.policy),
}


def _entries(key: str) -> Callable[[DefinitionReader, WrittenDataset, YamlNode], None]:
    def read(reader: DefinitionReader, dataset: WrittenDataset, item: YamlNode) -> None:
        for name, value, span in item.entries(key):
            reader.define(dataset, key, name, value, span)

    return read


_SECTIONS: dict[str, Callable[[DefinitionReader, WrittenDataset, YamlNode], None]] = {
    **{key: _entries(key) for key in _NAMED},
    "fields": DefinitionReader.fields,
    "tests": DefinitionReader.tests,
}


def _where(span: Span) -> str:
    span = span.outermost()
    line, column = span.source.line_column(span.start)
    return f"{span.source.name}:{line}:{column}"
