"""Kafka Connect predicates: HasHeaderKey, TopicNameMatches, RecordIsTombstone, and `negate`.

A body is a mapping with `type` (the class, with or without its package), the configuration of the predicate,
and `negate`; or the configuration of a connector with one transformation that has a predicate. Then it
accepts the records to which the transformation is applied or, for Filter, the records that are kept.
Predicates read the fields `headers` (a map), `topic` and `value`. TopicNameMatches has an RE2 pattern for the
whole name. Source: Apache Kafka documentation, Connect, "Predicates".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader
from predicat.language.common.trees import apply, decided, negated, present
from predicat.semantics import regex

PACKAGE = "org.apache.kafka.connect.transforms.predicates."
TYPES = ("HasHeaderKey", "TopicNameMatches", "RecordIsTombstone")
SETTINGS = ("type", "name", "pattern")
KEYS = (*SETTINGS, "negate")
FILTER = "org.apache.kafka.connect.transforms.Filter"
_CONNECTOR = ("connector.class", "transforms.", "predicates.")


def parse(body: Body) -> t.Tree:
    """The untyped tree of a Kafka Connect predicate. Raises PredicatError."""
    reader = _PredicateReader(body)
    return reader.tree(lambda: reader.top(body.value))


class Applied(Struct, frozen=True):
    """A transformation with a predicate. `negate`: a filter is the negation of the predicate."""

    transform: str
    predicate: str
    negate: bool
    drops: bool


def configuration(data: Any) -> Any:
    """The configuration of a connector: flat, under `config` (REST) or under `spec.config` (Strimzi); None
    if there is none.
    """
    result = data if isinstance(data, Mapping) else {}
    inner = result.get("spec")
    for config in (result, result.get("config"), inner.get("config") if isinstance(inner, Mapping) else None):
        if isinstance(config, Mapping) and any(str(key).startswith(_CONNECTOR) for key in config):
            return config
    return None


def words(value: Any) -> list[str]:
    """The names in a comma-separated list."""
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else []


def applied(config: Mapping[str, Any]) -> list[Applied]:
    """The transformations that have predicates."""
    transforms: list[Applied] = []
    for transform in words(config.get("transforms")):
        predicate = config.get(f"transforms.{transform}.predicate")
        if isinstance(predicate, str) and predicate:
            drops = config.get(f"transforms.{transform}.type") == FILTER
            negate = str(config.get(f"transforms.{transform}.negate", False)).lower() == "true"
            transforms.append(Applied(transform, predicate, negate != drops, drops))
    return transforms


def settings(config: Mapping[str, Any], predicate: str) -> dict[str, Any]:
    """The settings of a predicate, and its unknown keys."""
    prefix = f"predicates.{predicate}."
    return {key.removeprefix(prefix): value for key, value in config.items() if str(key).startswith(prefix)}


class _PredicateReader(DataReader):
    def top(self, value: Any) -> t.Tree:
        config = configuration(value)
        if config is None:
            return self.predicate(value)
        rows = applied(config)
        if len(rows) != 1:
            raise self.bad(value, "the configuration", say.not_one_predicate(len(rows)))
        values = settings(config, rows[0].predicate)
        return self.predicate(
            {**{key: values[key] for key in SETTINGS if key in values}, "negate": rows[0].negate}
        )

    def predicate(self, value: Any) -> t.Tree:
        entries = self.mapping(value, say.KAFKA_PREDICATE, KEYS)
        name = str(entries.get("type", "")).removeprefix(PACKAGE)
        if name not in TYPES:
            raise self.bad(entries.get("type"), "type", say.no_predicate(name, ", ".join(TYPES)))
        wanted = {"HasHeaderKey": "name", "TopicNameMatches": "pattern"}.get(name)
        for key in ("name", "pattern"):
            if (key in entries) != (key == wanted):
                raise self.bad(value, name, say.needs_key(key) if key == wanted else say.takes_no_key(key))
        tree = self.test(name, entries)
        negate = entries.get("negate", False)
        if str(negate).lower() not in ("true", "false"):
            raise self.bad(negate, "negate", say.true_or_false())
        return negated(tree) if str(negate).lower() == "true" else tree

    def test(self, name: str, entries: Any) -> t.Tree:
        span = self.span(entries)
        if name == "RecordIsTombstone":
            return apply("is_null", span, t.Name("value", span))
        if name == "HasHeaderKey":
            key = self.text(entries["name"], "name", place=self.value_span(entries, "name"))
            return present(t.Member(t.Name("headers", span), key, self.span(entries["name"])))
        pattern = self.text(entries["pattern"], "pattern", place=self.value_span(entries, "pattern"))
        try:
            regex.parse(pattern)  # alone, without the group below, which `a)|(b` would close
        except regex.RegexError as error:
            raise self.fail(msg.bad_regex(self.span(entries["pattern"]), str(error), error.hint)) from None
        whole = t.Constant(f"^(?:{pattern})$", self.span(entries["pattern"]))
        return decided(apply("matches", span, t.Name("topic", span), whole))
