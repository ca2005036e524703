"""Rewrites of predicates over JSON in strings, for SQL: each document is parsed only once.

The test whether a string is JSON is long, and a comparison reads the kind of a value and the value itself.
"""

from __future__ import annotations

from collections.abc import Callable

from predicat.ir.nodes import LEAVES, Call, Node, Variable, rewrite_children, walk
from predicat.ir.operators import CONNECTIVES, JUNCTIONS
from predicat.ir.types import JSON

Names = Callable[[str], str]
# Whether a node is a document that an engine parses.
Parses = Callable[[Node], bool]


def parsed_once(node: Node, parses: Parses, fresh_name: Names) -> Node:
    """The predicate with names for the documents that it parses: `json_let(document, name, condition)`."""
    documents = _documents(node, parses)
    if not documents:
        return node
    if not isinstance(node, Call) or node.op not in CONNECTIVES | {"is_true"}:
        return _named(node, documents, fresh_name)
    if node.op in JUNCTIONS:
        node = _grouped(node, parses)
        if len(node.args) == 1 or all(_documents(arg, parses) == documents for arg in node.args):
            return _named(node, documents, fresh_name)
    return Call(
        node.type, node.op, tuple(parsed_once(arg, parses, fresh_name) for arg in node.args), node.span
    )


def _documents(node: Node, parses: Parses) -> list[Node]:
    """The distinct documents that a node parses, except those that depend on a variable of a macro."""
    reads = filter(parses, walk(node))
    return list(
        dict.fromkeys(part for part in reads if not any(isinstance(inner, Variable) for inner in walk(part)))
    )


def _grouped(node: Call, parses: Parses) -> Call:
    """An AND or OR in which the operands over the same documents become one operand."""
    groups: dict[tuple[Node, ...], list[Node]] = {}
    for arg in node.args:
        groups.setdefault(tuple(_documents(arg, parses)), []).append(arg)
    parts: list[Node] = []
    for documents, members in groups.items():
        if documents and 1 < len(members) < len(node.args):
            parts.append(Call(node.type, node.op, tuple(members), node.span))
        else:
            parts += members
    return Call(node.type, node.op, tuple(parts), node.span)


def _named(node: Node, documents: list[Node], fresh_name: Names) -> Node:
    for document in documents:
        name = Variable(JSON, fresh_name("d"), document.span)
        node = Call(node.type, "json_let", (document, name, _with(node, document, name)), node.span)
    return node


def _with(node: Node, document: Node, name: Variable) -> Node:
    if node == document:
        return name
    return (
        node if isinstance(node, LEAVES) else rewrite_children(node, lambda part: _with(part, document, name))
    )
