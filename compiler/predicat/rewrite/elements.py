"""Macros over the values of a JSON key for which a missing key and a JSON null give the same result."""

from __future__ import annotations

from predicat.ir.nodes import Call, Literal, Node, Quantifier, Variable
from predicat.ir.operators import OPS, STRICT
from predicat.ir.types import BOOLEAN
from predicat.rewrite.acceptance import for_acceptance, never_unknown


def is_exists_over_values(node: Quantifier) -> bool:
    """Whether a macro is an `exists` over the values of a JSON key, and never UNKNOWN."""
    return (
        node.kind == "any"
        and isinstance(node.source, Call)
        and node.source.op == "json_values"
        and never_unknown(node.body)
    )


def takes_null(node: Quantifier) -> bool:
    """Whether the condition of such an `exists` may be TRUE for a JSON null."""
    return not _fails_without(node.body, node.variable)


def condition(node: Quantifier) -> Node:
    """The condition of such an `exists`, without the part that turns UNKNOWN into FALSE."""
    return for_acceptance(node.body)


def _fails_without(node: Node, name: str) -> bool:
    """Whether a condition is FALSE or UNKNOWN if the variable is NULL."""
    if isinstance(node, Quantifier):
        return (
            isinstance(node.source, Call)
            and node.source.op == "json_values"
            and node.kind == "any"
            and _absent(node.source.args[0], name)
        )
    if isinstance(node, Literal):
        return node.type == BOOLEAN and node.value is not True
    if not isinstance(node, Call) or node.op == "is_null":
        return False
    if node.op == "and":
        return any(_fails_without(arg, name) for arg in node.args)
    if node.op == "or":
        return all(_fails_without(arg, name) for arg in node.args)
    return _fails_without(node.args[0], name) if node.op == "is_true" else _absent(node, name)


def _absent(node: Node, name: str) -> bool:
    """Whether a value is NULL if the variable is."""
    if isinstance(node, Variable):
        return node.name == name
    if isinstance(node, Call) and node.op == "in":
        return _absent(node.args[0], name)
    strict = isinstance(node, Call) and (
        node.op in STRICT or node.op not in OPS
    )  # those that only SQL has are
    return isinstance(node, Call) and strict and any(_absent(arg, name) for arg in node.args)
