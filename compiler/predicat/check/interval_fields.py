"""EXTRACT of a length of time in SQL: one of its fields, with its sign, and not the whole length.

`extract(hour FROM a - b)` is 0 to 23 where days are a field of their own. Of the difference of two timestamps
engines have the same fields. Other lengths keep hours beyond a day on some: of these hours and days are
refused. Sources: PostgreSQL, "Date/Time Functions and Operators" (EXTRACT); Spark SQL, "extract"; DuckDB,
"Interval Functions".
"""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, STRING, TIMESTAMP
from predicat.ir.values import UNITS_OF_NEXT

_SECOND, _MINUTE = 1_000_000, 60_000_000
_HOURS = 24


def field_of(unit: str, length: Node, span: Span) -> Node | None:
    """A field of a length of time; None where engines differ."""
    if unit == "day":
        hours = Call(BIGINT, "in_units", (Literal(STRING, "hour", span), length), span)
        return (
            Call(BIGINT, "div", (hours, Literal(BIGINT, _HOURS, span)), span) if _is_carried(length) else None
        )
    if unit == "hour" and not _is_carried(length):
        return None
    whole = Call(BIGINT, "in_units", (Literal(STRING, unit, span), length), span)
    return Call(BIGINT, "mod", (whole, Literal(BIGINT, UNITS_OF_NEXT[unit], span)), span)


def seconds_of(length: Node, span: Span) -> Node:
    """The seconds of a length of time, with decimals."""
    micros = Call(BIGINT, "to_micros", (length,), span)
    rest = Call(BIGINT, "mod", (micros, Literal(BIGINT, _MINUTE, span)), span)
    return Call(
        DOUBLE, "div", (Call(DOUBLE, "to_double", (rest,), span), Literal(DOUBLE, float(_SECOND), span)), span
    )


def _is_carried(length: Node) -> bool:
    """Whether hours are carried over to days: in the difference of two timestamps, and in a time of day."""
    if not isinstance(length, Call):
        return False
    return length.op == "time_of_day" or (length.op == "sub" and length.args[0].type == TIMESTAMP)
