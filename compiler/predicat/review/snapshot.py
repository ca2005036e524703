"""A catalog in the form for comparisons, from files or from a manifest: its definitions as data, and its
predicates.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.lists import Items
from predicat.catalog.load import Definitions
from predicat.catalog.lock import lock_path, read_lock_file
from predicat.catalog.macros import Macro, read_macros
from predicat.catalog.manifest import bounds_data, dataset_data, plain, read_manifest, tests_data
from predicat.catalog.model import WrittenDataset, WrittenFilter, WrittenVersion
from predicat.catalog.policies import attribute_data
from predicat.diagnostics import NOWHERE, Diagnostic, PredicatError, Span
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.reading import bytes_of
from predicat.explain.show import row_text
from predicat.ir.codec import from_data, value_data
from predicat.ir.nodes import Field, Literal, Node, ParamDecl, rewrite_children
from predicat.ir.value_sets import ValueSet

Data = dict[str, Any]
# What manifests say of a dataset since they say everything.
CARRIED = ("key", "enums", "view", "baseline", "rows", "freshness", "partition", "where", "spark", "policies")


class Place(Struct, frozen=True):
    """A line of a file; line 0 is the file as a whole."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class CheckedVersion(Struct, frozen=True):
    """A version after its check: its predicate, and the filters that it names (`dataset.filter@version`)."""

    node: Node
    references: tuple[str, ...]


class Snapshot(Struct):
    """A catalog. `data` has its definitions, by the paths of `kinds.KINDS`; `check` returns a version of a
    filter, None for a broken one.

    `broken` has the filters with problems; `unread` the files that are not valid YAML. `carries` is False for
    a manifest with too little information.
    """

    data: Data
    check: Callable[[str, int], CheckedVersion | None]
    place: Callable[[tuple[str, ...]], Place]
    macros: Mapping[str, Macro] = field(default_factory=dict[str, Macro])
    problems: Callable[[], list[Diagnostic]] = list
    broken: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()
    carries: bool = True
    lists: Mapping[tuple[str, str], Items] = field(default_factory=dict[tuple[str, str], Items])
    """The values of lists by dataset and name, where they are at hand: manifests do not have them."""

    @property
    def filters(self) -> Data:
        """The properties of each filter."""
        return cast("Data", self.data["filters"])

    @property
    def datasets(self) -> Data:
        """The properties of each dataset."""
        return cast("Data", self.data["datasets"])


def empty() -> Snapshot:
    """A catalog with nothing in it."""
    return Snapshot(
        {"datasets": {}, "filters": {}, "vars": {}, "attributes": {}, "macros": {}},
        lambda _name, _number: None,
        lambda _: Place(),
    )


def _params_data(params: Iterable[ParamDecl]) -> Data:
    """Parameters by name. `default` is empty if there is none."""
    return {
        decl.name: {
            "type": str(decl.type),
            "default": [] if decl.required else [value_data(decl.default)],
            "description": decl.description,
        }
        for decl in params
    }


def _filter_data(
    head: Mapping[str, Any], tests: Iterable[Mapping[str, Any]], coverage: Data, view: Data, versions: Data
) -> Data:
    """A filter; its tests are known by their rows."""
    named: Data = {}
    for test in tests:
        version = f", version {test['version']}" if test["version"] else ""
        name = row_text(_sorted(test["row"])) + version
        while name in named:
            name += " again"
        named[name] = {
            "matches": "unknown" if test["matches"] is None else str(test["matches"]).lower(),
            "description": test["description"],
        }
    return {**head, "tests": named, "coverage": coverage, "view": view, "versions": versions}


def _own(view: Mapping[str, Any], of_dataset: Mapping[str, Any]) -> Data:
    """The options of a view that its dataset does not set."""
    return {name: value for name, value in view.items() if of_dataset.get(name) != value}


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


# --- files


