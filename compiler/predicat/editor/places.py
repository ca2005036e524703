"""The place of a cursor in a catalog file, from the lines alone: the file may be invalid while somebody
types.
"""

import re

from msgspec import Struct

_KEY = re.compile(r"^(\s*)(?:- )?([\w.\-/@]+|\"[^\"]*\")\s*:(?:\s|$)")
_WORD = re.compile(r"[A-Za-z_][\w.@\-]*")

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
        inner, value = _inline(before[own.end() :], outside=True)
    else:
        inner, value = _inline(before, outside=False)
    path += inner
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
    return Place((*outer, *path), value, before, _word_at(current, column), dataset[1] if dataset else "")


_LIST = "["


def _inline(text: str, *, outside: bool) -> tuple[list[str], bool]:
    """The keys of the braces that are open at the end of a text, and whether it ends in a value; `outside` is
    whether it is one where nothing is open.
    """
    keys: list[str] = []  # of each open brace; empty before its colon
    word = quote = ""
    for sign in text:
        if sign == quote:
            quote = ""
        elif quote:
            word += sign
        elif sign in "'\"":
            quote = sign
        elif sign in "{[":
            keys.append(_LIST if sign == _LIST else "")
            word = ""
        elif sign in "}]":
            keys, word = keys[:-1], ""
        elif sign == ":" and keys and not keys[-1]:
            keys[-1], word = word.strip(), ""
        elif sign == "," and keys:
            keys[-1], word = _LIST if keys[-1] == _LIST else "", ""
        else:
            word += sign
    return [key for key in keys if key not in ("", _LIST)], bool(keys[-1]) if keys else outside


def _word_at(line: str, column: int) -> str:
    """The word that a column touches."""
    for result in _WORD.finditer(line):
        if result.start() <= column <= result.end():
            return result[0].rstrip(".-")
    return ""
