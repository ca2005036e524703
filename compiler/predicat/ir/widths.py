"""The widths with which a numeric column may be declared.

In expressions the types are `bigint` and `double`; the declared width only gives a range of the values.
"""

from __future__ import annotations

from collections.abc import Mapping

from predicat.ir.values import INT_MAX, INT_MIN

RANGES: Mapping[str, tuple[int, int]] = {
    "tinyint": (-(2**7), 2**7 - 1),
    "smallint": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
}
"""The least and the greatest value of the integer types that are narrower than `bigint`."""
FLOAT_MOST = 3.4028234663852886e38
"""The greatest finite float of 32 bits."""
FLOAT_LEAST = 1.401298464324817e-45
"""The least positive float of 32 bits."""

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
    """The declared width of a type: `int` for `integer`, `float` for `real`, "" for full width."""
    return _SPELLINGS.get(text.strip().lower(), "")


INT, LONG = 32, 64
LIMITS: Mapping[int, tuple[int, int]] = {
    8: RANGES["tinyint"],
    16: RANGES["smallint"],
    INT: RANGES["int"],
    LONG: (INT_MIN, INT_MAX),
}
"""The least and the greatest integer by the number of bits."""
