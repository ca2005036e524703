"""All conditions of folders and files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Place, Refused
from predicat.discover.read import dialects, templates
from predicat.discover.read.files import File, Unusable, files
from predicat.discover.read.relations import Columns
from predicat.discover.read.sql import Text, plain_place

Item = Condition | Refused


class Found(Struct):
    """What was found. `files` counts the files by their kinds, `dialects` those of SQL by their dialects."""

    conditions: list[Condition] = field(default_factory=list[Condition])
    refused: list[Refused] = field(default_factory=list[Refused])
    files: Counter[str] = field(default_factory=Counter[str])
    dialects: Counter[str] = field(default_factory=Counter[str])

    def add(self, items: Iterable[Item]) -> None:
        """Adds what a file has."""
        for item in items:
            if isinstance(item, Condition):
                self.conditions.append(item)
            else:
                self.refused.append(item)


def read(paths: Sequence[Path], dialect: str | None = None) -> Found:
    """The conditions in files and in the files of folders.

    Args:
        paths: files and folders.
        dialect: the dialect of all SQL, by sqlglot's name. Default: what configurations say, or what reads
            most of the files.
    """
    return _Reading(list(files(paths)), dialect).read()


class _Reading:
    """One search."""

    def __init__(self, found: list[File], dialect: str | None) -> None:
        self.files = found
        self.dialect = dialect
        self.configured = dialects.Configured()
        self.tried: dict[Path, str] = {}
        self.columns: Columns = {}
        self.result = Found()

    def read(self) -> Found:
        for file in self.files:
            if file.kind != "sql":
                continue
            self.result.files[file.kind] += 1
            try:
                self.result.add(self.sql(file))
            except Unusable as problem:
                self.result.refused.append(Refused(Place(str(file.path), 1, 1, 0, 0), str(problem), ""))
        return self.result

    def sql(self, file: File) -> Iterator[Item]:
        """The conditions of a file of SQL, in the dialect that reads it."""
        text = file.text()
        sql, place = _rendered(file, text, {})
        if sql is None:
            yield Refused(Place(str(file.path), 1, 1, 0, len(text)), say.NOT_RENDERED, "")
            return
        dialect = self.dialect_of(file)
        if self.dialect is None and not dialects.score(sql, dialect)[0]:
            dialect = dialects.tried([sql], [dialect, *(row for row in dialects.TRIED if row != dialect)])
        self.result.dialects[dialect] += 1
        yield from Text(sql, dialect, place, self.columns).found()

    def dialect_of(self, file: File) -> str:
        """The dialect of a file: given, configured, or the one that reads most files of its root."""
        found = self.dialect or self.configured.of(file.path.parent, file.root)
        if found is not None:
            return found
        if file.root not in self.tried:
            self.tried[file.root] = dialects.tried(self.sample(file.root))
        return self.tried[file.root]

    def sample(self, root: Path) -> Iterator[str]:
        """Some files of SQL, from all over a folder."""
        rows = [row for row in self.files if row.kind == "sql" and row.root == root]
        for file in rows[:: max(1, len(rows) // dialects.MAX_SAMPLE)]:
            try:
                text, _ = _rendered(file, file.text(), {})
            except Unusable:
                continue
            if text is not None:
                yield text


def _rendered(
    file: File, text: str, macros: Mapping[str, Any]
) -> tuple[str | None, Callable[[int, int], tuple[Place, bool]]]:
    """The SQL of a file, and the places of its ranges; None where a template cannot be rendered."""
    plain = plain_place(str(file.path), text)
    if not templates.is_template(text):
        return text, plain
    try:
        rendered = templates.render(text, macros)
    except templates.NotRendered:
        return None, plain

    def place(start: int, end: int) -> tuple[Place, bool]:
        first, last, same = rendered.place(start, end)
        return plain(first, last)[0], same

    return rendered.text, place
