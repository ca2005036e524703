"""Kafka Connect predicates: HasHeaderKey, TopicNameMatches, RecordIsTombstone, and `negate`.

A body is a mapping with `type` (the class, with or without its package), the configuration of the predicate, and
`negate`. They read the fields `headers` (a map), `topic` and `value`. TopicNameMatches takes an RE2 pattern for the whole
name. Source: Apache Kafka documentation, Connect, "Predicates".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from predicat.diagnostics import messages as msg
from predicat.frontends.data import DataReader, decided, negated, present
from predicat.ir import tree as t
from predicat.semantics import regex

if TYPE_CHECKING:
    from predicat.frontends import Body

PACKAGE = "org.apache.kafka.connect.transforms.predicates."
TYPES = ("HasHeaderKey", "TopicNameMatches", "RecordIsTombstone")
KEYS = ("type", "name", "pattern", "negate")


def parse(body: Body) -> t.Tree:
    """The untyped tree of a Kafka Connect predicate. Raises PredicatError."""
    reader = _Reader(body)
    return reader.tree(lambda: reader.predicate(body.value))


class _Reader(DataReader):
    def predicate(self, value: Any) -> t.Tree:
        entries = self.mapping(value, "a Kafka Connect predicate", KEYS)
        name = str(entries.get("type", "")).removeprefix(PACKAGE)
        if name not in TYPES:
            raise self.bad(
                entries.get("type"), "type", f"{name!r} is no predicate", f"predicates: {', '.join(TYPES)}"
            )
        wanted = {"HasHeaderKey": "name", "TopicNameMatches": "pattern"}.get(name)
        for key in ("name", "pattern"):
            if (key in entries) != (key == wanted):
                raise self.bad(
                    value, name, f"it {'needs' if key == wanted else 'does not take'} the key {key!r}"
                )
        found = self.test(name, entries)
        negate = entries.get("negate", False)
        if str(negate).lower() not in ("true", "false"):
            raise self.bad(negate, "negate", "it is true or false")
        return negated(found) if str(negate).lower() == "true" else found

    def test(self, name: str, entries: Any) -> t.Tree:
        span = self.span(entries)
        if name == "RecordIsTombstone":
            return t.Apply("is_null", (t.Name("value", span),), span)
        if name == "HasHeaderKey":
            key = self.text(entries["name"], "name")
            return present(t.Member(t.Name("headers", span), key, self.span(entries["name"])))
        pattern = self.text(entries["pattern"], "pattern")
        try:
            regex.parse(pattern)  # by itself: between the brackets below `a)|(b` would close them
        except regex.RegexError as error:
            raise self.fail(msg.bad_regex(self.span(entries["pattern"]), str(error), error.hint)) from None
        whole = t.Const(f"^(?:{pattern})$", self.span(entries["pattern"]))
        return decided(t.Apply("matches", (t.Name("topic", span), whole), span))
