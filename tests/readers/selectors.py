"""Selectors of JMS (Jakarta Messaging 3.1, 3.8.1) and SQL filters of Azure Service Bus ("Subscription rule
SQL filter syntax": properties, "Property evaluation semantics").

In both a missing property is unknown, and AND, OR and NOT have three values. Different types are never equal.
"""

import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tests.readers.grammar import Tokens, both, either, like, negation

Value = str | int | float | bool | None
Part = Callable[[Mapping[str, Any]], Value]
_TOKENS = (
    r"\s+|(?P<text>'(?:[^']|'')*')|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r'|(?P<bracket>\[(?:[^\]]|\]\])*\]|"(?:[^"]|"")*")|(?P<word>[^\W\d][\w$]*|\$[\w$]*)'
    r"|(?P<sign><>|!=|<=|>=|[-+*/%=<>(),.])"
)
_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_SUMS = {"+": operator.add, "-": operator.sub}
_PRODUCTS = {"*": operator.mul, "/": operator.truediv}


def jms(text: str, message: Mapping[str, Any]) -> bool:
    return _read(text, _Selector)(message) is True


def servicebus(text: str, message: Mapping[str, Any]) -> bool:
    return _read(text, _SqlFilter)(message) is True


@cache
def _read(text: str, reader: "type[_Selector]") -> Part:
    tokens = Tokens(_TOKENS, text)
    part = reader(tokens).disjunction()
    tokens.ended()
    return part


class _Selector:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    def disjunction(self) -> Part:
        left = self.conjunction()
        while self.tokens.skip("OR"):
            left = _of_two(either, left, self.conjunction())
        return left

    def conjunction(self) -> Part:
        left = self.negated()
        while self.tokens.skip("AND"):
            left = _of_two(both, left, self.negated())
        return left

    def negated(self) -> Part:
        return _of_one(negation, self.negated()) if self.tokens.skip("NOT") else self.test()

    def test(self) -> Part:
        left = self.sum()
        if self.tokens.text in ("=", "<>", "!=", *_ORDERS) and self.tokens.kind == "sign":
            return _of_two(_comparison(self.tokens.take()), left, self.sum())
        if self.tokens.skip("IS"):
            there = self.tokens.skip("NOT")
            self.tokens.expect("NULL")
            return lambda message: (left(message) is None) is not there
        if self.tokens.skip("NOT"):
            return _of_one(negation, self.membership(left))
        return self.membership(left)

    def membership(self, left: Part) -> Part:
        if self.tokens.skip("BETWEEN"):
            low = self.sum()
            self.tokens.expect("AND")
            return _of_two(
                both, _of_two(_comparison(">="), left, low), _of_two(_comparison("<="), left, self.sum())
            )
        if self.tokens.skip("IN", "("):
            items = [self.sum()]
            while self.tokens.skip(","):
                items.append(self.sum())
            self.tokens.expect(")")
            return lambda message: _among(left(message), [item(message) for item in items])
        if self.tokens.skip("LIKE"):
            pattern = self.primary()
            escape = self.primary() if self.tokens.skip("ESCAPE") else (lambda _: "")
            return lambda message: _like(left(message), pattern(message), escape(message))
        return left

    def sum(self) -> Part:
        left = self.product()
        while self.tokens.kind == "sign" and self.tokens.text in _SUMS:
            left = _of_two(_calculation(_SUMS[self.tokens.take()]), left, self.product())
        return left

    def product(self) -> Part:
        left = self.signed()
        while self.tokens.kind == "sign" and self.tokens.text in _PRODUCTS:
            left = _of_two(_calculation(_PRODUCTS[self.tokens.take()]), left, self.signed())
        return left

    def signed(self) -> Part:
        if self.tokens.skip("-"):
            return _of_one(operator.neg, self.signed())
        return self.primary()

    def primary(self) -> Part:
        if self.tokens.skip("("):
            part = self.disjunction()
            self.tokens.expect(")")
            return part
        kind, text = self.tokens.kind, self.tokens.take()
        if kind == "text":
            return _constant(text[1:-1].replace("''", "'"))
        if kind == "number":
            return _constant(float(text) if set(text) & set(".eE") else int(text))
        if text.upper() in ("TRUE", "FALSE"):
            return _constant(text.upper() == "TRUE")
        return self.name(kind, text)

    def name(self, kind: str, text: str) -> Part:
        assert kind == "word", f"a property expected, not {text!r}"
        return lambda message: message.get(text)


class _SqlFilter(_Selector):
    def name(self, kind: str, text: str) -> Part:
        if text.upper() == "EXISTS":
            self.tokens.expect("(")
            asked = self.primary()
            self.tokens.expect(")")
            return lambda message: asked(message) is not None
        if text.lower() in ("property", "p") and self.tokens.skip("("):
            name = self.primary()
            self.tokens.expect(")")
            return lambda message: message.get(str(name({})))
        if text.lower() == "user" and self.tokens.skip("."):
            kind, text = self.tokens.kind, self.tokens.take()
        if kind == "bracket":
            end = text[-1]
            text = text[1:-1].replace(end * 2, end)
            return lambda message: message.get(text)
        return super().name(kind, text)


def _constant(value: Value) -> Part:
    return lambda _: value


def _of_one(apply: Callable[[Any], Value], part: Part) -> Part:
    return lambda message: None if (value := part(message)) is None else apply(value)


def _of_two(apply: Callable[[Any, Any], Value], left: Part, right: Part) -> Part:
    return lambda message: apply(left(message), right(message))


def _comparison(sign: str) -> Callable[[Value, Value], bool | None]:
    def compare(left: Value, right: Value) -> bool | None:
        if left is None or right is None:
            return None
        alike = _kind(left) == _kind(right)
        if sign == "=":
            return alike and left == right
        if sign in ("<>", "!="):
            return not (alike and left == right)
        return bool(_ORDERS[sign](left, right)) if alike and _kind(left) == "number" else None

    return compare


def _kind(value: Value) -> str:
    return {bool: "truth", str: "text"}.get(type(value), "number")


def _among(value: Value, items: list[Value]) -> bool | None:
    return None if value is None else any(_comparison("=")(value, item) for item in items)


def _like(value: Value, pattern: Value, escape: Value) -> bool | None:
    return like(value, str(pattern), str(escape)) if isinstance(value, str) else None


def _calculation(apply: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    def calculate(left: Value, right: Value) -> Value:
        texts = [isinstance(value, str) for value in (left, right)]
        if left is None or right is None or (any(texts) and (apply is not operator.add or not all(texts))):
            return None
        result: Value = apply(left, right)
        return result

    return calculate
