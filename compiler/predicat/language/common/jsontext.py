"""Reads JSON texts as data with spans, like data of YAML files."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.located import LocatedDict, LocatedList, LocatedStr
from predicat.diagnostics.messages import policies as say

# The deepest nesting of a text.
MAX_DEPTH = 200
_PART = re.compile(r'[ \t\r\n]*([\[\]{},:]|"(?:[^"\\]|\\.)*"|[^\s\[\]{},:"]+)', re.DOTALL)
_NOT_ZERO = re.compile(r"-?[0.]*[1-9]")


def read(text: str, source: Source, whole: Span, what: str) -> Any:
    """The data of a JSON text.

    Raises:
        PredicatError: It is not JSON, has a duplicate key, a number that does not fit a double, or more than
            MAX_DEPTH levels.
    """
    located = source.text == text
    try:
        return _JsonReader(text, source, None if located else whole).all()
    except _NoJson:
        raise PredicatError.of(_problem(text, source if located else None, whole, what)) from None


def _problem(text: str, source: Source | None, whole: Span, what: str) -> Diagnostic:
    """The error of Python's JSON reader, with its place if the text is in a source."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        at, reason = min(error.pos, max(len(text) - 1, 0)), error.msg
        before = text[:at].rstrip()
        if text[at : at + 1] in ("]", "}") and before.endswith(","):  # which Python names from 3.13 on
            at, reason = len(before) - 1, f"{_TRAILING} {'array' if text[at] == ']' else 'object'}"
        return say.no_json(Span(source, at, at + 1) if source is not None else whole, what, reason)
    except (ValueError, RecursionError) as error:
        return say.no_json(whole, what, error)
    return say.no_json(whole, what, "Expecting value")


_TRAILING = "Illegal trailing comma before end of"


class _NoJson(Exception):
    """A text is not valid JSON."""


class _JsonReader:
    """Reads a text part by part, once."""

    def __init__(self, text: str, source: Source, whole: Span | None) -> None:
        self.text, self.source, self.whole = text, source, whole
        self.at = self.start = self.depth = 0

    def all(self) -> Any:
        """The value that is the whole text."""
        value = self.value(self.take())
        if self.text[self.at :].strip(" \t\r\n"):
            raise _NoJson
        return value

    def take(self) -> str:
        """The next part."""
        match = _PART.match(self.text, self.at)
        if match is None:
            raise _NoJson
        self.start, self.at = match.span(1)
        return match[1]

    def expect(self, *parts: str) -> str:
        part = self.take()
        if part not in parts:
            raise _NoJson
        return part

    def span(self, start: int) -> Span:
        """From a place to the end of the last part."""
        return self.whole or Span(self.source, start, self.at)

    def value(self, part: str) -> Any:
        """The value that begins with a part."""
        start = self.start
        if part in ("{", "["):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise PredicatError.of(msg.too_deep(self.span(start), MAX_DEPTH))
            value = self.object(start) if part == "{" else self.array(start)
            self.depth -= 1
            return value
        return self.scalar(part)

    def scalar(self, part: str) -> Any:
        span = self.span(self.start)
        try:
            value = json.loads(part)
        except ValueError:
            raise _NoJson from None
        if isinstance(value, float) and (math.isinf(value) or (not value and _NOT_ZERO.match(part))):
            raise PredicatError.of(say.no_double(span, part))
        if not isinstance(value, str):
            return value
        text = LocatedStr(value)
        text.span = span
        return text

    def object(self, start: int) -> LocatedDict:
        result = LocatedDict()
        result.span, result.key_spans, result.value_spans = self.span(start), {}, {}
        part = self.take()
        while part != "}":
            if not part.startswith('"'):
                raise _NoJson
            key, place = str(self.scalar(part)), self.span(self.start)
            if key in result:
                raise PredicatError.of(say.key_twice(place, repr(key)))
            self.expect(":")
            result.key_spans[key] = place
            first = self.take()
            begins = self.start
            result[key] = self.value(first)
            result.value_spans[key] = self.span(begins)
            part = self.expect(",", "}")
            if part == "," and (part := self.take()) == "}":
                raise _NoJson
        return result

    def array(self, start: int) -> LocatedList:
        result = LocatedList()
        result.span, result.item_spans = self.span(start), []
        part = self.take()
        while part != "]":
            begins = self.start
            result.append(self.value(part))
            result.item_spans.append(self.span(begins))
            part = self.expect(",", "]")
            if part == "," and (part := self.take()) == "]":
                raise _NoJson
        return result
