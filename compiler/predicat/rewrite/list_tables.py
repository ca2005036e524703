"""Long lists as tables: what SQL that people read or a server keeps says instead of a million values."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.ir.nodes import Literal, Node, rewrite_children, walk
from predicat.ir.value_sets import ValueSet

_LONGEST = 40
"""Characters of a list's name in that of its table: PostgreSQL keeps 63 of all."""


def long_lists(nodes: Iterable[Node]) -> list[tuple[Literal, ValueSet]]:
    """The long lists of some predicates, each once, with the constants that they are."""
    lists = {
        part.value.digest: (part, part.value)
        for node in nodes
        for part in walk(node)
        if isinstance(part, Literal) and isinstance(part.value, ValueSet)
    }
    return list(lists.values())


def table_of(listed: ValueSet) -> str:
    """The table of a list. Other values are in another table, so that a change is one step for readers."""
    name = listed.name.partition("@")[0][:_LONGEST]
    return f"predicat_{name or 'list'}_{listed.digest[:8]}"


def in_tables(node: Node, schema: str = "") -> Node:
    """The predicate with its long lists in tables of a schema; the same object where it has none."""
    return _in_tables(node, schema) if long_lists([node]) else node


def _in_tables(node: Node, schema: str) -> Node:
    if isinstance(node, Literal) and isinstance(node.value, ValueSet):
        return Literal(node.type, node.value.in_table(schema, table_of(node.value)), node.span)
    return rewrite_children(node, lambda part: _in_tables(part, schema))
