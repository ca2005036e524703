"""The exported files of the repository whose rows a change changes, by the marks of `predicat export`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from predicat.exporting.marks import BEGINNING, POLICIES, in_line
from predicat.forge import git
from predicat.review.entries import Entry, Review

# The subject of entries about what roles see, which are named `dataset.role`.
_ROLE = "role"
_ODD = re.compile(r"[^\w ./+=@,-]")


def with_exports(review: Review, folder: Path) -> Review:
    """The review with the exported files of each filter whose rows change. Files that are not in git are not
    searched, and none outside of a repository.
    """
    if not any(map(_counts, review.entries)) or not git.inside(folder):
        return review
    found: dict[str, list[str]] = {}
    for path, line in git.lines_with(git.repository(folder), BEGINNING):
        for name, target in _filters(path, line):
            found.setdefault(name, []).append(f"{_ODD.sub('?', path)} ({target})")
    return replace(review, entries=tuple(_with(entry, found) for entry in review.entries))


def _filters(path: str, line: str) -> Iterator[tuple[str, str]]:
    """The filters of an exported file, and the policies of a dataset that it has, each with the target."""
    mark = in_line(line)
    if mark is not None:
        yield from ((name, mark.target) for name in mark.filters)
        dataset, _, rest = PurePosixPath(path).name.partition(".")
        if rest.rpartition(".")[0] == POLICIES:
            yield f"{_ROLE} {dataset}", mark.target


def _counts(entry: Entry) -> bool:
    return entry.subject in ("filter", _ROLE) and entry.changes_rows


def _with(entry: Entry, found: Mapping[str, list[str]]) -> Entry:
    """A mark names the version of a filter if it was not the latest one."""
    number = entry.part.removeprefix("version ") if entry.kind == "version" else ""
    name = f"{entry.name}@{number}" if number else entry.name
    if entry.subject == _ROLE:
        name = f"{_ROLE} {entry.name.partition('.')[0]}"
    names = found.get(name, [])
    if not names or not _counts(entry):
        return entry
    return replace(entry, users={**entry.users, "exports": tuple(sorted(set(names)))})
