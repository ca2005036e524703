"""A filter in two parts: one that a source can evaluate, and the rest."""

from __future__ import annotations

from msgspec import Struct

from predicat.api import Predicate
from predicat.ir.nodes import TRUE, Call, Node
from predicat.lower import core
from predicat.pushdown.weakening import weaken
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.junctions import conjunction


class Split(Struct, frozen=True):
    """A filter as `pushed AND residual`.

    Attributes:
        pushed: What the language supports; None for nothing.
        residual: The conditions to evaluate on the rows that `pushed` accepts; None if there are none.
        proof: The evidence that `pushed` loses no row, as in `Weakening`.
    """

    pushed: Predicate | None
    residual: Predicate | None
    proof: str


def split(predicate: Predicate, language: str, *, effort: float = 1.0) -> Split:
    """Split a filter for a source that supports one language.

    A row is accepted by the filter if both parts accept it, and by no other.

    Args:
        predicate: The filter, without parameters.
        language: One of `languages()` or `dialects()`.
        effort: How much work each proof may take, as in `compare`.

    Raises:
        PredicatError: There is no such language.
    """
    weakening = weaken(predicate, language, effort=effort)
    if weakening.exact:
        return Split(weakening.predicate, None, weakening.proof)
    done = set(_conditions(weakening.predicate.surface)) if weakening.predicate is not None else set[Node]()
    left = [part for part in _conditions(for_acceptance(predicate.surface)) if part not in done]
    node = conjunction(left)
    residual = Predicate(core(node), predicate.language, written=node) if node != TRUE else None
    return Split(weakening.predicate, residual, weakening.proof)


def _conditions(node: Node) -> list[Node]:
    """The conditions of an AND, or the node alone."""
    if isinstance(node, Call) and node.op == "and":
        return [part for arg in node.args for part in _conditions(arg)]
    return [node]
