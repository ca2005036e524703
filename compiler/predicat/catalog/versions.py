"""Numbers of versions, of filters and of lists."""

from __future__ import annotations

import re

_VERSION = re.compile(r"0{0,6}[1-9][0-9]{0,5}\Z")


def version_number(text: str) -> int | None:
    """The number of a version, from 1 to 999,999; None for any other text."""
    return int(text) if _VERSION.match(text) else None
