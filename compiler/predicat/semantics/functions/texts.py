"""Functions of strings, which are sequences of code points, and of constant patterns."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import md5, sha256

from predicat.ir.nodes import Call
from predicat.semantics import automaton, captures, casefold, like
from predicat.semantics.closures import Choose, Function, constant


def _like(node: Call) -> Function:
    matches = like.matcher(constant(node) or "")
    return lambda value, _pattern: matches(value)


def _like_row(value: str, pattern: str) -> bool | None:
    return like.matcher(pattern)(value) if _ESCAPED.fullmatch(pattern) else None


def _like_ci(node: Call) -> Function:
    matches = like.matcher(casefold.fold(constant(node) or ""))
    return lambda value, _pattern: matches(casefold.fold(value))


def _matches(node: Call) -> Function:
    search = automaton.searcher(constant(node) or "")
    return lambda value, _pattern: search(value)


def _regex_extract(node: Call) -> Function:
    find = captures.finder(constant(node) or "", constant(node, 2) or 0)
    return lambda value, _pattern, _group: find(value)


def _regex_replace(node: Call) -> Function:
    replaced = captures.replacer(constant(node) or "", constant(node, 2) or "")
    return lambda value, _pattern, _text: replaced(value)


def _folded(test: Callable[[str, str], bool]) -> Choose:
    def build(node: Call) -> Function:
        wanted = casefold.fold(constant(node) or "")
        return lambda value, _wanted: test(casefold.fold(value), wanted)

    return build


_ESCAPED = re.compile(like.ESCAPED_PATTERN)
_LOWER = {code: code + 32 for code in range(65, 91)}
_UPPER = {code: code - 32 for code in range(97, 123)}


def _padding(value: str, length: int, by: str) -> str:
    """The characters that pad a string to a length: another string, repeated."""
    return (by * length)[: max(length - len(value), 0)]


def _substr(value: str, start: int, length: int | None = None) -> str | None:
    if length is not None and length < 0:
        return None
    end = None if length is None else max(start - 1 + length, 0)
    return value[max(start - 1, 0) : end]


FUNCTIONS: dict[str, Function] = {
    "ascii": lambda value: ord(value[0]) if value else 0,
    "md5": lambda value: md5(value.encode(), usedforsecurity=False).hexdigest(),
    "sha256": lambda value: sha256(value.encode()).hexdigest(),
    "concat": lambda a, b: a + b,
    "length": len,
    "utf8_length": lambda value: len(value.encode()),
    "byte_count": lambda value: len(value) // 2 - 1,
    "lower": lambda value: value.translate(_LOWER),
    "upper": lambda value: value.translate(_UPPER),
    "trim": lambda value: value.strip(" "),
    "ltrim": lambda value, chars=" ": value.lstrip(chars) if chars else value,
    "rtrim": lambda value, chars=" ": value.rstrip(chars) if chars else value,
    "lpad": lambda value, length, by: _padding(value, length, by) + value[:length],
    "rpad": lambda value, length, by: value[:length] + _padding(value, length, by),
    "strip": lambda value, chars: value.strip(chars),
    "reverse": lambda value: value[::-1],
    "split": lambda value, by, most=0: value.split(by, most - 1),
    "join": lambda items, by: None if any(item is None for item in items) else by.join(items),
    "starts_with": lambda a, b: a.startswith(b),
    "ends_with": lambda a, b: a.endswith(b),
    "contains": lambda a, b: b in a,
    "like_row": _like_row,
    "fold_case": casefold.fold,
    "substr": _substr,
    "position": lambda a, b: a.find(b) + 1,
    "replace": lambda a, b, c: a.replace(b, c) if b else a,
    "replace_each": str.replace,
}
CHOSEN: dict[str, Choose] = {
    "like": _like,
    "equals_ci": _folded(lambda a, b: a == b),
    "starts_with_ci": _folded(lambda a, b: a.startswith(b)),
    "contains_ci": _folded(lambda a, b: b in a),
    "like_ci": _like_ci,
    "matches": _matches,
    "regex_extract": _regex_extract,
    "regex_replace": _regex_replace,
}
