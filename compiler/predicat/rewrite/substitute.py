"""Parameters replaced by their values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from predicat.ir.nodes import (
    NOW,
    Field,
    FieldDecl,
    Literal,
    Node,
    Parameter,
    params_of,
    reads_now,
    rewrite_children,
)
from predicat.ir.variables import fold_identifier, free, rename_bound_variables


def substitute(node: Node, values: Mapping[str, Node]) -> Node:
    """The node with each parameter of `values` replaced. A variable in a value still belongs to the macro
    around the node.
    """
    names = frozenset[str]().union(*map(free, values.values()))
    return _substituted(
        rename_bound_variables(node, set(map(fold_identifier, names))) if names else node, values
    )


def _substituted(node: Node, values: Mapping[str, Node]) -> Node:
    if isinstance(node, Parameter):
        return values.get(node.decl.name, node)
    return rewrite_children(node, lambda part: _substituted(part, values))


def at(node: Node, now: datetime | None) -> Node:
    """The node with the current time replaced by a constant; unchanged if none is given."""
    if now is None or not reads_now(node):
        return node
    return substitute(node, {NOW.name: Literal(NOW.type, now)})


def with_defaults(node: Node) -> Node:
    """The node with each parameter that has a default replaced by it."""
    values: dict[str, Node] = {
        name: Literal(decl.type, decl.default) for name, decl in params_of(node).items() if not decl.required
    }
    return substitute(node, values) if values else node


def without_expression(decl: FieldDecl) -> FieldDecl:
    """A field that is a column of its own on every engine."""
    return replace(decl, expressions=()) if decl.expressions else decl


def read_from_columns(node: Node) -> Node:
    """The node with fields that are columns where they were expressions, for rows that have their values."""
    if isinstance(node, Field):
        return replace(node, decl=without_expression(node.decl)) if node.decl.expressions else node
    return rewrite_children(node, read_from_columns)
