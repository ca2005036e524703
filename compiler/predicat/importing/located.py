"""Data with places: what manifests are read as, and how parts of it are made anew."""

import re
from collections.abc import Iterable
from typing import Any

from predicat.catalog.yaml_nodes import align
from predicat.diagnostics import NOWHERE, Source, Span
from predicat.diagnostics.located import LocatedDict, LocatedList, LocatedStr

_BLOCK = re.compile(r"[|>][^\n]*\n")


def text(value: str, span: Span) -> LocatedStr:
    """A text with its place."""
    located = LocatedStr(value)
    located.span = span
    return located


def mapping(entries: Iterable[tuple[str, Any, Span]], span: Span) -> LocatedDict:
    """A mapping of keys, values and places of the keys."""
    located = LocatedDict()
    located.span, located.key_spans = span, {}
    for key, value, place in entries:
        located[key] = value
        located.key_spans[key] = place
    return located


def listed(items: Iterable[Any], span: Span) -> LocatedList:
    """A list with its place."""
    located = LocatedList(items)
    located.span = span
    return located


def span_of(value: Any, otherwise: Span = NOWHERE) -> Span:
    """The place of a part; numbers and truth values have none of their own."""
    span: Span = getattr(value, "span", otherwise)
    return span


def key_span(value: Any, key: str) -> Span:
    """The place of a key, or else of the whole."""
    span: Span = getattr(value, "key_spans", {}).get(key, span_of(value))
    return span


def at(value: Any, *path: str) -> Any:
    """What is at the end of a path of keys; None where there is nothing."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def texts(value: Any) -> str:
    """A text; the empty one for anything else."""
    return value if isinstance(value, str) else ""


def entries(value: Any) -> list[tuple[str, Any]]:
    """The entries of a mapping; none of anything else."""
    return list(value.items()) if isinstance(value, dict) else []


def items(value: Any) -> list[Any]:
    """The parts of a list; none of anything else."""
    return list(value) if isinstance(value, list) else []


def source_of(value: str) -> Source:
    """A text as a source of its own, whose characters know their places in the file."""
    span = span_of(value)
    raw, start, end = span.source.text, span.start, span.end
    if match := _BLOCK.match(raw, start, end):
        start = match.end()
    elif raw[start : start + 1] in ("'", '"'):
        start += 1
    return Source(span.source.name, str(value), span.source, align(value, raw, start, end) or [start])


def plain(value: Any) -> Any:
    """The same data without places."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return str(value) if isinstance(value, str) else value
