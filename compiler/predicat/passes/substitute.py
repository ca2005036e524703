"""Parameters replaced by what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from predicat.ir.nodes import Call, Items, Node, Parameter, Quantifier


def substitute(node: Node, values: Mapping[str, Node]) -> Node:
    """The node with each parameter of `values` replaced."""
    match node:
        case Parameter():
            return values.get(node.decl.name, node)
        case Call():
            return replace(node, args=tuple(substitute(arg, values) for arg in node.args))
        case Items():
            return replace(node, items=tuple(substitute(item, values) for item in node.items))
        case Quantifier():
            return replace(node, source=substitute(node.source, values), body=substitute(node.body, values))
        case _:
            return node
