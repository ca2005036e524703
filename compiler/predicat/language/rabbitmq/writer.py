"""Writes the languages that choose by the name of a topic: RabbitMQ binding keys and Kafka Connect
predicates.
"""

from __future__ import annotations

import json
import re
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.types import STRING
from predicat.language.common.key_tests import decided, negated, plain, refuse
from predicat.language.rabbitmq.reader import FIELD, MAX_BYTES, PIECES
from predicat.semantics import regex

_WORD = re.compile(r"\\\.(?:\\[^A-Za-z0-9.]|[^\\.\[\](){}*+?^$|])*")
_WILD = {pattern: word for word, pattern in PIECES.items()}


def rabbitmq(node: Node) -> str:
    """A binding key. Raises Unsupported."""
    found = _binding(decided(node) or node)
    if found is None or len(found.encode()) > MAX_BYTES:
        raise refuse("rabbitmq", node, say.one_binding_key(FIELD, MAX_BYTES))
    return found


def _is_key(node: Node) -> bool:
    return isinstance(node, Field) and node.decl.name == FIELD


def _constant(node: Node, op: str) -> str | None:
    """The text that the routing key is compared with by an operator; one with wildcards in it cannot be
    written.
    """
    if (
        isinstance(node, Call)
        and node.op == op
        and _is_key(node.args[0])
        and isinstance(node.args[1], Literal)
    ):
        value = node.args[1].value
        return value if isinstance(value, str) and "*" not in value and "#" not in value else None
    return None


def _binding(node: Node) -> str | None:
    inner = negated(node)
    if inner is not None:
        return "#" if isinstance(inner, Call) and inner.op == "is_null" and _is_key(inner.args[0]) else None
    whole, start, end = (_constant(node, op) for op in ("eq", "starts_with", "ends_with"))
    if whole is not None:
        return whole
    if start is not None and start.endswith("."):
        return f"{start}*.#"
    if end is not None and end.startswith("."):
        return f"#.*{end}"
    if isinstance(node, Call) and node.op == "or" and len(node.args) == 2:
        whole, start = _constant(node.args[0], "eq"), _constant(node.args[1], "starts_with")
        return f"{whole}.#" if whole is not None and start == f"{whole}." else None
    return _words(node)


def _words(node: Node) -> str | None:
    """The binding key of the pattern that one becomes."""
    if not (
        isinstance(node, Call)
        and node.op == "cond"
        and isinstance(node.args[2], Call)
        and node.args[2].op == "matches"
    ):
        return None
    test, nothing, found = node.args[0], node.args[1], node.args[2]
    dotted, pattern = found.args
    reads = (
        isinstance(dotted, Call)
        and dotted.op == "concat"
        and dotted.args[0] == Literal(STRING, ".")
        and _is_key(dotted.args[1])
    )
    if (
        not reads
        or _constant(test, "eq") != ""
        or not isinstance(pattern, Literal)
        or not isinstance(nothing, Literal)
    ):
        return None
    rest, words = str(pattern.value)[1:-1], list[str]()
    while rest:
        piece = next((piece for piece in _WILD if rest.startswith(piece)), "")
        if not piece:
            match = _WORD.match(rest)
            if match is None:
                return None
            piece = match[0]
        words.append(_WILD.get(piece) or re.sub(r"\\(.)", r"\1", piece[2:]))
        rest = rest[len(piece) :]
    again = "^" + "".join(PIECES.get(word) or r"\." + regex.escaped(word) for word in words) + "$"
    return (
        ".".join(words)
        if again == pattern.value and nothing.value is all(word == "#" for word in words)
        else None
    )


# --- kafka

_TOPIC = {"eq": "{}", "starts_with": "{}(?s:.*)", "ends_with": "(?s:.*){}", "contains": "(?s:.*){}(?s:.*)"}


def kafka(node: Node) -> str:
    """A Kafka Connect predicate, as JSON. Raises Unsupported."""
    rest, negate = plain(node), False
    while (inner := negated(rest)) is not None:
        rest, negate = inner, not negate
    found = _kafka(rest)
    if found is None:
        raise refuse("kafka", node, say.KAFKA_PREDICATES)
    negate = negate != bool(found.pop("negate", False))
    return json.dumps({**found, **({"negate": True} if negate else {})}, ensure_ascii=False)


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
    inner = decided(node)
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
            if inner.op in _TOPIC:
                return {
                    "type": "TopicNameMatches",
                    "pattern": _TOPIC[inner.op].format(regex.escaped(value.value)),
                }
    return None


def _whole(pattern: str) -> str:
    """What a pattern for the whole name wraps in one group; empty if it is none."""
    found = re.fullmatch(r"\^\(\?:(.+)\)\$", pattern, re.DOTALL)
    try:
        return found[1] if found and regex.parse(found[1]) else ""
    except regex.RegexError:  # the first bracket closes before the last: `^(?:a)|(?:b)$`
        return ""
