"""Expressions of Apache Iceberg, as JSON: `and`, `or`, `not`, comparisons with values, `in`, `is-null`,
`is-nan`, `starts-with` and their negations.

They are TRUE or FALSE, never UNKNOWN: of a NULL the tests `not-eq`, `not-in`, `not-starts-with`, `not-nan`
and `is-null` are TRUE, the others FALSE. NaN is above every number. A date, a timestamp and a decimal are
strings. Source: Apache Iceberg, REST catalog specification, `Expression`; its Java library decides about NULL
and NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.language.common import jsontext
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader, Stop
from predicat.language.common.trees import apply, decided, negated
from predicat.language.iceberg.spelling import OF_LISTS, OF_VALUES, UNARY

_MAX_CHARACTERS = 1024 * 1024


def parse(body: Body) -> t.Tree:
    """The untyped tree of an expression. Raises PredicatError."""
    reader = _ExpressionReader(body)
    return reader.tree(lambda: reader.expression(reader.loaded(body), 0))


class _ExpressionReader(DataReader):
    def loaded(self, body: Body) -> Any:
        """The data of the body, also of a JSON text. Raises Stop."""
        if not isinstance(body.value, str):
            return body.value
        if len(body.value) > _MAX_CHARACTERS:
            raise self.fail(msg.too_large(body.span, len(body.value), _MAX_CHARACTERS))
        try:
            return jsontext.read(body.value, body.source, body.span, say.ICEBERG_EXPRESSION)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            raise Stop from None

    def expression(self, value: Any, depth: int) -> t.Tree:
        self.deep(value, depth)
        if isinstance(value, bool):
            return t.Constant(value, self.whole)
        entries = self.mapping(value, say.ICEBERG_EXPRESSION)
        kind = entries.get("type")
        rule = _RULES.get(kind) if isinstance(kind, str) else None
        if rule is None:
            names = ", ".join(_RULES)
            raise self.bad(kind if isinstance(kind, str) else value, "type", say.no_expression(kind, names))
        return rule(self, kind, entries, depth)

    def required(self, entries: Any, *keys: str) -> list[Any]:
        """The values of the keys that an expression has beside its type; all of them are required."""
        self.mapping(entries, say.ICEBERG_EXPRESSION, ("type", *keys))
        for key in keys:
            if entries.get(key) is None:
                raise self.bad(entries, say.ICEBERG_EXPRESSION, say.needs_key(key))
        return [entries[key] for key in keys]

    def constant(self, kind: str, entries: Any, _depth: int) -> t.Tree:
        """`{"type": "true"}`, as old catalogs write it."""
        self.required(entries)
        return t.Constant(kind == "true", self.span(entries))

    def joined(self, kind: str, entries: Any, depth: int) -> t.Tree:
        """AND and OR of two expressions."""
        sides = self.required(entries, "left", "right")
        return apply(
            kind, self.span(entries), *self.many(sides, lambda side: self.expression(side, depth + 1))
        )

    def negation(self, _kind: str, entries: Any, depth: int) -> t.Tree:
        """NOT, of an expression that is never UNKNOWN."""
        (child,) = self.required(entries, "child")
        return apply("not", self.span(entries), self.expression(child, depth + 1))

    def unary(self, kind: str, entries: Any, _depth: int) -> t.Tree:
        """A test without a value."""
        (term,) = self.required(entries, "term")
        return self.test(UNARY[kind], entries, self.term(term))

    def of_value(self, kind: str, entries: Any, _depth: int) -> t.Tree:
        """A test of one value."""
        term, value = self.required(entries, "term", "value")
        wanted = self.value(value, self.value_span(entries, "value"))
        return self.test(OF_VALUES[kind], entries, self.term(term), wanted)

    def of_list(self, kind: str, entries: Any, _depth: int) -> t.Tree:
        """A test of several values."""
        term, values = self.required(entries, "term", "values")
        items = self.listed(values, "values")
        read = (self.value(item, self.item_span(values, index)) for index, item in enumerate(items))
        wanted = t.ListLiteral(tuple(read), self.value_span(entries, "values"))
        return self.test(OF_LISTS[kind], entries, self.term(term), wanted)

    def test(self, test: tuple[str, bool], entries: Any, *args: t.Tree) -> t.Tree:
        """A test of a term, FALSE for NULL; a negated one is TRUE for NULL."""
        op, is_negated = test
        tree = decided(apply(op, self.span(entries), *args))
        return negated(tree) if is_negated else tree

    def value(self, value: Any, span: Span) -> t.Tree:
        """A constant. Raises Stop for null, lists and mappings."""
        if not isinstance(value, str | int | float):
            raise self.fail(say.no_literal(span))
        return t.Constant(str(value) if isinstance(value, str) else value, span)

    def term(self, value: Any) -> t.Tree:
        """The column that a test reads: a name, or the names of nested columns with dots between them."""
        if isinstance(value, Mapping) and value.get("type") == "reference":
            value = value.get("term")
        if isinstance(value, Mapping):
            raise self.bad(value, "term", say.no_transforms())
        name = self.text(value, "term")
        names = {decl.column("spark"): decl.name for decl in (self.fields or {}).values()}
        first, *rest = names.get(name, name).split(".")
        tree: t.Tree = t.Name(names.get(first, first), self.span(value))
        for part in rest:
            tree = t.Member(tree, part, self.span(value))
        return tree


_Rule = Callable[[_ExpressionReader, Any, Any, int], t.Tree]
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("and", "or"), _ExpressionReader.joined),
    "not": _ExpressionReader.negation,
    **dict.fromkeys(UNARY, _ExpressionReader.unary),
    **dict.fromkeys(OF_VALUES, _ExpressionReader.of_value),
    **dict.fromkeys(OF_LISTS, _ExpressionReader.of_list),
    **dict.fromkeys(("true", "false"), _ExpressionReader.constant),
}
