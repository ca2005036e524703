"""Writes Kubernetes label selectors."""

from __future__ import annotations

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Node
from predicat.language.common.key_tests import (
    KeyTest,
    compares_texts,
    decided_test,
    denied_test,
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
    absent = _other_or_absent(node)
    if absent is not None:
        return _of_values(absent, node, denied=True)
    denied = denied_test(node)
    if denied is not None and denied.op in _WORDS:
        return f"{_label(denied, node)},{_of_values(denied, node, denied=True)}"  # without its key it is TRUE
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
    return _of_values(test, node, denied=inner is not None)


def _other_or_absent(node: Node) -> KeyTest | None:
    """The test T of `NOT T OR key IS NULL`, which is one requirement; None for any other node."""
    parts = parts_of(node, "or")
    tests = [test for part in parts if (test := denied_test(part) or test_of(part)) is not None]
    if len(parts) != 2 or len(tests) != 2 or {test.key for test in tests} != {tests[0].key}:
        return None
    null, other = sorted(tests, key=lambda test: test.op != "is_null")
    return other if null.op == "is_null" and other.op in _WORDS else None


_WORDS = {"eq": ("=", "!="), "in": ("in", "notin")}


def _of_values(test: KeyTest, node: Node, *, denied: bool) -> str:
    """A requirement for the value of a label. One that is denied is TRUE also without the label."""
    if (
        test.op not in _WORDS
        or not compares_texts(test)
        or not all(VALUE.match(value) for value in test.values)
    ):
        raise refuse("labels", node, say.LABEL_REQUIREMENT)
    word = _WORDS[test.op][denied]
    if test.op == "eq":
        return f"{_label(test, node)}{word}{test.values[0]}"
    return f"{_label(test, node)} {word} ({','.join(test.values)})"


def _label(test: KeyTest, node: Node) -> str:
    if not KEY.match(test.key):
        raise refuse("labels", node, say.no_label_key(test.key))
    return test.key
