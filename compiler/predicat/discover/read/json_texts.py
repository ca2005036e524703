"""Texts of JSON with the places of their characters."""

import json
import re
from collections.abc import Iterator
from typing import Any

from predicat.diagnostics import Source, Span
from predicat.importing.located import span_of, text

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)


def located_json(file: Source) -> Any:
    """The data of a file whose texts have their places. Raises ValueError."""
    return _located(json.loads(file.text), file, _STRING.finditer(file.text))


def _located(value: Any, file: Source, tokens: Iterator[re.Match[str]]) -> Any:
    """Data of JSON whose texts have their places: they are in the order of the file."""
    match value:
        case str():
            token = next(tokens)
            if json.loads(token[0]) != value:  # a key is there twice
                raise ValueError(value)
            return text(value, Span(file, token.start() + 1, token.end() - 1))
        case dict():
            return {key: _located(inner, file, tokens) for key, inner in value.items() if next(tokens)}
        case list():
            return [_located(inner, file, tokens) for inner in value]
        case _:
            return value


def characters(value: str) -> Iterator[int]:
    """The place in a file of each character of a text of JSON."""
    span = span_of(value)
    return (match.start() for match in _ESCAPE.finditer(span.source.text, span.start, span.end))
