"""Long lists as tables: SQL that people read, or that a server stores, names a table instead of a million
values.
"""

from __future__ import annotations

from collections.abc import Iterable

from predicat.ir.nodes import Literal, Node, rewrite_children, walk
from predicat.ir.value_sets import ValueSet

# Characters of a list's name in that of its table: PostgreSQL keeps 63 of all.
_LONGEST = 40


def long_lists(nodes: Iterable[Node]) -> list[tuple[Literal, ValueSet]]:
    """The distinct long lists of some predicates, with their constants."""
    lists = {
        part.value.digest: (part, part.value)
        for node in nodes
        for part in walk(node)
        if isinstance(part, Literal) and isinstance(part.value, ValueSet)
    }
    return list(lists.values())


def table_of(listed: ValueSet) -> str:
    """The table of a list. Its name depends on the values, so a change is atomic for readers."""
    name = listed.name.partition("@")[0][:_LONGEST]
    return f"predicat_{name or 'list'}_{listed.digest[:8]}"


def in_tables(node: Node, schema: str = "") -> Node:
    """The predicate with its long lists in tables of a schema; the same object if it has none."""
    return _in_tables(node, schema) if long_lists([node]) else node


def _in_tables(node: Node, schema: str) -> Node:
    if isinstance(node, Literal) and isinstance(node.value, ValueSet):
        return Literal(node.type, node.value.in_table(schema, table_of(node.value)), node.span)
    return rewrite_children(node, lambda part: _in_tables(part, schema))
