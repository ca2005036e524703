"""Spark's arithmetic without ANSI mode: integers wrap around on overflow.

Source: Spark SQL, "ANSI Compliance".
"""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.forms.wrapping import halves, turned
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.surface import WIDTHS_OF_WRAPPED, WRAPPING
from predicat.ir.types import BIGINT, BOOLEAN
from predicat.ir.values import INT_MAX, INT_MIN

_OPS = {name: op for op, name in WRAPPING.items()}


def wrapped(call: Call) -> Node:
    """A number wrapped around to the range of its type."""
    number, low, high = call.args
    return turned(number, _whole(low), _whole(high), WIDTHS_OF_WRAPPED[call.op], call.span)


def wrapping(call: Call) -> Node:
    """BIGINT arithmetic that wraps around on overflow."""
    op, span = _OPS[call.op], call.span
    if op in ("neg", "abs"):
        return _other_sign(op, call.args[0], span)
    left, right, low, high, *first = call.args
    if op != "mul":
        return _sum(op, left, right, (_whole(low), _whole(high)), span)
    upper, lower = halves(right, left, span) if first else halves(left, right, span)
    plain = Call(BIGINT, "mul", (left, right), span)
    return Call(
        BIGINT, "coalesce", (plain, _sum("add", upper, lower, (_whole(low), _whole(high)), span)), span
    )


def _whole(node: Node) -> int:
    assert isinstance(node, Literal)  # noqa: S101  # the check makes it
    assert isinstance(node.value, int)  # noqa: S101  # as above
    return node.value


def _sum(op: str, left: Node, right: Node, ends: tuple[int, int], span: Span) -> Node:
    low, high = ends
    over = _shifted(op, left, right, span, up=False) if high > INT_MAX else None
    under = _shifted(op, left, right, span, up=True) if low < INT_MIN else None
    other = over if under is None else under
    if over is not None and under is not None:
        negative = Call(BOOLEAN, "lt", (left, Literal(BIGINT, 0, span)), span)
        other = Call(BIGINT, "cond", (negative, under, over), span)
    plain = Call(BIGINT, op, (left, right), span)
    return Call(BIGINT, "coalesce", (plain, other), span) if other is not None else plain


def _shifted(op: str, one: Node, other: Node, span: Span, *, up: bool) -> Node:
    """A sum or difference that overflows, shifted by 2**64 up or down. Each operand is shifted by 2**63, so
    no step overflows.
    """
    turn = up if op == "add" else not up
    return Call(BIGINT, op, (_half(one, span, up=up), _half(other, span, up=turn)), span)


def _half(node: Node, span: Span, *, up: bool) -> Node:
    """A number shifted by 2**63 up or down."""
    if isinstance(node, Literal) and isinstance(node.value, int):
        return Literal(BIGINT, node.value - INT_MIN if up else node.value + INT_MIN, node.span)
    return Call(BIGINT, "sub" if up else "add", (node, Literal(BIGINT, INT_MIN, span)), span)


def _other_sign(op: str, part: Node, span: Span) -> Node:
    """-x or ABS(x) of a BIGINT; the least BIGINT stays the same."""
    return Call(BIGINT, "coalesce", (Call(BIGINT, op, (part,), span), part), span)
