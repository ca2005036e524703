"""The lock file of a catalog: its contents, the place of each line, and the problems of the file itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, field
from msgspec.structs import replace

from predicat.catalog.paths import NAME, lock_path, read_text
from predicat.catalog.released import (
    EMPTY,
    FORMAT,
    Lock,
    Released,
    checksum,
    entry,
    lock_text,
    meaning_hash,
    subscriptions_of,
)
from predicat.catalog.versions import version_number
from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics.messages import releases as msg

_MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_NAME = re.compile(r'"(filter|subscription|name)":\s*"([^"\\]+)"')
# How a line is called, by the key that has its name: a version by its name alone.
_KEYS = {"filter": "", "subscription": "subscription ", "name": "latest "}
_LINE = re.compile(r"[^\r\n]+")  # a text in JSON may hold other line ends, such as U+2028


class LockFile(Struct, frozen=True):
    """A lock file as read.

    `places` has the line of each version ("orders.large@1"), subscription ("subscription orders.desk") and
    pin of a version ("latest orders.large"). `rivals` has further lines with the name of an earlier line and
    another meaning: two branches released it. `broken` has the names whose line cannot be trusted; they are
    nowhere else. `conflict` is the first conflict marker of a merge in the file; the lines of both sides are
    read. `tidy` tells whether the file is as `predicat release` writes it.
    """

    lock: Lock = EMPTY
    places: Mapping[str, Span] = field(default_factory=dict[str, Span])
    problems: tuple[Diagnostic, ...] = ()
    rivals: tuple[tuple[Released, Span], ...] = ()
    broken: frozenset[str] = frozenset()
    conflict: Span | None = None
    tidy: bool = True
    form: int = FORMAT
    text: str = ""

    def place(self, name: str) -> str:
        """`file:line` of a name; an empty string if it has no line."""
        span = self.places.get(name)
        return "" if span is None else _place_text(span)


def _place_text(span: Span) -> str:
    """`file:line` of a place."""
    return f"{span.source.name}:{span.source.line_column(span.start)[0]}"


def read_lock_file(path: Path) -> LockFile | None:
    """The lock file at a path; None if there is none. Raises PredicatError if it cannot be read at all."""
    text = read_text(path)
    return None if text is None else parse(text, str(path))


def read_lock(path: Path) -> Lock | None:
    """The lock at a path; None if there is none. Raises PredicatError with every line that cannot be
    trusted.
    """
    file = read_lock_file(path)
    if file is not None and (file.problems or file.conflict):
        conflict = [msg.lock_conflict(file.conflict)] if file.conflict else []
        raise PredicatError([*conflict, *file.problems])
    return None if file is None else file.lock


def write_lock(lock: Lock, path: Path) -> None:
    """Write a lock file."""
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # reading does without its imports

    write_text(path, lock_text(lock))


def parse(text: str, name: str) -> LockFile:
    """A lock file from its text."""
    return _Parser(Source(name, text)).file()


class _Line(Struct, frozen=True):
    span: Span
    data: dict[str, Any]


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []
        self.places: dict[str, Span] = {}
        self.versions: dict[str, Released] = {}
        self.rivals: list[tuple[Released, Span]] = []
        self.subscriptions: dict[str, Mapping[str, Any]] = {}
        self.latest: dict[str, int] = {}
        self.broken: set[str] = set()
        self.conflict: Span | None = None

    def file(self) -> LockFile:
        lines = list(self.lines())
        formats = [line.data["format"] for line in lines if "format" in line.data] or [1]
        for line in lines:
            if "format" not in line.data:
                self.line(line, sealed=1 not in formats)
        form = min(formats)
        lock = Lock(self.versions, self.subscriptions, self.latest if form > 1 else None)
        tidy = (
            self.conflict is None
            and not self.problems
            and not self.rivals
            and lock_text(lock, form) == self.source.text.replace("\r\n", "\n")
        )
        for key in self.broken:
            self.versions.pop(key, None)
        return LockFile(
            lock,
            self.places,
            tuple(self.problems),
            tuple(self.rivals),
            frozenset(self.broken),
            self.conflict,
            tidy,
            form,
            self.source.text,
        )

    def lines(self) -> Iterator[_Line]:
        """The lines with content. From a merge conflict it takes the lines of both sides, but not the lines
        of the common base.
        """
        in_base = False
        for match in _LINE.finditer(self.source.text):
            text, span = match[0], Span(self.source, match.start(), match.end())
            if text.startswith(_MARKERS):
                in_base = text.startswith("|||||||")
                self.conflict = self.conflict or span
            elif not in_base and text.strip():
                try:
                    data = json.loads(text)
                except (ValueError, RecursionError):
                    data = None
                if isinstance(data, dict) and isinstance(data.get("format", 1), int):
                    if data.get("format", 1) > FORMAT:
                        raise PredicatError.of(msg.lock_newer(span, data["format"], FORMAT))
                    yield _Line(_name_in(span), data)
                else:
                    self.damaged(span)

    def damaged(self, span: Span) -> None:
        match = _NAME.search(span.source.line(span.source.line_column(span.start)[0]))
        self.untrusted(_KEYS[match[1]] + match[2] if match else "", msg.lock_damaged(_name_in(span)))

    def untrusted(self, key: str, problem: Diagnostic) -> None:
        self.broken.add(key)
        self.places[key] = problem.span
        self.problems.append(problem)

    def line(self, line: _Line, *, sealed: bool) -> None:
        """Add one line, if it can be trusted. If `sealed`, it must have a checksum."""
        data, span = dict(line.data), line.span
        seal = data.pop("checksum", None)
        try:
            row = _version(data) if "filter" in data else None
            kind = next(kind for kind in _KEYS if kind in data)
            name = convert(data[kind], str)
            number = convert(data["latest"], int) if kind == "name" else 0
            properties = convert(data["properties"], dict[str, Any]) if kind == "subscription" else {}
            of = convert(data["of"], str) if kind == "subscription" else ""
        except (ValueError, TypeError, KeyError, StopIteration):  # msgspec's errors are ValueErrors
            self.damaged(span)
            return
        key = _KEYS[kind] + name
        if row is not None and meaning_hash(row.on_unknown, row.params, row.meaning) != row.hash:
            self.untrusted(key, msg.lock_meaning_edited(span, key))
        elif seal is not None and seal != checksum(data):
            self.untrusted(key, msg.lock_line_edited(span, key))
        elif seal is None and sealed:
            self.untrusted(key, msg.lock_unsealed(span, key))
        else:
            if row is not None:
                self.version(row, span)
            elif kind == "name":
                self.latest[name] = max(number, self.latest.get(name, 0))
            elif (
                self.subscriptions.setdefault(name, {"of": of, "properties": properties})["properties"]
                != properties
            ):
                self.problems.append(msg.lock_subscription_twice(span, name, _place_text(self.places[key])))
            self.places.setdefault(key, span)

    def version(self, row: Released, span: Span) -> None:
        """Add a version. Two lines with the same meaning are merged: the earlier release, the later
        deprecation and removal. One branch has them, the other does not.
        """
        other = self.versions.get(row.name)
        if other is None:
            self.versions[row.name] = row
        elif other.hash != row.hash:
            self.rivals.append((row, span))
        else:
            deprecated = max(filter(None, (row.deprecated, other.deprecated)), default=None)
            removed = max(filter(None, (row.removed, other.removed)), default=None)
            released = min(row.released, other.released)
            self.versions[row.name] = replace(row, released=released, deprecated=deprecated, removed=removed)


def _name_in(line: Span) -> Span:
    """The name in a line, or its first character: lines are long."""
    match = _NAME.search(line.text)
    if match is None:
        return Span(line.source, line.start, line.start + 1)
    return Span(line.source, line.start + match.start(2), line.start + match.end(2))


def _version(data: Mapping[str, Any]) -> Released:
    """The version of a line. Raises ValueError, TypeError or KeyError if the line is invalid."""
    row = convert({**data, "name": data["filter"]}, Released)
    if version_number(row.name.partition("@")[2]) is None or row.on_unknown not in ("accept", "reject"):
        raise ValueError(row.name)
    for day in (row.released, row.deprecated, row.removed):
        date.fromisoformat(day or "1970-01-01")
    return row


__all__ = [
    "EMPTY",
    "NAME",
    "Lock",
    "LockFile",
    "Released",
    "entry",
    "lock_path",
    "parse",
    "read_lock",
    "read_lock_file",
    "subscriptions_of",
    "write_lock",
]
