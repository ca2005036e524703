"""CloudEvents SQL, version 1.0.0, in a subscription (CloudEvents Subscriptions 1.0, filter dialect `sql`).

An error that occurs while an expression is evaluated rejects the event. AND and OR do not evaluate their
right side if the left one decides (3.4.2). NOT binds tighter than LIKE and IN; AND, OR and XOR have one
precedence (3.6), and texts that mix them are refused here.
"""

import operator
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tests.readers.grammar import Tokens, like

Value = str | int | bool
Part = Callable[[Mapping[str, Any]], Value]
_TOKENS = (
    r"\s+|(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?P<number>\d+)|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign><>|!=|<=|>=|[-+*/%=<>(),])"
)
_SIGNS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_DIFFERS = ("!=", "<>")
_REQUIRED = ("id", "source", "specversion", "type")


class CesqlError(Exception):
    """An error of evaluation."""


def accepts(text: str, message: Mapping[str, Any]) -> bool:
    try:
        return _read(text)(message) is True
    except CesqlError:
        return False


@cache
def _read(text: str) -> Part:
    reader = _Reader(Tokens(_TOKENS, text))
    part = reader.logic()
    reader.tokens.ended()
    return part


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    def logic(self) -> Part:
        left, words = self.comparison(), set[str]()
        while (word := self.tokens.text.upper()) in ("AND", "OR", "XOR") and self.tokens.kind == "word":
            words.add(word)
            assert len(words) == 1, f"{words} without parentheses"
            self.tokens.take()
            left = _logic(word, left, self.comparison())
        return left

    def comparison(self) -> Part:
        left = self.sum()
        while self.tokens.kind == "sign" and self.tokens.text in (*_SIGNS, *_DIFFERS):
            left = _comparison(self.tokens.take(), left, self.sum())
        return left

    def sum(self) -> Part:
        left = self.product()
        while self.tokens.kind == "sign" and self.tokens.text in "+-":
            left = _calculation(self.tokens.take(), left, self.product())
        return left

    def product(self) -> Part:
        left = self.postfix()
        while self.tokens.kind == "sign" and self.tokens.text in "*/%":
            left = _calculation(self.tokens.take(), left, self.postfix())
        return left

    def postfix(self) -> Part:
        left = self.unary()
        while True:
            turned = self.tokens.skip("NOT")
            if self.tokens.skip("LIKE"):
                assert self.tokens.kind == "text"
                left = _like(left, _pattern(self.tokens.take()), turned=turned)
            elif self.tokens.skip("IN", "("):
                left = _in(left, self.arguments(), turned=turned)
            else:
                return left

    def unary(self) -> Part:
        if self.tokens.skip("NOT"):
            inner = self.unary()
            return lambda event: not _truth(inner(event))
        if self.tokens.skip("-"):
            inner = self.unary()
            return lambda event: -_integer(inner(event))
        if self.tokens.skip("EXISTS"):
            name = self.tokens.take()
            return lambda event: name in _REQUIRED or event.get(name) is not None
        return self.atom()

    def atom(self) -> Part:
        if self.tokens.skip("("):
            inner = self.logic()
            self.tokens.expect(")")
            return inner
        kind, text = self.tokens.kind, self.tokens.take()
        if kind == "text":
            value = _unquoted(text)
            return lambda _: value
        if kind == "number":
            return lambda _: int(text)
        assert kind == "word", text
        if text.upper() in ("TRUE", "FALSE"):
            return lambda _: text.upper() == "TRUE"
        if self.tokens.skip("("):
            function, values = _FUNCTIONS[text.upper()], self.arguments()
            return lambda event: function(*(value(event) for value in values))
        return lambda event: _attribute(event, text)

    def arguments(self) -> list[Part]:
        items = [self.logic()]
        while self.tokens.skip(","):
            items.append(self.logic())
        self.tokens.expect(")")
        return items


def _attribute(event: Mapping[str, Any], name: str) -> Value:
    value: Value | None = event.get(name)
    if value is None:
        raise CesqlError(name)
    return value


