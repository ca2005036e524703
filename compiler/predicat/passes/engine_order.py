"""The order of doubles as SQL engines have it: NaN equals itself and is above every number.

The comparisons of the table are those of IEEE 754, where NaN equals nothing and is in no order. What the
engines have besides is `x <> x`, the test for NaN. Back ends know these forms (`bare_comparison`) and write
the bare comparison for them.
"""

from __future__ import annotations

import math

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node, Parameter
from predicat.ir.operators import ARITHMETIC, FLIPPED, SOLVED_ONLY
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE


def in_engine_order(op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of two numbers of which one is a double; UNKNOWN where one of them is."""
    plain = Call(BOOLEAN, op, (left, right), span)
    if op == "ne":
        equal = in_engine_order("eq", left, right, span)
        return (
            plain
            if equal == Call(BOOLEAN, "eq", (left, right), span)
            else Call(BOOLEAN, "not", (equal,), span)
        )
    if op == "eq" and isinstance(right, Literal) and may_be_nan(right):
        return _is_nan(left)
    if op == "eq":
        if not (may_be_nan(left) and may_be_nan(right)):
            return plain
        return _or(plain, Call(BOOLEAN, "and", (_is_nan(left), _is_nan(right)), span))
    if op in ("lt", "le"):
        op, left, right = FLIPPED[op], right, left
    if not may_be_nan(left):
        return plain
    if isinstance(right, Literal) and right.value is not None:
        if op == "gt" and right.value != right.value:  # NaN
            return plain
        return _or(plain, _is_nan(left))
    there = Call(BOOLEAN, "eq", (right, right), span)
    if op == "ge" and may_be_nan(right):
        there = Call(BOOLEAN, "or", (there, _is_nan(right)), span)
    return _or(plain, Call(BOOLEAN, "and", (_is_nan(left), there), span))


def same_in_engine_order(left: Node, right: Node, span: Span) -> Node:
    """IS NOT DISTINCT FROM of two numbers of which one is a double: NaN is the same as itself."""
    plain = Call(BOOLEAN, "same", (left, right), span)
    if not (may_be_nan(left) and may_be_nan(right)):
        return plain
    both = Call(BOOLEAN, "and", (_is_nan(left), _is_nan(right)), span)
    return _or(plain, Call(BOOLEAN, "is_true", (both,), span))


def bare_comparison(one: Node, other: Node) -> Call | None:
    """The comparison in the engine's order that `one OR other` is; None if it is none."""
    if (
        not isinstance(one, Call)
        or one.op not in FLIPPED
        or DOUBLE not in (one.args[0].type, one.args[1].type)
    ):
        return None
    whole = in_engine_order(one.op, one.args[0], one.args[1], one.span)
    return one if isinstance(whole, Call) and whole.op == "or" and whole.args == (one, other) else None


def may_be_nan(node: Node) -> bool:
    """Whether a number may be NaN. A parameter is none: NaN as its value is refused."""
    if node.type != DOUBLE or isinstance(node, Parameter):
        return False
    if isinstance(node, Literal):
        return node.value is not None and node.value != node.value  # NaN
    if isinstance(node, Call) and node.op == "cond":
        return any(may_be_nan(value) and not _is_ruled_out(node, value) for value in node.args[1:])
    if isinstance(node, Call) and node.op in ARITHMETIC and node.op != "fdiv":
        return not all(map(_is_finite, node.args))  # which may be infinite, but not NaN: 0 / 0 is UNKNOWN
    return not _is_finite(node)


def _is_ruled_out(choice: Call, value: Node) -> bool:
    """Whether a value of a choice is NaN only where the test for NaN has chosen the other one."""
    test = choice.args[0]
    rounded = isinstance(value, Call) and value.op in ("floor", "ceil") and value is choice.args[2]
    return rounded and test == _is_nan(value.args[0]) if isinstance(value, Call) else False


def _is_finite(node: Node) -> bool:
    if isinstance(node, Literal):
        return isinstance(node.value, float) and math.isfinite(node.value)
    return isinstance(node, Call) and node.op == "to_double" and node.args[0].type == BIGINT


def _is_nan(node: Node) -> Node:
    """A test for NaN. What is only compared with constants is NaN where its argument is, and that is what is
    tested: where it has no value at all, the comparison beside the test is UNKNOWN.
    """
    while isinstance(node, Call) and node.op in SOLVED_ONLY:
        node = node.args[0]
    return Call(BOOLEAN, "ne", (node, node), node.span)


def _or(one: Node, other: Node) -> Node:
    return Call(BOOLEAN, "or", (one, other), one.span)
