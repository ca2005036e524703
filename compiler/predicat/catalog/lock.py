"""The lock file: what was released, a line a version, so that a released version never changes its meaning."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from predicat.catalog.manifest import write_text
from predicat.catalog.model import Catalog, Filter, Version, version_number
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.ir.codec import from_data, to_data, value_data
from predicat.ir.nodes import Node

NAME = "catalog.lock"
FORMAT = 1


class Released(Struct, frozen=True):
    """A released version. `meaning` is its predicate with its parameters, as data; `hash` that of all this."""

    name: str
    hash: str
    released: str
    deprecated: str | None
    on_unknown: str
    params: Mapping[str, Any]
    meaning: Any

    def node(self) -> Node:
        """The predicate that was released."""
        return from_data(self.meaning)


class Lock(Struct, frozen=True):
    """Everything that was released."""

    versions: Mapping[str, Released]
    subscriptions: Mapping[str, Mapping[str, Any]]


EMPTY = Lock({}, {})


def entry(row: Filter, version: Version, day: str) -> Released:
    """A version as the lock file keeps it."""
    params = {
        decl.name: {"type": str(decl.type), **({} if decl.required else {"default": value_data(decl.default)})} for decl in version.params.values()
    }
    meaning = to_data(version.predicate.node)
    shown = json.dumps([row.on_unknown, params, meaning], sort_keys=True)
    digest = hashlib.sha256(shown.encode()).hexdigest()[:16]
    return Released(f"{row.qualified}@{version.number}", digest, day, version.deprecated, row.on_unknown, params, meaning)


def lock_path(folder: Path) -> Path:
    """Where the lock file of a catalog lies."""
    return (folder if folder.is_dir() else folder.parent) / NAME


def read_lock(path: Path) -> Lock | None:
    """The lock file; None if there is none. Raises PredicatError if it is damaged or newer than this code."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise PredicatError.of(msg.unreadable(str(path), str(error))) from None
    versions: dict[str, Released] = {}
    subscriptions: dict[str, Mapping[str, Any]] = {}
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            if "format" in data:
                if data["format"] > FORMAT:
                    raise PredicatError.of(msg.lock_newer(str(path), data["format"], FORMAT))
            elif "subscription" in data:
                subscriptions[data.pop("subscription")] = data
            else:
                found = Released(**{"name": data.pop("filter"), **data})
                versions[found.name] = found
        except (ValueError, TypeError, KeyError, AttributeError):
            raise PredicatError.of(msg.lock_damaged(str(path), number)) from None
    return Lock(versions, subscriptions)


def write_lock(lock: Lock, path: Path) -> None:
    """Write a lock file, sorted by name, so that two branches that release different filters merge."""
    lines: Iterable[dict[str, Any]] = (
        {"format": FORMAT},
        *({"filter": row.name, "hash": row.hash, "released": row.released, "deprecated": row.deprecated, "on_unknown": row.on_unknown,
           "params": row.params, "meaning": row.meaning} for _, row in sorted(lock.versions.items(), key=_order)),
        *({"subscription": name, **row} for name, row in sorted(lock.subscriptions.items())),
    )  # fmt: skip
    write_text(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _order(item: tuple[str, Released]) -> tuple[str, int]:
    base, _, number = item[0].partition("@")
    return base, version_number(number) or 0


def subscriptions_of(catalog: Catalog) -> dict[str, Mapping[str, Any]]:
    """The subscriptions of a catalog, as the lock file keeps them."""
    return {
        f"{name}.{key}": {"of": row["filter"], "properties": dict(row["properties"])}
        for name, dataset in catalog.datasets.items()
        for key, row in dataset.subscriptions.items()
    }
