"""Units and time zones that all engines know."""

from __future__ import annotations

import re
from functools import cache

TRUNC_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
ZONED = ("year", "month", "day", "day_of_week", "day_of_year", "hour", "minute", "second", "millisecond")
"""Operators whose second argument is a time zone."""
_NAME = re.compile(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)+\Z|UTC\Z")


@cache
def is_zone(name: str) -> bool:
    """Whether a text is a name of the IANA time zone database; abbreviations differ between engines."""
    from zoneinfo import available_timezones  # noqa: PLC0415  # reads a file

    return bool(_NAME.match(name)) and name in available_timezones()
