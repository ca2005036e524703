"""The elements of an array that are there."""

from __future__ import annotations

from predicat.ir.nodes import Call, Node, Quantifier, Variable


def source_of_present(node: Node) -> Node | None:
    """The array of which a node is the elements that are there; None of any other node."""
    match node:
        case Quantifier(
            kind="filter", source=source, body=Call(op="not", args=(Call(op="is_null", args=(Variable(),)),))
        ):
            return source
        case _:
            return None
