"""Unicode simple case folding (CaseFolding.txt, status C and S): one code point to one, the same for every
language.

Engines disagree about `lower` beyond ASCII (locale, Unicode version, U+0130). So a case-insensitive
comparison folds only the characters that can become a character of the constant: see `translation`.
"""

from __future__ import annotations

import sys
from functools import cache


def fold_char(char: str) -> str:
    """The simple case folding of one code point."""
    folded = char.casefold()
    if len(folded) == 1:
        return folded
    lowered = char.lower()
    return lowered if len(lowered) == 1 else char


def fold(text: str) -> str:
    """The simple case folding of a string."""
    return "".join(map(fold_char, text))


@cache
def orbits() -> dict[str, tuple[str, ...]]:
    """For each folded character: the other characters that fold to it, in code point order."""
    result: dict[str, list[str]] = {}
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        folded = fold_char(char)
        if folded != char:
            result.setdefault(folded, []).append(char)
    return {folded: tuple(chars) for folded, chars in result.items()}


_ASCII_ORBITS: dict[str, tuple[str, ...]] = {
    chr(code + 32): (chr(code),) for code in range(ord("A"), ord("Z") + 1)
}
_ASCII_ORBITS["k"] = ("K", "\u212a")
_ASCII_ORBITS["s"] = ("S", "\u017f")


def variants(char: str) -> tuple[str, ...]:
    """The other characters that fold to a folded character. ASCII needs no table of all code points."""
    return _ASCII_ORBITS.get(char, ()) if char.isascii() else orbits().get(char, ())


@cache
def whole_translation() -> tuple[str, str]:
    """`(from, to)` for SQL TRANSLATE: maps each character that folds to another one."""
    folded = {other: char for char, others in orbits().items() for other in others}
    return "".join(sorted(folded)), "".join(folded[char] for char in sorted(folded))


def translation(folded: str) -> tuple[str, str]:
    """`(from, to)` for SQL TRANSLATE: maps each character that folds to one of the given folded string."""
    source = [(other, char) for char in sorted(set(folded)) for other in variants(char)]
    return "".join(other for other, _ in source), "".join(char for _, char in source)
