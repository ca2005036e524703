"""Google Cloud Pub/Sub subscription filters: `attributes:key`, `attributes.key = "v"`, `!=`, `hasPrefix`, AND, OR, NOT.

A test of an absent attribute fails, `!=` included, and NOT of it passes. AND and OR are not mixed without parentheses.
Source: Google Cloud documentation, "Filter messages from a subscription".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.frontends.data import DataReader, both, decided, either, negated, present
from predicat.ir import tree as t
from predicat.passes.check import MAX_DEPTH

if TYPE_CHECKING:
    from predicat.frontends import Body

MAX_LENGTH = 256
_TOKEN = re.compile(r'\s*(?:(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<word>[A-Za-z_][A-Za-z0-9_-]*)|(?P<sign>!=|[=:.(),-]))')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'"}


def parse(body: Body) -> t.Tree:
    """The untyped tree of a subscription filter. Raises PredicatError."""
    if not isinstance(body.value, str):
        raise PredicatError.of(msg.wrong_kind(body.span, "a Pub/Sub filter", "a text", repr(body.value)))
    text = body.value.strip()
    if len(text.encode("utf-8", "replace")) > MAX_LENGTH:
        raise PredicatError.of(msg.too_large(body.span, len(text.encode("utf-8", "replace")), MAX_LENGTH, "bytes"))
    parser = _Parser(body)
    return parser.tree(parser.top)


class _Parser(DataReader):
    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.source: Source = body.source
        self.words: list[tuple[str, str, Span]] = []
        self.at = 0

    def scan(self, text: str) -> None:
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if not found:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                raise self.fail(msg.syntax(Span(self.source, start, start + 1), f"unexpected {text[start]!r}"))
            kind = str(found.lastgroup)
            self.words.append((kind, found[kind], Span(self.source, found.start(kind), found.end())))
            at = found.end()
        end = Span(self.source, len(text), len(text))
        self.words.append(("end", "", end))

    def peek(self) -> str:
        return self.words[self.at][1] if self.words[self.at][0] != "text" else '"'

    def take(self, wanted: str | None = None) -> tuple[str, Span]:
        kind, word, span = self.words[self.at]
        if kind == "end" or (wanted is not None and word != wanted):
            found = f"unexpected {word!r}" if word else "it ends too early"
            raise self.fail(msg.syntax(span, f"this is no valid Pub/Sub filter: {found}" + (f", where {wanted!r} should be" if wanted else "")))
        self.at += 1
        return word, span

    def top(self) -> t.Tree:
        self.scan(self.source.text)
        found = self.expression(0)
        if self.words[self.at][0] != "end":
            word, span = self.words[self.at][1:]
            hint = "write AND, OR and NOT in capitals" if word.upper() in ("AND", "OR", "NOT") else None
            raise self.fail(msg.syntax(span, f"this is no valid Pub/Sub filter: unexpected {word!r}", hint))
        return found

    def expression(self, depth: int) -> t.Tree:
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.words[self.at][2], MAX_DEPTH))
        parts = [self.unary(depth)]
        joined = self.peek()
        while self.peek() in ("AND", "OR"):
            word, span = self.take()
            if word != joined:
                raise self.fail(msg.syntax(span, "AND and OR are mixed without parentheses", "say which is meant: a AND (b OR c)"))
            parts.append(self.unary(depth))
        if len(parts) == 1:
            return parts[0]
        span = parts[0].span.to(parts[-1].span)
        return both(tuple(parts), span) if joined == "AND" else either(tuple(parts), span)

    def unary(self, depth: int) -> t.Tree:
        if self.peek() in ("NOT", "-"):
            self.take()
            return negated(self.unary(depth + 1)) if depth < MAX_DEPTH else self.expression(depth + 1)
        if self.peek() == "(":
            self.take()
            found = self.expression(depth + 1)
            self.take(")")
            return found
        if self.peek() == "hasPrefix":
            return self.has_prefix()
        _, start = self.take("attributes")
        if self.peek() == ":":
            self.take()
            name, span = self.attribute()
            return present(self.key(name, start.to(span)))
        self.take(".")
        name, span = self.attribute()
        key = self.key(name, start.to(span))
        operator, _ = self.take()
        if operator not in ("=", "!="):
            raise self.fail(msg.syntax(self.words[self.at - 1][2], f"this is no valid Pub/Sub filter: {operator!r} is no comparison", "comparisons: =, !="))
        value = self.value()
        return decided(t.Apply("eq" if operator == "=" else "ne", (key, value), key.span.to(value.span)))

    def has_prefix(self) -> t.Tree:
        _, start = self.take()
        self.take("(")
        self.take("attributes")
        self.take(".")
        name, span = self.attribute()
        self.take(",")
        value = self.value()
        _, end = self.take(")")
        return decided(t.Apply("starts_with", (self.key(name, span), value), start.to(end)))

    def attribute(self) -> tuple[str, Span]:
        kind, word, span = self.words[self.at]
        if kind not in ("text", "word"):
            raise self.fail(msg.syntax(span, "this is no valid Pub/Sub filter: the key of an attribute should be here"))
        self.at += 1
        return (self.unquoted(word, span) if kind == "text" else word), span

    def value(self) -> t.Tree:
        kind, word, span = self.words[self.at]
        if kind != "text":
            raise self.fail(msg.syntax(span, "this is no valid Pub/Sub filter: a text should be here", "values stand in double quotes"))
        self.at += 1
        return t.Const(self.unquoted(word, span), span)

    def unquoted(self, word: str, span: Span) -> str:
        def escape(found: re.Match[str]) -> str:
            if found[1] not in _ESCAPES:
                raise self.fail(msg.syntax(span, f"the escape \\{found[1]} is unknown"))
            return _ESCAPES[found[1]]

        return re.sub(r"\\(.)", escape, word[1:-1])
