"""Writes Kafka Connect predicates."""

from __future__ import annotations

import json
import re
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.language.common.key_tests import negated, operand_of_is_true, refuse, without_conversions
from predicat.semantics import regex

_TOPIC = {"eq": "{}", "starts_with": "{}(?s:.*)", "ends_with": "(?s:.*){}", "contains": "(?s:.*){}(?s:.*)"}


def kafka(node: Node) -> str:
    """A Kafka Connect predicate, as JSON. Raises Unsupported."""
    rest, negate = without_conversions(node), False
    while (inner := negated(rest)) is not None:
        rest, negate = inner, not negate
    result = _kafka(rest)
    if result is None:
        raise refuse("kafka", node, say.KAFKA_PREDICATES)
    negate = negate != bool(result.pop("negate", False))
    return json.dumps({**result, **({"negate": True} if negate else {})}, ensure_ascii=False)


def _kafka(node: Node) -> dict[str, Any] | None:
    if isinstance(node, Call) and node.op == "is_null":
        read = node.args[0]
        if isinstance(read, Field) and read.decl.name == "value":
            return {"type": "RecordIsTombstone"}
        if (
            isinstance(read, Call)
            and read.op == "get"
            and isinstance(read.args[0], Field)
            and read.args[0].decl.name == "headers"
        ):
            key = read.args[1]
            return (
                {"type": "HasHeaderKey", "name": key.value, "negate": True}
                if isinstance(key, Literal) and key.value
                else None
            )
    inner = operand_of_is_true(node)
    if (
        isinstance(inner, Call)
        and len(inner.args) == 2
        and isinstance(inner.args[0], Field)
        and inner.args[0].decl.name == "topic"
    ):
        value = inner.args[1]
        if isinstance(value, Literal) and isinstance(value.value, str):
            if inner.op == "matches":
                return {
                    "type": "TopicNameMatches",
                    "pattern": _whole(value.value) or f"(?s:.*)(?:{value.value})(?s:.*)",
                }
            if inner.op in _TOPIC and value.value:
                return {
                    "type": "TopicNameMatches",
                    "pattern": _TOPIC[inner.op].format(regex.escaped(value.value)),
                }
    return None


def _whole(pattern: str) -> str:
    """The pattern inside `^(?:...)$`; empty if the pattern does not have this form."""
    match = re.fullmatch(r"\^\(\?:(.+)\)\$", pattern, re.DOTALL)
    try:
        return match[1] if match and regex.parse(match[1]) else ""
    except regex.RegexError:  # the first bracket closes before the last: `^(?:a)|(?:b)$`
        return ""
