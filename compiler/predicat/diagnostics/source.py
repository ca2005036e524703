"""Text with a name, and places in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct, field

_LINE_END = re.compile("\n")


class Source(Struct, frozen=True, eq=False):
    """A text that diagnostics can point into.

    A filter body is a text of its own that also lies inside a YAML file. `outer` and `offsets` say where:
    `offsets[i]` is the offset in `outer.text` of the body's character `i`.
    """

    name: str
    text: str
    outer: Source | None = None
    offsets: Sequence[int] = ()
    _starts: list[int] = field(default_factory=list[int])

    def line_column(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a character offset."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its line end."""
        starts = self._line_starts()
        if number > len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")

    def _line_starts(self) -> list[int]:
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(match.end() for match in _LINE_END.finditer(self.text))
        return self._starts

    def to_outer(self, offset: int) -> int:
        """The offset in the outer source of an offset here (the end of the text included)."""
        if not self.offsets:
            return 0
        if offset < len(self.offsets):
            return self.offsets[offset]
        return self.offsets[-1] + 1 + min(offset - len(self.offsets), 1)


class Span(Struct, frozen=True, gc=False):
    """A half-open range of characters of a source."""

    source: Source
    start: int
    end: int

    def outermost(self) -> Span:
        """The same place in the file that the text came from."""
        span = self
        while (outer := span.source.outer) is not None:
            source = span.source
            start = source.to_outer(span.start)
            end = max(source.to_outer(span.end - 1) + 1 if span.end > span.start else start, start)
            span = Span(outer, start, end)
        return span

    @property
    def text(self) -> str:
        """The characters of the span."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of the other."""
        start = min(other.start, self.start)
        return Span(self.source, start, max(other.end, self.end))

    def overlaps(self, other: Span) -> bool:
        """Whether both have a character."""
        return self.source is other.source and self.start < other.end and other.start < self.end


# The span of what has no place in any text (built in Python).
NOWHERE = Span(Source("", ""), 0, 0)
