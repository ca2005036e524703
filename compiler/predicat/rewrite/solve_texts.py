"""Comparisons of a calculation with one text, as a test of the text itself.

`length(s) = 0` is `s = ''`, `s || 'x' = 'yx'` is `s = 'y'`, and `substring(s, 1, 3) = 'abc'` is a test of the
beginning: tests that indexes and the statistics of files serve. Each has the same outcome on every row.
"""

from __future__ import annotations

from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.operators import COMPARISONS, EQUALITIES, FLIPPED
from predicat.ir.types import BOOLEAN, STRING

# What a comparison of the length says of the text beside the empty one.
OF_LENGTH = {
    ("eq", 0): "eq",
    ("ne", 0): "ne",
    ("gt", 0): "ne",
    ("ge", 1): "ne",
    ("lt", 1): "eq",
    ("le", 0): "eq",
}


def solved_text(node: Call) -> Node | None:
    """The test of the text; None of a comparison that is no such one."""
    result = _solved(node)
    if result is None:
        return None
    return (solved_text(result) if isinstance(result, Call) else None) or result


def _solved(node: Call) -> Node | None:
    if node.op not in COMPARISONS or len(node.args) != 2:
        return None
    left, right = node.args
    if isinstance(left, Literal):
        left, right = right, left
        node = Call(BOOLEAN, FLIPPED[node.op], (left, right), node.span)
    if not isinstance(left, Call) or not isinstance(right, Literal):
        return None
    match left.op, left.args, right.value:
        case "length", (text,), int() as length:
            op = OF_LENGTH.get((node.op, length))
            return None if op is None or text.type != STRING else _compared(node, op, text, "")
        case "concat", (one, other), str() as whole if node.op in EQUALITIES:
            return _rest(node, one, other, whole)
        case "substr", (text, Literal(value=1), Literal(value=int() as length)), str() as start:
            return _beginning(node, text, length, start) if node.op in EQUALITIES else None
        case _:
            return None


def _compared(node: Call, op: str, text: Node, value: str) -> Node:
    return Call(BOOLEAN, op, (text, Literal(STRING, value)), node.span)


def _rest(node: Call, one: Node, other: Node, whole: str) -> Node | None:
    """`one || other` beside a constant, where one of both is a part of it."""
    match one, other:
        case (_, Literal(value=str() as end)) if end and whole.endswith(end):
            return _compared(node, node.op, one, whole.removesuffix(end))
        case (Literal(value=str() as start), _) if start and whole.startswith(start):
            return _compared(node, node.op, other, whole.removeprefix(start))
        case _:
            return None


def _beginning(node: Call, text: Node, length: int, start: str) -> Node | None:
    """The first characters of a text beside a constant."""
    if length < 1 or len(start) > length:
        return None
    if len(start) < length:  # which only a text has that is no longer
        return _compared(node, node.op, text, start)
    test = _compared(node, "starts_with", text, start)
    return test if node.op == "eq" else Call(BOOLEAN, "not", (test,), node.span)
