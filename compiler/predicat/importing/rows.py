"""The rows that imported filters are about, and their fields. Those that no filter reads are not written."""

from predicat.importing.model import Rows
from predicat.language.servicebus.spelling import SYSTEM

_TEXTS = "map<string, string>"

EVENTS = Rows("cloud_events", "One row per CloudEvent; ce has its attributes.", {"ce": _TEXTS})
NOTIFICATIONS = Rows(
    "notifications", "One row per message of an SNS topic.", {"attributes": _TEXTS, "body": "json"}
)
BUS_EVENTS = Rows(
    "bus_events",
    "One row per event of EventBridge, or of a source that is filtered in the same way.",
    {"event": "json"},
)
# Lambda decodes these parts of a record before it looks at them: a JSON text, in base64 but for a queue's.
_JSON = {"spark": "try_parse_json({0})", "duckdb": "TRY_CAST({0} AS JSON)"}
_OF_BASE64 = {
    "spark": "try_parse_json(CAST(try_to_binary({0}, 'base64') AS STRING))",
    "duckdb": "TRY_CAST(TRY(decode(from_base64({0}))) AS JSON)",
}
SOURCE_RECORDS = Rows(
    "source_records",
    "One row per record of a queue, a stream or a topic that starts a function; its content is JSON.",
    dict.fromkeys(("body", "data", "value"), "json"),
    {
        name: {engine: sql.format(name) for engine, sql in decoding.items()}
        for name, decoding in (("body", _JSON), ("data", _OF_BASE64), ("value", _OF_BASE64))
    },
)
RECORDS = Rows(
    "records", "One row per record of Kafka.", {"topic": "string", "headers": _TEXTS, "value": "string"}
)
MESSAGES = Rows("messages", "One row per message of RabbitMQ.", {"routing_key": "string", "headers": _TEXTS})
PUBSUB = Rows("pubsub_messages", "One row per message of Google Pub/Sub.", {"attributes": _TEXTS})
PODS = Rows("pods", "One row per pod.", {"labels": _TEXTS})
SERVICES = Rows("services", "One row per Kubernetes Service.", {"labels": _TEXTS})
OBJECTS = Rows(
    "kubernetes_objects",
    "One row per object of Kubernetes, or per change of one.",
    {"object": "json", "oldObject": "json"},
)
ADMISSION = Rows(
    "admission_requests",
    "One row per request to change an object of Kubernetes.",
    {"object": "json", "oldObject": "json", "request": "json", "params": "json", "namespaceObject": "json"},
)
WEBHOOKS = Rows(
    "webhooks",
    "One row per event that a Tekton EventListener receives.",
    {"body": "json", "header": _TEXTS, "requestURL": "string"},
)
SERVICE_BUS = Rows(
    "service_bus_messages",
    "One row per message of Azure Service Bus; properties has those of the user.",
    {
        "properties": "json",
        **dict.fromkeys(sorted(set(SYSTEM.values())), "string"),
        "delivery_count": "bigint",
        "size": "bigint",
        "sequence_number": "bigint",
        "enqueued_sequence_number": "bigint",
        **dict.fromkeys(
            ("enqueued_time_utc", "expires_at_utc", "locked_until_utc", "scheduled_enqueue_time_utc"),
            "timestamp",
        ),
    },
)
CONTEXTS = Rows(
    "contexts",
    "One row per evaluation of a feature flag; context has the evaluation context.",
    {"context": "json"},
)
