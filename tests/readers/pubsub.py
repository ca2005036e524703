"""Subscription filters of Google Pub/Sub ("Filter messages from a subscription": syntax and operators).

NOT binds tightest. AND and OR are not combined without parentheses. A message without the attribute does not
match `=`, so it matches `!=`.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache

from tests.readers.grammar import Tokens

Part = Callable[[Mapping[str, str]], bool]
_TOKENS = r'\s+|(?P<text>"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z_][A-Za-z0-9_-]*)|(?P<sign>!=|[=:.(),-])'
MOST_BYTES = 256


def accepts(text: str, message: Mapping[str, str]) -> bool:
    return _read(text)(message)


@cache
def _read(text: str) -> Part:
    assert len(text.encode()) <= MOST_BYTES
    reader = _Reader(Tokens(_TOKENS, text))
    part = reader.expression()
    reader.tokens.ended()
    return part


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    def expression(self) -> Part:
        parts, words = [self.unary()], set[str]()
        while self.tokens.kind == "word" and self.tokens.text in ("AND", "OR"):
            words.add(self.tokens.take())
            parts.append(self.unary())
        assert len(words) <= 1, "AND beside OR without parentheses"
        if words == {"OR"}:
            return lambda message: any(part(message) for part in parts)
        return lambda message: all(part(message) for part in parts)

    def unary(self) -> Part:
        if self.tokens.skip("NOT") or self.tokens.skip("-"):
            inner = self.unary()
            return lambda message: not inner(message)
        if self.tokens.skip("("):
            inner = self.expression()
            self.tokens.expect(")")
            return inner
        if self.tokens.skip("HASPREFIX"):
            return self.prefix()
        self.tokens.expect("ATTRIBUTES")
        if self.tokens.skip(":"):
            key = self.key()
            return lambda message: message.get(key) is not None
        key = self.member()
        sign, value = self.tokens.take(), self.value()
        assert sign in ("=", "!=")
        return lambda message: (message.get(key) == value) is (sign == "=")

    def prefix(self) -> Part:
        self.tokens.expect("(", "ATTRIBUTES")
        key = self.member()
        self.tokens.expect(",")
        value = self.value()
        self.tokens.expect(")")
        return lambda message: (message.get(key) or "").startswith(value) and message.get(key) is not None

    def member(self) -> str:
        self.tokens.expect(".")
        return self.key()

    def key(self) -> str:
        return self.value() if self.tokens.kind == "text" else self.tokens.take()

    def value(self) -> str:
        assert self.tokens.kind == "text"
        return str(json.loads(self.tokens.take(), strict=False))
