"""Filters of the CloudEvents Subscriptions API 1.0 (3.2.4: exact, prefix, suffix, all, any, not) and of
Knative: `attributes` (Trigger filtering: each attribute equals; an empty value is any that is not empty).
"""

import json
from collections.abc import Mapping
from typing import Any

from tests.readers import cesql


def attributes(text: str, message: Mapping[str, str]) -> bool:
    return all(
        message.get(key) == value if value else bool(message.get(key))
        for key, value in json.loads(text).items()
    )


def cloudevents(text: str, message: Mapping[str, str]) -> bool:
    return _passes(json.loads(text), message)


def _passes(filter_: Any, message: Mapping[str, str]) -> bool:
    if isinstance(filter_, list):
        return all(_passes(one, message) for one in filter_)
    ((dialect, body),) = filter_.items()
    match dialect:
        case "all":
            return all(_passes(one, message) for one in body)
        case "any":
            return any(_passes(one, message) for one in body)
        case "not":
            return not _passes(body, message)
        case "sql" | "cesql":
            return cesql.accepts(body, message)
    return all(key in message and _TESTS[dialect](message[key], value) for key, value in body.items())


_TESTS = {"exact": str.__eq__, "prefix": str.startswith, "suffix": str.endswith}
