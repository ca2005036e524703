"""Knative trigger filters and the CloudEvents Subscriptions API.

`attributes` and the deprecated `sourceAndType` are exact tests on CloudEvents attributes, all of which must pass (none of
them accept every event, and so does an empty list of filters); an empty value asks only that the attribute is there and not empty, as Knative's broker has it. `cloudevents` is a filter of the
Subscriptions API, or a list of them: exact, prefix, suffix, all, any, not and cesql (`sql` is another name for that).
A test of an absent attribute fails, and `not` of it passes. Sources: the Knative proposal "Trigger filtering";
CloudEvents Subscriptions 1.0, section 3.2.4.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import PredicatError, Source
from predicat.frontends import cesql
from predicat.frontends.data import DataReader, Stop, both, decided, either, negated
from predicat.ir import tree as t

if TYPE_CHECKING:
    from predicat.frontends import Body

DIALECTS = ("exact", "prefix", "suffix", "all", "any", "not", "cesql", "sql")
_TESTS = {"exact": "eq", "prefix": "starts_with", "suffix": "ends_with"}


def attributes(body: Body) -> t.Tree:
    """The untyped tree of an `attributes` filter. Raises PredicatError."""
    reader = _Reader(body)
    return reader.tree(lambda: reader.attributes(body.value, "attributes"))


def source_and_type(body: Body) -> t.Tree:
    """The untyped tree of a `sourceAndType` filter. Raises PredicatError."""
    reader = _Reader(body)

    def read() -> t.Tree:
        value = reader.mapping(body.value, "sourceAndType", ("source", "type"))
        given = {key: inner for key, inner in value.items() if reader.text(inner, key, empty=True)}
        return reader.attributes(given, "sourceAndType") if given else t.Const(value=True, span=body.span)

    return reader.tree(read)


def cloudevents(body: Body) -> t.Tree:
    """The untyped tree of a filter of the Subscriptions API. Raises PredicatError."""
    reader = _Reader(body)
    if body.value == []:
        return t.Const(value=True, span=body.span)
    return reader.tree(
        lambda: (
            reader.filters(body.value, 0) if isinstance(body.value, list) else reader.filter(body.value, 0)
        )
    )


class _Reader(DataReader):
    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.body = body

    def attributes(self, value: Any, what: str) -> t.Tree:
        entries = self.mapping(value, what)
        if not entries:
            return t.Const(value=True, span=self.span(value))
        return both(
            self.many(entries.items(), lambda entry: self.attribute(entries, *entry)), self.span(value)
        )

    def attribute(self, entries: Mapping[str, Any], name: str, value: Any) -> t.Tree:
        wanted = self.text(value, f"the attribute {name!r}", empty=True)
        at = self.key_span(entries, name)
        key = self.key(self.text(name, "an attribute's name"), at)
        span = at.to(self.span(value)) if at.source is self.span(value).source else at
        return decided(t.Apply("eq" if wanted else "ne", (key, t.Const(wanted, self.span(value))), span))

    # --- the Subscriptions API

    def filters(self, value: Any, depth: int) -> t.Tree:
        return both(
            self.many(self.listed(value, "filters"), lambda part: self.filter(part, depth + 1)),
            self.span(value),
        )

    def filter(self, value: Any, depth: int) -> t.Tree:
        self.deep(value, depth)
        dialect, inner = self.only(value, "a CloudEvents filter", DIALECTS)
        match dialect:
            case "all":
                return self.filters(inner, depth)
            case "any":
                parts = self.many(self.listed(inner, "any"), lambda part: self.filter(part, depth + 1))
                return either(parts, self.span(value))
            case "not":
                return negated(self.filter(inner, depth + 1))
            case "cesql" | "sql":
                return decided(self.expression(inner))
            case _:
                return self.tests(dialect, inner)

    def tests(self, dialect: str, value: Any) -> t.Tree:
        entries = self.mapping(value, dialect)
        if not entries:
            raise self.bad(value, dialect, "it names no attribute")

        def test(entry: tuple[str, Any]) -> t.Tree:
            wanted = self.text(entry[1], f"the value of {entry[0]!r}")
            key = self.key(self.text(entry[0], "an attribute's name"), self.key_span(entries, entry[0]))
            return decided(t.Apply(_TESTS[dialect], (key, t.Const(wanted, self.span(entry[1]))), key.span))

        return both(self.many(entries.items(), test), self.span(value))

    def expression(self, value: Any) -> t.Tree:
        text = self.text(value, "cesql")
        source = getattr(value, "source", None) or Source(
            self.whole.source.name, text, self.whole.source, self._offsets(value, text)
        )
        try:
            return cesql.parse_text(text, source, self.on, self.fields)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            raise Stop from None

    def _offsets(self, value: Any, text: str) -> range:
        start = self.span(value).start
        return range(start, start + len(text))
