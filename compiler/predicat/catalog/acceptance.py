"""Predicates as conditions that say which rows their filters accept."""

from __future__ import annotations

from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BOOLEAN
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.simplify import simplify


def accepted_rows(node: Node, on_unknown: str) -> Node:
    """A predicate as one that is TRUE for the rows that its filter accepts."""
    if on_unknown == "accept":
        node = Call(BOOLEAN, "coalesce", (node, Literal(BOOLEAN, True)))
    return for_acceptance(simplify(node))
