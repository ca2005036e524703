"""Bounds of a field beside a comparison with the clock that has none of its own.

`unix_timestamp(ts) > unix_timestamp() - 86400` and `d + INTERVAL '1 month' > current_date` are TRUE only
where the field is near a moment of the clock. An index or the statistics of a file serve the bounds, which
are some seconds or days wider. The comparison decides the rest.
"""

from __future__ import annotations

import math
from datetime import timedelta

from predicat.analysis.clock import is_of_clock
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import COMPARISONS, FLIPPED
from predicat.ir.types import BIGINT, BOOLEAN, DATE, TIMESTAMP
from predicat.rewrite.junctions import conjunction
from predicat.rewrite.solve_steps import later, shifted

# Seconds: a bound of more than about 300 years is none.
_MOST = 10_000_000_000
# Days by which adding months moves a moment away from others: the ends of months are 28 to 31 days apart.
_EARLIER, _LATER = 2, 5

# The seconds since 1970 of moments, each times a factor; a constant; and by how much the sum may be off.
_Line = tuple[dict[Node, float], float, float]


def near_clock(node: Call) -> Node:
    """A comparison with bounds of its field beside it. Other nodes stay as they are."""
    if node.op not in COMPARISONS or node.op == "ne":
        return node
    for op, (value, clock) in ((node.op, node.args), (FLIPPED[node.op], node.args[::-1])):
        match value:
            case Call(op="add_months", args=(Field() as field, Literal(value=int() as count))) if is_of_clock(
                clock
            ):
                before = Call(clock.type, "add_months", (clock, Literal(BIGINT, -count)), node.span)
                return _beside(node, op, field, _days_later(before, -_EARLIER), _days_later(before, _LATER))
            case _:
                pass
    return _near_seconds(node) or node


def _near_seconds(node: Call) -> Node | None:
    left, right = map(_line, node.args)
    line = None if left is None or right is None else _sum(left, right, -1)
    if line is None or len(line[0]) != 2:
        return None
    moments, constant, error = line
    field, clock = sorted(moments, key=is_of_clock)
    factor = moments[field]
    if not isinstance(field, Field) or not is_of_clock(clock) or moments[clock] != -factor:
        return None
    ahead, slack = -constant / factor, error / abs(factor) + 1
    if not abs(ahead) + slack < _MOST:
        return None
    low, high = (timedelta(seconds=math.floor(ahead + by)) for by in (-slack, slack + 1))
    op = node.op if factor > 0 else FLIPPED[node.op]
    return _beside(node, op, field, shifted(clock, low), shifted(clock, high))


def _beside(node: Call, op: str, field: Node, low: Node, high: Node) -> Node:
    tests: list[Node] = []
    if op in ("gt", "ge", "eq"):
        tests.append(Call(BOOLEAN, "ge", (field, low), node.span))
    if op in ("lt", "le", "eq"):
        tests.append(Call(BOOLEAN, "le", (field, high), node.span))
    safe = is_of_clock(low) and is_of_clock(high)
    return conjunction([*tests, node]) if safe else node


def _days_later(moment: Node, days: int) -> Node:
    return later(moment, days) if moment.type == DATE else shifted(moment, timedelta(days=days))


def _line(node: Node) -> _Line | None:
    match node:
        case Literal(value=int() | float() as number) if math.isfinite(number):
            return {}, float(number), 0.0
        case Call(op="to_int", args=(moment,)) if moment.type == TIMESTAMP:
            return {moment: 1.0}, 0.0, 1.0
        case Call(op="to_micros", args=(moment,)):
            return {moment: 1e6}, 0.0, 0.0
        case Call(op="to_double", args=(number,)) if number.type == BIGINT:
            return _line(number)
        case Call(op="mod", args=(_, Literal(value=int() as number))):
            return {}, 0.0, float(abs(number))
        case Call(op="add" | "sub" as op, args=(one, other)):
            left, right = _line(one), _line(other)
            return None if left is None or right is None else _sum(left, right, 1 if op == "add" else -1)
        case Call(op="div", args=(one, Literal(value=int() | float() as by))) if by and math.isfinite(by):
            line = _line(one)
            if line is None:
                return None
            moments, constant, error = line
            scaled = {moment: factor / by for moment, factor in moments.items()}
            return scaled, constant / by, error / abs(by) + 1
        case _:
            return None


def _sum(one: _Line, other: _Line, sign: int) -> _Line:
    moments = dict(one[0])
    for moment, factor in other[0].items():
        moments[moment] = moments.get(moment, 0.0) + sign * factor
    left = {moment: factor for moment, factor in moments.items() if factor}
    return left, one[1] + sign * other[1], one[2] + other[2]
