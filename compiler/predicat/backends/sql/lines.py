"""Line breaks in generated SQL. The dialects generate a single line.

SQL that is longer than a line gets one line for each operand of its top AND or OR, also in parentheses, and
for each branch of a CASE. Only spaces between words change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from predicat import backends

# The longest line.
WIDTH = 110
_STEP = "  "
_OPENS, _CLOSES = ("(", "[", "{", "CASE"), (")", "]", "}", "END")
# Deeper parts stay on one line.
_MAX_DEPTH = 30


class _Word(NamedTuple):
    """A word or a bracket with its place, and how many brackets and CASEs are open around it."""

    text: str
    start: int
    depth: int


def broken(sql: str, dialect: str) -> str:
    """SQL that was generated for a dialect, with line breaks if it is longer than `WIDTH`."""
    if len(sql) <= WIDTH:
        return sql
    return _broken(sql, _tokens(backends.dialect(dialect).spelling.backslashes), "")


@lru_cache
def _tokens(escapes: bool) -> re.Pattern[str]:
    """Matches string literals, quoted names, brackets, and the upper-case words at which a line may begin."""
    quoted = r"'(?:[^'\\]|\\.)*'" if escapes else r"E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'"
    words = r"\b(?:CASE|END|BETWEEN|AND|OR|WHEN|ELSE)\b"
    return re.compile(rf"""{quoted}|"[^"]*"|`[^`]*`|([(\[{{]|[)\]}}]|{words})""", re.DOTALL)


def _words(sql: str, tokens: re.Pattern[str]) -> Iterator[_Word]:
    depth = 0
    for match in tokens.finditer(sql):
        word = match[1]
        if word in _CLOSES:
            depth -= 1
        if word is not None:
            yield _Word(word, match.start(), depth)
        if word in _OPENS:
            depth += 1


def _broken(sql: str, tokens: re.Pattern[str], indent: str) -> str:
    if len(indent) + len(sql) <= WIDTH or len(indent) > _MAX_DEPTH * len(_STEP):
        return sql
    words = list(_words(sql, tokens))
    for word in ("OR", "AND"):
        parts = _operands(sql, words, word)
        if len(parts) > 1:
            inner = indent + _STEP if word == "OR" else indent
            rows = [_broken(part, tokens, inner) for part in parts]
            return f"\n{indent}{word} ".join(rows)
    return _group(sql, words, tokens, indent)


def _operands(sql: str, words: list[_Word], word: str) -> list[str]:
    """The operands of the top AND or OR. The AND of a BETWEEN does not count."""
    ends: list[_Word] = []
    open_ = 0
    for item in words:
        if item.depth:
            continue
        if item.text == "BETWEEN":
            open_ += 1
        elif item.text == "AND" and open_:
            open_ -= 1
        elif item.text == word:
            ends.append(item)
    starts = [0, *(item.start + len(word) + 1 for item in ends)]
    return [
        sql[start:end].rstrip()
        for start, end in zip(starts, [*(item.start for item in ends), len(sql)], strict=True)
    ]


def _group(sql: str, words: list[_Word], tokens: re.Pattern[str], indent: str) -> str:
    """SQL with its longest CASE, or its longest part in parentheses, on lines of its own."""
    ends = [(item.start, item.text) for item in words if item.depth == 0 and item.text in (*_OPENS, *_CLOSES)]
    groups = list(zip(ends[::2], ends[1::2], strict=True))
    if not groups:
        return sql
    (start, opened), (end, _) = max(groups, key=lambda pair: pair[1][0] - pair[0][0])
    if opened == "CASE":
        rows = _branches(sql, [item for item in words if start < item.start < end], end, tokens, indent)
        return f"{rows}\n{indent}{sql[end:]}"
    inner = indent + _STEP
    inside = _broken(sql[start + 1 : end], tokens, inner)
    return f"{sql[: start + 1]}\n{inner}{inside}\n{indent}{sql[end:]}" if "\n" in inside else sql


def _branches(sql: str, words: list[_Word], end: int, tokens: re.Pattern[str], indent: str) -> str:
    """SQL up to the END of a CASE, with each branch of this on a line of its own."""
    starts = [item.start for item in words if item.depth == 1 and item.text in ("WHEN", "ELSE")]
    inner = indent + _STEP
    rows = sql[: starts[0]].rstrip()
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        part = sql[start:stop].rstrip()
        if len(inner) + len(part) > WIDTH:
            part = _group(part, list(_words(part, tokens)), tokens, inner)
        rows += f"\n{inner}{part}"
    return rows
