"""Released versions: one line per version in the lock file, so that a released version never changes its
meaning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct

from predicat.catalog.model import Catalog, Filter, Version
from predicat.catalog.versions import version_number
from predicat.ir.codec import from_data, to_data, value_data
from predicat.ir.nodes import Node

# Format 1 has no checksums and does not know `latest` and `removed`.
FORMAT = 2


class Released(Struct, frozen=True):
    """A released version. `meaning` is its predicate as data; `hash` is the hash of `on_unknown`, `params`
    and `meaning`.

    `removed` is the day of the first release without it. The name can never get another meaning.
    """

    name: str
    hash: str
    released: str
    deprecated: str | None
    on_unknown: str
    params: Mapping[str, Any]
    meaning: Any
    removed: str | None = None

    def node(self) -> Node:
        """The predicate that was released. Raises ValueError, KeyError or TypeError if it cannot be read."""
        return from_data(self.meaning)

    @property
    def filter(self) -> str:
        """The qualified name of the filter."""
        return self.name.partition("@")[0]

    @property
    def number(self) -> int:
        """The number of the version."""
        return version_number(self.name.partition("@")[2]) or 0


class Lock(Struct, frozen=True):
    """Everything that was released.

    `latest` has the filters whose name without a version does not mean the highest released version; None if
    that was not recorded.
    """

    versions: Mapping[str, Released]
    subscriptions: Mapping[str, Mapping[str, Any]]
    latest: Mapping[str, int] | None = None

    def highest(self) -> dict[str, int]:
        """The highest version of each filter that was released and not removed."""
        numbers: dict[str, int] = {}
        for row in self.versions.values():
            if row.removed is None:
                numbers[row.filter] = max(row.number, numbers.get(row.filter, 0))
        return numbers

    def meant(self) -> dict[str, int]:
        """The version of each filter that its name alone means. Empty if that was not recorded."""
        return {} if self.latest is None else {**self.highest(), **self.latest}


EMPTY = Lock({}, {}, {})


def only(lock: Lock, names: Collection[str]) -> Lock:
    """The lines of a lock about some filters (`dataset.filter`)."""
    latest = lock.latest
    return Lock(
        {name: row for name, row in lock.versions.items() if row.filter in names},
        {},
        latest and {name: number for name, number in latest.items() if name in names},
    )


def meaning_hash(on_unknown: str, params: Any, meaning: Any) -> str:
    """The hash of a meaning: of the predicate, its parameters and `on_unknown`."""
    return _digest([on_unknown, params, meaning])


def checksum(line: Mapping[str, Any]) -> str:
    """The checksum of a line. It shows edits by hand."""
    return _digest({key: value for key, value in line.items() if key != "checksum"})


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def entry(filter_: Filter, version: Version, day: str) -> Released:
    """A version as an entry of the lock file."""
    params = {
        decl.name: {
            "type": str(decl.type),
            **({} if decl.required else {"default": value_data(decl.default)}),
        }
        for decl in version.params.values()
    }
    meaning = to_data(version.predicate.node)
    name = f"{filter_.qualified}@{version.number}"
    return Released(
        name,
        meaning_hash(filter_.on_unknown, params, meaning),
        day,
        version.deprecated,
        filter_.on_unknown,
        params,
        meaning,
    )


def entries(catalog: Catalog, day: str) -> dict[str, tuple[Filter, Version, Released]]:
    """Every version of a catalog, with its entry for the lock file."""
    return {
        released.name: (filter_, version, released)
        for filter_ in catalog.filters()
        for version in filter_.versions.values()
        for released in (entry(filter_, version, day),)
    }


def subscriptions_of(catalog: Catalog) -> dict[str, Mapping[str, Any]]:
    """The subscriptions of a catalog, as entries of the lock file."""
    return {
        f"{name}.{key}": {"of": row.filter, "properties": dict(row.properties)}
        for name, dataset in catalog.datasets.items()
        for key, row in dataset.subscriptions.items()
    }


def lock_text(lock: Lock, form: int = FORMAT) -> str:
    """The text of a lock file, sorted by name, so that branches that release different filters seldom change
    adjacent lines.
    """
    lines = ({"format": form}, *(_sealed(line, form) for line in _lines(lock)))
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _lines(lock: Lock) -> Iterator[dict[str, Any]]:
    for row in sorted(lock.versions.values(), key=lambda row: (row.filter, row.number)):
        line = {
            "filter": row.name,
            "hash": row.hash,
            "released": row.released,
            "deprecated": row.deprecated,
            "on_unknown": row.on_unknown,
            "params": row.params,
            "meaning": row.meaning,
        }
        yield line if row.removed is None else {**line, "removed": row.removed}
    for name, number in sorted((lock.latest or {}).items()):
        yield {"name": name, "latest": number}
    for name, subscription in sorted(lock.subscriptions.items()):
        yield {"subscription": name, **subscription}


def _sealed(line: dict[str, Any], form: int) -> dict[str, Any]:
    return line if form == 1 else {**line, "checksum": checksum(line)}
