"""What a comparison of catalogs needs to know of one, whether it comes from files or from a manifest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.catalog.load import catalog_files
from predicat.catalog.manifest import read_manifest
from predicat.catalog.model import Catalog
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics import messages as msg
from predicat.ir.codec import from_data, value_data
from predicat.ir.nodes import Node


class VersionState(Struct, frozen=True):
    """A version: its language, its body as people read it, its predicate, its parameters and what it refers to."""

    number: int
    language: str
    body: str
    node: Node
    params: Mapping[str, str]
    references: tuple[str, ...]
    deprecated: str | None


class FilterState(Struct, frozen=True):
    """A filter. `about` is what says nothing of its rows: description, owner, tags. `place` is its file and line."""

    name: str
    dataset: str
    on_unknown: str
    latest: int
    versions: Mapping[int, VersionState]
    about: Mapping[str, Any]
    place: tuple[str, int] = ("", 0)
    tests: int = 0

    @property
    def current(self) -> VersionState:
        return self.versions[self.latest]


class Snapshot(Struct, frozen=True):
    """All filters, and the groups and subscriptions that use them (by `dataset.name`)."""

    filters: Mapping[str, FilterState]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    subscriptions: Mapping[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict[str, tuple[str, Mapping[str, str]]])
    relations: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])


EMPTY = Snapshot({})


def of_catalog(catalog: Catalog) -> Snapshot:
    """A catalog that was loaded."""
    filters: dict[str, FilterState] = {}
    for row in catalog.filters():
        versions = {
            number: VersionState(number, version.language, version.body, version.predicate.node, _params(version.params),
                                 version.references, version.deprecated)
            for number, version in row.versions.items()
        }  # fmt: skip
        place = row.span.outermost()
        line = place.source.line_column(place.start)[0] if place.source.text else 0
        about = {"description": row.description, "owner": row.owner, "tags": list(row.tags)}
        filters[row.qualified] = FilterState(row.qualified, row.dataset, row.on_unknown, row.latest, versions, about,
                                             (place.source.name, line), len(row.tests))  # fmt: skip
    groups = {
        f"{name}.{key}": tuple(_qualified(name, member) for member in group["filters"])
        for name, dataset in catalog.datasets.items()
        for key, group in dataset.groups.items()
    }
    subscriptions = {
        f"{name}.{key}": (_qualified(name, row["filter"]), row["properties"])
        for name, dataset in catalog.datasets.items()
        for key, row in dataset.subscriptions.items()
    }
    return Snapshot(filters, groups, subscriptions, {name: dataset.relation for name, dataset in catalog.datasets.items()})


def _params(params: Mapping[str, Any]) -> dict[str, str]:
    return {name: f"{decl.type}" + ("" if decl.required else f" = {value_data(decl.default)}") for name, decl in params.items()}


def _qualified(dataset: str, name: str) -> str:
    base = name.partition("@")[0]
    return base if "." in base else f"{dataset}.{base}"


def of_manifest(path: Path) -> Snapshot:
    """A manifest. Raises PredicatError if it cannot be read, or was written before manifests held predicates."""
    data = read_manifest(path)
    versions: dict[str, dict[int, VersionState]] = {}
    heads: dict[str, dict[str, Any]] = {}
    try:
        for row in data["filters"]:
            params = {item["name"]: item["type"] + ("" if item["default"] is None else f" = {item['value']}") for item in row["params"]}
            versions.setdefault(row["name"], {})[row["version"]] = VersionState(
                row["version"], row["language"], row["body"], from_data(row["tree"]), params, tuple(row["references"]), row["deprecated"]
            )
            if row["latest"]:
                heads[row["name"]] = row
        filters = {
            name: FilterState(name, row["dataset"], row["on_unknown"], row["version"], versions[name],
                              {key: row[key] for key in ("description", "owner", "tags")}, (row["source"], 0))
            for name, row in heads.items()
        }  # fmt: skip
        groups = {
            f"{name}.{key}": tuple(_qualified(name, member) for member in group["filters"])
            for name, dataset in data["datasets"].items()
            for key, group in dataset["groups"].items()
        }
        subscriptions = {
            f"{name}.{key}": (_qualified(name, row["filter"]), row["properties"])
            for name, dataset in data["datasets"].items()
            for key, row in dataset["subscriptions"].items()
        }
    except (KeyError, TypeError, ValueError) as error:
        raise PredicatError.of(msg.manifest_damaged(str(path), f"it holds no predicates to compare with ({error})")) from None
    return Snapshot(filters, groups, subscriptions, {name: dataset["relation"] for name, dataset in data["datasets"].items()})


_DATASET = re.compile(r"^dataset:[ \t]*['\"]?([a-z][a-z0-9_]*)", re.MULTILINE)


def dataset_of(text: str) -> str | None:
    """The dataset that the text of a catalog file says it is of."""
    found = _DATASET.search(text)
    return found[1] if found else None


def relevant_files(folder: Path, changed: Iterable[Path]) -> list[Path]:
    """The files of a catalog that a change of some of them can touch: of the same datasets, of those that name them, and of those
    that they name. A file that cannot be read is relevant, so that its problem is seen.
    """
    texts: dict[Path, str] = {}
    for file in catalog_files(folder, Reporter()) if folder.exists() else []:
        try:
            texts[file] = file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            texts[file] = ""
    owners = {file: dataset_of(text) for file, text in texts.items()}
    touched = {owners.get(file) for file in changed}
    known = {name for name in owners.values() if name}
    wanted = {name for name in touched if name}
    for file, text in texts.items():  # files that use a changed dataset
        owner = owners[file]
        if owner and any(f"{name}." in text for name in wanted):
            touched.add(owner)
    pending = [name for name in touched if name]
    needed = set(pending)
    while pending:  # and what those need in turn
        name = pending.pop()
        for file, text in texts.items():
            if owners[file] == name:
                more = {other for other in known - needed if f"{other}." in text}
                needed |= more
                pending += more
    return [file for file, owner in owners.items() if owner is None or owner in needed]
