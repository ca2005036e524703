"""Comparisons of the day, month or year of a field with a moment of the clock, as bounds of the field itself.

`date_trunc('month', ts) = date_trunc('month', now())` is `ts >= start AND ts < the start of the next month`.
So is `year(ts) = year(now())`, and `d >= now() - INTERVAL '7 days'` of a date is `d > the day before that`.
Each step from the field to what is compared gives the start of a period, the day of a moment, or the midnight
of a day. It has a value for every value of the field, and never falls as the field grows. So a bound of its
result is one of its argument.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TypeGuard

from predicat.analysis.clock import is_of_clock
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DURATION, TIMESTAMP
from predicat.ir.values import PERIOD_LENGTHS as _LENGTHS
from predicat.ir.values import PERIOD_MONTHS as _MONTHS
from predicat.rewrite.junctions import conjunction
from predicat.semantics.calendar import is_in_order, pieces

_OF_LETTER = {"Y": "year", "m": "month", "d": "day", "H": "hour", "M": "minute", "S": "second"}
# What a period is on one side of with all of its moments: `> start` begins with the next period.
_FROM_NEXT = ("gt", "le")
_TICK = timedelta(microseconds=1)


def in_steps(op: str, value: Node, bound: Node, node: Call) -> Node | None:
    """A comparison of a field's step with a moment of the clock, as bounds of the field; None for others."""
    value, bound = _starts(value, bound) or (value, bound)
    if op == "ne" or not is_step(value) or value.type != bound.type or not is_of_clock(bound):
        return None
    if op != "eq":
        return _of_field(op, value, bound, node)
    low, high = _of_field("ge", value, bound, node), _of_field("le", value, bound, node)
    if low is None or high is None:
        return None
    same = low.op == "ge" and high.op == "le" and low.args == high.args
    return Call(BOOLEAN, "eq", low.args, node.span) if same else conjunction([low, high])


def is_step(node: Node) -> TypeGuard[Call]:
    """Whether a node is the start of a period, the day or the midnight of a field, or of such a step."""
    if not isinstance(node, Call):
        return False
    inner = node.args[-1]
    match node:
        case Call(op="to_date", type=kind, args=(_,)) if kind == DATE and inner.type == TIMESTAMP:
            return isinstance(inner, Field) or is_step(inner)
        case Call(op="to_timestamp", type=kind, args=(_,)) if kind == TIMESTAMP and inner.type == DATE:
            return isinstance(inner, Field) or is_step(inner)
        case Call(op="date_trunc", args=(Literal(value=unit), _)) if unit in _LENGTHS or unit in _MONTHS:
            return isinstance(inner, Field) or is_step(inner)
        case _:
            return False


def _of_field(op: str, value: Node, bound: Node, node: Call) -> Call | None:
    while isinstance(value, Call):
        op, bound = _of_argument(op, value, bound)
        value = value.args[-1]
    return Call(BOOLEAN, op, (value, bound), node.span) if is_of_clock(bound) else None


def _of_argument(op: str, step: Call, bound: Node) -> tuple[str, Node]:
    """The comparison of a step's argument that holds where one of the step does."""
    if step.op == "to_date":
        start = _midnight(later(bound, 1) if op in _FROM_NEXT else bound)
    elif step.op == "to_timestamp":
        if op in _FROM_NEXT or _is_start(bound, "day"):
            return op, _day(bound)
        return ("gt" if op == "ge" else "le"), _day(shifted(bound, -_TICK))
    else:
        unit = str(step.args[0].value) if isinstance(step.args[0], Literal) else ""
        start = bound if _is_start(bound, unit) else _next(shifted(bound, -_TICK), unit)
        if op in _FROM_NEXT:
            start = _next(bound, unit)
    return ("ge" if op in ("gt", "ge") else "lt"), start


def _starts(value: Node, bound: Node) -> tuple[Node, Node] | None:
    """Starts of periods with the same order, for a year, or for texts that begin with it."""
    match value, bound:
        case Call(op="year", args=(one,)), Call(
            op="add" | "sub" as op, args=(of_clock, Literal(value=int() as count))
        ):
            shift = count if op == "add" else -count
            starts = _starts(value, of_clock)
            return (
                (starts[0], _months_later(starts[1], 12 * shift)) if starts and abs(shift) < 10_000 else None
            )
        case Call(op="year", args=(one,)), Call(op="year", args=(other,)):
            unit = "year"
        case (
            Call(op="format_time", args=(Literal(value=str() as text), one)),
            Call(op="format_time", args=(Literal(value=again), other)),
        ) if text == again and is_in_order(text):
            unit = _OF_LETTER.get([letter for letter, _ in pieces(text) if letter][-1], "")
        case _:
            return None
    moments = [part if part.type == TIMESTAMP else _midnight(part) for part in (one, other)]
    return (_start(moments[0], unit), _start(moments[1], unit)) if unit else None


