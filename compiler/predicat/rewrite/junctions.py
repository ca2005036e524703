"""AND and OR of any number of conditions."""

from __future__ import annotations

from collections.abc import Sequence

from predicat.ir.nodes import FALSE, TRUE, Call, Node
from predicat.ir.types import BOOLEAN


def conjunction(parts: Sequence[Node]) -> Node:
    """The AND of conditions; TRUE for none."""
    return _joined("and", parts, TRUE)


def disjunction(parts: Sequence[Node]) -> Node:
    """The OR of conditions; FALSE for none."""
    return _joined("or", parts, FALSE)


def _joined(op: str, parts: Sequence[Node], empty: Node) -> Node:
    if len(parts) < 2:
        return parts[0] if parts else empty
    return Call(BOOLEAN, op, tuple(parts), parts[0].span)
