"""Timestamps that are computed from the current time alone, such as `now() - INTERVAL '7 days'`.

They need no guard against overflow: the current time is far from the ends of the calendar. So SQL has them as
the author wrote them, and an index or a partition of the column on the other side can be used.
"""

from __future__ import annotations

from functools import lru_cache

from predicat.ir.nodes import NOW, Call, Literal, Node, Parameter
from predicat.ir.operators import monotone_in
from predicat.ir.types import DATE, TIMESTAMP
from predicat.ir.values import FIRST_NOW, LAST_NOW
from predicat.semantics.closures import NONE
from predicat.semantics.evaluate import compile_node


def is_of_clock(node: Node) -> bool:
    """Whether a timestamp is computed from the current time and constants, and is in the years 1 to 9999."""
    return (isinstance(node, Parameter) and node.decl == NOW) or (isinstance(node, Call) and _is_safe(node))


@lru_cache(maxsize=1024)
def _is_safe(node: Call) -> bool:
    if not _is_monotone(node):
        return False
    run = compile_node(node)
    return all(run({}, NONE, {NOW.name: end}) is not None for end in (FIRST_NOW, LAST_NOW))


def _is_monotone(node: Node) -> bool:
    """Whether a node is the current time, or monotone operators applied to it and to constants."""
    if isinstance(node, Parameter):
        return node.decl == NOW
    if not isinstance(node, Call) or node.type not in (DATE, TIMESTAMP):
        return False
    moments = [place for place, arg in enumerate(node.args) if not isinstance(arg, Literal)]
    if len(moments) != 1 or not _is_monotone(node.args[moments[0]]):
        return False
    # Adding months preserves the order except at the end of a month, a time zone except when clocks are set
    # back. Neither matters here: the current time is a single value.
    return node.op in ("add_months", "in_zone") or monotone_in(node.op, moments[0])
