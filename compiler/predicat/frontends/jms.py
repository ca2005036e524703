"""JMS message selectors: conditions on the properties of a message, with SQL's three-valued logic.

Numbers are Java's: 017 is octal, 0x1F hexadecimal, 10L a long, 1.5f a float; doubles divide as IEEE 754 has it. Texts and truth
values compare by = and <> only, and LIKE has no escape character unless ESCAPE names one. A property of another type than what it is
compared with is a type error here, where the specification has FALSE. Source: Jakarta Messaging 3.1, section 3.8.1.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.frontends.data import both, either, negated
from predicat.frontends.words import WordReader
from predicat.ir import tree as t
from predicat.ir.types import BOOLEAN, STRING
from predicat.ir.values import INT_MAX
from predicat.passes.scope import MAX_DEPTH
from predicat.semantics.like import LikeError, canonical

if TYPE_CHECKING:
    from predicat.frontends import Body

KEYWORDS = frozenset({"NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"})
_COMPARISONS = {"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_SUMS, _PRODUCTS = ("+", "-"), ("*", "/")
_FOREIGN = {"==": "a selector compares with =", "!=": "a selector writes <> for it", "||": "a selector writes OR", "&&": "a selector writes AND",
            "!": "a selector writes NOT", "(": "a selector has no functions", '"': "texts stand in single quotes; names in double quotes are declared, or have characters like -"}  # fmt: skip
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')"
    r"|(?P<double>(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)[fFdD]?(?![\w$.])|[0-9]+[fFdD](?![\w$.]))"
    r"|(?P<whole>(?:0[xX][0-9a-fA-F](?:[0-9a-fA-F_]*[0-9a-fA-F])?|0[bB][01](?:[01_]*[01])?|[0-9](?:[0-9_]*[0-9])?)[lL]?(?![\w$.]))"
    r'|(?P<quoted>"(?:[^"]|"")+")'
    r"|(?P<word>[^\W\d][\w$]*|\$[\w$]*)"
    r"|(?P<sign><>|<=|>=|==|!=|\|\||&&|[=<>+*/(),.!\"-]))"
)


def parse(body: Body) -> t.Tree:
    """The untyped tree of a selector. Raises PredicatError."""
    text = body.text("a selector")
    if not text.strip():
        return t.Const(value=True, span=body.span)
    parser = _Parser(body)
    return parser.tree(lambda: parser.top(text))


class _Parser(WordReader):
    pattern = _TOKEN
    any_case = True
    language = "selector"

    def top(self, text: str) -> t.Tree:
        self.scan(text)
        found = self.disjunction(0)
        if self.words[self.at][0] != "end":
            raise self.unexpected(hint=_FOREIGN.get(self.peek()))
        return found

    # --- logic

    def disjunction(self, depth: int) -> t.Tree:
        self.bounded(depth)
        parts = [self.conjunction(depth)]
        while self.accept("OR"):
            parts.append(self.conjunction(depth))
        return either(tuple(parts), parts[0].span.to(parts[-1].span))

    def conjunction(self, depth: int) -> t.Tree:
        parts = [self.negation(depth)]
        while self.accept("AND"):
            parts.append(self.negation(depth))
        return both(tuple(parts), parts[0].span.to(parts[-1].span))

    def negation(self, depth: int) -> t.Tree:
        self.bounded(depth)
        if not self.accept("NOT"):
            return self.condition(depth)
        return negated(self.negation(depth + 1))

    def condition(self, depth: int) -> t.Tree:
        left = self.sum(depth)
        operator = _COMPARISONS.get(self.peek())
        if operator:
            self.take()
            return self.comparison(operator, left, self.sum(depth))
        if self.accept("IS"):
            negate = self.accept("NOT")
            *_, end = self.take("NULL")
            test: t.Tree = t.Apply("is_null", (self.property(left, "IS NULL"),), left.span.to(end))
        else:
            negate = self.peek() == "NOT" and self.peek(1) in ("BETWEEN", "LIKE", "IN")
            if negate:
                self.take()
            match self.peek():
                case "BETWEEN":
                    test = self.between(left, depth)
                case "LIKE":
                    test = self.like(self.property(left, "LIKE"))
                case "IN":
                    test = self.within(self.property(left, "IN"))
                case _:
                    return left
        return negated(test) if negate else test

    def comparison(self, operator: str, left: t.Tree, right: t.Tree) -> t.Tree:
        if operator not in ("eq", "ne"):
            for part in (left, right):
                self.number(
                    part, "an order has numbers on both sides; texts and truth values compare by = and <>"
                )
        return t.Apply(operator, (left, right), left.span.to(right.span))

    def between(self, value: t.Tree, depth: int) -> t.Tree:
        self.take()
        low = self.sum(depth)
        self.take("AND")
        high = self.sum(depth)
        return t.Apply(
            "and",
            (self.comparison("ge", value, low), self.comparison("le", value, high)),
            value.span.to(high.span),
        )

    def like(self, value: t.Tree) -> t.Tree:
        self.take()
        pattern, place = self.text_of("the pattern of LIKE")
        escape = ""
        if self.accept("ESCAPE"):
            escape, at = self.text_of("the escape character")
            if len(escape) != 1:
                raise self.fail(msg.bad_like(at, "ESCAPE takes one character"))
        try:
            found = canonical(pattern, escape, before_any=True)  # brokers take the character itself
        except LikeError as error:
            raise self.fail(msg.bad_like(place, str(error))) from None
        return t.Apply("like", (value, t.Const(found, place)), value.span.to(place))

    def within(self, value: t.Tree) -> t.Tree:
        _, _, start = self.take()
        self.take("(")
        items: list[t.Tree] = []
        while not items or self.accept(","):
            item, place = self.text_of("what IN asks for")
            items.append(t.Const(item, place))
        *_, end = self.take(")")
        return t.Apply("in", (value, t.ListOf(tuple(items), start.to(end))), value.span.to(end))

    # --- values

    def sum(self, depth: int) -> t.Tree:
        found = self.product(depth)
        while self.peek() in _SUMS:
            found = self.calculated(found, self.product, depth)
        return found

    def product(self, depth: int) -> t.Tree:
        found = self.factor(depth)
        while self.peek() in _PRODUCTS:
            found = self.calculated(found, self.factor, depth)
        return found

    def calculated(self, left: t.Tree, operand: Callable[[int], t.Tree], depth: int) -> t.Tree:
        _, operator, _ = self.take()
        right = operand(depth)
        for part in (left, right):
            self.number(part, f"{operator} takes numbers")
        return t.Apply(_ARITHMETIC[operator], (left, right), left.span.to(right.span))

    def factor(self, depth: int) -> t.Tree:
        self.bounded(depth)
        if self.peek() not in _SUMS:
            return self.primary(depth)
        _, sign, start = self.take()
        if sign == "-" and self.words[self.at][0] in ("whole", "double"):
            return self.constant(start)
        inner = self.factor(depth + 1)
        self.number(inner, f"{sign} takes a number")
        return inner if sign == "+" else t.Apply("neg", (inner,), start.to(inner.span))

    def primary(self, depth: int) -> t.Tree:
        kind, word, span = self.words[self.at]
        if kind in ("whole", "double"):
            return self.constant(None)
        if kind == "text":
            return t.Const(*self.text_of("this"))
        if self.accept("("):
            inner = self.disjunction(depth + 1)
            self.take(")")
            return inner
        if kind == "quoted" and self.is_name(name := word[1:-1].replace('""', '"')):
            self.at += 1
            return self.key(name, span)
        if kind != "word" or self.peek() in KEYWORDS - {"TRUE", "FALSE"}:
            raise self.unexpected(
                hint="ask for it with IS NULL"
                if self.peek() == "NULL"
                else _FOREIGN.get(word, _FOREIGN['"'] if kind == "quoted" else None)
            )
        self.at += 1
        if word.upper() in ("TRUE", "FALSE"):
            return t.Const(word.upper() == "TRUE", span)
        return self.named(word, span)

    def is_name(self, name: str) -> bool:
        """Whether what stands in double quotes names a property: one that is declared, or that could not stand there without them."""
        declared = (
            self.fields is not None and (name if self.on is None else f"{self.on}.{name}") in self.fields
        )
        return declared or name.upper() in KEYWORDS or not name.isidentifier()

    def named(self, word: str, span: Span) -> t.Tree:
        """A property; a dotted name, which no selector has but catalogs do, is a field of that name or a part of one."""
        found = self.key(word, span)
        while self.accept("."):
            kind, word, end = self.take()
            if kind != "word":
                self.at -= 1
                raise self.unexpected("a name")
            found = t.Member(found, word, span.to(end))
        return found

    def constant(self, minus: Span | None) -> t.Tree:
        """A number, with the minus before it: the smallest whole number has no positive counterpart."""
        kind, word, span = self.words[self.at]
        self.at += 1
        value: int | float
        if kind == "double":
            value = _double(word)
            if math.isinf(value):
                raise self.invalid(
                    span, f"{word} does not fit in a {'float' if word[-1] in 'fF' else 'double'}"
                )
        else:
            found = _whole(word)
            if found is None:
                raise self.invalid(
                    span, f"{word} is no number", "a number that begins with 0 is octal, as in Java"
                )
            if found > INT_MAX + (minus is not None):
                raise self.invalid(span, f"{word} does not fit in a 64-bit integer")
            value = found
        return t.Const(value, span) if minus is None else t.Const(-value, minus.to(span))

    def text_of(self, what: str) -> tuple[str, Span]:
        kind, word, span = self.words[self.at]
        if kind != "text":
            raise self.invalid(span, f"{what} is a text in single quotes")
        self.at += 1
        return word[1:-1].replace("''", "'"), span

    # --- what the specification asks of operands

    def number(self, tree: t.Tree, why: str) -> None:
        """Reports an operand that is known to be no number."""
        if self.is_text_or_truth(tree):
            raise self.invalid(tree.span, why)

    def is_text_or_truth(self, tree: t.Tree) -> bool:
        match tree:
            case t.Const(value):
                return isinstance(value, str | bool)
            case t.Apply(op):
                return op not in (*_ARITHMETIC.values(), "neg")
            case t.Name(name) if self.fields is not None and name in self.fields:
                return self.fields[name].type in (STRING, BOOLEAN)
            case t.Member(t.Name(base), name) if base == self.on:
                return self.key_type(name) in (STRING, BOOLEAN)
            case _:
                return False

    def property(self, tree: t.Tree, what: str) -> t.Tree:
        if not isinstance(tree, t.Name | t.Member):
            raise self.invalid(tree.span, f"{what} asks about a property, not about a value")
        return tree

    def bounded(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.words[self.at][2], MAX_DEPTH))


def _whole(word: str) -> int | None:
    """Java's integer literals; None for octal digits above 7."""
    digits = word.rstrip("lL").replace("_", "").lower()
    if digits.startswith(("0x", "0b")):
        return int(digits, 0)
    if len(digits) > 1 and digits[0] == "0":
        return int(digits, 8) if set(digits) <= set("01234567") else None
    return int(digits[:20])  # twenty digits are more than any that fits


def _double(word: str) -> float:
    """Java's floating-point literals; an f rounds to a float."""
    value = float(word.rstrip("fFdD"))
    if word[-1] not in "fF" or math.isinf(value):
        return value
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.inf
    return rounded
