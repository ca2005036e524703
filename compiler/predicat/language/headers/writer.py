"""Writes PeeGeeQ server-side filters."""

from __future__ import annotations

import json
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Node
from predicat.ir.operators import JUNCTIONS
from predicat.language.common.key_tests import (
    compares_texts,
    negated,
    operand_of_is_true,
    refuse,
    test_of,
    without_conversions,
)
from predicat.language.headers.spelling import KEY, TESTS
from predicat.semantics import like


def headers(node: Node) -> str:
    """A PeeGeeQ filter, as JSON. Raises Unsupported."""
    return json.dumps(_headers(without_conversions(node)), ensure_ascii=False)


def _headers(node: Node) -> dict[str, Any]:
    if isinstance(node, Call) and node.op in JUNCTIONS:
        return {node.op: [_headers(arg) for arg in node.args]}
    inner = operand_of_is_true(node)
    other = negated(inner) if inner is not None else None
    test = test_of(other if other is not None else inner) if inner is not None else None
    if test is None or not compares_texts(test) or not KEY.match(test.key):
        raise refuse(
            "headers", node, say.TESTS_ARE_TWO_VALUED if test_of(node) is not None else say.HEADER_WITH_TEXTS
        )
    op = "ne" if other is not None and test.op == "eq" else test.op if other is None else ""
    if op in like.PATTERNS and (pattern := like.PATTERNS[op](test.values[0])):
        return {TESTS["like"]: {test.key: pattern}}
    if op not in TESTS or op == "like":
        raise refuse("headers", node, say.HEADER_COMPARISONS)
    return {TESTS[op]: {test.key: list(test.values) if op == "in" else test.values[0]}}
