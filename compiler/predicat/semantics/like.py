"""SQL LIKE patterns. Canonical patterns escape with a backslash."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from predicat.diagnostics.messages import patterns as say

ESCAPED_PATTERN = r"(?s)^(?:[^\\]|\\[%_\\])*$"
"""The patterns of LIKE that every engine takes: a backslash escapes %, _ or itself."""


class LikeError(ValueError):
    """A pattern that no engine accepts."""


def canonical(pattern: str, escape: str = "\\", *, before_any: bool = False) -> str:
    """The same pattern with a backslash as its escape character. `before_any`: it may stand before any
    character. Raises LikeError.
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
    """A canonical pattern as a list: a text stands for itself, None for `%`, an empty text for `_`."""
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
    """Whether a text is like a canonical pattern. What stands between two `%` is looked for where it
    occurs first, so no text takes long.
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
    """A text as a LIKE pattern that matches just it."""
    return re.sub(r"([\\%_])", r"\\\1", text)


PATTERNS: Mapping[str, Callable[[str], str]] = {
    "like": lambda pattern: pattern,
    "starts_with": lambda text: escaped(text) + "%",
    "ends_with": lambda text: "%" + escaped(text),
    "contains": lambda text: f"%{escaped(text)}%",
}
"""The pattern that says the same as an operator with a constant."""


def simple(pattern: str) -> tuple[str, str] | None:
    """The operator ("eq", "starts_with", "ends_with", "contains") and text that a pattern amounts to, if
    it does.
    """
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
