"""The place in a file of a part of a condition."""

from __future__ import annotations

from predicat.diagnostics import PredicatError, Source, Span
from predicat.discover.abstraction import read_sql
from predicat.discover.conditions import Condition
from predicat.discover.typed import is_whole_text
from predicat.lint.written import walk

# From the first character to the one behind the last.
Extent = tuple[int, int]


def extent(span: Span) -> Extent:
    """A span as plain data."""
    return span.start, span.end


def part_in_file(condition: Condition, at: Extent, source: Source) -> Span | None:
    """Where a part of a condition is written.

    Args:
        condition: The condition.
        at: The part in what is judged of the condition: its `sql`, or its text if that is empty.
        source: The file.

    Returns:
        None if the file does not have the text of the condition as it is, or if the text has no such part.
    """
    place = condition.place
    if source.text[place.start : place.end] != condition.text:
        return None
    written = at if not condition.sql else _counterpart(condition, at)
    return None if written is None else Span(source, place.start + written[0], place.start + written[1])


def _counterpart(condition: Condition, at: Extent) -> Extent | None:
    """The part of the text that is a part of the SQL."""
    if not is_whole_text(condition):
        return None
    try:
        trees = (
            read_sql(condition.sql, "").tree,
            read_sql(condition.text, condition.dialect).tree,
        )
    except (PredicatError, RecursionError):
        return None
    pairs = zip(*map(walk, trees), strict=False)
    return next((extent(written.span) for one, written in pairs if extent(one.span) == at), None)