class _Files:
    """The snapshot of files: definitions are read at once, predicates are checked on first use."""

    def __init__(self, definitions: Definitions, shown: Callable[[str], str]) -> None:
        self.found = definitions
        self.shown = shown
        self.macros = read_macros(definitions.templates.folder)

    def data(self) -> Data:
        datasets = {name: dataset_data(row) for name, row in self.found.datasets.items()}
        filters = {
            f"{row.dataset}.{row.name}": self.filter(row, dataset)
            for dataset in self.found.datasets.values()
            for row in dataset.filters.values()
        }
        variables = {name: plain(value) for name, value in self.found.templates.variables.items()}
        return {
            "datasets": datasets,
            "filters": filters,
            "vars": variables,
            "attributes": {
                name: attribute_data(row) for name, row in self.found.builder.reader.attributes.items()
            },
            "macros": {row.name: row.meaning for row in self.macros.values()},
        }

    def filter(self, definition: WrittenFilter, dataset: WrittenDataset) -> Data:
        head = {
            "description": definition.description,
            "owner": definition.owner,
            "tags": list(definition.tags),
            "on_unknown": definition.on_unknown,
            "latest": definition.latest,
            "file": self.shown(definition.span.source.name),
        }
        tests = tests_data((*definition.tests, *dataset.tests.get(definition.name, ())))
        versions = {str(number): self.version(version) for number, version in definition.versions.items()}
        return _filter_data(
            head,
            tests,
            bounds_data(definition.coverage),
            _own(definition.view_options, dataset.view),
            versions,
        )

    def version(self, version: WrittenVersion) -> Data:
        return {
            "language": version.language,
            "text": version.template,
            "on": version.on,
            "deprecated": version.deprecated,
            "params": _params_data(version.params.values()),
            "order": list(version.params),
        }

    def check(self, name: str, number: int) -> CheckedVersion | None:
        dataset, _, short = name.partition(".")
        version = self.found.version(dataset, short, number)
        return CheckedVersion(version.predicate.node, version.references) if version is not None else None

    def broken(self) -> frozenset[str]:
        names = {
            f"{dataset.name}.{place.removeprefix('filter ')}"
            for dataset in self.found.datasets.values()
            for place in dataset.places
            if place.startswith("filter ") and place.removeprefix("filter ") not in dataset.filters
        }
        return frozenset(names)

    def place(self, path: tuple[str, ...]) -> Place:
        span = self.span(path)
        if span is None:
            return Place()
        outer = span.outermost()
        return Place(self.shown(outer.source.name), outer.source.line_column(outer.start)[0])

    def span(self, path: tuple[str, ...]) -> Span | None:
        match path:
            case ("vars", name, *_):
                return self.found.builder.reader.variable_places.get(name)
            case ("attributes", name, *_):
                found = self.found.builder.reader.attributes.get(name)
                return found.span if found is not None else None
            case ("macros", name, *_):
                return self.macros[name].span if name in self.macros else None
            case ("filters", name, *rest):
                dataset, _, short = name.partition(".")
                row = (
                    self.found.datasets[dataset].filters.get(short)
                    if dataset in self.found.datasets
                    else None
                )
                number = int(rest[1]) if row and len(rest) > 1 and rest[0] == "versions" else 0
                return (
                    row.versions[number].span
                    if row and len(row.versions) > 1 and number in row.versions
                    else row.span
                    if row
                    else None
                )
            case ("datasets", name, *rest) if name in self.found.datasets:
                places = self.found.datasets[name].places
                return next((places[key] for key in _keys(rest) if key in places), None)
            case _:
                return None


def _keys(rest: list[str]) -> list[str]:
    """The names for the place of an object of a dataset, the most specific first."""
    singular = {
        "fields": "field",
        "groups": "group",
        "subscriptions": "subscription",
        "enums": "enum",
        "lists": "list",
        "jobs": "job",
        "policies": "policy",
    }
    if not rest:
        return ["dataset"]
    if rest[0] in singular and len(rest) > 1:
        name = rest[1].rpartition(".")[0] if rest[0] == "enums" else rest[1]
        return [f"{singular[rest[0]]} {name}", "dataset"]
    return [rest[0], "dataset"]


def of_files(definitions: Definitions, shown: Callable[[str], str]) -> Snapshot:
    """The catalog of a folder. `shown` returns the name of a file for messages."""
    files = _Files(definitions, shown)
    unread = tuple(shown(str(path)) for path in definitions.unread)
    return Snapshot(
        files.data(),
        files.check,
        files.place,
        files.macros,
        lambda: definitions.problems,
        files.broken(),
        unread,
        lists={
            (dataset.name, row.name): row.versions[row.latest]
            for dataset in files.found.datasets.values()
            for row in dataset.lists.values()
        },
    )


# --- manifests


def of_manifest(path: Path) -> Snapshot:
    """A manifest. Raises PredicatError if it cannot be read, or was written before manifests held
    predicates.
    """
    result = read_manifest(path)
    try:
        return _of_manifest(result, _lists(result, path.parent))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PredicatError.of(say.no_predicates(str(path), error)) from None


