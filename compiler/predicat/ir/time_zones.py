"""Names of time zones that all engines support."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

_NAME = re.compile(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)+\Z|UTC\Z")


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
