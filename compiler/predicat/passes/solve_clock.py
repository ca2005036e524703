"""Comparisons of a length of time until now, or since, as bounds of the field itself.

`now() - ts < INTERVAL '7 days'` is `ts > now() - INTERVAL '7 days'`, and `ts::date = current_date` is
`ts >= midnight AND ts < the next midnight`: no calculation of the field, so an index or the statistics of a
file serve it.
"""

from __future__ import annotations

from datetime import timedelta

from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import COMPARISONS, FLIPPED
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DURATION, TIMESTAMP
from predicat.passes.clock import is_of_clock
from predicat.passes.union import conjunction


def of_clock(node: Call) -> Node | None:
    """The comparison with the field alone on one side; None for other comparisons."""
    if node.op not in COMPARISONS or len(node.args) != 2:
        return None
    for op, (value, bound) in ((node.op, node.args), (FLIPPED[node.op], node.args[::-1])):
        found = _moved(op, value, bound, node)
        if found is not None:
            return found
        if (
            isinstance(value, Call)
            and _is_day(value)
            and bound.type == DATE
            and is_of_clock(_later(bound, 1))
        ):
            return _within_days(op, value, bound, node)
    return None


def _moved(op: str, value: Node, bound: Node, node: Call) -> Node | None:
    """A field on its own for `now() - field < length`, or `field - now() < length`."""
    if not isinstance(value, Call) or not isinstance(bound, Literal):
        return None
    later, earlier = value.args if len(value.args) == 2 else (value, value)
    field, clock = (earlier, later) if is_of_clock(later) else (later, earlier)
    if not is_of_clock(clock) or not (isinstance(field, Field) or _is_day(field)):
        return None
    since = field is earlier
    moved = _shifted(value.op, clock, bound, node, sign=-1 if since else 1)
    if moved is None or not is_of_clock(moved):
        return None
    whole = Call(BOOLEAN, FLIPPED[op] if since else op, (field, moved), node.span)
    return of_clock(whole) or whole


def _shifted(op: str, clock: Node, bound: Literal, node: Call, *, sign: int) -> Node | None:
    """The current time or day, so much later or earlier."""
    length = bound.value
    if op == "sub" and clock.type == TIMESTAMP and isinstance(length, timedelta):
        shift = length * sign
        step = Literal(DURATION, abs(shift), node.span)
        return Call(TIMESTAMP, "sub" if shift < timedelta(0) else "add", (clock, step), node.span)
    if op == "days_between" and isinstance(length, int):
        return _later(clock, length * sign)
    return None


def _within_days(op: str, value: Call, day: Node, node: Call) -> Node | None:
    """A moment from midnight on, or before, for a comparison of its day."""
    (field,) = value.args
    start, end = (Call(TIMESTAMP, "to_timestamp", (part,), node.span) for part in (day, _later(day, 1)))

    def test(op: str, bound: Node) -> Node:
        return Call(BOOLEAN, op, (field, bound), node.span)

    match op:
        case "eq":
            return conjunction([test("ge", start), test("lt", end)])
        case "gt" | "ge":
            return test("ge", end if op == "gt" else start)
        case "lt" | "le":
            return test("lt", start if op == "lt" else end)
        case _:
            return None


def _later(day: Node, count: int) -> Node:
    if not count:
        return day
    if isinstance(day, Call) and day.op == "add_days" and isinstance(day.args[1], Literal):
        before = day.args[1].value
        if isinstance(before, int):
            return _later(day.args[0], before + count)
    return Call(DATE, "add_days", (day, Literal(BIGINT, count, day.span)), day.span)


def _is_day(node: Node) -> bool:
    """Whether a node is the day of a timestamp field."""
    return (
        isinstance(node, Call)
        and node.op == "to_date"
        and isinstance(node.args[0], Field)
        and node.args[0].type == TIMESTAMP
    )
