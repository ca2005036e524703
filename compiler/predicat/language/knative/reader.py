"""Knative trigger filters and the CloudEvents Subscriptions API.

`attributes` and the deprecated `sourceAndType` are equality tests on CloudEvents attributes, all of which
must pass. No tests accept every event, and so does an empty list of filters. An empty value tests only that
the attribute exists and is not empty, as in Knative's broker. `cloudevents` is a filter of the Subscriptions
API, or a list of them: exact, prefix, suffix, all, any, not and cesql (or `sql`). `knative` is a whole
Trigger, or its spec: `filters`, or else `filter`. A test of a missing attribute fails, and its `not` passes.
Sources: the Knative proposal "Trigger filtering"; CloudEvents Subscriptions 1.0, section 3.2.4.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.language.cesql import reader as cesql
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader, Stop
from predicat.language.common.trees import all_of, any_of, apply, decided, negated
from predicat.language.knative.spelling import OPERATORS

DIALECTS = (*OPERATORS, "all", "any", "not", "cesql", "sql")
# The keys of a Trigger's spec.
_SPEC = ("broker", "brokerRef", "filter", "filters", "subscriber", "delivery")


def attributes(body: Body) -> t.Tree:
    """The untyped tree of an `attributes` filter. Raises PredicatError."""
    reader = _EventFilterReader(body)
    return reader.tree(lambda: reader.attributes(body.value, "attributes"))


def source_and_type(body: Body) -> t.Tree:
    """The untyped tree of a `sourceAndType` filter. Raises PredicatError."""
    reader = _EventFilterReader(body)
    return reader.tree(lambda: reader.source_and_type(body.value))


def cloudevents(body: Body) -> t.Tree:
    """The untyped tree of a filter of the Subscriptions API. Raises PredicatError."""
    reader = _EventFilterReader(body)
    if body.value == []:
        return t.Constant(value=True, span=body.span)
    return reader.tree(
        lambda: (
            reader.filters(body.value, 0) if isinstance(body.value, list) else reader.filter(body.value, 0)
        )
    )


def trigger(body: Body) -> t.Tree:
    """The untyped tree of a Trigger: a manifest, or its spec. Raises PredicatError."""
    reader = _EventFilterReader(body)
    return reader.tree(lambda: reader.trigger(body.value))


class _EventFilterReader(DataReader):
    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.body = body

    def trigger(self, value: Any) -> t.Tree:
        """`filters` overrides `filter`; without both, every event is accepted."""
        entries = self.mapping(value, "a Trigger")
        if entries.get("kind", "Trigger") != "Trigger":
            raise self.bad(entries["kind"], "knative", say.kind_without_filter(entries["kind"]))
        whole = "kind" in entries or "spec" in entries
        spec = self.mapping(entries.get("spec") if whole else value, say.TRIGGER_SPEC, _SPEC)
        if spec.get("filters"):
            return self.filters(spec["filters"], 0)
        only = self.mapping(spec.get("filter") or {}, "filter", ("attributes", "sourceAndType"))
        if "sourceAndType" in only:
            return self.source_and_type(only["sourceAndType"])
        return self.attributes(only.get("attributes") or {}, "attributes")

    def source_and_type(self, value: Any) -> t.Tree:
        entries = self.mapping(value, "sourceAndType", ("source", "type"))
        given = {
            key: inner
            for key, inner in entries.items()
            if self.text(inner, key, empty=True, place=self.value_span(entries, key))
        }
        return self.attributes(given, "sourceAndType") if given else t.Constant(value=True, span=self.whole)

    def attributes(self, value: Any, what: str) -> t.Tree:
        entries = self.mapping(value, what)
        if not entries:
            return t.Constant(value=True, span=self.span(value))
        return all_of(
            self.many(entries.items(), lambda entry: self.attribute(entries, *entry)), self.span(value)
        )

    def attribute(self, entries: Mapping[str, Any], name: str, value: Any) -> t.Tree:
        wanted = self.text(value, say.attribute(name), empty=True, place=self.value_span(entries, name))
        at = self.key_span(entries, name)
        key = self.key(self.text(name, say.ATTRIBUTE_NAME), at)
        span = at.to(self.span(value)) if at.source is self.span(value).source else at
        return decided(apply("eq" if wanted else "ne", span, key, t.Constant(wanted, self.span(value))))

    # --- the Subscriptions API

    def filters(self, value: Any, depth: int) -> t.Tree:
        return all_of(
            self.many(self.listed(value, "filters"), lambda part: self.filter(part, depth + 1)),
            self.span(value),
        )

    def filter(self, value: Any, depth: int) -> t.Tree:
        self.deep(value, depth)
        dialect, inner = self.only(value, say.CLOUDEVENTS_FILTER, DIALECTS)
        match dialect:
            case "all":
                return self.filters(inner, depth)
            case "any":
                parts = self.many(self.listed(inner, "any"), lambda part: self.filter(part, depth + 1))
                return any_of(parts, self.span(value))
            case "not":
                return negated(self.filter(inner, depth + 1))
            case "cesql" | "sql":
                return decided(self.expression(inner, self.value_span(value, dialect)))
            case _:
                return self.tests(dialect, inner)

    def tests(self, dialect: str, value: Any) -> t.Tree:
        entries = self.mapping(value, dialect)
        if not entries:
            raise self.bad(value, dialect, say.no_attribute())

        def test(entry: tuple[str, Any]) -> t.Tree:
            wanted = self.text(entry[1], say.value_of(entry[0]), place=self.value_span(entries, entry[0]))
            key = self.key(self.text(entry[0], say.ATTRIBUTE_NAME), self.key_span(entries, entry[0]))
            return decided(apply(OPERATORS[dialect], key.span, key, t.Constant(wanted, self.span(entry[1]))))

        return all_of(self.many(entries.items(), test), self.span(value))

    def expression(self, value: Any, place: Span) -> t.Tree:
        text = self.text(value, "cesql", place=place)
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
