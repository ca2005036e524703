"""A condition that is a text in YAML or JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from predicat.catalog.templates import is_template
from predicat.diagnostics import Source, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused, SourceRange
from predicat.discover.read import templates
from predicat.discover.read.embedded import Ranges, condition
from predicat.discover.read.relations import Columns
from predicat.importing.located import source_of, span_of


class Written:
    """Reads texts in SQL of a dialect."""

    def __init__(self, dialect: str, columns: Columns) -> None:
        self.dialect = dialect
        self.columns = columns

    def condition(self, value: str, head: str, relation: str | None) -> Iterator[Condition | Refused]:
        """A condition in a text with its place; `head` is what its tool writes before it."""
        source = source_of(value)
        rendered = None
        if is_template(value):
            try:
                rendered = templates.render(value, {})
            except templates.NotRendered:
                yield Refused(place_of(Span(source, 0, len(value))), say.NOT_RENDERED, value[:200])
                return
        text = value if rendered is None else rendered.text
        ranges = ranges_of(source, head, rendered)
        yield from condition(head + text, relation, "test", self.dialect, ranges, self.columns)

    def rewritten(self, value: str, text: str, relation: str | None) -> Iterator[Condition | Refused]:
        """A condition in a text whose names of columns are written in the way of its tool."""
        if "{" in text:
            yield Refused(place_of(span_of(value)), say.NOT_RENDERED, value[:200])
            return
        ranges = self.ranges(value, same=text == value)
        yield from condition(text, relation, "test", self.dialect, ranges, self.columns)

    def ranges(self, value: str, same: bool) -> Ranges:
        """The places in a text; that of all of it, if its parts are not the same in the file."""
        return ranges_of(source_of(value)) if same else lambda *_: (place_of(span_of(value)), False)


def replaced(source: Source, pattern: re.Pattern[str], put: Callable[[re.Match[str]], str]) -> Source:
    """A text with other text in the places of matches, which begins and ends where its match does."""
    code, offsets, last = "", list[int](), 0
    for match in pattern.finditer(source.text):
        text = put(match)
        code += source.text[last : match.start()] + text
        ends = [source.offsets[match.start()]] * (len(text) - 1) + [source.offsets[match.end() - 1]]
        offsets += [*source.offsets[last : match.start()], *(ends if text else ())]
        last = match.end()
    return Source(source.name, code + source.text[last:], source.outer, [*offsets, *source.offsets[last:]])


def place_of(span: Span) -> SourceRange:
    """The place of a span in its file."""
    outer = span.outermost()
    line, column = outer.source.line_column(outer.start)
    return SourceRange(outer.source.name, line, column, outer.start, outer.end)


def ranges_of(source: Source, head: str = "", rendered: templates.Rendered | None = None) -> Ranges:
    """The places of ranges of a text that is in a file, behind what its tool writes before it."""

    def place(start: int, end: int) -> tuple[SourceRange, bool]:
        first, last, same = max(0, start - len(head)), max(0, end - len(head)), start >= len(head)
        if rendered is not None:
            first, last, exact = rendered.place(first, last)
            same = same and exact
        span = Span(source, first, last)
        return place_of(span), same and span.outermost().text == span.text

    return place
