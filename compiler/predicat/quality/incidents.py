"""For those who look after a broken bound: since when, where the filter is, and its last change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from predicat.catalog.model import Dataset
from predicat.diagnostics import PredicatError
from predicat.forge import git
from predicat.forge.links import web_address

_SECONDS = 10.0
# What begins an incident, and what ends it. A run that judged nothing does neither.
_BROKEN, _HOLDS = ("fail", "error"), ("pass", "warn")


class Incident(Struct, frozen=True):
    """The runs from the first one in which a filter, or the rows of a dataset, failed to the next pass.

    Attributes:
        name: The filter or dataset.
        since: The time of the first failed run.
        until: The time of the next run that passed; None if it goes on.
        runs: The number of failed runs.
    """

    name: str
    since: str
    until: str | None
    runs: int


def incidents(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Incident]:
    """The incidents in results by name, each the oldest first; those that go on first, then the newest."""
    found = [incident for name, entries in results.items() for incident in _of(name, entries)]
    newest = sorted(found, key=lambda item: item.since, reverse=True)
    return sorted(newest, key=lambda item: item.until is not None)


def _of(name: str, entries: Iterable[Mapping[str, Any]]) -> list[Incident]:
    result: list[Incident] = []
    since, runs = "", 0
    for entry in entries:
        status, at = entry.get("status", "pass"), str(entry["at"])
        if status in _BROKEN:
            since, runs = since or at, runs + 1
        elif since and status in _HOLDS:
            result.append(Incident(name, since, at, runs))
            since, runs = "", 0
    return [*result, Incident(name, since, None, runs)] if since else result


class Origin(Struct, frozen=True):
    """Where the condition of a filter is written: the file, seen from the root of its repository, and the
    line. `url` shows it on the repository's server, `change` is the commit that changed it last; each is
    empty if there is none.
    """

    file: str
    line: int
    url: str = ""
    change: git.Commit = git.Commit("", "", "")


def origins(dataset: Dataset, names: Collection[str]) -> dict[str, Origin]:
    """The places of filters of a dataset (qualified names) in their files."""
    result: dict[str, Origin] = {}
    for filter_ in dataset.filters.values():
        span = filter_.current.span.outermost()
        path = Path(span.source.name)
        if filter_.qualified in names and path.is_file():
            lines = [
                span.source.line_column(place)[0] for place in (span.start, max(span.end - 1, span.start))
            ]
            result[filter_.qualified] = _origin(path, lines[0], lines[1])
    return result


def _origin(path: Path, first: int, last: int) -> Origin:
    try:
        root = git.repository(path)
        file = path.resolve().relative_to(root.resolve()).as_posix()
        change = git.last_change(path, first, last, _SECONDS)
    except (PredicatError, ValueError):
        return Origin(str(path), first)
    commit, place = git.head(root), web_address(git.remote(root))
    url = f"{place}/blob/{commit}/{file}#L{first}" if place and commit else ""
    return Origin(file, first, url, change or git.Commit("", "", ""))
