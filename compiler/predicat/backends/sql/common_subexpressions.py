"""Common-subexpression elimination: names for repeated parts of a predicate, to bound the size of its SQL.

A guard repeats its operand, and each guard around it repeats all of that. Where this makes the SQL large,
repeated parts get names (`Dialect.bind`). Equal parts have the same number (value numbering).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from predicat.ir.nodes import (
    Call,
    Field,
    Items,
    Literal,
    Node,
    Parameter,
    Quantifier,
    Variable,
    children,
    rewrite_children,
)
from predicat.ir.types import JSON, ArrayType, MapType, StructType, Type


class ValueNumbering(Struct):
    """The value number of each node: equal nodes have the same number."""

    by_content: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])
    by_identity: dict[int, tuple[Node, int]] = field(default_factory=dict[int, tuple[Node, int]])
    """With the node, which keeps its identity from being reused."""

    def number(self, node: Node) -> int:
        """The value number of a node."""
        known = self.by_identity.get(id(node))
        if known is None:
            content = (type(node), node.type, _label(node), *map(self.number, children(node)))
            known = self.by_identity[id(node)] = (
                node,
                self.by_content.setdefault(content, len(self.by_content)),
            )
        return known[1]


def _label(node: Node) -> object:
    match node:
        case Literal():
            return repr(node.value)  # 0.0 and -0.0 are equal, but are not the same
        case Field() | Parameter():
            return node.decl.name
        case Variable():
            return node.name
        case Call():
            return node.op
        case Quantifier():
            return node.kind, node.variable
        case Items():
            return None


def repeated_parts(node: Call, numbers: ValueNumbering) -> dict[int, Node]:
    """The largest repeated parts of a call, by their value numbers."""
    counts = Counter(numbers.number(part) for part in _walk_outside_macros(node))
    result: dict[int, Node] = {}

    def visit(part: Node) -> None:
        number = numbers.number(part)
        if is_nameable(part) and counts[number] > 1:
            result[number] = part
        else:
            for child in _children_outside_macros(part):
                visit(child)

    visit(node)
    return result


def with_names(node: Call, names: Mapping[int, str], numbers: ValueNumbering) -> Call:
    """The call with names for some of its parts, except within macros, whose variables are not in scope for a
    name.
    """

    def rename(part: Node) -> Node:
        name = names.get(numbers.number(part))
        if name is not None:
            return Variable(part.type, name, part.span)
        return part if _has_variables(part) else rewrite_children(part, rename)

    return Call(node.type, node.op, tuple(map(rename, node.args)), node.span)


def _children_outside_macros(node: Node) -> tuple[Node, ...]:
    """The children of a node; none of a macro, whose variables are not in scope for a name."""
    return () if _has_variables(node) else children(node)


def _has_variables(node: Node) -> bool:
    """Whether a node binds a variable: a macro, or a named document."""
    return isinstance(node, Quantifier) or (isinstance(node, Call) and node.op == "json_let")


def _walk_outside_macros(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        yield stack[-1]
        stack += _children_outside_macros(stack.pop())


def is_nameable(node: Node) -> bool:
    """Whether a node can get a name."""
    return isinstance(node, Call | Quantifier) and _is_scalar(node.type)


def _is_scalar(kind: Type) -> bool:
    """Whether the SQL of a value does not depend on its use, as the look-up of a JSON value does."""
    return (
        _is_scalar(kind.element)
        if isinstance(kind, ArrayType)
        else kind != JSON and not isinstance(kind, MapType | StructType)
    )
