"""Writes the languages of tests on keys: cloudevents, attributes, headers, pubsub and labels."""

from __future__ import annotations

import json
import re
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Node
from predicat.ir.ops import EQUALITIES, JUNCTIONS
from predicat.language.common.key_tests import Test, decided, negated, plain, refuse, test_of
from predicat.language.headers.reader import KEY as HEADER_KEY
from predicat.language.labels.reader import KEY as LABEL_KEY
from predicat.language.labels.reader import VALUE as LABEL_VALUE
from predicat.semantics import like

TWO_VALUED = "the language tells an absent key from another value nowhere: its tests are two-valued, and this one may be UNKNOWN"


def _parts(node: Node, op: str) -> tuple[Node, ...]:
    return node.args if isinstance(node, Call) and node.op == op else (node,)


def _texts(test: Test) -> bool:
    return not test.convert and all(isinstance(value, str) for value in test.values)


# --- cloudevents

_CLOUDEVENTS = {"eq": "exact", "starts_with": "prefix", "ends_with": "suffix"}


def cloudevents(node: Node) -> str:
    """A filter of the Subscriptions API, as JSON. Raises Unsupported."""
    return json.dumps(_cloudevents(plain(node)), ensure_ascii=False)


def _cloudevents(node: Node) -> dict[str, Any]:
    inner = negated(node)
    if inner is not None:
        return {"not": _cloudevents(inner)}
    if isinstance(node, Call) and node.op in JUNCTIONS:
        return {"all" if node.op == "and" else "any": [_cloudevents(arg) for arg in node.args]}
    test = _decided_test(node, "cloudevents")
    if test.op == "in" and _texts(test) and all(test.values):
        return {"any": [{"exact": {test.key: value}} for value in test.values]}
    if test.op not in _CLOUDEVENTS or not _texts(test) or not test.values[0]:
        raise refuse("cloudevents", node, say.CLOUDEVENTS_TESTS)
    return {_CLOUDEVENTS[test.op]: {test.key: test.values[0]}}


def _decided_test(node: Node, language: str) -> Test:
    inner = decided(node)
    test = test_of(inner) if inner is not None else None
    if test is None:
        raise refuse(
            language,
            inner or node,
            TWO_VALUED if test_of(node) is not None else say.ONE_KEY_AGAINST_CONSTANTS,
        )
    return test


def attributes(node: Node) -> str:
    """Knative's attributes, as JSON. Raises Unsupported."""
    found: dict[str, str] = {}
    for part in _parts(plain(node), "and"):
        test = _decided_test(part, "attributes")
        if (
            not _texts(test)
            or test.key in found
            or (test.op, bool(test.values[0])) not in (("eq", True), ("ne", False))
        ):
            raise refuse("attributes", part, say.ATTRIBUTE_COMPARED_ONCE)
        found[test.key] = test.values[0]
    return json.dumps(found, ensure_ascii=False)


# --- headers

_HEADERS = {"eq": "headerEquals", "in": "headerIn", "ne": "headerNotEquals"}


def headers(node: Node) -> str:
    """A PeeGeeQ filter, as JSON. Raises Unsupported."""
    return json.dumps(_headers(plain(node)), ensure_ascii=False)


def _headers(node: Node) -> dict[str, Any]:
    if isinstance(node, Call) and node.op in JUNCTIONS:
        return {node.op: [_headers(arg) for arg in node.args]}
    inner = decided(node)
    other = negated(inner) if inner is not None else None
    test = test_of(other if other is not None else inner) if inner is not None else None
    if test is None or not _texts(test) or not HEADER_KEY.match(test.key):
        raise refuse("headers", node, TWO_VALUED if test_of(node) is not None else say.HEADER_WITH_TEXTS)
    op = "ne" if other is not None and test.op == "eq" else test.op if other is None else ""
    if op in like.PATTERNS:
        return {"headerLike": {test.key: like.PATTERNS[op](test.values[0])}}
    if op not in _HEADERS:
        raise refuse("headers", node, say.HEADER_COMPARISONS)
    return {_HEADERS[op]: {test.key: list(test.values) if op == "in" else test.values[0]}}


# --- pubsub

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


def pubsub(node: Node) -> str:
    """A Pub/Sub filter. Raises Unsupported."""
    return _pubsub(plain(node), top=True)


def _pubsub(node: Node, *, top: bool = False) -> str:
    if isinstance(node, Call) and node.op in JUNCTIONS:
        text = f" {node.op.upper()} ".join(_pubsub(arg) for arg in node.args)
        return text if top else f"({text})"
    inner = negated(node)
    if inner is not None:
        absent = test_of(inner)
        if absent is not None and absent.op == "is_null":
            return f"attributes:{_attribute(absent.key)}"
        return f"NOT {_pubsub(inner)}"
    alone = test_of(node)
    if alone is not None and alone.op == "is_null":
        return f"NOT attributes:{_attribute(alone.key)}"
    test = _decided_test(node, "pubsub")
    key = f"attributes.{_attribute(test.key)}"
    if not _texts(test) or test.op not in EQUALITIES | {"in", "starts_with"}:
        raise refuse("pubsub", node, say.PUBSUB_COMPARISONS)
    values = [json.dumps(value, ensure_ascii=False) for value in test.values]
    if any(re.search(r"\\[^nrt\"\\]", value) for value in values):
        raise refuse("pubsub", node, say.CONTROL_CHARACTERS)
    if test.op == "starts_with":
        return f"hasPrefix({key}, {values[0]})"
    if test.op == "in":
        text = " OR ".join(f"{key} = {value}" for value in values)
        return f"({text})" if len(values) > 1 else text
    return f"{key} {'=' if test.op == 'eq' else '!='} {values[0]}"


def _attribute(key: str) -> str:
    return key if _WORD.match(key) else json.dumps(key, ensure_ascii=False)


# --- labels


def labels(node: Node) -> str:
    """A label selector, as text. Raises Unsupported."""
    return ",".join(_requirement(part) for part in _parts(plain(node), "and"))


def _requirement(node: Node) -> str:
    inner = negated(node)
    test = test_of(inner if inner is not None else node)
    if test is not None and test.op == "is_null":
        return _label(test, node) if inner is not None else f"!{_label(test, node)}"
    test = _decided_test(inner if inner is not None else node, "labels")
    key = _label(test, node)
    if test.op in ("lt", "gt") and test.convert == "to_int" and inner is None:
        return f"{key}{'<' if test.op == 'lt' else '>'}{test.values[0]}"
    if (
        test.op not in ("eq", "in")
        or not _texts(test)
        or not all(LABEL_VALUE.match(value) for value in test.values)
    ):
        raise refuse("labels", node, say.LABEL_REQUIREMENT)
    if test.op == "eq":
        return f"{key}{'!=' if inner is not None else '='}{test.values[0]}"
    return f"{key} {'notin' if inner is not None else 'in'} ({','.join(test.values)})"


def _label(test: Test, node: Node) -> str:
    if not LABEL_KEY.match(test.key):
        raise refuse("labels", node, say.no_label_key(test.key))
    return test.key
