"""Writes RabbitMQ binding keys."""

from __future__ import annotations

import re

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.types import STRING
from predicat.language.common.key_tests import negated, operand_of_is_true, refuse
from predicat.language.rabbitmq.spelling import FIELD, MAX_BYTES, PIECES
from predicat.semantics import regex

_WORD = re.compile(r"\\\.(?:\\[^A-Za-z0-9.]|[^\\.\[\](){}*+?^$|])*")
_WILD = {pattern: word for word, pattern in PIECES.items()}


def rabbitmq(node: Node) -> str:
    """A binding key. Raises Unsupported."""
    binding = _binding(operand_of_is_true(node) or node)
    if binding is None or len(binding.encode()) > MAX_BYTES:
        raise refuse("rabbitmq", node, say.one_binding_key(FIELD, MAX_BYTES))
    return binding


def _is_key(node: Node) -> bool:
    return isinstance(node, Field) and node.decl.name == FIELD


def _compared_key(node: Node, op: str) -> str | None:
    """The string that an operator compares the routing key with; None for any other node, and for a string
    with wildcards, which cannot be escaped.
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
    whole, start, end = (_compared_key(node, op) for op in ("eq", "starts_with", "ends_with"))
    if whole is not None:
        return whole
    if start is not None and start.endswith("."):
        return f"{start}*.#"
    if end is not None and end.startswith("."):
        return f"#.*{end}"
    if isinstance(node, Call) and node.op == "or" and len(node.args) == 2:
        whole, start = _compared_key(node.args[0], "eq"), _compared_key(node.args[1], "starts_with")
        return f"{whole}.#" if whole and start == f"{whole}." else None
    return _words(node)


def _words(node: Node) -> str | None:
    """The binding key of a node that tests its pattern; None for any other node."""
    if not (
        isinstance(node, Call)
        and node.op == "cond"
        and isinstance(node.args[2], Call)
        and node.args[2].op == "matches"
    ):
        return None
    test, nothing, parts = node.args[0], node.args[1], node.args[2]
    dotted, pattern = parts.args
    reads = (
        isinstance(dotted, Call)
        and dotted.op == "concat"
        and dotted.args[0] == Literal(STRING, ".")
        and _is_key(dotted.args[1])
    )
    if (
        not reads
        or _compared_key(test, "eq") != ""
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
