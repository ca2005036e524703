"""Constant folding: a call with constant arguments becomes its value, as the reference evaluator computes it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Variable, rewrite_children
from predicat.ir.ops import OPS
from predicat.ir.types import BOOLEAN, JSON, Scalar
from predicat.passes.accept import never_unknown
from predicat.semantics.evaluate import compile_node


def fold(node: Node) -> Node:
    """The same predicate with its constant parts computed. Connectives lose their constant operands."""
    if isinstance(node, _LEAVES):
        return node
    node = rewrite_children(node, fold)
    if not isinstance(node, Call):
        return node
    rule = _RULES.get(node.op)
    return _computed(node) if rule is None else rule(node)


_LEAVES = (Field, Literal, Parameter, Variable)


def _computed(node: Call) -> Node:
    if not isinstance(node.type, Scalar):
        return node
    constants = [arg for arg in node.args if _constant(arg)]
    if OPS[node.op].unknown == "strict" and any(
        isinstance(arg, Literal) and arg.value is None for arg in constants
    ):
        return Literal(node.type, None, node.span)
    if constants and len(constants) == len(node.args) and node.type != JSON:
        return Literal(node.type, compile_node(node)({}), node.span)
    return node


def _dyn(node: Call) -> Node:
    return node.args[0]


def _is_true(node: Call) -> Node:
    return node.args[0] if never_unknown(node.args[0]) else _computed(node)


def _cond(node: Call) -> Node:
    if not isinstance(node.args[0], Literal):
        return _computed(node)
    test = node.args[0].value
    return Literal(node.type, None, node.span) if test is None else node.args[1 if test else 2]


def _coalesce(node: Call) -> Node:
    """Drop NULL constants; nothing counts behind a constant that has a value."""
    kept: list[Node] = []
    for arg in node.args:
        if not (isinstance(arg, Literal) and arg.value is None):
            kept.append(arg)
        if isinstance(arg, Literal) and arg.value is not None:
            break
    if not kept:
        return Literal(node.type, None, node.span)
    if len(kept) == 1:
        return kept[0]
    return (
        node if len(kept) == len(node.args) and tuple(kept) == node.args else replace(node, args=tuple(kept))
    )


def _constant(node: Node) -> bool:
    return isinstance(node, Literal) or (
        isinstance(node, Items) and all(isinstance(item, Literal) for item in node.items)
    )


def _connective(node: Call) -> Node:
    """Flatten, drop neutral operands, stop at an absorbing one."""
    absorbing = node.op == "or"
    kept: list[Node] = []
    for arg in node.args:
        parts = arg.args if isinstance(arg, Call) and arg.op == node.op else (arg,)
        for part in parts:
            if isinstance(part, Literal) and part.value is absorbing:
                return Literal(BOOLEAN, absorbing, node.span)
            if not (isinstance(part, Literal) and part.value is (not absorbing)) and part not in kept:
                kept.append(part)
    if not kept:
        return Literal(BOOLEAN, not absorbing, node.span)
    if len(kept) == 1:
        return kept[0]
    return (
        node if len(kept) == len(node.args) and tuple(kept) == node.args else replace(node, args=tuple(kept))
    )


_RULES: dict[str, Callable[[Call], Node]] = {
    "dyn": _dyn, "is_true": _is_true, "cond": _cond, "and": _connective, "or": _connective, "coalesce": _coalesce,
}  # fmt: skip
"""The operators that are more than computed."""
