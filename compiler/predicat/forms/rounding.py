"""Rounding to the nearest integer with operators of the table."""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE


def rounded_to_int(number: Node, span: Span, *, half_even: bool) -> Node:
    """The nearest integer of a double. A half is rounded to even, as in PostgreSQL's casts of doubles, or
    away from zero, as in its casts of decimals.

    UNKNOWN for NaN, infinities and numbers that do not fit 64 bits. The difference of a number and its floor
    is exact.
    """
    floor = _double("floor", number)
    over = _double("sub", number, floor)
    half = Literal(DOUBLE, 0.5, span)
    at_half = _test("ne", _double("mul", _double("floor", _double("mul", floor, half)), _two(span)), floor)
    if not half_even:
        at_half = _test("gt", number, Literal(DOUBLE, 0.0, span))
    up = _test("or", _test("gt", over, half), _test("and", _test("eq", over, half), at_half))
    nearest = Call(DOUBLE, "cond", (up, _double("add", floor, Literal(DOUBLE, 1.0, span)), floor), span)
    return Call(BIGINT, "to_int", (nearest,), span)


def rounded_number(node: Call) -> Node | None:
    """The number that `rounded_to_int` rounded; None for another conversion."""
    match node.args[0]:
        case Call(op="cond", args=(Call(span=span), _, Call(op="floor", args=(number,)))):
            made = (rounded_to_int(number, span, half_even=even) for even in (True, False))
            return number if node in made else None
        case _:
            return None


def _two(span: Span) -> Node:
    return Literal(DOUBLE, 2.0, span)


def _double(op: str, *args: Node) -> Node:
    return Call(DOUBLE, op, args, args[0].span)


def _test(op: str, *args: Node) -> Node:
    return Call(BOOLEAN, op, args, args[0].span)
