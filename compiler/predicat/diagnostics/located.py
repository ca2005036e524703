"""Texts, mappings and lists of a file, of YAML or JSON, that know their places."""

from __future__ import annotations

from typing import Any

from predicat.diagnostics.source import Span


class LocatedStr(str):
    """A text with its place."""

    __slots__ = ("span",)
    span: Span


class LocatedDict(dict[str, Any]):
    """A mapping with its place and those of its keys and values."""

    span: Span
    key_spans: dict[str, Span]
    value_spans: dict[str, Span]


class LocatedList(list[Any]):
    """A list with its place and those of its items."""

    span: Span
    item_spans: list[Span]
