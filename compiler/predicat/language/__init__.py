"""The predicate languages by name, with their readers and writers.

A reader turns a body into an untyped tree, a writer typed nodes into a body. Their modules load on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from predicat.check.scope import (
    CEL_RULES,
    CEL_TEXT_RULES,
    CESQL_RULES,
    DUCKDB_RULES,
    JMS_RULES,
    POSTGRES_RULES,
    PUBSUB_RULES,
    SPARK_RULES,
    SPARK_WITHOUT_ANSI_RULES,
    SQL_RULES,
    Rules,
)
from predicat.diagnostics import Diagnostic, PredicatError, Source, Span, Unsupported
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Node
from predicat.ir.syntax import Tree
from predicat.language.common.body import Body
from predicat.rewrite.acceptance import for_acceptance, two_valued


class Language(Struct, frozen=True):
    """A predicate language.

    Attributes:
        name: Its key in a catalog.
        doc: A short description of its bodies.
        rules: The meaning of operators that differ between languages.
        reader: The function that reads it, as `module:function` below this package. It loads on first use.
        shape: Whether its bodies are strings (with Jinja), data (mappings and lists), or either.
        on: The field of a dataset that its keys are read from, unless a filter sets another one.
        source: The specification that it follows.
        placeholders: It has no parameters of its own; `${name}` in a string is a parameter.
        fields: The fields of a filter that declares none; by default the field `on`, a map with string
            values.
        writer: The function that writes it, like `reader`; empty if the language is only read.
        formats: Other output formats, such as `pulsar:text`.
        paths: Its names have parts (`a.b`), so that a key of a map is not confused with a field.
        is_cel: It is CEL itself. For other languages CEL's math extension and equality with null are lowered.
        two_valued: It does not distinguish FALSE from UNKNOWN.
        max_bytes: The maximum length of a body, in bytes of UTF-8.
        counted: It limits keys, their combinations or numbers. Its reader checks the limits, also for written
            bodies.
        lenient: The language with the meaning of its engine without ANSI mode, if the engine has that mode.
    """

    name: str
    doc: str
    rules: Rules
    reader: str
    shape: str = "text"
    on: str | None = None
    source: str = ""
    placeholders: bool = True
    fields: Mapping[str, str] | None = None
    writer: str = ""
    formats: Mapping[str, str] = {}
    paths: bool = False
    is_cel: bool = False
    two_valued: bool = False
    max_bytes: int | None = None
    counted: bool = False
    lenient: Language | None = None

    def meant(self, *, ansi: bool) -> Language:
        """The language with the meaning of its engine in ANSI mode, or without it."""
        return self if ansi or self.lenient is None else self.lenient

    def read(self, body: Body) -> Tree:
        """The untyped tree of a body. Raises PredicatError with every problem."""
        if isinstance(body.value, str) and (problem := self.too_long(body.value, body.span)) is not None:
            raise PredicatError.of(problem)
        tree: Tree = _loaded(self.reader)(body)
        return tree

    def too_long(self, text: str, span: Span) -> Diagnostic | None:
        """The problem of a body with more bytes than the language allows."""
        size = 0 if self.max_bytes is None else len(text.strip().encode("utf-8", "replace"))
        if self.max_bytes is None or size <= self.max_bytes:
            return None
        return msg.too_large(span, size, self.max_bytes, "bytes")


@cache
def _loaded(path: str) -> Callable[..., Any]:
    """The function at `module:function`."""
    module, _, function = path.partition(":")
    result: Callable[..., Any] = getattr(import_module(f"predicat.language.{module}"), function)
    return result


# Every language by its name.
LANGUAGES = {
    row.name: row
    for row in (
        Language(
            "sql",
            "a SQL condition",
            SQL_RULES,
            "sql.reader:read",
            source="ISO/IEC 9075-2",
            placeholders=False,
        ),
        Language(
            "spark",
            "a condition of Spark SQL",
            SPARK_RULES,
            "spark.reader:read",
            source="Spark SQL reference, ANSI mode",
            placeholders=False,
            lenient=Language(
                "spark",
                "a condition of Spark SQL without ANSI mode",
                SPARK_WITHOUT_ANSI_RULES,
                "spark.reader:read_without_ansi",
                source="Spark SQL reference",
                placeholders=False,
            ),
        ),
        Language(
            "postgres",
            "a condition of PostgreSQL",
            POSTGRES_RULES,
            "postgres.reader:read",
            source="PostgreSQL documentation, value expressions, functions and operators",
            placeholders=False,
        ),
        Language(
            "duckdb",
            "a condition of DuckDB",
            DUCKDB_RULES,
            "duckdb.reader:read",
            source="DuckDB documentation, functions and data types",
            placeholders=False,
        ),
        Language(
            "cel",
            "a CEL expression",
            CEL_TEXT_RULES,
            "cel.reader:read",
            source="Common Expression Language specification",
            placeholders=False,
            writer="cel.writer:write",
            paths=True,
            is_cel=True,
        ),
        Language(
            "pip",
            "predicates of the Pulsar message filter proposal",
            CEL_RULES,
            "pulsar.pip:parse",
            "data",
            "properties",
            'Pulsar proposal "Message filtering expression"',
            writer="pulsar.writer:write_pip",
        ),
        Language(
            "pulsar",
            "a Pulsar filter expression (protobuf Expr)",
            CEL_RULES,
            "pulsar.reader:parse",
            "either",
            "properties",
            'Pulsar proposal "Message filtering expression", wire protocol',
            writer="pulsar.writer:write",
            formats={"text": "pulsar.writer:write_text", "binary": "pulsar.writer:write_binary"},
        ),
        Language(
            "attributes",
            "a Knative filter on CloudEvents attributes",
            CEL_RULES,
            "knative.reader:attributes",
            "data",
            "ce",
            'Knative proposal "Trigger filtering"',
            writer="knative.writer:attributes",
            two_valued=True,
        ),
        Language(
            "sourceAndType",
            "a Knative filter on source and type (deprecated)",
            CEL_RULES,
            "knative.reader:source_and_type",
            "data",
            "ce",
            'Knative proposal "Trigger filtering"',
        ),
        Language(
            "knative",
            "a whole Knative Trigger",
            CESQL_RULES,
            "knative.reader:trigger",
            "data",
            "ce",
            'Knative Eventing, API of Triggers; proposal "Trigger filtering"',
        ),
        Language(
            "cloudevents",
            "a filter of the CloudEvents Subscriptions API",
            CESQL_RULES,
            "knative.reader:cloudevents",
            "data",
            "ce",
            "CloudEvents Subscriptions 1.0",
            writer="knative.writer:cloudevents",
            two_valued=True,
        ),
        Language(
            "cesql",
            "a CloudEvents SQL expression",
            CESQL_RULES,
            "cesql.reader:parse",
            "text",
            "ce",
            "CloudEvents SQL Expression Language 1.0",
            writer="cesql.writer:write",
        ),
        Language(
            "headers",
            "a PeeGeeQ server-side filter",
            CEL_RULES,
            "headers.reader:parse",
            "data",
            "headers",
            'PeeGeeQ "Server-Side Filtering Technical Plan"',
            writer="headers.writer:headers",
            two_valued=True,
        ),
        Language(
            "sns",
            "an Amazon SNS filter policy",
            CEL_RULES,
            "sns.reader:parse",
            "either",
            "attributes",
            "Amazon SNS Developer Guide, filter policies",
            fields={},  # attributes are arrays, numbers and truth values as well
            writer="common.policy_writer:sns",
            two_valued=True,
            counted=True,
        ),
        Language(
            "eventbridge",
            "an Amazon EventBridge event pattern",
            CEL_RULES,
            "eventbridge.reader:parse",
            "either",
            None,
            "Amazon EventBridge User Guide, event patterns; Event Ruler",
            writer="common.policy_writer:eventbridge",
            two_valued=True,
            counted=True,
        ),
        Language(
            "pubsub",
            "a Google Pub/Sub subscription filter",
            PUBSUB_RULES,
            "pubsub.reader:parse",
            "text",
            "attributes",
            "Google Cloud Pub/Sub, filter messages",
            writer="pubsub.writer:pubsub",
            two_valued=True,
            max_bytes=256,
        ),
        Language(
            "rabbitmq",
            "a RabbitMQ topic binding key",
            CEL_RULES,
            "rabbitmq.reader:parse",
            source="AMQP 0-9-1; RabbitMQ, topic exchange",
            fields={"routing_key": "string"},
            writer="rabbitmq.writer:rabbitmq",
        ),
        Language(
            "labels",
            "a Kubernetes label selector",
            CEL_RULES,
            "labels.reader:parse",
            "either",
            "labels",
            "Kubernetes, labels and selectors",
            writer="labels.writer:labels",
            two_valued=True,
        ),
        Language(
            "jms",
            "a JMS message selector",
            JMS_RULES,
            "jms.reader:parse",
            source="Jakarta Messaging 3.1, section 3.8.1",
            writer="jms.writer:write",
        ),
        Language(
            "servicebus",
            "a SQL filter or a correlation filter of Azure Service Bus",
            JMS_RULES,
            "servicebus.reader:parse",
            "either",
            "properties",
            "Azure Service Bus, subscription rule SQL filter syntax",
            fields={},  # properties are numbers and truth values as well
            writer="servicebus.writer:write",
        ),
        Language(
            "kafka",
            "a Kafka Connect predicate",
            CEL_RULES,
            "kafka.reader:parse",
            "data",
            source="Apache Kafka, Connect predicates",
            fields={"topic": "string", "headers": "map<string, string>", "value": "string"},
            writer="kafka.writer:kafka",
            two_valued=True,
        ),
        Language(
            "iceberg",
            "an expression of Apache Iceberg",
            SQL_RULES,
            "iceberg.reader:parse",
            "either",
            source="Apache Iceberg, REST catalog specification, expressions",
            writer="iceberg.writer:write",
        ),
        Language(
            "jsonlogic",
            "a JsonLogic rule",
            JMS_RULES,
            "jsonlogic.reader:parse",
            "either",
            source="jsonlogic.com; json-logic-js 2.0.5; flagd, custom operations",
            placeholders=False,
            writer="jsonlogic.writer:write",
            paths=True,
            two_valued=True,
        ),
        Language(
            "mongodb",
            "a query document of MongoDB",
            JMS_RULES,
            "mongodb.reader:parse",
            "either",
            source="MongoDB manual, query and projection operators",
            writer="mongodb.writer:write",
            placeholders=False,
            paths=True,
            two_valued=True,
        ),
        Language(
            "aip160",
            "a filter of Google APIs",
            JMS_RULES,
            "aip160.reader:parse",
            source="AIP-160, Filtering",
            writer="aip160.writer:write",
            placeholders=False,
            paths=True,
            two_valued=True,
        ),
        Language("all", "every one of the named filters", SQL_RULES, "compose:all_of", "data"),
        Language("any", "at least one of the named filters", SQL_RULES, "compose:any_of", "data"),
        Language("not", "the negation of the named filter", SQL_RULES, "compose:not_of", "data"),
        Language(
            "python",
            "an entry filter: a Python class, after a native filter",
            SQL_RULES,
            "python:parse",
            "data",
            source="Pulsar PIP-105, pluggable entry filter in dispatcher",
        ),
    )
}


def default_fields(language: str) -> dict[str, str]:
    """The fields of a filter that declares none; empty if its language does not define them."""
    language_ = LANGUAGES.get(language)
    if language_ is not None and language_.fields is not None:
        return dict(language_.fields)
    if language_ is None or language_.on is None:
        return {}
    times = {"event_time": "bigint", "publish_time": "bigint"} if language_.on == "properties" else {}
    return {language_.on: "map<string, string>", **times}


# The languages that a predicate can be written in, and the function of each. Pulsar has three formats.
WRITERS = {
    name: path
    for row in LANGUAGES.values()
    if row.writer
    for name, path in (
        (row.name, row.writer),
        *((f"{row.name}:{form}", path) for form, path in row.formats.items()),
    )
}


def writer(name: str) -> Callable[[Node], str]:
    """The function that writes a typed node in a language; it raises Unsupported if there is no writer.

    The result is TRUE for the same rows. FALSE may become UNKNOWN, or UNKNOWN FALSE: both reject a row.
    """
    if name not in WRITERS:

        def refuse(node: Node) -> str:
            raise Unsupported.of(say.read_only(node.span, name, ", ".join(WRITERS)))

        return refuse
    from predicat.language.common.key_tests import refuse_shared_keys, with_missing_keys  # noqa: PLC0415  # only where something is written
    from predicat.lower import for_writers  # noqa: PLC0415  # only where something is written

    language, write = LANGUAGES[name.partition(":")[0]], _loaded(WRITERS[name])
    prepare = two_valued if language.two_valued else for_acceptance

    def written(node: Node) -> str:
        if not language.paths:
            refuse_shared_keys(name, node)
        surface = for_writers(node, cel=language.is_cel, nan=not language.two_valued)
        try:
            text: str = write(prepare(surface))
        except Unsupported as error:
            try:
                text = write(prepare(with_missing_keys(surface)))
            except Unsupported:
                raise error from None
        problem = _beyond_limits(language, text)
        if problem is not None:
            raise Unsupported.of(msg.unsupported(node.span, name, "this condition", problem.message))
        return text

    return written


def _beyond_limits(language: Language, text: str) -> Diagnostic | None:
    """The limit of the language that a written body exceeds, if any."""
    source = Source(language.name, text)
    whole = Span(source, 0, len(text))
    if not language.counted:
        return language.too_long(text, whole)
    try:
        language.read(Body(text, source, whole))
    except PredicatError as error:
        return error.diagnostics[0]
    return None
