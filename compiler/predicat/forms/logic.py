"""AND, OR and NOT of any number of tests, and values that are UNKNOWN if another value is missing."""

from __future__ import annotations

from collections.abc import Sequence

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BOOLEAN, NULL


def all_of(parts: Sequence[Node], span: Span) -> Node:
    """AND in Kleene's logic; a single part is returned unchanged."""
    if not parts:
        return Literal(BOOLEAN, True, span)
    return parts[0] if len(parts) == 1 else Call(BOOLEAN, "and", tuple(parts), span)


def any_of(parts: Sequence[Node], span: Span) -> Node:
    """OR in Kleene's logic; a single part is returned unchanged."""
    if not parts:
        return Literal(BOOLEAN, False, span)
    return parts[0] if len(parts) == 1 else Call(BOOLEAN, "or", tuple(parts), span)


def negated_if(negative: bool, test: Node, span: Span) -> Node:
    """A test, or its negation."""
    return Call(BOOLEAN, "not", (test,), span) if negative else test


def present(node: Node, span: Span) -> Node:
    """Whether a node is not NULL. It must not be a list or map literal."""
    return Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (node,), span),), span)


def is_maybe_missing(node: Node) -> bool:
    """Whether a value may be missing. A constant is missing if it is NULL with a type other than null."""
    return not isinstance(node, Literal) or (node.value is None and node.type != NULL)


def unknown_if(node: Node, tests: Sequence[Node], span: Span) -> Node:
    """`node`, or UNKNOWN unless all of the tests are FALSE."""
    if not tests:
        return node
    return Call(node.type, "cond", (any_of(tests, span), Literal(node.type, None, span), node), span)


def unknown_without(node: Node, values: Sequence[Node], span: Span) -> Node:
    """`node`, or UNKNOWN if one of the values is missing."""
    absent = [Call(BOOLEAN, "is_null", (value,), span) for value in values if is_maybe_missing(value)]
    return unknown_if(node, absent, span)


def asked_absent(test: Node) -> list[Node]:
    """The values that a test of `unknown_without` checks; empty for any other test."""
    tests = test.args if isinstance(test, Call) and test.op == "or" else (test,)
    result = [part.args[0] for part in tests if isinstance(part, Call) and part.op == "is_null"]
    return result if len(result) == len(tests) else []
