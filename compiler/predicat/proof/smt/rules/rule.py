"""The type of the rules of operators, and helpers that several rules use."""

from collections.abc import Callable

from predicat.ir.nodes import Call, Literal, Node
from predicat.proof.smt.encoder import Encoder, Env
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    Term,
)

# A function that returns the term of a call. Raises NotEncodable if there is none.
Rule = Callable[[Encoder, Call, Env], Term]


def constant(node: Node) -> str:
    """The value of a string constant. Raises NotEncodable for other nodes."""
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        raise NotEncodable
    return node.value
