"""Writes Kubernetes label selectors."""

from __future__ import annotations

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Node
from predicat.language.common.key_tests import (
    KeyTest,
    compares_texts,
    decided_test,
    negated,
    parts_of,
    refuse,
    test_of,
    without_conversions,
)
from predicat.language.labels.spelling import KEY, VALUE, WHOLE


def labels(node: Node) -> str:
    """A label selector, as a string. Raises Unsupported."""
    return ",".join(_requirement(part) for part in parts_of(without_conversions(node), "and"))


def _requirement(node: Node) -> str:
    inner = negated(node)
    test = test_of(inner if inner is not None else node)
    if test is not None and test.op == "is_null":
        return _label(test, node) if inner is not None else f"!{_label(test, node)}"
    test = decided_test(inner if inner is not None else node, "labels")
    key = _label(test, node)
    if (
        test.op in ("lt", "gt")
        and test.convert == "to_int"
        and inner is None
        and WHOLE.fullmatch(str(test.values[0]))
    ):
        return f"{key}{'<' if test.op == 'lt' else '>'}{test.values[0]}"
    if (
        test.op not in ("eq", "in")
        or not compares_texts(test)
        or not all(VALUE.match(value) for value in test.values)
    ):
        raise refuse("labels", node, say.LABEL_REQUIREMENT)
    if test.op == "eq":
        return f"{key}{'!=' if inner is not None else '='}{test.values[0]}"
    return f"{key} {'notin' if inner is not None else 'in'} ({','.join(test.values)})"


def _label(test: KeyTest, node: Node) -> str:
    if not KEY.match(test.key):
        raise refuse("labels", node, say.no_label_key(test.key))
    return test.key
