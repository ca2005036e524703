"""Integers that wrap around on overflow."""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN
from predicat.ir.widths import INT, LIMITS, LONG


def turned(node: Node, low: int, high: int, bits: int, span: Span) -> Node:
    """A number from `low` to `high`, wrapped around to the range of the type with `bits` bits."""
    least, most = LIMITS[bits]
    period = 2**bits
    if low < least - period or high > most + period:
        node = Call(BIGINT, "mod", (node, Literal(BIGINT, period, span)), span)
        low, high = 1 - period, period - 1
    result = node
    if high > most:
        result = _by_one_period("gt", node, most, "sub", period, result, span)
    if low < least:
        result = _by_one_period("lt", node, least, "add", period, result, span)
    return result


def _by_one_period(test: str, node: Node, end: int, op: str, by: int, other: Node, span: Span) -> Node:
    beyond = Call(BOOLEAN, test, (node, Literal(BIGINT, end, span)), span)
    moved = Call(BIGINT, op, (node, Literal(BIGINT, by, span)), span)
    return Call(BIGINT, "cond", (beyond, moved, other), span)


def halves(large: Node, small: Node, span: Span) -> tuple[Node, Node]:
    """Two numbers whose sum is the product of a BIGINT and an INT modulo 2**64."""
    half = Literal(BIGINT, 2**32, span)
    high = Call(BIGINT, "mul", (Call(BIGINT, "div", (large, half), span), small), span)
    low = Call(BIGINT, "mul", (Call(BIGINT, "mod", (large, half), span), small), span)
    return Call(BIGINT, "mul", (turned(high, *LIMITS[LONG], INT, span), half), span), low
