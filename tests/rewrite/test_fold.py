"""Constant folding of typed nodes."""

import pytest

from predicat.ir.nodes import FALSE, TRUE, UNKNOWN, Call, Field, FieldDecl, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE
from predicat.rewrite.fold import fold

A = Field(BIGINT, FieldDecl("a", BIGINT))
B = Field(BOOLEAN, FieldDecl("b", BOOLEAN))


def number(value: int) -> Node:
    return Literal(BIGINT, value)


CASES: list[tuple[Node, Node]] = [
    (Call(BIGINT, "add", (number(1), number(2))), number(3)),
    (Call(BIGINT, "add", (A, Literal(BIGINT, None))), Literal(BIGINT, None)),
    (Call(BIGINT, "div", (number(1), number(0))), Literal(BIGINT, None)),
    (Call(BOOLEAN, "and", (TRUE, B)), B),
    (Call(BOOLEAN, "and", (UNKNOWN, FALSE)), FALSE),
    (Call(BOOLEAN, "or", (B, Call(BOOLEAN, "or", (B, FALSE)))), B),
    (Call(BOOLEAN, "cond", (TRUE, B, FALSE)), B),
    (Call(BOOLEAN, "cond", (UNKNOWN, B, FALSE)), UNKNOWN),
    (Call(BIGINT, "coalesce", (Literal(BIGINT, None), number(1), A)), number(1)),
    (Call(BIGINT, "dyn", (A,)), A),
    (Call(BIGINT, "checked_mod", (A, number(3))), Call(BIGINT, "mod", (A, number(3)))),
    (Call(BIGINT, "checked_mod", (A, number(-1))), Call(BIGINT, "checked_mod", (A, number(-1)))),
    (Call(BIGINT, "checked_to_int", (Literal(DOUBLE, 2.5),)), number(2)),
]


@pytest.mark.parametrize(("node", "expected"), CASES)
def test_fold(node: Node, expected: Node) -> None:
    assert fold(node) == expected
    assert fold(expected) == expected
