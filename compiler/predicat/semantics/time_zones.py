"""Units and time zones that all engines know."""

from __future__ import annotations

import re
import sys
from functools import cache

TRUNC_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
_NAME = re.compile(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)+\Z|UTC\Z")


@cache
def is_zone(name: str) -> bool:
    """Whether a text is a name of the IANA time zone database; abbreviations differ between engines."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones  # noqa: PLC0415  # few filters name a zone

    if not _NAME.match(name) or name.startswith(("posix/", "right/")):
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    # Where files are found in any case, the names have to be listed, which takes twenty times as long.
    return sys.platform == "linux" or name in available_timezones()
