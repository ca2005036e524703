"""Parameters replaced by what they stand for."""

from __future__ import annotations

from collections.abc import Mapping

from predicat.ir.nodes import Node, Parameter, rewrite_children


def substitute(node: Node, values: Mapping[str, Node]) -> Node:
    """The node with each parameter of `values` replaced."""
    if isinstance(node, Parameter):
        return values.get(node.decl.name, node)
    return rewrite_children(node, lambda part: substitute(part, values))
