"""What a rule of an operator is, and what several rules need."""

from collections.abc import Callable

from predicat.ir.nodes import Call, Literal, Node
from predicat.review.smt.encoder import Encoder, Env
from predicat.review.smt.strings import NotEncodable
from predicat.review.smt.terms import (
    Term,
)

Rule = Callable[[Encoder, Call, Env], Term]
"""Makes the term of a call. Raises NotEncodable where there is none."""


def constant(node: Node) -> str:
    """The text of a constant. Raises NotEncodable for other nodes."""
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        raise NotEncodable
    return node.value
