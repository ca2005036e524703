"""JSON texts as data with spans, as that of YAML files."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics.messages import policies as say

_PART = re.compile(r'[ \t\r\n]*([\[\]{},:]|"(?:[^"\\]|\\.)*"|[^\s\[\]{},:"]+)', re.DOTALL)
_NOT_ZERO = re.compile(r"-?[0.]*[1-9]")


class Text(str):
    """A JSON string with its span."""

    __slots__ = ("span",)
    span: Span


class Object(dict[str, Any]):
    """A JSON object with its span and those of its keys and values."""

    span: Span
    key_spans: dict[str, Span]
    value_spans: dict[str, Span]


class Array(list[Any]):
    """A JSON array with its span and those of its items."""

    span: Span
    item_spans: list[Span]


def read(text: str, source: Source, whole: Span, what: str) -> Any:
    """The data of a JSON text.

    Raises:
        PredicatError: It is not JSON, has a key twice, or a number that does not fit a double.
    """
    located = source.text == text
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        at = min(error.pos, max(len(text) - 1, 0))
        raise PredicatError.of(
            say.no_json(Span(source, at, at + 1) if located else whole, what, error.msg)
        ) from None
    except (ValueError, RecursionError) as error:
        raise PredicatError.of(say.no_json(whole, what, error)) from None
    return _Parts(text, source, None if located else whole).value()


class _Parts:
    """Reads the tokens of a text that is valid JSON."""

    def __init__(self, text: str, source: Source, whole: Span | None) -> None:
        self.parts = [(found[1], found.start(1), found.end(1)) for found in _PART.finditer(text)]
        self.source, self.whole, self.at = source, whole, 0

    def take(self) -> tuple[str, Span]:
        part, start, end = self.parts[self.at]
        self.at += 1
        return part, self.whole or Span(self.source, start, end)

    def next_is(self, part: str) -> bool:
        found = self.parts[self.at][0] == part
        self.at += found
        return found

    def placed(self) -> tuple[Any, Span]:
        """A value and its span."""
        first = self.at
        found = self.value()
        return found, self.whole or Span(self.source, self.parts[first][1], self.parts[self.at - 1][2])

    def value(self) -> Any:
        part, span = self.take()
        if part == "{":
            return self.object(span)
        if part == "[":
            return self.array(span)
        found = json.loads(part)
        if isinstance(found, float) and (math.isinf(found) or (not found and _NOT_ZERO.match(part))):
            raise PredicatError.of(say.no_double(span, part))
        if not isinstance(found, str):
            return found
        text = Text(found)
        text.span = span
        return text

    def object(self, span: Span) -> Object:
        found = Object()
        found.span, found.key_spans, found.value_spans = span, {}, {}
        while not self.next_is("}"):
            part, place = self.take()
            key = json.loads(part)
            if key in found:
                raise PredicatError.of(say.key_twice(place, repr(key)))
            self.take()
            found.key_spans[key] = place
            found[key], found.value_spans[key] = self.placed()
            self.next_is(",")
        return found

    def array(self, span: Span) -> Array:
        found = Array()
        found.span, found.item_spans = span, []
        while not self.next_is("]"):
            item, place = self.placed()
            found.append(item)
            found.item_spans.append(place)
            self.next_is(",")
        return found
