"""EXTRACT of a length of time in SQL: one of its fields, with its sign, and not the whole length.

`extract(hour FROM a - b)` is 0 to 23 where days are a field of their own. Of the difference of two timestamps
engines have the same fields. Other lengths keep hours beyond a day on some: of these hours and days are
refused. Sources: PostgreSQL, "Date/Time Functions and Operators" (EXTRACT); Spark SQL, "extract"; DuckDB,
"Interval Functions".
"""

from __future__ import annotations

from predicat.ir.nodes import Call, Node
from predicat.ir.types import TIMESTAMP


def has_field(unit: str, length: Node) -> bool:
    """Whether all engines have the same field of a length of time."""
    return unit not in ("day", "hour") or _is_carried(length)


def _is_carried(length: Node) -> bool:
    """Whether hours are carried over to days: in the difference of two timestamps, and in a time of day."""
    if not isinstance(length, Call):
        return False
    return length.op == "time_of_day" or (length.op == "sub" and length.args[0].type == TIMESTAMP)
