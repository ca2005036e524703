"""Between the protocol's positions, in UTF-16, and offsets, in characters."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp

from predicat.diagnostics import Source, Span


def path_of(uri: str) -> Path:
    """The file of a file: URI."""
    return Path(unquote(urlsplit(uri).path)).resolve()


def column_of(text: str, line: int, character: int) -> int:
    """The column, in characters, of a position in a text."""
    start = 0
    for _ in range(line):
        start = text.find("\n", start) + 1 or len(text)
    end = text.find("\n", start)
    row = text[start : end if end >= 0 else len(text)]
    if row.isascii():
        return min(character, len(row))
    return len(row.encode("utf-16-le")[: 2 * character].decode("utf-16-le", "ignore"))


def utf16(text: str) -> int:
    """The length as the protocol counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def position(source: Source, offset: int) -> lsp.Position:
    """The position of an offset in a text."""
    line, column = source.line_column(min(offset, len(source.text)))
    return lsp.Position(line - 1, utf16(source.line(line)[: column - 1]))


def range_of(span: Span) -> lsp.Range:
    """The range of a place in its file."""
    outer = span.outermost()
    if not outer.source.text:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    return lsp.Range(position(outer.source, outer.start), position(outer.source, max(outer.end, outer.start)))