def _logic(word: str, left: Part, right: Part) -> Part:
    def evaluate(event: Mapping[str, Any]) -> bool:
        first = _truth(left(event))
        if (word == "AND" and not first) or (word == "OR" and first):
            return first
        return first is not _truth(right(event)) if word == "XOR" else _truth(right(event))

    return evaluate


def _comparison(sign: str, left: Part, right: Part) -> Part:
    def evaluate(event: Mapping[str, Any]) -> bool:
        first, second = left(event), right(event)
        if sign not in ("=", *_DIFFERS):
            return bool(_SIGNS[sign](_integer(first), _integer(second)))
        same = _cast(first, second) == second
        return same if sign == "=" else not same

    return evaluate


def _calculation(sign: str, left: Part, right: Part) -> Part:
    def evaluate(event: Mapping[str, Any]) -> int:
        first, second = _integer(left(event)), _integer(right(event))
        if sign in "/%" and second == 0:
            raise CesqlError(sign)
        quotient = (
            abs(first) // abs(second) * (1 if (first < 0) is (second < 0) else -1) if sign in "/%" else 0
        )
        result = {
            "+": first + second,
            "-": first - second,
            "*": first * second,
            "/": quotient,
            "%": first - quotient * second,
        }[sign]
        return _bounded(result)

    return evaluate


def _like(left: Part, pattern: str, *, turned: bool) -> Part:
    return lambda event: like(_text(left(event)), pattern, "\\") is not turned


def _pattern(token: str) -> str:
    """The pattern between its quotes. A backslash escapes %, _ and the quote; any other is itself."""
    return re.sub(r"\\(?![%_])", r"\\\\", _unquoted(token))


def _unquoted(token: str) -> str:
    return token[1:-1].replace("\\" + token[0], token[0])


def _in(left: Part, items: list[Part], *, turned: bool) -> Part:
    def evaluate(event: Mapping[str, Any]) -> bool:
        value = left(event)
        return any(_cast(item(event), value) == value for item in items) is not turned

    return evaluate


def _cast(value: Value, example: Value) -> Value:
    if isinstance(example, bool):
        return _truth(value)
    return _integer(value) if isinstance(example, int) else _text(value)


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _integer(value: Value) -> int:
    if isinstance(value, str) and not re.fullmatch(r"[-+]?[0-9]+", value):
        raise CesqlError(value)
    return _bounded(int(value))


def _bounded(value: int) -> int:
    if not -(2**31) <= value < 2**31:
        raise CesqlError(value)
    return value


def _truth(value: Value) -> bool:
    if isinstance(value, str) and value.lower() not in ("true", "false"):
        raise CesqlError(value)
    return value.lower() == "true" if isinstance(value, str) else bool(value)


def _substring(value: Value, start: Value, length: Value | None = None) -> str:
    text, first = _text(value), _integer(start)
    size = len(text) if length is None else _integer(length)
    if abs(first) > len(text) or size < 0:
        raise CesqlError(text)
    if first == 0:
        return ""
    begin = first - 1 if first > 0 else len(text) + first
    return text[begin : begin + size]


def _end(value: Value, count: Value, *, left: bool) -> str:
    text, size = _text(value), _integer(count)
    if size < 0:
        raise CesqlError(text)
    return text[:size] if left else text[max(len(text) - size, 0) :]


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "INT": _integer,
    "BOOL": _truth,
    "STRING": _text,
    "ABS": lambda value: _bounded(abs(_integer(value))),
    "LENGTH": lambda value: len(_text(value)),
    "LOWER": lambda value: re.sub("[A-Z]+", lambda found: found[0].lower(), _text(value)),
    "UPPER": lambda value: re.sub("[a-z]+", lambda found: found[0].upper(), _text(value)),
    "TRIM": lambda value: _text(value).strip(),
    "CONCAT": lambda *values: "".join(map(_text, values)),
    "CONCAT_WS": lambda first, *values: _text(first).join(map(_text, values)),
    "LEFT": lambda value, count: _end(value, count, left=True),
    "RIGHT": lambda value, count: _end(value, count, left=False),
    "SUBSTRING": _substring,
}
