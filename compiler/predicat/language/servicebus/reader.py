"""Rules of Azure Service Bus: SQL filters and correlation filters.

A string is a SQL filter: selectors with != and %, EXISTS, names in brackets, `property('x')`, and user
properties (`user.x` or plain `x`, keys of the field `on`) or system properties (`sys.Label`, fields of the
row: `label`). A mapping is a correlation filter. Numbers are C#'s, with integer division. Source: Azure
Service Bus, "Subscription rule SQL filter syntax", "Topic filters and actions".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import selectors as say
from predicat.ir import syntax as t
from predicat.ir.types import BIGINT, DATE, DOUBLE, TIMESTAMP, Type
from predicat.ir.values import INT_MAX
from predicat.language.common.body import Body
from predicat.language.common.trees import all_of, apply, cast_to, decided, present
from predicat.language.jms.reader import FOREIGN, SelectorReader
from predicat.language.servicebus.spelling import CORRELATION, SYSTEM, WORDS

_HINTS = {
    **FOREIGN,
    "==": "write =",
    "!": "write NOT",
    "||": "write OR",
    "&&": "write AND",
    "BETWEEN": "write x >= 1 AND x <= 9",
    "(": "Service Bus has the functions property() and newid()",
    '"': "put strings in single quotes",
    "@": "write the value itself, or declare it under params and write :name",
}
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')"
    r"|(?P<double>(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])|[0-9]+[eE][+-]?[0-9]+(?![\w.]))"
    r"|(?P<whole>[0-9]+(?![\w.]))"
    r'|(?P<quoted>"(?:[^"]|"")+"|\[(?:[^\]]|\]\])+\])'
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<param>[@:][^\W\d]\w*)"
    r"|(?P<sign><>|<=|>=|==|!=|\|\||&&|[=<>+*/%(),.!@:-]))"
)


def parse(body: Body) -> t.Tree:
    """The untyped tree of a rule. Raises PredicatError."""
    reader = _SqlFilterReader(body)
    if isinstance(body.value, str):
        return reader.tree(lambda: reader.sql(body.text(say.SQL_FILTER)))
    return reader.tree(lambda: reader.correlation(body.value))


class _SqlFilterReader(SelectorReader):
    pattern = _TOKEN
    language = "SQL filter of Service Bus"
    keywords = WORDS
    escapes_any = False
    comparisons: Mapping[str, str] = {**SelectorReader.comparisons, "!=": SelectorReader.comparisons["<>"]}
    products: Mapping[str, str] = {"*": "mul", "/": "div", "%": "mod"}
    foreign = _HINTS

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.calculations: dict[int, tuple[t.Tree, Type | None]] = {}

    def sql(self, text: str) -> t.Tree:
        if not text.strip():
            raise self.fail(say.empty_sql_filter(self.whole))
        return self.top(text)

    # --- correlation filters

    def correlation(self, value: Any) -> t.Tree:
        """The tree of a correlation filter: every property equals its value. A missing property fails."""
        entries = self.mapping(value, say.CORRELATION_FILTER, (*CORRELATION, "properties"))
        tests = list(
            self.many(
                [(key, key) for key in entries if key != "properties"],
                lambda pair: self.equal(entries, *pair),
            )
        )
        own = self.mapping(entries.get("properties", {}), "properties")
        tests += self.many(own, lambda name: self.equal(own, name, None))
        if not tests:
            raise self.bad(value, say.THE_CORRELATION_FILTER, say.no_property())
        return all_of(tuple(tests), self.whole)

    def equal(self, entries: Any, name: str, system: str | None) -> t.Tree:
        value, place = entries[name], self.key_span(entries, name)
        if system is not None:
            value = self.text(value, name, empty=True, place=self.value_span(entries, name))
        elif not isinstance(value, str | int | float):
            raise self.fail(say.correlation_value(self.value_span(entries, name), name))
        tree = self.key(name, place) if system is None else self.of_system(system, place)
        return decided(apply("eq", place, tree, t.Constant(value, self.value_span(entries, name))))

    # --- what SQL filters add to selectors

    def primary(self, depth: int) -> t.Tree:
        kind, word, span = self.tokens[self.position]
        if kind == "param" and word[0] == ":":
            self.position += 1
            return t.Param(word[1:], span)
        if kind == "param" or (kind == "quoted" and self.peek(1) == "."):
            raise self.unexpected(hint=self.foreign["@"] if kind == "param" else None)
        if kind == "quoted":
            self.position += 1
            return self.key(_unquoted(word), span)
        function = self.peek() if self.peek(1) == "(" else ""
        if function == "EXISTS":
            return self.exists()
        if function in ("PROPERTY", "P"):
            return self.looked_up()
        if function == "NEWID":
            raise self.fail(say.no_random_values(span))
        return super().primary(depth)

    def exists(self) -> t.Tree:
        *_, start = self.take()
        self.take("(")
        tree = self.property(self.primary(0), "EXISTS")
        *_, end = self.take(")")
        test = present(tree)
        return apply("not", start.to(end), *test.args) if isinstance(test, t.OperatorCall) else test

    def looked_up(self) -> t.Tree:
        """`property('x')`: a property with any name."""
        *_, start = self.take()
        self.take("(")
        name, _ = self.text_of(say.PROPERTY_NAME)
        *_, end = self.take(")")
        scope, point, rest = name.partition(".")
        span = start.to(end)
        if point and scope.lower() == "sys":
            return self.of_system(rest, span)
        return self.key(rest if point and scope.lower() == "user" else name, span)

    def named(self, word: str, span: Span) -> t.Tree:
        """A property with or without a scope: `sys.x`, `user.x` or `x`."""
        if word.lower() not in ("sys", "user") or not self.accept("."):
            return self.key(word, span)
        kind, name, end = self.tokens[self.position]
        if kind not in ("word", "quoted"):
            raise self.unexpected(say.PROPERTY_NAME)
        self.position += 1
        name = _unquoted(name) if kind == "quoted" else name
        whole = span.to(end)
        return self.key(name, whole) if word.lower() == "user" else self.of_system(name, whole)

    def of_system(self, name: str, span: Span) -> t.Tree:
        column = SYSTEM.get(name.lower())
        if column is None:
            raise self.fail(
                msg.unknown_member(
                    span, name, "sys", [_capital(known) for known in dict.fromkeys(SYSTEM.values())]
                )
            )
        if (
            column == "label"
            and self.fields is not None
            and "label" not in self.fields
            and "subject" in self.fields
        ):
            column = "subject"
        return t.Name(column, span)

    # --- operands

    def operand(self, tree: t.Tree, what: str) -> t.Tree:
        if what == "LIKE" and self.kind(tree) in ("number", "truth"):
            raise self.invalid(tree.span, say.like_takes_a_text())
        return tree

    def item(self) -> t.Tree:
        return self.sum(0)

    def between(self, value: t.Tree, depth: int) -> t.Tree:  # noqa: ARG002  # as the base class has it
        raise self.unexpected(hint=self.foreign["BETWEEN"])

    def comparison(self, operator: str, left: t.Tree, right: t.Tree) -> t.Tree:
        if any(
            isinstance(part, t.Name) and self.declared_type(part) in (DATE, TIMESTAMP)
            for part in (left, right)
        ):
            return apply(operator, left.span.to(right.span), left, right)
        return super().comparison(operator, left, right)

    def multiplied(self, sign: str, left: t.Tree, right: t.Tree) -> t.Tree:
        tree = super().multiplied(sign, left, right)
        kinds: AbstractSet[Type | None] = {self.number_kind(left), self.number_kind(right)}
        if sign == "/" and DOUBLE not in kinds and kinds != {BIGINT}:
            raise self.fail(say.division_without_types(tree.span))
        if sign == "%" and None in kinds:
            tree = apply(
                "mod",
                tree.span,
                *tuple(part if self.number_kind(part) else _whole(part) for part in (left, right)),
            )
            kinds = {BIGINT}
        return self.calculated(tree, kinds)

    def added(self, left: t.Tree, depth: int) -> t.Tree:
        tree = super().added(left, depth)
        return (
            self.calculated(tree, set(map(self.number_kind, tree.args)))
            if isinstance(tree, t.OperatorCall)
            else tree
        )

    def calculated(self, tree: t.Tree, kinds: AbstractSet[Type | None]) -> t.Tree:
        """Remembers the number type of a calculation. Computing it again at each operator would take
        quadratic time.
        """
        self.calculations[id(tree)] = (
            tree,
            DOUBLE if DOUBLE in kinds else BIGINT if kinds == {BIGINT} else None,
        )
        return tree

    def number_kind(self, tree: t.Tree) -> Type | None:
        """BIGINT or DOUBLE; None if the number type of an operand is not known."""
        match tree:
            case t.Constant(value):
                return DOUBLE if isinstance(value, float) else BIGINT
            case t.Name() | t.Member():
                kind = self.declared_type(tree)
                return kind if kind in (BIGINT, DOUBLE) else None
            case t.OperatorCall("neg", (inner,)):
                return self.number_kind(inner)
            case _:
                return self.calculations.get(id(tree), (None, None))[1]

    def constant(self, minus: Span | None) -> t.Tree:
        """A number: decimal digits only."""
        kind, word, span = self.tokens[self.position]
        if kind == "double":
            return super().constant(minus)
        self.position += 1
        value = int(word[:20])
        if value > INT_MAX + (minus is not None):
            raise self.invalid(span, say.does_not_fit_in_64_bits(word))
        return t.Constant(value, span) if minus is None else t.Constant(-value, minus.to(span))


def _whole(tree: t.Tree) -> t.Tree:
    """A value without a declared type as an integer; NULL if it is not one."""
    test = apply("eq", tree.span, tree, apply("floor", tree.span, tree))
    whole = cast_to("to_int", tree)
    return apply("cond", tree.span, test, whole, t.Constant(None, tree.span))


def _unquoted(word: str) -> str:
    close = "]" if word[0] == "[" else '"'
    return word[1:-1].replace(close * 2, close)


def _capital(column: str) -> str:
    return "".join(part.capitalize() for part in column.split("_"))
