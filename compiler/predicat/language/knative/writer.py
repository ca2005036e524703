"""Writes filters of the CloudEvents Subscriptions API and Knative's attributes."""

from __future__ import annotations

import json
from typing import Any

from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Node
from predicat.ir.operators import JUNCTIONS
from predicat.language.cesql.writer import write as cesql
from predicat.language.common.key_tests import (
    compares_texts,
    decided_test,
    negated,
    parts_of,
    refuse,
    without_conversions,
)
from predicat.language.knative.spelling import TESTS
from predicat.rewrite.acceptance import for_acceptance


def cloudevents(node: Node) -> str:
    """A filter of the Subscriptions API, as JSON; its dialect `sql` has what the others have not. Raises
    Unsupported.
    """
    return json.dumps(_accepting(node), ensure_ascii=False)


def _accepting(node: Node) -> dict[str, Any]:
    """A filter that accepts the same events."""
    try:
        return _cloudevents(without_conversions(node))
    except Unsupported as error:
        if isinstance(node, Call) and node.op in JUNCTIONS:
            return {_JOINED[node.op]: [_accepting(arg) for arg in node.args]}
        try:
            return {"sql": cesql(for_acceptance(node))}
        except Unsupported:
            raise error from None


_JOINED = {"and": "all", "or": "any"}


def _cloudevents(node: Node) -> dict[str, Any]:
    inner = negated(node)
    if inner is not None:
        return {"not": _cloudevents(inner)}
    if isinstance(node, Call) and node.op in JUNCTIONS:
        return {_JOINED[node.op]: [_cloudevents(arg) for arg in node.args]}
    test = decided_test(node, "cloudevents")
    if not test.key:
        raise refuse("cloudevents", node, say.CLOUDEVENTS_TESTS)
    if test.op == "in" and compares_texts(test) and all(test.values):
        return {"any": [{"exact": {test.key: value}} for value in test.values]}
    if test.op not in TESTS or not compares_texts(test) or not test.values[0]:
        raise refuse("cloudevents", node, say.CLOUDEVENTS_TESTS)
    return {TESTS[test.op]: {test.key: test.values[0]}}


def attributes(node: Node) -> str:
    """Knative's attributes, as JSON. Raises Unsupported."""
    values: dict[str, str] = {}
    for part in parts_of(without_conversions(node), "and"):
        test = decided_test(part, "attributes")
        if (
            not compares_texts(test)
            or test.key in values
            or not test.key
            or (test.op, bool(test.values[0])) not in (("eq", True), ("ne", False))
        ):
            raise refuse("attributes", part, say.ATTRIBUTE_COMPARED_ONCE)
        values[test.key] = test.values[0]
    return json.dumps(values, ensure_ascii=False)
