"""What an import finds: filters with their places, and what is left out with the reason."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.diagnostics import Diagnostic, Source, Span

_WORDS = re.compile(r"[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")
LONGEST = 63


class Rows(Struct, frozen=True):
    """What kind of rows filters are about: a dataset with its fields. `expressions` has the SQL of fields
    that engines decode, by the field and the engine.
    """

    name: str
    description: str
    fields: Mapping[str, str]
    expressions: Mapping[str, Mapping[str, str]] = {}


class Parameter(Struct, frozen=True):
    """A value that is given when a manifest is deployed; `default` None: it has no default."""

    name: str
    stands_for: str
    default: str | None = None


class ImportedFilter(Struct, frozen=True):
    """A filter. `title` says what it is in its manifest, `path` where in it; `source` is that of a body
    that is a text.
    """

    name: str
    title: str
    path: str
    language: str
    body: Any
    span: Span
    rows: Rows
    source: Source | None = None
    on: str | None = None
    params: Mapping[str, Parameter] = field(default_factory=dict[str, Parameter])
    on_unknown: str = "reject"
    says: str = ""
    """What the manifest says of it, such as the message of a rule."""
    uses: tuple[str, ...] = ()
    """The filters that it is composed of."""


class SkippedPart(Struct, frozen=True):
    """A part of a manifest that gives no filter, and why."""

    title: str
    reason: str
    span: Span


class Skip(Exception):
    """A part gives no filter: raised where that is found, told where the part is read."""

    def __init__(self, reason: str, span: Span | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


class Findings(Struct):
    """What was found so far. No two filters of one dataset have the same name; `dataset` is that of all of
    them, if it is given.
    """

    dataset: str | None = None
    imported: list[ImportedFilter] = field(default_factory=list[ImportedFilter])
    skipped: list[SkippedPart] = field(default_factory=list[SkippedPart])
    problems: list[Diagnostic] = field(default_factory=list[Diagnostic])
    names: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def add(self, entry: ImportedFilter) -> str:
        """Adds a filter. Returns the name that it got."""
        rows = entry.rows if self.dataset is None else replace(entry.rows, name=self.dataset)
        name = self.unused(rows.name, entry.name)
        self.names.add((rows.name, name))
        self.imported.append(replace(entry, name=name, rows=rows))
        return name

    def skip(self, title: str, reason: str, span: Span) -> None:
        """Adds a part that is left out."""
        self.skipped.append(SkippedPart(title, reason, span))

    def unused(self, dataset: str, name: str) -> str:
        """The name, with a number if it is used."""
        base, number = slug(name), 1
        candidate = base
        while (dataset, candidate) in self.names:
            number += 1
            candidate = f"{base[: LONGEST - 1 - len(str(number))]}_{number}"
        return candidate


def slug(name: str, begin: str = "filter") -> str:
    """A name as catalogs have them: small letters, digits and underscores."""
    words = "_".join(word.lower() for word in _WORDS.findall(name))[:LONGEST].strip("_") or begin
    return words if words[0].isalpha() else f"{begin}_{words}"[:LONGEST]
