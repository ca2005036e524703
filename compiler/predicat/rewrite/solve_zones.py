"""Bounds of a field beside a comparison of its time in a zone, or of the moment of its local time.

`(ts AT TIME ZONE 'Europe/Berlin')::date = DATE '2026-01-05'` is TRUE only where `ts` is within a day of that
day in UTC, whatever the zone and its rules: the bounds of these three days are served by an index or by the
statistics of a file, and the comparison decides the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from predicat.analysis.clock import is_of_clock
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, children, substituted, walk
from predicat.ir.operators import COMPARISONS, FLIPPED
from predicat.ir.types import BOOLEAN, TIMESTAMP
from predicat.rewrite.fold import fold
from predicat.rewrite.junctions import conjunction, disjunction
from predicat.rewrite.solve_steps import shifted

# A zone is less than a day off.
_MOST = timedelta(days=1)
_OF_ZONES = ("in_zone", "from_zone")


def near_zone(node: Call, solve: Callable[[Node], Node]) -> Node:
    """A comparison of a field's time in a zone, with bounds of the field beside it. Other nodes stay as they
    are.

    Args:
        node: A comparison.
        solve: Gives comparisons of a field alone for a comparison of what is computed of it.
    """
    zoned = {part for part in walk(node) if _is_local(part)}
    if node.op not in COMPARISONS or len(zoned) != 1:
        return node
    (local,) = zoned
    shown = Field(TIMESTAMP, FieldDecl("shown in the zone", TIMESTAMP))
    bounds = _bounds(solve(substituted(node, local, shown)), shown, children(local)[0])
    return node if bounds is None else conjunction([bounds, node])


def _is_local(node: Node) -> bool:
    """Whether a node is the time of a field in a zone, or the moment of a field in it."""
    return isinstance(node, Call) and node.op in _OF_ZONES and isinstance(node.args[0], Field)


def _bounds(node: Node, shown: Field, field: Node) -> Node | None:
    """Bounds of a field that hold wherever a condition on its time in a zone does; None if there are none."""
    match node:
        case Call(op="and" | "or" as op, args=args):
            parts = [_bounds(part, shown, field) for part in args]
            known = [part for part in parts if part is not None]
            if not known or (op == "or" and len(known) < len(parts)):
                return None
            return conjunction(known) if op == "and" else disjunction(known)
        case Call(op=op, args=(one, other)) if op in FLIPPED and other == shown:
            return _bound(FLIPPED[op], field, one)
        case Call(op=op, args=(one, other)) if op in FLIPPED and one == shown:
            return _bound(op, field, other)
        case _:
            return None


def _bound(op: str, field: Node, end: Node) -> Node | None:
    wanted = {"gt": ("ge",), "ge": ("ge",), "lt": ("lt",), "le": ("le",), "eq": ("ge", "le")}.get(op, ())
    ends = [fold(shifted(end, -_MOST if one == "ge" else _MOST)) for one in wanted]
    tests = [
        Call(BOOLEAN, one, (field, moved), field.span)
        for one, moved in zip(wanted, ends, strict=True)
        if is_of_clock(moved) or (isinstance(moved, Literal) and moved.value is not None)
    ]
    return conjunction(tests) if tests else None
