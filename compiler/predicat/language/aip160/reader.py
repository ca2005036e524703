"""Filters of Google APIs: `a.b = "x" AND (n > 5 OR tags:new)`.

OR binds tighter than AND. A field that is not set fails a test, and so passes `!=`, NOT and `-`. A value is
read as the type of its field. Source: AIP-160, "Filtering", https://google.aip.dev/160.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import aip160 as say
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.language.common.body import Body
from predicat.language.common.lexer import TokenReader
from predicat.language.common.trees import all_of, any_of, apply, decided, negated, present
from predicat.language.common.trees import text as text_of
from predicat.semantics.like import escaped

_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
    r"|(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2}))?)"
    r"|(?P<number>-?[0-9]+(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.]))"
    r"|(?P<word>[^\W\d][\w-]*)|(?P<sign><=|>=|!=|[<>=:.(),*-]))"
)
_ORDERS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_COMPARATORS = ("=", "!=", ":", *_ORDERS)
_WORDS = ("AND", "OR", "NOT")
_NUMBERS = (BIGINT, DOUBLE)
# A test of the values of a field: what it is of one value, from the kind and the text of its token.
Test = Callable[[str, str, Span], t.Tree]


def parse(body: Body) -> t.Tree:
    """The untyped tree of a filter. Raises PredicatError."""
    text = body.text(say.FILTER)
    parser = _Parser(body)
    return parser.tree(lambda: parser.top(text))


class _Parser(TokenReader):
    pattern = _TOKEN
    language = "filter of AIP-160"

    def top(self, text: str) -> t.Tree:
        self.scan(text)
        tree = self.all_terms(0)
        if self.tokens[self.position][0] != "end":
            raise self.unexpected(hint=say.WRITE_AND)
        return tree

    def all_terms(self, depth: int) -> t.Tree:
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.tokens[self.position][2], MAX_DEPTH))
        parts = [self.any_term(depth)]
        while self.accept("AND"):
            parts.append(self.any_term(depth))
        return all_of(parts, parts[0].span.to(parts[-1].span))

    def any_term(self, depth: int) -> t.Tree:
        parts = [self.term(depth)]
        while self.accept("OR"):
            parts.append(self.term(depth))
        return any_of(parts, parts[0].span.to(parts[-1].span))

    def term(self, depth: int) -> t.Tree:
        if self.accept("NOT") or self.accept("-"):
            return negated(self.term(depth + 1)) if depth < MAX_DEPTH else self.all_terms(depth + 1)
        if self.accept("("):
            tree = self.all_terms(depth + 1)
            self.take(")")
            return tree
        return self.restriction(depth)

    def restriction(self, depth: int) -> t.Tree:
        """A field, a comparator, and a value or several."""
        kind, word, start = self.tokens[self.position]
        if kind != "word" or word in _WORDS:
            raise self.unexpected(say.NAME_OF_FIELD)
        parts, span = self.path()
        if self.peek() == "(":
            raise self.fail(say.function(span, ".".join(parts)))
        sign = self.peek()
        if sign not in _COMPARATORS:
            raise self.fail(say.bare_value(start.to(span), ".".join(parts)))
        self.take()
        test = self.has(parts, span) if sign == ":" else self.compared(sign, parts, span)
        return self.values(test, depth)

    def path(self) -> tuple[list[str], Span]:
        _, word, span = self.take()
        parts = [word]
        while self.accept("."):
            kind, part, end = self.take()
            if kind not in ("word", "text", "number"):
                self.position -= 1
                raise self.unexpected(say.NAME_OF_FIELD)
            parts.append(self.unquoted(part) if kind == "text" else part)
            span = span.to(end)
        return parts, span

    def values(self, test: Test, depth: int) -> t.Tree:
        """A value, or values joined by AND, OR and NOT in parentheses."""
        if not self.accept("("):
            negative = self.peek() == "-"
            kind, word, span = self.take()
            if negative or (kind == "sign" and word != "*"):
                self.position -= 1
                raise self.unexpected(say.VALUE)
            return test(kind, self.unquoted(word) if kind == "text" else word, span)
        tree = self.joined(test, "AND", depth + 1)
        self.take(")")
        return tree

    def joined(self, test: Test, word: str, depth: int) -> t.Tree:
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.tokens[self.position][2], MAX_DEPTH))
        parts = [self.joined(test, "OR", depth + 1) if word == "AND" else self.one_value(test, depth)]
        while self.accept(word):
            parts.append(self.joined(test, "OR", depth + 1) if word == "AND" else self.one_value(test, depth))
        join = all_of if word == "AND" else any_of
        return join(parts, parts[0].span.to(parts[-1].span))

    def one_value(self, test: Test, depth: int) -> t.Tree:
        return negated(self.values(test, depth)) if self.accept("NOT") else self.values(test, depth)

    def unquoted(self, word: str) -> str:
        return re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL)

    # --- fields

    def place(self, parts: list[str], span: Span) -> tuple[t.Tree, Type]:
        """A field or a member. Raises Stop for one of a list, which only `:` looks into."""
        tree, kind, rest = self.declared_path(parts, span)
        for part in rest:
            tree, kind = self.member(tree, kind, part, span)
        return tree, kind

    def member(self, tree: t.Tree, kind: Type, part: str, span: Span) -> tuple[t.Tree, Type]:
        if isinstance(kind, ArrayType):
            raise self.fail(say.list_traversed(span, part))
        found = t.Member(tree, part, span)
        if isinstance(kind, StructType):
            return found, kind.get(part) or JSON
        return found, kind.value if isinstance(kind, MapType) else JSON

    # --- tests

    def compared(self, sign: str, parts: list[str], span: Span) -> Test:
        tree, kind = self.place(parts, span)
        if isinstance(kind, ArrayType | MapType | StructType):
            raise self.fail(say.whole_compared(span, sign))
        if sign in _ORDERS:
            return lambda sort, word, at: self.ordered(_ORDERS[sign], tree, kind, sort, word, at)
        if sign == "=":
            return lambda sort, word, at: self.equal(tree, kind, sort, word, at)
        return lambda sort, word, at: negated(self.equal(tree, kind, sort, word, at))

    def ordered(self, op: str, tree: t.Tree, kind: Type, sort: str, word: str, at: Span) -> t.Tree:
        value = self.constant(kind, sort, word, at)
        if isinstance(value.value, bool) or value.value is None:
            raise self.fail(say.no_order(at))
        return decided(apply(op, tree.span.to(at), _read(tree, kind, value), value))

    def equal(self, tree: t.Tree, kind: Type, sort: str, word: str, at: Span) -> t.Tree:
        """Equality; `*` in a string stands for any characters."""
        span = tree.span.to(at)
        value = self.constant(kind, sort, word, at)
        if value.value is None:
            return apply("is_null", span, tree)
        read = _read(tree, kind, value)
        if isinstance(value.value, str) and kind in (STRING, JSON) and "*" in value.value:
            pattern = "%".join(map(escaped, value.value.split("*")))
            return decided(apply("like", span, read, text_of(pattern, at)))
        return decided(apply("eq", span, read, value))

    def has(self, parts: list[str], span: Span) -> Test:
        """`:` asks for an element, a key, a value, or with `*` whether there is one."""
        tree, kind, rest = self.declared_path(parts, span)
        return lambda sort, word, at: self.has_below(tree, kind, rest, sort, word, at, 0)

    def has_below(
        self, tree: t.Tree, kind: Type, rest: list[str], sort: str, word: str, at: Span, depth: int
    ) -> t.Tree:
        span = tree.span.to(at)
        if isinstance(kind, ArrayType) and (rest or word != "*" or sort != "sign"):
            name = f"element{depth or ''}"
            body = self.has_below(t.Name(name, span), kind.element, rest, sort, word, at, depth + 1)
            return decided(t.Macro("any", name, tree, body, span))
        if rest:
            inner, inner_kind = self.member(tree, kind, rest[0], span)
            return self.has_below(inner, inner_kind, rest[1:], sort, word, at, depth)
        if sort == "sign":
            filled = apply("gt", span, apply("size", span, tree), t.Constant(0, span))
            return decided(filled) if isinstance(kind, ArrayType) else present(tree)
        if isinstance(kind, MapType | StructType):
            return present(self.member(tree, kind, word, span)[0])
        if kind != JSON or depth:
            return self.equal(tree, kind, sort, word, at)
        element = t.Name("element", span)
        listed = t.Macro("any", "element", tree, self.equal(element, JSON, sort, word, at), span)
        array = decided(apply("json_is", span, tree, text_of("array", span)))
        return any_of(
            [
                self.equal(tree, kind, sort, word, at),
                all_of([array, decided(listed)], span),
                present(t.Member(tree, word, span)),
            ],
            span,
        )

    # --- values

    def constant(self, kind: Type, sort: str, word: str, at: Span) -> t.Constant:
        """A value as the type of its field. Raises Stop for one of another type."""
        if sort == "word" and word == "null":
            return t.Constant(None, at)
        truth = {"true": True, "false": False}.get(word) if sort != "time" else None
        if kind == BOOLEAN or (kind == JSON and sort == "word"):
            if truth is not None:
                return t.Constant(truth, at)
            if kind == BOOLEAN:
                raise self.fail(say.value_of_type(at, word, say.TRUE_OR_FALSE))
        if kind in _NUMBERS or isinstance(kind, DecimalType) or (kind == JSON and sort == "number"):
            try:
                whole = re.fullmatch(r"-?[0-9]+", word) is not None
                return t.Constant(self.in_64_bits(int(word), at) if whole else float(word), at)
            except ValueError:
                raise self.fail(say.value_of_type(at, word, say.A_NUMBER)) from None
        if kind in (DATE, TIMESTAMP, STRING) or (kind == JSON and sort in ("text", "word", "sign")):
            return t.Constant(word, at)
        raise self.fail(say.undeclared_time(at) if kind == JSON else say.value_of_type(at, word, str(kind)))


def _read(tree: t.Tree, kind: Type, value: t.Constant) -> t.Tree:
    """A field, read as the kind of a value if it has no type."""
    if kind != JSON:
        return tree
    name = {bool: "json_boolean", str: "json_string"}.get(type(value.value), "json_number")
    return apply(name, tree.span, tree)
