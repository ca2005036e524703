"""Tokens, LIKE and logic of three values for the readers."""

import re


class Tokens:
    """The tokens of a text, by a pattern with named groups."""

    def __init__(self, pattern: str, text: str) -> None:
        self.found: list[tuple[str, str]] = []
        at, scan = 0, re.compile(pattern, re.DOTALL)
        text = text.strip()
        while at < len(text):
            match = scan.match(text, at)
            assert match is not None and match.end() > at, f"no token at {text[at:]!r}"
            if match.lastgroup is not None:
                self.found.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        self.at = 0

    @property
    def kind(self) -> str:
        return self.found[self.at][0] if self.at < len(self.found) else "end"

    @property
    def text(self) -> str:
        return self.found[self.at][1] if self.at < len(self.found) else ""

    def take(self) -> str:
        text = self.text
        self.at += 1
        return text

    def skip(self, *words: str) -> bool:
        """Take these words, in any case, if they are next."""
        ahead = self.found[self.at : self.at + len(words)]
        fits = len(ahead) == len(words) and all(
            kind in ("word", "sign") and text.upper() == word
            for (kind, text), word in zip(ahead, words, strict=True)
        )
        self.at += len(words) if fits else 0
        return fits

    def expect(self, *words: str) -> None:
        assert self.skip(*words), f"{words} expected at {self.found[self.at :]}"

    def ended(self) -> None:
        assert self.kind == "end", f"more than one filter: {self.found[self.at :]}"


def like(value: str, pattern: str, escape: str) -> bool:
    """SQL's LIKE: % is any string, _ any character, what follows the escape character itself."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if escape and char == escape:
            at += 1
            parts.append(re.escape(pattern[at]))
        else:
            parts.append({"%": ".*", "_": "."}.get(char) or re.escape(char))
        at += 1
    return re.fullmatch("".join(parts), value, re.DOTALL) is not None


def both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def either(left: bool | None, right: bool | None) -> bool | None:
    return negation(both(negation(left), negation(right)))


def negation(value: bool | None) -> bool | None:
    return None if value is None else not value
