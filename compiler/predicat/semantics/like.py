"""SQL LIKE patterns. Canonical patterns escape with a backslash."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping


class LikeError(ValueError):
    """A pattern that no engine accepts."""


def canonical(pattern: str, escape: str = "\\") -> str:
    """The same pattern with a backslash as its escape character. Raises LikeError."""
    out: list[str] = []
    chars = iter(pattern)
    for char in chars:
        if escape and char == escape:
            following = next(chars, None)
            if following is None:
                raise LikeError("it ends with its escape character")
            if following not in ("%", "_", escape):
                raise LikeError(f"the escape character stands before {following!r}, which needs none")
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


def to_regex(pattern: str) -> re.Pattern[str]:
    """A canonical pattern as a Python regular expression to be used with fullmatch."""
    pieces = [".*" if part is None else "." if part == "" else re.escape(part) for part in parts(pattern)]
    return re.compile("".join(pieces), re.DOTALL)


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
    """The operator ("eq", "starts_with", "ends_with", "contains") and text that a pattern amounts to, if it does."""
    found = parts(pattern)
    start = bool(found) and found[0] is None
    end = bool(found) and found[-1] is None
    middle = found[(1 if start else 0) : (-1 if end and len(found) > 1 else None)]
    if start and len(found) == 1:
        return "starts_with", ""
    if any(not part for part in middle):
        return None
    text = "".join(part for part in middle if part)
    if start and end:
        return "contains", text
    return ("ends_with" if start else "starts_with" if end else "eq"), text
