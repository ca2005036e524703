"""The predicate languages, by name. Each front end turns a body into an untyped tree; modules load on
first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import FieldDecl
from predicat.ir.tree import Tree
from predicat.passes.scope import CEL_RULES, JMS_RULES, SQL_RULES, Rules


class Body(Struct, frozen=True):
    """The body of a filter: data from YAML or Python, its place, and what names in it may refer to."""

    value: Any
    source: Source
    span: Span
    on: str | None = None
    fields: Mapping[str, FieldDecl] | None = None

    def text(self, what: str = "the body") -> str:
        """The body of a language of texts. Raises PredicatError if it is none."""
        if not isinstance(self.value, str):
            raise PredicatError.of(msg.wrong_kind(self.span, what, "a text", repr(self.value)))
        return str(self.value)


class Language(Struct, frozen=True):
    """A predicate language.

    `shape`: its bodies are texts (with Jinja), data (mappings and lists), or either. `on`: the field of a
    dataset that its
    keys are read from, unless a filter says otherwise. `source`: the specification that it follows.
    `placeholders`: it has no
    parameters of its own, and `${name}` in one of its texts is one. `fields`: those of a filter for which
    none are declared; by default the field `on`, whose keys hold texts.
    """

    name: str
    doc: str
    rules: Rules
    read: Callable[[Body], Tree]
    shape: str = "text"
    on: str | None = None
    source: str = ""
    placeholders: bool = True
    fields: Mapping[str, str] | None = None


def _sql(body: Body) -> Tree:
    from predicat.language.sql import reader as sql  # noqa: PLC0415  # sqlglot takes a tenth of a second to load

    return sql.parse(body.text(), body.source, body.fields or ())


def _cel(body: Body) -> Tree:
    from predicat.language import cel  # noqa: PLC0415  # a C++ library

    return cel.parse(body.text(), body.source)


def _module(name: str, function: str = "parse") -> Callable[[Body], Tree]:
    """The function of a front end's module, which is loaded when the first body is read."""

    def read(body: Body) -> Tree:
        return _loaded(name, function)(body)

    return read


@cache
def _loaded(name: str, function: str) -> Callable[[Body], Tree]:
    found: Callable[[Body], Tree] = getattr(import_module(f"predicat.language.{name}"), function)
    return found


def _compose(key: str) -> Callable[[Body], Tree]:
    def read(body: Body) -> Tree:
        from predicat.language import compose  # noqa: PLC0415  # loaded where it is used, as the others are

        return compose.parse(key, body.value, body.span)

    return read


LANGUAGES = {
    row.name: row
    for row in (
        Language("sql", "a SQL condition", SQL_RULES, _sql, source="ISO/IEC 9075-2", placeholders=False),
        Language(
            "cel",
            "a CEL expression",
            CEL_RULES,
            _cel,
            source="Common Expression Language specification",
            placeholders=False,
        ),
        Language(
            "pip",
            "predicates of the Pulsar message filter proposal",
            CEL_RULES,
            _module("pulsar.pip"),
            "data",
            "properties",
            'Pulsar proposal "Message filtering expression"',
        ),
        Language(
            "pulsar",
            "a Pulsar filter expression (protobuf Expr)",
            CEL_RULES,
            _module("pulsar.reader"),
            "either",
            "properties",
            'Pulsar proposal "Message filtering expression", wire protocol',
        ),
        Language(
            "attributes",
            "a Knative filter on CloudEvents attributes",
            CEL_RULES,
            _module("knative.reader", "attributes"),
            "data",
            "ce",
            'Knative proposal "Trigger filtering"',
        ),
        Language(
            "sourceAndType",
            "a Knative filter on source and type (deprecated)",
            CEL_RULES,
            _module("knative.reader", "source_and_type"),
            "data",
            "ce",
            'Knative proposal "Trigger filtering"',
        ),
        Language(
            "knative",
            "a whole Knative Trigger",
            CEL_RULES,
            _module("knative.reader", "trigger"),
            "data",
            "ce",
            'Knative Eventing, API of Triggers; proposal "Trigger filtering"',
        ),
        Language(
            "cloudevents",
            "a filter of the CloudEvents Subscriptions API",
            CEL_RULES,
            _module("knative.reader", "cloudevents"),
            "data",
            "ce",
            "CloudEvents Subscriptions 1.0",
        ),
        Language(
            "cesql",
            "a CloudEvents SQL expression",
            CEL_RULES,
            _module("cesql.reader"),
            "text",
            "ce",
            "CloudEvents SQL Expression Language 1.0",
        ),
        Language(
            "headers",
            "a PeeGeeQ server-side filter",
            CEL_RULES,
            _module("headers.reader"),
            "data",
            "headers",
            'PeeGeeQ "Server-Side Filtering Technical Plan"',
        ),
        Language(
            "sns",
            "an Amazon SNS filter policy",
            CEL_RULES,
            _module("sns.reader"),
            "either",
            "attributes",
            "Amazon SNS Developer Guide, filter policies",
            fields={},  # attributes are arrays, numbers and truth values as well
        ),
        Language(
            "eventbridge",
            "an Amazon EventBridge event pattern",
            CEL_RULES,
            _module("eventbridge.reader"),
            "either",
            None,
            "Amazon EventBridge User Guide, event patterns; Event Ruler",
        ),
        Language(
            "pubsub",
            "a Google Pub/Sub subscription filter",
            CEL_RULES,
            _module("pubsub.reader"),
            "text",
            "attributes",
            "Google Cloud Pub/Sub, filter messages",
        ),
        Language(
            "rabbitmq",
            "a RabbitMQ topic binding key",
            CEL_RULES,
            _module("rabbitmq.reader"),
            source="AMQP 0-9-1; RabbitMQ, topic exchange",
            fields={"routing_key": "string"},
        ),
        Language(
            "labels",
            "a Kubernetes label selector",
            CEL_RULES,
            _module("labels.reader"),
            "either",
            "labels",
            "Kubernetes, labels and selectors",
        ),
        Language(
            "jms",
            "a JMS message selector",
            JMS_RULES,
            _module("jms.reader"),
            source="Jakarta Messaging 3.1, section 3.8.1",
        ),
        Language(
            "servicebus",
            "a SQL filter or a correlation filter of Azure Service Bus",
            JMS_RULES,
            _module("servicebus.reader"),
            "either",
            "properties",
            "Azure Service Bus, subscription rule SQL filter syntax",
            fields={},  # properties are numbers and truth values as well
        ),
        Language(
            "kafka",
            "a Kafka Connect predicate",
            CEL_RULES,
            _module("kafka.reader"),
            "data",
            source="Apache Kafka, Connect predicates",
            fields={"topic": "string", "headers": "map<string, string>", "value": "string"},
        ),
        Language("all", "every one of the named filters", SQL_RULES, _compose("all"), "data"),
        Language("any", "at least one of the named filters", SQL_RULES, _compose("any"), "data"),
        Language("not", "the negation of the named filter", SQL_RULES, _compose("not"), "data"),
    )
}
"""Every language by its name."""


def default_fields(language: str) -> dict[str, str]:
    """The fields of a filter for which none are declared; none where its language leaves them open."""
    row = LANGUAGES.get(language)
    if row is not None and row.fields is not None:
        return dict(row.fields)
    if row is None or row.on is None:
        return {}
    times = {"event_time": "bigint", "publish_time": "bigint"} if row.on == "properties" else {}
    return {row.on: "map<string, string>", **times}
