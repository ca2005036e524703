"""P510: a range of days on a timestamp that ends at the start of its last day, or a second before the next
day.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

from predicat.ir.nodes import Call, Field, Literal, Node, walk
from predicat.ir.types import TIMESTAMP
from predicat.lint.rule import Context, Finding, Rule

_MIDNIGHT = time(0)


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.surfaces():
        if filter_.current.references:
            continue
        for part in walk(node):
            if isinstance(part, Call) and part.op == "and":
                yield from _ranges(filter_.qualified, part)


def _ranges(filter_name: str, part: Call) -> Iterator[Finding]:
    starts = [
        bound
        for arg in part.args
        if (bound := _bound(arg, ("ge", "gt"))) is not None and bound[1].time() == _MIDNIGHT
    ]
    for arg in part.args:
        bound = _bound(arg, ("le",))
        if bound is None or not any(name == bound[0] and start <= bound[1] for name, start in starts):
            continue
        field, end = bound
        if end.year > 9998 or (field, end) in starts:
            continue
        following = (end + timedelta(days=1)).date().isoformat()
        if end.time() == _MIDNIGHT:
            yield Finding(
                RULE.code,
                filter_name,
                f"the range ends at {end.date()} 00:00:00: later times of that day are excluded",
                arg.span,
                f"for all of that day write {field} < TIMESTAMP '{following} 00:00:00'; "
                "to end before it, write < for <=",
            )
        elif end.time() >= time(23, 59, 59) and end.microsecond != 999_999:
            yield Finding(
                RULE.code,
                filter_name,
                f"the range ends at {end.time()}: the rest of the last second is excluded",
                arg.span,
                f"write {field} < TIMESTAMP '{following} 00:00:00'",
            )


def _bound(node: Node, ops: tuple[str, ...]) -> tuple[str, datetime] | None:
    """A timestamp field and the constant that it is compared with, with the field on the left side."""
    match node:
        case Call(op=op, args=(Field(type=kind, decl=decl), Literal(value=datetime() as value))) if (
            op in ops and kind == TIMESTAMP
        ):
            return decl.name, value.astimezone(UTC)
        case _:
            return None


RULE = Rule(
    "P510",
    "last-midnight",
    "A range of days on a timestamp that includes only midnight of its last day.",
    check,
)
