"""Writes the texts of an export into a folder, or says what would change there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from pathlib import Path

from msgspec import Struct

from predicat.catalog.model import Catalog
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import exports as say
from predicat.diagnostics.writing import write_text
from predicat.exporting.asked import Text
from predicat.exporting.marks import Mark, mark_of, marked


class State(Enum):
    """What is there of a file."""

    SAME = "up to date"
    NEW = "is missing"
    CHANGED = "is not up to date"
    EDITED = "was changed by hand"
    OTHER = "was not written by predicat"
    GONE = "is of filters that are no more in the catalog"


class File(Struct, frozen=True):
    """A file of an export: its path below the folder, its text with the mark ("" if it should go) and what
    is there.
    """

    path: str
    text: str
    filters: tuple[str, ...]
    state: State


def files(catalog: Catalog, target: str, out: Path, texts: Sequence[Text]) -> list[File]:
    """The files of an export, and those of this target in the folder whose filters are all gone."""
    result = [
        File(text.path, shown, text.filters, _state(out / text.path, shown))
        for text in texts
        for shown in [marked(text, target)]
    ]
    wanted = {out / text.path for text in texts}
    gone = [
        File(path.relative_to(out).as_posix(), "", mark.filters, State.GONE)
        for path, mark in _beside({out, *(path.parent for path in wanted)})
        if mark.target == target and mark.filters and path not in wanted
        if not any(name.partition("@")[0] in catalog.known for name in mark.filters)
    ]
    return result + gone


def write(out: Path, found: Sequence[File], *, force: bool) -> None:
    """Write what differs. Raises PredicatError for files of others and for those that were changed by hand,
    unless it is forced; then nothing is written.
    """
    others = [
        say.not_overwritten(str(out / file.path), file.state.value)
        for file in found
        if file.state in (State.EDITED, State.OTHER)
    ]
    if others and not force:
        raise PredicatError(others)
    for file in found:
        if file.state not in (State.SAME, State.GONE):
            write_text(out / file.path, file.text)


def _beside(folders: Collection[Path]) -> Iterator[tuple[Path, Mark]]:
    """The files in these folders that have a mark."""
    for path in sorted(path for folder in folders if folder.is_dir() for path in folder.iterdir()):
        if path.is_file() and (text := _read(path)) is not None and (mark := mark_of(text)) is not None:
            yield path, mark


def _state(path: Path, shown: str) -> State:
    there = _read(path)
    if there is None:
        return State.OTHER if path.exists() else State.NEW
    mark = mark_of(there)
    if mark is None:
        return State.OTHER
    if there == shown:
        return State.SAME
    return State.EDITED if mark.edited else State.CHANGED


def _read(path: Path) -> str | None:
    """The text of a file; None if it has none."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
