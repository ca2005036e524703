"""Filters of AIP-160 over messages: OR binds tighter than AND, a field that is not set passes only `!=` and
NOT, and a value is read as the type of the field.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tests.readers.grammar import Tokens

Part = Callable[[Mapping[str, Any]], bool]
_TOKENS = (
    r'\s+|(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?[0-9]+(?:[.][0-9]+)?(?:e[+-]?[0-9]+)?)|(?P<word>[^\W\d][\w-]*)'
    r"|(?P<sign><=|>=|!=|[<>=:.()*-])"
)


def accepts(text: str, message: Mapping[str, Any]) -> bool:
    return _read(text)(message)


@cache
def _read(text: str) -> Part:
    reader = _Reader(Tokens(_TOKENS, text))
    part = reader.every()
    reader.tokens.ended()
    return part


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    def every(self) -> Part:
        parts = [self.any()]
        while self.tokens.skip("AND"):
            parts.append(self.any())
        return lambda message: all(part(message) for part in parts)

    def any(self) -> Part:
        parts = [self.term()]
        while self.tokens.skip("OR"):
            parts.append(self.term())
        return lambda message: any(part(message) for part in parts)

    def term(self) -> Part:
        if self.tokens.skip("NOT") or self.tokens.skip("-"):
            inner = self.term()
            return lambda message: not inner(message)
        if self.tokens.skip("("):
            inner = self.every()
            self.tokens.expect(")")
            return inner
        path = [self.tokens.take()]
        while self.tokens.skip("."):
            path.append(self.value() if self.tokens.kind == "text" else self.tokens.take())
        sign = self.tokens.take()
        if sign == ":" and self.tokens.skip("*"):
            return lambda message: _found(message, path) is not None
        kind, value = self.tokens.kind, self.value()
        if sign == ":" and kind == "word":
            return lambda message: _has(_found(message, path), kind, value)
        if sign == ":" and len(path) == 2:
            return lambda message: _member(message, path, kind, value)
        return lambda message: _compared(_found(message, path), sign, kind, value)

    def value(self) -> str:
        text = self.tokens.kind == "text"
        word = self.tokens.take()
        return re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL) if text else word


def _has(read: Any, kind: str, value: str) -> bool:
    return value in read if isinstance(read, Mapping) else _compared(read, ":", kind, value)


def _member(message: Any, path: list[str], kind: str, value: str) -> bool:
    """A member of a message, or of an element of a list."""
    holder = message.get(path[0])
    holders = holder if isinstance(holder, list) else [holder or {}]
    return any(_compared(one.get(path[1]), ":", kind, value) for one in holders)


def _found(message: Any, path: list[str]) -> Any:
    for part in path:
        message = message.get(part) if isinstance(message, Mapping) else None
    return message


def _compared(read: Any, sign: str, kind: str, written: str) -> bool:
    if sign == "!=":
        return not _compared(read, "=", kind, written)
    if read is None:
        return False
    if isinstance(read, list):
        return sign == ":" and any(_compared(one, "=", kind, written) for one in read)
    wanted: Any = written
    if isinstance(read, bool):
        return sign in "=:" and {"true": True, "false": False}[written] is read
    if isinstance(read, int | float):
        wanted = json.loads(written)
    elif sign in "=:" and kind == "text":
        return re.fullmatch(".*".join(map(re.escape, written.split("*"))), read, re.DOTALL) is not None
    return {"=": read == wanted, ":": read == wanted, "<": read < wanted, ">": read > wanted}.get(
        sign, read <= wanted if sign == "<=" else read >= wanted
    )
