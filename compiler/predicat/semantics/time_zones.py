"""Units and time zones that all engines know."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from functools import lru_cache

TRUNC_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
_NAME = re.compile(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)+\Z|UTC\Z")


def moment_of(clocks: datetime, zone: str) -> datetime | None:
    """The moment at which clocks in a zone show a time (of UTC); None if they never do, or do twice."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # few filters name a zone

    shown = clocks.replace(tzinfo=ZoneInfo(zone))
    try:
        first, second = (shown.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    except OverflowError:
        return None
    return first if first == second else None


@lru_cache(maxsize=1024)
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


def zone_names() -> list[str]:
    """The names for which `is_zone` holds. To list them takes a while: for messages."""
    from zoneinfo import available_timezones  # noqa: PLC0415  # as above

    return sorted(filter(is_zone, available_timezones()))
