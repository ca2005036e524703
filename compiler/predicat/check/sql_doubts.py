"""Operators of SQL on which engines differ: a `sql` body is rejected if that matters."""

from __future__ import annotations

from predicat.check.casts import written
from predicat.check.protocol import Check
from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_meanings, sql_times
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import (
    BIGINT,
    ArrayType,
)


def quotient(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """SQL's `/`, on which engines differ for integers."""
    if args[0].type == args[1].type == BIGINT:
        check.doubt(sql_meanings.ambiguous_division(span, *(written(arg) for arg in args)))
    return check.operator("div", args, span)


def element(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """SQL's `base[index]`. For arrays some engines count from 0, others from 1."""
    if isinstance(args[0].type, ArrayType):
        check.doubt(sql_meanings.ambiguous_index(span, written(args[0]), written(args[1])))
    return check.operator("bracket", args, span)


def moment(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """AT TIME ZONE of a timestamp without a time zone, which engines take as a local time: reported as a
    doubt. Raises Stop.
    """
    zone = args[1].value if isinstance(args[1], Literal) else ""
    check.doubt(sql_times.part_of_clocks(span, args[0].span.text, str(zone)))
    return args[0]


def text(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """SQL's concat(). Engines differ if an argument is NULL."""
    if any(not isinstance(arg, Literal) and not _never_null(arg) for arg in args):
        check.doubt(sql_meanings.ambiguous_concat(span, [written(arg) for arg in args]))
    found = args[0]
    for part in args[1:]:
        found = check.operator("concat", [found, part], span)
    return found


def _never_null(node: Node) -> bool:
    """Whether a value is never NULL."""
    if isinstance(node, Call) and node.op == "coalesce":
        return any(isinstance(arg, Literal) and arg.value is not None for arg in node.args)
    return isinstance(node, Literal) and node.value is not None
