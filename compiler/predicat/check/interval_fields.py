"""EXTRACT from an interval in SQL: one field with its sign, not the whole duration in a unit.

`extract(hour FROM a - b)` is 0 to 23 if days are a separate field. For the difference of two timestamps all
engines have the same fields. Other intervals keep more than 24 hours on some engines, so EXTRACT of hours and
days is not supported for them. Sources: PostgreSQL, "Date/Time Functions and Operators" (EXTRACT); Spark SQL,
"extract"; DuckDB, "Interval Functions".
"""

from __future__ import annotations

from predicat.ir.nodes import Call, Node
from predicat.ir.types import TIMESTAMP


def has_field(unit: str, length: Node) -> bool:
    """Whether all engines have the same value for a field of an interval."""
    return unit not in ("day", "hour") or _is_carried(length)


def _is_carried(length: Node) -> bool:
    """Whether an interval has at most 23 hours: a difference of timestamps (beside days) or a time of day."""
    if not isinstance(length, Call):
        return False
    return length.op == "time_of_day" or (length.op == "sub" and length.args[0].type == TIMESTAMP)
