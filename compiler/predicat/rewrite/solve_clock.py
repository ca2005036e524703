"""Comparisons of a length of time until now, or since, as bounds of the field itself.

`now() - ts < INTERVAL '7 days'` is `ts > now() - INTERVAL '7 days'`, and `ts::date = current_date` is
`ts >= midnight AND ts < the next midnight`: no calculation of the field, so an index or the statistics of a
file serve it. So is `extract(epoch FROM now() - ts) > 3600`, a comparison of what is computed of the length,
and `ts + INTERVAL '7 days' < now()`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec.structs import replace

from predicat.analysis.clock import is_of_clock
from predicat.ir.nodes import (
    NOW,
    Call,
    Field,
    FieldDecl,
    Literal,
    Node,
    Parameter,
    reads_now,
    substituted,
    walk,
)
from predicat.ir.operators import COMPARISONS, FLIPPED, JUNCTIONS, ORDERED
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DURATION, TIMESTAMP
from predicat.ir.values import FIRST_MOMENT, LAST_MOMENT
from predicat.rewrite.junctions import conjunction
from predicat.rewrite.solve_steps import in_steps, is_step, later, shifted

_CALENDAR = LAST_MOMENT - FIRST_MOMENT


def of_clock(node: Call) -> Node | None:
    """The comparison with the field alone on one side; None for other comparisons."""
    if node.op not in COMPARISONS or len(node.args) != 2:
        return None
    for op, (value, bound) in ((node.op, node.args), (FLIPPED[node.op], node.args[::-1])):
        result = _field_alone(op, value, bound, node) or in_steps(op, value, bound, node)
        if result is not None:
            return result
    return None


def of_length(node: Call, solve: Callable[[Call], Node | None]) -> Node | None:
    """A comparison of what is computed of the length of time until now, or since, as one of the field alone;
    None for other comparisons. `solve` does the same for a field that is the length itself.
    """
    if node.op not in COMPARISONS and node.op != "in":
        return None
    lengths = {part for part in walk(node) if isinstance(part, Call) and _is_length(part)} - {*node.args}
    if len(lengths) != 1:
        return None
    (length,) = lengths
    name = next(part.decl.name for part in walk(length) if isinstance(part, Field))
    field = Field(length.type, FieldDecl(name, length.type))
    of_field = substituted(node, length, field)
    if not isinstance(of_field, Call) or any(_is_other(part, field) for part in walk(of_field)):
        return None
    result = solve(of_field)
    return None if result is None else _back(result, field, length)


def _is_other(part: Node, field: Field) -> bool:
    """Whether a part of a comparison is another field than this one, or the current time."""
    return (isinstance(part, Field) and part != field) or (isinstance(part, Parameter) and part.decl == NOW)


def _is_length(node: Call) -> bool:
    """Whether a node is the time between now and a field."""
    if len(node.args) != 2 or not (node.op == "days_between" or (node.op == "sub" and node.type == DURATION)):
        return False
    one, other = node.args
    clock, field = (one, other) if is_of_clock(one) else (other, one)
    return is_of_clock(clock) and (isinstance(field, Field) or is_step(field))


def _back(node: Node, field: Field, length: Call) -> Node | None:
    """Comparisons of a field that is a length of time, as comparisons of its field; None if one is beyond the
    calendar.
    """
    if not isinstance(node, Call):
        return None
    if node.op in COMPARISONS and node.args[0] == field:
        return of_clock(replace(node, args=(length, node.args[1])))
    parts = [_back(part, field, length) for part in node.args] if node.op in JUNCTIONS else [None]
    known = tuple(part for part in parts if part is not None)
    return replace(node, args=known) if len(known) == len(parts) else None


def until_clock(node: Call) -> Node | None:
    """A condition that is TRUE where `ts + INTERVAL '7 days' < now()` is, with the field alone on one side.

    None for other comparisons. Where the sum has no value, because it is beyond the calendar, it is not TRUE.
    """
    if node.op not in ("eq", *ORDERED):
        return None
    for op, (value, bound) in ((node.op, node.args), (FLIPPED[node.op], node.args[::-1])):
        if isinstance(value, Call) and is_of_clock(bound) and len(value.args) == 2:
            return _until(op, value, bound, node)
    return None


def _until(op: str, value: Call, clock: Node, node: Call) -> Node | None:
    field, length = value.args
    ahead = _ahead(value.op, length)
    if not (isinstance(field, Field) or is_step(field)) or ahead is None or abs(ahead) >= _CALENDAR:
        return None
    before = later(clock, -ahead.days) if value.op == "add_days" else shifted(clock, -ahead)
    if not is_of_clock(before):
        return None
    parts = [Call(BOOLEAN, op, (field, before), node.span)]
    if ahead > timedelta() and op in ("gt", "ge"):
        parts.append(_limit("le", field, LAST_MOMENT - ahead))
    if ahead < timedelta() and op in ("lt", "le"):
        parts.append(_limit("ge", field, FIRST_MOMENT - ahead))
    return conjunction(parts)


def _limit(op: str, field: Node, end: datetime) -> Call:
    return Call(
        BOOLEAN, op, (field, Literal(field.type, end.date() if field.type == DATE else end)), field.span
    )


def _ahead(op: str, length: Node) -> timedelta | None:
    """The length of time that an operator with a constant is ahead; None for other operators."""
    value = length.value if isinstance(length, Literal) else None
    if isinstance(value, timedelta) and op in ("add", "sub"):
        return value if op == "add" else -value
    if isinstance(value, int) and op == "add_days" and abs(value) <= _CALENDAR.days:
        return timedelta(days=value)
    return None


def _field_alone(op: str, value: Node, bound: Node, node: Call) -> Node | None:
    """A field on its own for `now() - field < length`, or `field - now() < length`."""
    if not isinstance(value, Call) or not isinstance(bound, Literal):
        return None
    end, start = value.args if len(value.args) == 2 else (value, value)
    field, clock = (start, end) if is_of_clock(end) else (end, start)
    if not is_of_clock(clock) or not (isinstance(field, Field) or is_step(field)):
        return None
    since = field is start
    moved = _by_length(value.op, clock, bound.value, sign=-1 if since else 1)
    if moved is None or not is_of_clock(moved):
        return None
    whole = Call(BOOLEAN, FLIPPED[op] if since else op, (field, moved), node.span)
    return of_clock(whole) or whole


def _by_length(op: str, clock: Node, length: object, *, sign: int) -> Node | None:
    """The current time or day, later (`sign` is 1) or earlier (-1) by a length of time as `op` gives it."""
    if op == "sub" and clock.type == TIMESTAMP and isinstance(length, timedelta):
        return shifted(clock, length * sign)
    if op == "days_between" and isinstance(length, int):
        return later(clock, length * sign)
    return None


def beside_clock(node: Node) -> Node:
    """A comparison with a moment of the clock as one of the time since then: `ts - now() > -7 days` for
    `ts > now() - 7 days`, so that such comparisons are tests of one value. Other nodes stay as they are.
    """
    if not isinstance(node, Call) or node.op not in COMPARISONS:
        return node
    for op, (value, bound) in ((node.op, node.args), (FLIPPED[node.op], node.args[::-1])):
        if is_of_clock(bound) and not is_of_clock(value):
            return _since(op, value, bound, node) or node
    moved = of_clock(node)
    return node if moved is None or not reads_now(node) else beside_clock(moved)


def _since(op: str, value: Node, bound: Node, node: Call) -> Node | None:
    start, shift = _from_start(bound)
    if value.type == TIMESTAMP:
        since = Call(DURATION, "sub", (value, start), node.span)
        return Call(BOOLEAN, op, (since, Literal(DURATION, shift)), node.span)
    if shift != timedelta(shift.days):
        return None
    days = Call(BIGINT, "days_between", (value, start), node.span)
    return Call(BOOLEAN, op, (days, Literal(BIGINT, shift.days)), node.span)


def _from_start(bound: Node) -> tuple[Node, timedelta]:
    """A moment of the clock, and how much later than that another one is."""
    if isinstance(bound, Call) and len(bound.args) == 2:
        ahead = _ahead(bound.op, bound.args[1])
        if ahead is not None:
            start, shift = _from_start(bound.args[0])
            return start, shift + ahead
    return bound, timedelta()
