"""Binding keys of RabbitMQ's topic exchange (tutorial 5: `*` is one word, `#` zero or more) and predicates of
Kafka Connect (package org.apache.kafka.connect.transforms.predicates).
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any


def rabbitmq(text: str, message: Mapping[str, Any]) -> bool:
    key = message.get("routing_key")
    return key is not None and _matches(_words(text), _words(key))


def _words(key: str) -> list[str]:
    return key.split(".") if key else []


def _matches(pattern: Sequence[str], words: Sequence[str]) -> bool:
    if not pattern:
        return not words
    first, rest = pattern[0], pattern[1:]
    if first == "#":
        return any(_matches(rest, words[count:]) for count in range(len(words) + 1))
    return bool(words) and first in ("*", words[0]) and _matches(rest, words[1:])


def kafka(text: str, message: Mapping[str, Any]) -> bool:
    predicate = json.loads(text)
    match predicate["type"].rpartition(".")[2]:
        case "HasHeaderKey":
            found = (message.get("headers") or {}).get(predicate["name"]) is not None
        case "RecordIsTombstone":
            found = message.get("value") is None
        case "TopicNameMatches":
            found = re.fullmatch(predicate["pattern"], message.get("topic") or "") is not None
        case other:
            raise AssertionError(other)
    return found is not bool(predicate.get("negate"))
