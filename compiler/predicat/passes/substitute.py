"""Parameters replaced by what they stand for."""

from __future__ import annotations

from collections.abc import Mapping

from predicat.ir.nodes import Literal, Node, Parameter, params_of, rewrite_children


def substitute(node: Node, values: Mapping[str, Node]) -> Node:
    """The node with each parameter of `values` replaced."""
    if isinstance(node, Parameter):
        return values.get(node.decl.name, node)
    return rewrite_children(node, lambda part: substitute(part, values))


def with_defaults(node: Node) -> Node:
    """The node with each parameter that has a default replaced by it."""
    values: dict[str, Node] = {name: Literal(decl.type, decl.default) for name, decl in params_of(node).items() if not decl.required}
    return substitute(node, values) if values else node
