"""CEL expressions put together from those of a manifest, each character of which knows its place there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from predicat.diagnostics import Source
from predicat.importing.located import source_of
from predicat.language.cel.tokens import DOTTED_NAME

_NAME = re.compile(r"\w+(?:\.\w+)*\Z")


class Cel(Struct, frozen=True):
    """An expression, the file that it is from, and the place of each of its characters there."""

    text: str
    file: Source
    places: Sequence[int]

    @property
    def source(self) -> Source:
        """The expression as a source of its own."""
        return Source(self.file.name, self.text, self.file, self.places)

    def within(self, before: str, after: str) -> Cel:
        """The expression with something written around it."""
        start, end = (self.places[0], self.places[-1]) if len(self.places) else (0, 0)
        return Cel(
            before + self.text + after, self.file, [*[start] * len(before), *self.places, *[end] * len(after)]
        )

    def names(self) -> set[str]:
        """The dotted names in it."""
        return {match["name"] for match in DOTTED_NAME.finditer(self.text) if match["name"]}

    def inlined(self, given: Mapping[str, Cel]) -> Cel:
        """The expression in which dotted names, such as `variables.x`, are replaced by expressions in
        parentheses.
        """
        out: list[str] = []
        places: list[int] = []
        last = 0
        for match in DOTTED_NAME.finditer(self.text):
            name = _known(match["name"] or "", given)
            if not name:
                continue
            start = match.start()
            inner = given[name] if _NAME.match(given[name].text) else given[name].within("(", ")")
            out += [self.text[last:start], inner.text]
            places += [*self.places[last:start], *inner.places]
            last = start + len(name)
        return Cel("".join([*out, self.text[last:]]), self.file, [*places, *self.places[last:]])


def _known(name: str, given: Mapping[str, Cel]) -> str:
    """The longest beginning of a dotted name that is given."""
    while name and name not in given:
        name = name.rpartition(".")[0]
    return name


def cel_of(value: str) -> Cel:
    """The expression that a text with a place is."""
    source = source_of(value)
    places = (
        source.offsets
        if len(source.offsets) == len(source.text)
        else [source.to_outer(at) for at in range(len(source.text))]
    )
    return Cel(source.text, source.outer or source, places)
