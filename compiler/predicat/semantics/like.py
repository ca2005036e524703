"""SQL LIKE patterns. Canonical patterns escape with a backslash."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from predicat.diagnostics.messages import patterns as say

# The patterns of LIKE that every engine takes: a backslash escapes %, _ or itself.
ESCAPED_PATTERN = r"(?s)^(?:[^\\]|\\[%_\\])*$"


class LikeError(ValueError):
    """A pattern that no engine accepts."""


def canonical(pattern: str, escape: str = "\\", *, before_any: bool = False) -> str:
    """The same pattern with a backslash as its escape character. `before_any`: any character may be escaped.
    Raises LikeError.
    """
    out: list[str] = []
    chars = iter(pattern)
    for char in chars:
        if escape and char == escape:
            following = next(chars, None)
            if following is None:
                raise LikeError(say.ENDS_WITH_ESCAPE)
            if not before_any and following not in ("%", "_", escape):
                raise LikeError(say.escape_before(following))
            out.append(following if following not in "%_\\" else "\\" + following)
        elif char == "\\":
            out.append("\\\\")
        else:
            out.append(char)
    return "".join(out)


def parts(pattern: str) -> list[str | None]:
    """The parts of a canonical pattern: a string for itself, None for `%`, an empty string for `_`."""
    out: list[str | None] = []
    chars = iter(pattern)
    for char in chars:
        if char == "%":
            out.append(None)
        elif char == "_":
            out.append("")
        else:
            out.append(next(chars) if char == "\\" else char)
    return out


def matcher(pattern: str) -> Callable[[str], bool]:
    """A function that tests whether a string is LIKE a canonical pattern. A part between two `%` is matched
    at its first occurrence, without backtracking.
    """
    pieces: list[list[str]] = [[]]
    for part in parts(pattern):
        if part is None:
            pieces.append([])
        else:
            pieces[-1].append("." if part == "" else re.escape(part))
    first, *middle = (re.compile("".join(piece), re.DOTALL) for piece in pieces)
    if not middle:
        return lambda text: first.fullmatch(text) is not None
    last, size = middle.pop(), len(pieces[-1])

    def matches(text: str) -> bool:
        match = first.match(text)
        for piece in middle:
            match = match and piece.search(text, match.end())
        return (
            match is not None
            and match.end() <= len(text) - size
            and last.match(text, len(text) - size) is not None
        )

    return matches


def escaped(text: str) -> str:
    """The LIKE pattern that matches exactly this string."""
    return re.sub(r"([\\%_])", r"\\\1", text)


# The pattern that says the same as an operator with a constant.
PATTERNS: Mapping[str, Callable[[str], str]] = {
    "like": lambda pattern: pattern,
    "starts_with": lambda text: escaped(text) + "%",
    "ends_with": lambda text: "%" + escaped(text),
    "contains": lambda text: f"%{escaped(text)}%",
}


def simple(pattern: str) -> tuple[str, str] | None:
    """The equivalent test ("eq", "starts_with", "ends_with", "contains") and its string, if there is one."""
    pieces = parts(pattern)
    start = bool(pieces) and pieces[0] is None
    end = bool(pieces) and pieces[-1] is None
    middle = pieces[(1 if start else 0) : (-1 if end and len(pieces) > 1 else None)]
    if start and len(pieces) == 1:
        return "starts_with", ""
    if any(not part for part in middle):
        return None
    text = "".join(part for part in middle if part)
    if start and end:
        return "contains", text
    return ("ends_with" if start else "starts_with" if end else "eq"), text
