"""The total order of doubles, which SQL engines have: NaN equals itself and is above every number.

The comparisons of the table follow IEEE 754: NaN equals nothing and has no order. So the engines' comparison
is an OR of such a comparison and a test for NaN, `x <> x`. Back ends recognize it (`with_nan_tests`) and
write only the comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeGuard

from msgspec.structs import replace

from predicat.analysis import facts
from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node, Parameter
from predicat.ir.operators import ARITHMETIC, FLIPPED, LOGIC, SOLVED_ONLY
from predicat.ir.surface import TOTAL_ORDER
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE


def with_nan_above(node: Call) -> Node:
    """A comparison of the surface, marked if NaN above every number makes a difference."""
    return node if _lowered(node) == node else Call(BOOLEAN, TOTAL_ORDER, (node,), node.span)


def plain(node: Call) -> Node:
    """A marked comparison without its mark, which means the same if no number is NaN."""
    return node.args[0]


def total_order(node: Call) -> Node:
    """The core of a marked comparison."""
    inner = plain(node)
    return _lowered(inner) if isinstance(inner, Call) else inner


def _lowered(node: Call) -> Node:
    if node.op not in (*FLIPPED, "same") or DOUBLE not in {arg.type for arg in node.args}:
        return node
    left, right = node.args
    if node.op == "same":
        return _same_in_total_order(left, right, node.span)
    return in_total_order(node.op, left, right, node.span)


def is_nan_test(node: Node) -> TypeGuard[Call]:
    """Whether a node is `x <> x`, which is TRUE for NaN alone."""
    match node:
        case Call(op="ne", args=(one, other)):
            return one.type == DOUBLE and one == other
        case _:
            return False


def in_total_order(op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of two numbers, at least one a double, in the total order; UNKNOWN for NULL."""
    plain = Call(BOOLEAN, op, (left, right), span)
    if op == "ne":
        equal = in_total_order("eq", left, right, span)
        return (
            plain
            if equal == Call(BOOLEAN, "eq", (left, right), span)
            else Call(BOOLEAN, "not", (equal,), span)
        )
    if op == "eq" and isinstance(right, Literal) and may_be_nan(right):
        return _is_nan(left, span)
    if op == "eq":
        if not (may_be_nan(left) and may_be_nan(right)):
            return plain
        return _or(plain, Call(BOOLEAN, "and", (_is_nan(left, span), _is_nan(right, span)), span))
    if op in ("lt", "le"):
        op, left, right = FLIPPED[op], right, left
    if not may_be_nan(left):
        return plain
    if isinstance(right, Literal) and right.value is not None:
        if op == "gt" and right.value != right.value:  # NaN
            return plain
        return _or(plain, _is_nan(left, span))
    there = Call(BOOLEAN, "eq", (right, right), span)
    if op == "ge" and may_be_nan(right):
        there = Call(BOOLEAN, "or", (there, _is_nan(right, span)), span)
    return _or(plain, Call(BOOLEAN, "and", (_is_nan(left, span), there), span))


def _same_in_total_order(left: Node, right: Node, span: Span) -> Node:
    """IS NOT DISTINCT FROM of two numbers, at least one a double: NaN is the same as NaN."""
    plain = Call(BOOLEAN, "same", (left, right), span)
    if not (may_be_nan(left) and may_be_nan(right)):
        return plain
    both = Call(BOOLEAN, "and", (_is_nan(left, span), _is_nan(right, span)), span)
    return _or(plain, Call(BOOLEAN, "is_true", (both,), span))


def with_nan_tests(args: Sequence[Node]) -> list[tuple[Node, ...]]:
    """The parts of an OR. A comparison in the total order is paired with its test for NaN, which several
    comparisons may share; other parts are alone.
    """
    tests = [_test_beside(part) for part in args]
    used = set(args).intersection(test for test in tests if test is not None) if any(tests) else set[Node]()
    return [
        (part, test) if test is not None and test in used else (part,)
        for part, test in zip(args, tests, strict=True)
        if part not in used
    ]


def _test_beside(node: Node) -> Node | None:
    """The test for NaN that turns an IEEE 754 comparison into the total order; None for other nodes."""
    whole = _lowered(node) if isinstance(node, Call) else node
    if not isinstance(whole, Call) or whole.op != "or" or whole.args[0] != node:
        return None
    return whole.args[1]