def _lists(results: Data, folder: Path) -> dict[str, ValueSet]:
    """The long lists of a manifest, by hash, if their files are next to it and unchanged."""
    result: dict[str, ValueSet] = {}
    for digest, row in results.get("lists", {}).items():
        file = folder / row["file"]
        content = bytes_of(file) if file.is_file() else b""
        if hashlib.sha256(content).hexdigest() == digest:
            result[digest] = ValueSet(digest, row["count"], partial(bytes, content), row["name"])
    return result


def _of_manifest(result: Data, lists: Mapping[str, ValueSet]) -> Snapshot:
    rows: dict[str, dict[int, Data]] = {}
    for row in result["filters"]:
        rows.setdefault(row["name"], {})[row["version"]] = row
        _ = row["tree"], row["body"], row["on_unknown"]
    filters: Data = {}
    for name, versions in rows.items():
        head = next(row for row in versions.values() if row["latest"])
        about = {key: head[key] for key in ("description", "owner", "tags", "on_unknown")}
        filters[name] = _filter_data(
            {**about, "latest": head["version"], "file": None},
            head.get("tests", ()),
            head.get("coverage", {}),
            _own(head.get("view", {}), result["datasets"][head["dataset"]].get("view", {})),
            {str(number): _version_data(row) for number, row in versions.items()},
        )
    macros = {
        name: Macro(name, row["text"], row["meaning"], tuple(row["uses"]), NOWHERE)
        for name, row in result.get("macros", {}).items()
    }
    data = {
        "datasets": result["datasets"],
        "filters": filters,
        "vars": result.get("vars", {}),
        "attributes": result.get("attributes", {}),
        "macros": {key: row.meaning for key, row in macros.items()},
    }

    @cache
    def check(name: str, number: int) -> CheckedVersion | None:
        row = rows[name][number]
        fields = result["datasets"][row["dataset"]]["fields"]
        node = _with_columns(from_data(row["tree"]), fields, lists)
        return CheckedVersion(node, tuple(row["references"]))

    def place(path: tuple[str, ...]) -> Place:
        return (
            Place(next(iter(rows[path[1]].values()))["source"])
            if path[0] == "filters" and path[1] in rows
            else Place()
        )

    return Snapshot(data, check, place, macros, carries="macros" in result)


def _with_columns(node: Node, fields: Data, lists: Mapping[str, ValueSet]) -> Node:
    """A predicate of a manifest, which has only the names of fields and the hashes of long lists, with their
    columns, widths and values.
    """
    if isinstance(node, Literal) and isinstance(node.value, ValueSet):
        return replace(node, value=lists.get(node.value.digest, node.value))
    if isinstance(node, Field):
        field_ = fields.get(node.decl.name, {})
        columns, stored = field_.get("columns", {}), field_.get("stored", "")
        given = tuple(field_.get("expressions", {}).items())
        decl = replace(node.decl, columns=tuple(columns.items()), stored=stored, expressions=given)
        return replace(node, decl=decl)
    return rewrite_children(node, lambda part: _with_columns(part, fields, lists))


def _version_data(row: Data) -> Data:
    params = {
        item["name"]: {
            "type": item["type"],
            "default": [] if item["default"] is None else [item["value"]],
            "description": item["description"],
        }
        for item in row["params"]
    }
    return {
        "language": row["language"],
        "text": row.get("template", row["body"]),
        "on": row.get("on"),
        "deprecated": row["deprecated"],
        "params": params,
        "order": list(params),
    }


# --- lock files


def lock_data(folder: Path) -> Data:
    """The entries of a catalog's lock file: released versions, subscriptions and latest versions.

    Lines that cannot be read are skipped: `predicat check` reports them.
    """
    file = read_lock_file(lock_path(folder))
    if file is None:
        return {}
    data: Data = {
        name: ", ".join(
            f"{what} {value}"
            for what, value in (
                ("meaning", row.hash),
                ("released", row.released),
                ("deprecated", row.deprecated),
                ("removed", row.removed),
            )
            if value
        )
        for name, row in file.lock.versions.items()
    }
    data |= {f"subscription {name}": row_text(dict(row)) for name, row in file.lock.subscriptions.items()}
    return data | {f"latest {name}": f"version {number}" for name, number in (file.lock.latest or {}).items()}
