"""Operators of SQL that engines mean differently: a body of `sql` is refused where that matters."""

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
    """SQL's `/`, which engines mean differently for whole numbers."""
    if args[0].type == args[1].type == BIGINT:
        check.doubt(sql_meanings.ambiguous_division(span, *(written(arg) for arg in args)))
    return check.operator("div", args, span)


def element(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """SQL's `base[index]`, which engines count differently for arrays."""
    if isinstance(args[0].type, ArrayType):
        check.doubt(sql_meanings.ambiguous_index(span, written(args[0]), written(args[1])))
    return check.operator("bracket", args, span)


def moment(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """A timestamp without a zone, which AT TIME ZONE makes a moment of, and no time of clocks."""
    zone = args[1].value if isinstance(args[1], Literal) else ""
    check.doubt(sql_times.part_of_clocks(span, args[0].span.text, str(zone)))
    return args[0]


def text(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """SQL's concat(), where engines differ about parts that are NULL."""
    if any(not isinstance(arg, Literal) and not never_null(arg) for arg in args):
        check.doubt(sql_meanings.ambiguous_concat(span, [written(arg) for arg in args]))
    found = args[0]
    for part in args[1:]:
        found = check.operator("concat", [found, part], span)
    return found


def never_null(node: Node) -> bool:
    """Whether a value is there in every row."""
    if isinstance(node, Call) and node.op == "coalesce":
        return any(isinstance(arg, Literal) and arg.value is not None for arg in node.args)
    return isinstance(node, Literal) and node.value is not None
