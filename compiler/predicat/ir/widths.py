"""The widths of numbers that a column may be declared with.

In expressions they are `bigint` and `double`. What is known of their values is the range.
"""

from __future__ import annotations

from collections.abc import Mapping

from predicat.ir.values import INT_MAX, INT_MIN

RANGES: Mapping[str, tuple[int, int]] = {
    "tinyint": (-(2**7), 2**7 - 1),
    "smallint": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
}
"""The least and the greatest value of the integers that are narrower than `bigint`."""
FLOAT_MOST = 3.4028234663852886e38
"""The greatest finite float of 32 bits."""
FLOAT_LEAST = 1.401298464324817e-45
"""The least one above zero."""

_SPELLINGS = {
    "tinyint": "tinyint",
    "byte": "tinyint",
    "smallint": "smallint",
    "short": "smallint",
    "int2": "smallint",
    "int": "int",
    "integer": "int",
    "int4": "int",
    "float": "float",
    "real": "float",
    "float4": "float",
}


def stored_width(text: str) -> str:
    """The width that a type is written with: `int` of `integer`, `float` of `real`. "" where it is full."""
    return _SPELLINGS.get(text.strip().lower(), "")


def holds(stored: str, physical: str) -> bool:
    """Whether a column of a type, as an engine names it, has no value beyond a declared width."""
    actual = stored_width(physical)
    if stored == "float":
        return actual in ("float", *RANGES)
    return stored == "" or (actual in RANGES and RANGES[actual][1] <= RANGES[stored][1])


INT, LONG = 32, 64
LIMITS: Mapping[int, tuple[int, int]] = {
    8: RANGES["tinyint"],
    16: RANGES["smallint"],
    INT: RANGES["int"],
    LONG: (INT_MIN, INT_MAX),
}
"""The least and the greatest whole number of so many bits."""
