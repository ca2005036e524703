"""The place of a cursor in a catalog file, from the lines alone: the file may be invalid while somebody
types.
"""

import re

from msgspec import Struct

_KEY = re.compile(r"^(\s*)(?:- )?([\w.\-/@]+|\"[^\"]*\")\s*:(?:\s|$)")
_WORD = re.compile(r"[A-Za-z_][\w.@\-]*")
_INLINE = re.compile(r"[{,]\s*(\"?[\w.]+\"?)\s*:\s*([^{}]*)$")

# Keys whose lists hold names of filters.
LISTS = ("all", "any", "not", "filters")


class Place(Struct, frozen=True):
    """The keys that lead to a cursor, whether it is after a colon, and the word that it touches."""

    path: tuple[str, ...]
    value: bool
    before: str
    word: str
    dataset: str


def place(text: str, line: int, column: int) -> Place:
    """The place of a 0-based line and column."""
    lines = text.split("\n")
    current = lines[line] if line < len(lines) else ""
    before = current[:column]
    path, indent = [], len(before) - len(before.lstrip(" ")) if before.strip() else column
    value = False
    own = _KEY.match(before)
    if own and own.end() <= column:
        path.append(own[2].strip('"'))
        indent, value = len(own[1]), True
        rest = before[own.end() :]
        inner = _INLINE.search(rest)
        if inner:
            path.append(inner[1].strip('"'))
        elif re.search(r"[{,]\s*[\w.]*$", rest):
            value = False
    elif inner := _INLINE.search(before):
        path.append(inner[1].strip('"'))
        value = True
    outer: list[str] = []
    for number in range(min(line, len(lines)) - 1, -1, -1):
        match = _KEY.match(lines[number])
        if match and lines[number].strip() and len(match[1]) < indent:
            outer.insert(0, match[2].strip('"'))
            indent = len(match[1])
        if indent == 0:
            break
    value = value or (before.lstrip().startswith("- ") and bool(outer) and outer[-1] in LISTS)
    dataset = re.search(r"^dataset:\s*(\S+)", text, re.MULTILINE)
    return Place((*outer, *path), value, before, word_at(current, column), dataset[1] if dataset else "")


def word_at(line: str, column: int) -> str:
    """The word that a column touches."""
    for result in _WORD.finditer(line):
        if result.start() <= column <= result.end():
            return result[0].rstrip(".-")
    return ""
