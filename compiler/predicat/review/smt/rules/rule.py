"""What a rule of an operator is, and what several rules need."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, DATE, DURATION, TIMESTAMP, Type
from predicat.ir.values import INT_MAX, INT_MIN, LONGEST
from predicat.review.smt import times
from predicat.review.smt.arrays import Path
from predicat.review.smt.strings import NotEncodable
from predicat.review.smt.terms import (
    Scalar,
    Term,
)

if TYPE_CHECKING:
    from predicat.review.smt.encode import Encoder

Env = dict[str, tuple[Path, Term]]
"""The path and the term of each variable of a macro."""
BOUNDS: dict[Type, tuple[int, int]] = {
    BIGINT: (INT_MIN, INT_MAX),
    TIMESTAMP: (times.FIRST, times.LAST),
    DATE: (times.FIRST_DAY, times.LAST_DAY),
    DURATION: (-LONGEST, LONGEST),
}
Rule = Callable[["Encoder", Call, Env], Term]
"""Makes the term of a call. Raises NotEncodable where there is none."""


def sort(value: Scalar) -> str:
    """The kind of value that Z3 knows a term as."""
    return str(value.term.sort())


def constant(node: Node) -> str:
    """The text of a constant. Raises NotEncodable for other nodes."""
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        raise NotEncodable
    return node.value
