"""List and map literals: every use of one is expanded, because engines do not support them.

`[a, b].exists(x, p)` becomes `p(a) OR p(b)`, `[a, b] == [c, d]` becomes `a = c AND b = d`, `{k: v}[x]`
becomes a choice. In CEL a missing element makes the whole list an error, so the expansion is UNKNOWN if an
element that may be missing is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from predicat.diagnostics import Span
from predicat.forms.conversions import is_union, underlying
from predicat.forms.logic import all_of, any_of, is_maybe_missing
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.surface import UNKNOWN_IF
from predicat.ir.types import BIGINT, BOOLEAN, NULL, ArrayType, MapType, Type

Compare = Callable[[Node, Node], Node]


def is_list(node: Node) -> bool:
    """Whether a node is a list literal."""
    return isinstance(node, Items) and isinstance(node.type, ArrayType)


def is_map(node: Node) -> bool:
    """Whether a node is a map literal."""
    return isinstance(node, Items) and isinstance(node.type, MapType)


def entries(node: Node) -> list[tuple[Node, Node]]:
    """The keys and values of a map literal."""
    assert isinstance(node, Items)  # noqa: S101  # callers ask is_map first
    return [(item.items[0], item.items[1]) for item in node.items if isinstance(item, Items)]


def maybe_missing(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, and the items of literals among them, that may be missing."""
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, Items):
            result += maybe_missing(node.items)
        elif isinstance(node, Call) and node.op == "dyn":
            result += maybe_missing(node.args)
        elif is_maybe_missing(node):
            result.append(node)
    return result


def absent(node: Node, span: Span) -> Node:
    """Whether a node is missing; for a literal, whether one of its items is."""
    if isinstance(node, Items):
        return any_of([absent(part, span) for part in dict.fromkeys(maybe_missing([node]))], span)
    if not is_union(node):
        return Call(BOOLEAN, "is_null", (underlying(node),), span)
    test, *values = node.args
    there = [Call(BOOLEAN, "not", (absent(value, span),), span) for value in values]
    return Call(
        BOOLEAN,
        "not",
        (Call(BOOLEAN, "is_true", (Call(BOOLEAN, "cond", (test, *there), span),), span),),
        span,
    )


def _maybe_equal(keys: Sequence[Node]) -> list[tuple[Node, Node]]:
    """The pairs of keys that may be equal in some row."""
    return [
        (one, other)
        for one, other in combinations(keys, 2)
        if one.type == other.type and not (isinstance(one, Literal) and isinstance(other, Literal))
    ]


def unknown_if_missing(node: Node, parts: Sequence[Node], span: Span) -> Node:
    """`node`, or UNKNOWN if one of the parts is missing, or if a map has a duplicate key."""
    unknown = [absent(part, span) for part in dict.fromkeys(maybe_missing(parts))]
    unknown += [
        Call(BOOLEAN, "eq", pair, span)
        for part in parts
        if is_map(part)
        for pair in _maybe_equal([key for key, _ in entries(part)])
    ]
    if not unknown or isinstance(node, Items):
        return node
    return Call(node.type, UNKNOWN_IF, (node, *unknown), span)


def equal_lists(left: Items, right: Items, compare: Compare, span: Span) -> Node:
    """Whether two list literals have the same length and equal elements."""
    if len(left.items) != len(right.items):
        result: Node = Literal(BOOLEAN, False, span)
    else:
        result = all_of(
            [compare(one, other) for one, other in zip(left.items, right.items, strict=True)], span
        )
    return unknown_if_missing(result, [left, right], span)


def equal_maps(left: Items, right: Items, compare: Compare, span: Span) -> Node:
    """Whether two map literals have the same size, and each entry of the left an equal entry in the right."""
    if len(left.items) != len(right.items):
        result: Node = Literal(BOOLEAN, False, span)
    else:
        result = all_of(
            [
                any_of(
                    [
                        all_of([compare(key, other), compare(value, result)], span)
                        for other, result in entries(right)
                    ],
                    span,
                )
                for key, value in entries(left)
            ],
            span,
        )
    return unknown_if_missing(result, [left, right], span)


def exactly_one(tests: Sequence[Node], span: Span) -> Node:
    """TRUE if exactly one test is TRUE; UNKNOWN if one is UNKNOWN."""
    one, none = Literal(BIGINT, 1, span), Literal(BIGINT, 0, span)
    total: Node = none
    for test in tests:
        hit = Call(BIGINT, "cond", (test, one, none), span)
        total = hit if total is none else Call(BIGINT, "add", (total, hit), span)
    return Call(BOOLEAN, "eq", (total, one), span)


def first_match(choices: Sequence[tuple[Node, Node]], span: Span) -> Node | None:
    """The value of the first test that is TRUE, or UNKNOWN if no test is. Returns None if the values have
    different types.
    """
    kinds: list[Type] = list(dict.fromkeys(value.type for _, value in choices))
    if len(kinds) != 1 or kinds[0] == NULL or any(isinstance(value, Items) for _, value in choices):
        return None
    result: Node = Literal(kinds[0], None, span)
    for test, value in reversed(choices):
        result = Call(kinds[0], "cond", (test, value, result), span)
    return result
