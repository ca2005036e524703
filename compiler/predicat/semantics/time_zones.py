"""Time zones that all engines support."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from functools import lru_cache

_NAME = re.compile(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)+\Z|UTC\Z")


def moment_of(clocks: datetime, zone: str) -> datetime | None:
    """The timestamp of a local time in a zone; None if the local time is skipped or occurs twice."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # few filters name a zone

    shown = clocks.replace(tzinfo=ZoneInfo(zone))
    try:
        first, second = (shown.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    except OverflowError:
        return None
    return first if first == second else None


@lru_cache(maxsize=1024)
def is_zone(name: str) -> bool:
    """Whether a string is a name of the IANA time zone database. Abbreviations differ between engines."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones  # noqa: PLC0415  # few filters name a zone

    if not _NAME.match(name) or name.startswith(("posix/", "right/")):
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    # On a case-insensitive file system the names have to be listed, which takes twenty times as long.
    return sys.platform == "linux" or name in available_timezones()


def zone_names() -> list[str]:
    """The names for which `is_zone` is true. Listing them is slow: only messages do."""
    from zoneinfo import available_timezones  # noqa: PLC0415  # as above

    return sorted(filter(is_zone, available_timezones()))
