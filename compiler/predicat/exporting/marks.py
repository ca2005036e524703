"""The mark of an exported file: its target, its filters, and what its text was when it was written."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from msgspec import Struct

from predicat.exporting.asked import Text

# The line of the mark in each kind of file, and what stands before it. JSON has no comments: the mark is the
# first key of its object.
FORMS: Mapping[str, tuple[str, str]] = {
    "sql": ("", "-- {}\n"),
    "jinja": ("", "{{# {} #}}\n"),
    "yaml": ("", "# {}\n"),
    "python": ("", "# {}\n"),
    "skill": ("---\n", "# {}\n"),
    "json": ("{\n", '  "predicat": "{}",\n'),
}
# Files with the policies of a dataset are called `DATASET.policies.ENDING`.
POLICIES = "policies"
# What every mark begins with.
BEGINNING = "Written by `predicat export "
_WORDS = BEGINNING + "{}`{}; edit the catalog instead. [{}]"
_NAME = r"[\w.@]+"
_MARK = re.compile(
    rf"{BEGINNING}(\w+)`(?: of ({_NAME}(?:, {_NAME})*))?; edit the catalog instead\. "
    r"\[([0-9a-f]{12})\]"
)
# What is read of a file to find its mark: a long list of filters is long.
_HEAD = 100_000


class Mark(Struct, frozen=True):
    """The mark of a file. `filters` are `dataset.filter` or `dataset.filter@version`."""

    target: str
    filters: tuple[str, ...]
    edited: bool


def marked(text: Text, target: str) -> str:
    """The text of a file with its mark."""
    before, line = FORMS[text.form]
    if not text.body.startswith(before):
        raise ValueError(text.path)
    of = f" of {', '.join(text.filters)}" if text.filters else ""
    words = _WORDS.format(target, of, _hash(text.body))
    return before + line.format(words) + text.body.removeprefix(before)


def mark_of(written: str) -> Mark | None:
    """The mark of a file, and whether somebody else has changed it since; None for a file without one."""
    found = _MARK.search(written, 0, _HEAD)
    if found is None:
        return None
    start = written.rfind("\n", 0, found.start()) + 1
    end = written.find("\n", found.end()) + 1
    body = written[:start] + written[end:]
    return _mark(found, edited=_hash(body) != found[3])


def in_line(line: str) -> Mark | None:
    """The mark in a line of a file; whether the file was changed is not known."""
    found = _MARK.search(line)
    return None if found is None else _mark(found, edited=False)


def _mark(found: re.Match[str], *, edited: bool) -> Mark:
    return Mark(found[1], tuple(found[2].split(", ")) if found[2] else (), edited)


def _hash(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:12]