# --- moments


def later(day: Node, count: int) -> Node:
    """A day so many days later."""
    if not count:
        return day
    if isinstance(day, Call) and day.op == "add_days" and isinstance(day.args[1], Literal):
        before = day.args[1].value
        if isinstance(before, int):
            return later(day.args[0], before + count)
    return Call(DATE, "add_days", (day, Literal(BIGINT, count, day.span)), day.span)


def _midnight(day: Node) -> Node:
    """The start of a day; of that of a start of a month, that start."""
    if isinstance(day, Call) and day.op == "to_date" and _is_start(day.args[0], "day"):
        return day.args[0]
    return Call(TIMESTAMP, "to_timestamp", (day,), day.span)


def _day(moment: Node) -> Node:
    if isinstance(moment, Call) and moment.op == "to_timestamp":
        return moment.args[0]
    return Call(DATE, "to_date", (moment,), moment.span)


def _start(moment: Node, unit: str) -> Call:
    return Call(TIMESTAMP, "date_trunc", (Literal(moment.type, unit, moment.span), moment), moment.span)


def _next(moment: Node, unit: str) -> Node:
    """The start of the period after that of a moment."""
    start = moment if _is_start(moment, unit) else _start(moment, unit)
    if unit == "day" and isinstance(start, Call) and start.op == "to_timestamp":
        return _midnight(later(start.args[0], 1))
    return shifted(start, _LENGTHS[unit]) if unit in _LENGTHS else _months_later(start, _MONTHS[unit])


def shifted(moment: Node, by: timedelta) -> Node:
    """A moment so much later."""
    match moment:
        case Call(op="add" | "sub" as op, args=(start, Literal(value=timedelta() as length))):
            return shifted(start, by + length if op == "add" else by - length)
        case _ if not by:
            return moment
        case _:
            op = "add" if by > timedelta() else "sub"
            return Call(TIMESTAMP, op, (moment, Literal(DURATION, abs(by), moment.span)), moment.span)


def _months_later(start: Node, by: int) -> Node:
    """The start of a month so many months later, by its day: Spark has the shortest SQL for that."""
    match start:
        case Call(
            op="to_timestamp", args=(Call(op="add_months", args=(day, Literal(value=int() as count))),)
        ):
            return _months_later(_midnight(day), by + count)
        case Call(op="add_months", args=(before, Literal(value=int() as count))):
            return _months_later(before, by + count)
        case _ if not by:
            return start
        case _:
            return _midnight(
                Call(DATE, "add_months", (_day(start), Literal(BIGINT, by, start.span)), start.span)
            )


def _is_start(moment: Node, unit: str) -> bool:
    """Whether a moment is the start of a period, whatever the time is."""
    match moment:
        case Call(op="to_timestamp", args=(Call(op="add_months" as op, args=(day, count)),)) if (
            unit in _MONTHS
        ):
            return _is_start(Call(TIMESTAMP, op, (_midnight(day), count), day.span), unit)
        case Call(op="to_timestamp", args=(day,)):
            start = _midnight(day)
            within = unit in ("day", "hour", "minute", "second") and day.type == DATE
            return within or (start != moment and _is_start(start, unit))
        case Call(op="date_trunc", args=(Literal(value=of), _)):
            return of == unit or unit in _PARTS.get(str(of), ())
        case Call(op="add_months", args=(start, Literal(value=int() as count))):
            whole = count % _MONTHS.get(unit, 1) == 0 and unit != "week"
            return whole and _is_start(start, unit if unit in _MONTHS else "month")
        case Call(op="add" | "sub", args=(start, Literal(value=timedelta() as length))):
            return unit in _LENGTHS and not length % _LENGTHS[unit] and _is_start(start, unit)
        case _:
            return False


# The periods that begin where a larger one does.
_PARTS: dict[str, tuple[str, ...]] = {
    "minute": ("second",),
    "hour": ("second", "minute"),
    "day": ("second", "minute", "hour"),
    "week": ("second", "minute", "hour", "day"),
    "month": ("second", "minute", "hour", "day"),
    "quarter": ("second", "minute", "hour", "day", "month"),
    "year": ("second", "minute", "hour", "day", "month", "quarter"),
}
