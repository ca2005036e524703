"""The texts of files at the places of conditions."""

from functools import lru_cache
from pathlib import Path

from predicat.diagnostics import Source, Span
from predicat.discover.conditions import SourceRange


@lru_cache(maxsize=10_000)
def source_at(path: str) -> Source:
    """A file with its text, without the mark of its encoding; without a text if it cannot be read."""
    try:
        return Source(path, Path(path).read_bytes().decode("utf-8").removeprefix("\ufeff"))
    except (OSError, ValueError):
        return Source(path, "")


def span_of(place: SourceRange) -> Span:
    """The place in its file, with the text of the file if there is one."""
    source = source_at(place.path)
    return Span(source, min(place.start, len(source.text)), min(place.end, len(source.text)))
