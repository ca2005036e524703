"""Google Cloud Pub/Sub subscription filters: `attributes:key`, `attributes.key = "v"`, `!=`, `hasPrefix`,
AND, OR, NOT.

A missing attribute fails `=` and hasPrefix. `!=` is the negation of `=`, so it accepts a missing attribute.
AND and OR cannot be mixed without parentheses.
Source: Google Cloud documentation, "Filter messages from a subscription".
"""

from __future__ import annotations

import re

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import selectors as say
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH
from predicat.language.common.body import Body
from predicat.language.common.lexer import TokenReader
from predicat.language.common.trees import all_of, any_of, apply, decided, negated, present

_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<word>[A-Za-z_][A-Za-z0-9_-]*)|(?P<sign>!=|[=:.(),-]))'
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'"}


def parse(body: Body) -> t.Tree:
    """The untyped tree of a subscription filter. Raises PredicatError."""
    text = body.text(say.PUBSUB_FILTER)
    parser = _Parser(body)
    return parser.tree(lambda: parser.top(text))


class _Parser(TokenReader):
    pattern = _TOKEN
    language = "Pub/Sub filter"

    def top(self, text: str) -> t.Tree:
        self.scan(text)
        tree = self.expression(0)
        if self.tokens[self.position][0] != "end":
            capital = self.tokens[self.position][1].upper() in ("AND", "OR", "NOT")
            raise self.unexpected(hint=say.WRITE_IN_CAPITALS if capital else None)
        return tree

    def expression(self, depth: int) -> t.Tree:
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.tokens[self.position][2], MAX_DEPTH))
        parts = [self.unary(depth)]
        joined = self.peek()
        while self.peek() in ("AND", "OR"):
            _, word, span = self.take()
            if word != joined:
                raise self.fail(say.and_or_mixed(span))
            parts.append(self.unary(depth))
        if len(parts) == 1:
            return parts[0]
        span = parts[0].span.to(parts[-1].span)
        return all_of(tuple(parts), span) if joined == "AND" else any_of(tuple(parts), span)

    def unary(self, depth: int) -> t.Tree:
        if self.peek() in ("NOT", "-"):
            self.take()
            return negated(self.unary(depth + 1)) if depth < MAX_DEPTH else self.expression(depth + 1)
        if self.peek() == "(":
            self.take()
            tree = self.expression(depth + 1)
            self.take(")")
            return tree
        if self.peek() == "hasPrefix":
            return self.has_prefix()
        *_, start = self.take("attributes")
        if self.peek() == ":":
            self.take()
            name, span = self.attribute()
            return present(self.key(name, start.to(span)))
        self.take(".")
        name, span = self.attribute()
        key = self.key(name, start.to(span))
        _, operator, _ = self.take()
        if operator not in ("=", "!="):
            raise self.invalid(self.tokens[self.position - 1][2], say.no_comparison(operator))
        value = self.value()
        span = key.span.to(value.span)
        if operator == "!=":
            return apply("differs", span, key, value)
        return decided(apply("eq", span, key, value))

    def has_prefix(self) -> t.Tree:
        *_, start = self.take()
        self.take("(")
        self.take("attributes")
        self.take(".")
        name, span = self.attribute()
        self.take(",")
        value = self.value()
        *_, end = self.take(")")
        return decided(apply("starts_with", start.to(end), self.key(name, span), value))

    def attribute(self) -> tuple[str, Span]:
        kind, word, span = self.tokens[self.position]
        if kind not in ("text", "word"):
            raise self.invalid(span, say.attribute_key_expected())
        self.position += 1
        if kind == "text":
            return self.unquoted(word, span), span
        while self.peek() == ".":  # a key with dots, as in CloudEvents and audit logs
            self.take()
            kind, part, end = self.tokens[self.position]
            if kind != "word":
                raise self.unexpected(say.REST_OF_KEY)
            self.position += 1
            word, span = f"{word}.{part}", span.to(end)
        return word, span

    def value(self) -> t.Tree:
        kind, word, span = self.tokens[self.position]
        if kind != "text":
            raise self.invalid(span, say.text_expected())
        self.position += 1
        return t.Constant(self.unquoted(word, span), span)

    def unquoted(self, word: str, span: Span) -> str:
        def escape(match: re.Match[str]) -> str:
            if match[1] not in _ESCAPES:
                raise self.fail(say.unknown_escape(span, match[1]))
            return _ESCAPES[match[1]]

        return re.sub(r"\\(.)", escape, word[1:-1])
