"""Conditions for the rows that filters accept."""

from __future__ import annotations

from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BOOLEAN
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.simplify import simplify


def accepted_rows(node: Node, on_unknown: str) -> Node:
    """The predicate that is TRUE for exactly the rows that the filter accepts."""
    if on_unknown == "accept":
        node = Call(BOOLEAN, "coalesce", (node, Literal(BOOLEAN, True)))
    return for_acceptance(simplify(node))
