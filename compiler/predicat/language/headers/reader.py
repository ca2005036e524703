"""PeeGeeQ server-side filters: headerEquals, headerIn, headerNotEquals, headerLike, and, or.

A missing key matches nothing, not even headerNotEquals, as in the design document; `absent: accept` next to
the top-level operator selects the rule of the released library, in which headerNotEquals accepts a missing
key. Keys have letters, digits, `_`, `-` and `.`. Source: PeeGeeQ, "Server-Side Filtering Technical Plan"
(2025-12-18).
"""

from __future__ import annotations

from typing import Any

from predicat.diagnostics import Span
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.ir.operators import JUNCTIONS
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader
from predicat.language.common.trees import all_of, any_of, apply, decided, negated
from predicat.language.headers.spelling import KEY, OPERATORS
from predicat.semantics.like import LikeError, canonical

WORDS = (*OPERATORS, "and", "or")


def parse(body: Body) -> t.Tree:
    """The untyped tree of a server-side filter. Raises PredicatError."""
    reader = _HeaderTestReader(body)
    return reader.tree(lambda: reader.top(body.value))


class _HeaderTestReader(DataReader):
    accept_absent = False

    def top(self, value: Any) -> t.Tree:
        entries = dict(self.mapping(value, "headers", (*WORDS, "absent")))
        absent = entries.pop("absent", "reject")
        if absent not in ("reject", "accept"):
            raise self.bad(absent, "absent", say.reject_or_accept())
        self.accept_absent = absent == "accept"
        if len(entries) != 1:
            raise self.bad(value, "headers", say.one_operator(len(entries), ", ".join(WORDS)))
        ((operator, inner),) = entries.items()
        return self.operator(value, operator, inner, 0)

    def filter(self, value: Any, depth: int) -> t.Tree:
        self.deep(value, depth)
        operator, inner = self.only(value, say.HEADER_FILTER, WORDS)
        return self.operator(value, operator, inner, depth)

    def operator(self, value: Any, operator: str, inner: Any, depth: int) -> t.Tree:
        if operator in JUNCTIONS:
            parts = self.many(self.listed(inner, operator), lambda part: self.filter(part, depth + 1))
            return all_of(parts, self.span(value)) if operator == "and" else any_of(parts, self.span(value))
        entries = self.mapping(inner, operator)
        if len(entries) != 1:
            raise self.bad(inner, operator, say.one_header(len(entries)))
        ((name, wanted),) = entries.items()
        at = self.key_span(entries, name)
        if not isinstance(name, str) or not KEY.match(name):
            raise self.fail(say.bad_header_key(at, name))
        return self.test(operator, self.key(name, at), wanted, self.value_span(entries, name))

    def test(self, operator: str, key: t.Tree, wanted: Any, span: Span) -> t.Tree:
        op = OPERATORS[operator]
        match op:
            case "ne":
                equal = apply("eq", key.span, key, self.value(wanted, span))
                return negated(decided(equal)) if self.accept_absent else decided(negated(equal))
            case "in":
                items = self.listed(wanted, operator)
                values = tuple(self.value(item, self.item_span(wanted, i)) for i, item in enumerate(items))
                argument: t.Tree = t.ListLiteral(values, span)
            case "like":
                argument = self.pattern(wanted, span)
            case _:
                argument = self.value(wanted, span)
        return decided(apply(op, key.span, key, argument))

    def value(self, value: Any, span: Span) -> t.Tree:
        return t.Constant(self.text(value, say.HEADER_VALUE, empty=True, place=span), span)

    def pattern(self, value: Any, span: Span) -> t.Tree:
        try:
            return t.Constant(canonical(self.text(value, "headerLike", place=span)), span)
        except LikeError as error:
            raise self.bad(value, "headerLike", Reason(str(error))) from None
