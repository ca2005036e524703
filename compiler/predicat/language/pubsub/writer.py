"""Writes Google Pub/Sub subscription filters."""

from __future__ import annotations

import json
import re

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Node
from predicat.ir.operators import EQUALITIES, JUNCTIONS
from predicat.language.common.key_tests import (
    KeyTest,
    compares_texts,
    decided_test,
    denied_test,
    negated,
    operand_of_is_true,
    refuse,
    test_of,
    without_conversions,
)

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


def pubsub(node: Node) -> str:
    """A Pub/Sub filter. Raises Unsupported."""
    return _pubsub(without_conversions(node))


def _pubsub(node: Node, around: str = "") -> str:
    """The text of a predicate inside of the operator `around`; "" at the top."""
    if isinstance(node, Call) and node.op in JUNCTIONS:
        text = f" {node.op.upper()} ".join(_pubsub(arg, node.op) for arg in node.args)
        return text if around in ("", node.op) else f"({text})"
    denied = denied_test(node)
    if denied is not None and denied.op in ("in", "starts_with"):
        text = f"attributes:{_attribute(denied)} AND NOT {_tested(denied, node, 'not')}"
        return text if around in ("", "and") else f"({text})"
    inner = negated(node)
    if inner is not None:
        return _negation(inner)
    alone = test_of(node)
    if alone is not None and alone.op == "is_null":
        return f"NOT attributes:{_attribute(alone)}"
    return _tested(decided_test(node, "pubsub"), node, around)


def _tested(test: KeyTest, node: Node, around: str) -> str:
    """The text of a test of one attribute inside of the operator `around`."""
    key = f"attributes.{_attribute(test)}"
    if not compares_texts(test) or test.op not in EQUALITIES | {"in", "starts_with"}:
        raise refuse("pubsub", node, say.PUBSUB_COMPARISONS)
    values = [_quoted(node, value) for value in test.values]
    if test.op == "starts_with":
        return f"hasPrefix({key}, {values[0]})"
    if test.op == "in":
        text = " OR ".join(f"{key} = {value}" for value in values)
        return f"({text})" if len(values) > 1 and around != "or" else text
    if test.op == "eq":
        return f"{key} = {values[0]}"
    text = f"attributes:{_attribute(test)} AND {key} != {values[0]}"  # != alone accepts a missing attribute
    return text if around in ("", "and") else f"({text})"


def _negation(inner: Node) -> str:
    """The text of NOT of a predicate."""
    absent = test_of(inner)
    if absent is not None and absent.op == "is_null":
        return f"attributes:{_attribute(absent)}"
    operand = operand_of_is_true(inner)
    test = test_of(operand) if operand is not None else None
    if test is not None and test.op == "eq" and compares_texts(test):
        return f"attributes.{_attribute(test)} != {_quoted(inner, test.values[0])}"
    return f"NOT {_pubsub(inner, 'not')}"


def _attribute(test: KeyTest) -> str:
    return test.key if _WORD.match(test.key) else _quoted(test.node, test.key)


def _quoted(node: Node, text: str) -> str:
    """A string in double quotes. Raises Unsupported for characters that cannot be escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    if re.search(r"\\[^nrt\"\\]", quoted):
        raise refuse("pubsub", node, say.CONTROL_CHARACTERS)
    return quoted
