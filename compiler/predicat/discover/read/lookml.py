"""LookML as blocks: keys with texts, SQL, lists and blocks, which know their places."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from predicat.diagnostics import Source, Span
from predicat.importing.located import text

_KEY = re.compile(r"(?:\s|#[^\n]*)*(?P<key>[\w.+-]+)\s*:(?!:)\s*")
# The keys whose value goes to `;;`.
_CODE = re.compile(r"(?:sql|html|expression)(?:_\w+)?\Z")
# What begins a block or a list, and no template.
_OPENS = re.compile(r"\{(?![%{])|\[")
_VALUE = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"|(?P<name>[^\s{}\[\],"]+)')
_SPACE = re.compile(r"(?:\s|#[^\n]*|,)*")
_MOST_OPEN = 40


class NotLookML(Exception):
    """A text is no LookML."""


class Block(Struct, frozen=True):
    """A block or a list: its name, if it has one, its place, and its parts in their order. The parts of a
    list without keys have the key "".
    """

    name: str
    span: Span
    parts: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])

    def all(self, *keys: str) -> Iterator[Any]:
        """The values of keys, in their order."""
        return (value for key, value in self.parts if key in keys)

    def text(self, key: str) -> str:
        """The last text of a key; "" where there is none."""
        values = [value for value in self.all(key) if isinstance(value, str)]
        return values[-1] if values else ""


def parse(source: Source) -> Block:
    """The blocks of a file. Raises NotLookML."""
    reader = _Reader(source)
    parts = reader.parts("", 0)
    return Block("", Span(source, 0, len(source.text)), parts)


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.at = 0

    def parts(self, closing: str, depth: int) -> list[tuple[str, Any]]:
        """What is there up to a bracket, or to the end."""
        if depth > _MOST_OPEN:
            raise NotLookML
        result: list[tuple[str, Any]] = []
        content = self.source.text
        while True:
            self.skip()
            if content.startswith(closing, self.at) if closing else self.at >= len(content):
                self.at += len(closing)
                return result
            key = _KEY.match(content, self.at)
            if key is not None:
                self.at = key.end()
                result.append((key["key"], self.value(key["key"], depth)))
            elif closing == "]":
                result.append(("", self.plain()))
            else:
                raise NotLookML

    def value(self, key: str, depth: int) -> Any:
        content, start = self.source.text, self.at
        if _CODE.match(key) and not _OPENS.match(content, start):
            end = content.find(";;", start)
            if end < 0:
                raise NotLookML
            self.at = end + 2
            return text(content[start:end].rstrip(), self.trimmed(start, end))
        name = ""
        if not _OPENS.match(content, start):
            plain = self.plain()
            self.skip()
            if not content.startswith("{", self.at):
                return plain
            name = str(plain)
        closing = {"{": "}", "[": "]"}[content[self.at]]
        self.at += 1
        parts = self.parts(closing, depth + 1)
        return Block(name, Span(self.source, start, self.at), parts)

    def plain(self) -> str:
        """A text in quotes, or a word."""
        match = _VALUE.match(self.source.text, self.at)
        if match is None:
            raise NotLookML
        self.at = match.end()
        part = "name" if match["text"] is None else "text"
        return text(match[part], Span(self.source, *match.span(part)))

    def trimmed(self, start: int, end: int) -> Span:
        return Span(self.source, start, start + len(self.source.text[start:end].rstrip()))

    def skip(self) -> None:
        match = _SPACE.match(self.source.text, self.at)
        self.at = match.end() if match else self.at
