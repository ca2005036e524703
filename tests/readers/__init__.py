"""Readers of the languages that predicat translates to. They share no code with it.

Each says whether a text accepts a message of the target system, as the specification named in its module has
it. So a translation is judged by what its own system makes of it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tests.readers import (
    aip160,
    cesql,
    events,
    google_cel,
    iceberg,
    jsonlogic,
    labels,
    mongodb,
    policies,
    properties,
    pubsub,
    selectors,
    topics,
)

# The keys of a message: attributes, labels, headers or properties, and the fields beside them.
Message = Mapping[str, Any]

READERS: dict[str, Callable[[str, Message], bool]] = {
    "aip160": aip160.accepts,
    "attributes": events.attributes,
    "cel": google_cel.accepts,
    "cesql": cesql.accepts,
    "cloudevents": events.cloudevents,
    "eventbridge": policies.accepts,
    "headers": properties.headers,
    "iceberg": iceberg.accepts,
    "jms": selectors.jms,
    "jsonlogic": jsonlogic.accepts,
    "kafka": topics.kafka,
    "labels": labels.accepts,
    "mongodb": mongodb.accepts,
    "pip": properties.pip,
    "pubsub": pubsub.accepts,
    "pulsar": properties.pulsar,
    "rabbitmq": topics.rabbitmq,
    "servicebus": selectors.servicebus,
    "sns": policies.sns,
}