def disjuncts(args: Sequence[Node]) -> list[Node]:
    """The parts of an OR, with a comparison in the total order as one part."""
    return [pair[0] if len(pair) == 1 else _or(*pair) for pair in with_nan_tests(args)]


def bare_comparison(node: Node) -> Node | None:
    """The comparison, if an OR is one comparison in the total order; None for other nodes."""
    pairs = with_nan_tests(node.args) if isinstance(node, Call) and node.op == "or" else []
    return pairs[0][0] if [len(pair) for pair in pairs] == [2] else None


def without_nan_test(node: Node) -> Node:
    """The comparison without its mark or its test for NaN; other nodes are returned unchanged."""
    if isinstance(node, Call) and node.op == TOTAL_ORDER:
        return plain(node)
    return bare_comparison(node) or node


def bare(node: Node) -> Node:
    """A predicate as back ends write it: comparisons in the total order without their tests for NaN."""
    if not isinstance(node, Call) or node.op not in LOGIC:
        return node
    pairs = with_nan_tests(node.args) if node.op == "or" else [(arg,) for arg in node.args]
    parts = tuple(bare(first) for first, *_ in pairs)
    return parts[0] if len(parts) == 1 < len(node.args) else replace(node, args=parts)


def rewrite_parts(node: Call, rewrite: Callable[[Node], Node]) -> tuple[Node, ...]:
    """The parts of AND or OR, each rewritten. A test for NaN is only rewritten if its comparison is:
    otherwise back ends would not recognize the pair.
    """
    if node.op != "or":
        return tuple(map(rewrite, node.args))
    result: list[Node] = []
    written: set[Node] = set()
    for first, *rest in with_nan_tests(node.args):
        new = rewrite(first)
        tests = rest if new == first else list(map(rewrite, rest))
        result += [new, *(test for test in tests if test not in written)]
        written.update(tests)
    return tuple(result)


def may_be_nan(node: Node) -> bool:
    """Whether a number may be NaN. A parameter may not: NaN is rejected as its value."""
    if not facts.may_be_nan(node) or isinstance(node, Parameter):
        return False
    if isinstance(node, Literal):
        return node.value is not None and node.value != node.value  # NaN
    if isinstance(node, Call) and node.op == "cond":
        return any(may_be_nan(value) and not _is_ruled_out(node, value) for value in node.args[1:])
    if isinstance(node, Call) and node.op in ARITHMETIC and node.op != "fdiv":
        return not all(map(_is_finite, node.args))  # which may be infinite, but not NaN: 0 / 0 is UNKNOWN
    return not _is_finite(node)


def _is_ruled_out(choice: Call, value: Node) -> bool:
    """Whether a value of a choice can only be NaN if the test of the choice, a test for NaN, selects the
    other value.
    """
    test = choice.args[0]
    rounded = isinstance(value, Call) and value.op in ("floor", "ceil") and value is choice.args[2]
    return rounded and test == _is_nan(value.args[0], value.span) if isinstance(value, Call) else False


def _is_finite(node: Node) -> bool:
    if isinstance(node, Literal):
        return isinstance(node.value, float) and math.isfinite(node.value)
    return isinstance(node, Call) and node.op == "to_double" and node.args[0].type == BIGINT


def _is_nan(node: Node, span: Span) -> Node:
    """A test for NaN. If an expression is NaN exactly if its argument is, such as a number plus a constant,
    the test is on the argument.
    """
    while (inner := _with_the_same_nan(node)) is not None:
        node = inner
    return Call(BOOLEAN, "ne", (node, node), span)


def _with_the_same_nan(node: Node) -> Node | None:
    """The argument of a call that is NaN exactly if this argument is; None if there is no such argument."""
    if not isinstance(node, Call):
        return None
    if node.op in SOLVED_ONLY or node.op in ("neg", "abs", "floor", "ceil"):
        return node.args[0]
    if node.op not in ("add", "sub", "mul", "div"):
        return None
    left, right = node.args
    if _scales(right, node.op):
        return left
    return right if node.op != "div" and _scales(left, node.op) else None


def _scales(node: Node, op: str) -> bool:
    """Whether an operand is a constant with which only NaN gives NaN, unlike 0 in a product with infinity."""
    value = node.value if isinstance(node, Literal) else None
    return isinstance(value, float) and math.isfinite(value) and (op in ("add", "sub") or value != 0)


def _or(one: Node, other: Node) -> Node:
    return Call(BOOLEAN, "or", (one, other), one.span)
