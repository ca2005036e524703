"""Rows that pair hostile values with each other and with NULL."""

import math
import random
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

_INTS = [0, 1, 2, 3, -1, 7, -7, 42, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]
_DOUBLES = [0.0, -0.0, 0.5, 2.5, -2.5, 3.5, 2.7, 1e10, 1e300, 0.1, math.nan, math.inf, -math.inf]
_TEXTS = ["", "a", "ab", "b", "aB4", " a ", "42", " 42 ", "-2.5e3", "2.7", "yes", "t", "x'y", "é%_", "a\tb",
          "a\nb", "2026-02-01", "2026-02-01 10:00:00", "NaN", "😀a", "a%", "a-b-a", "\\"]  # fmt: skip
_DAYS = [
    date(2026, 2, 1),
    date(1969, 12, 31),
    date(2024, 2, 29),
    date(2026, 12, 31),
    date(2026, 1, 31),
    date(1900, 1, 1),
]
_MOMENTS = [
    datetime(2026, 2, 1, 10, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=UTC),
    datetime(2024, 2, 29, tzinfo=UTC),
    datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2026, 2, 1, tzinfo=UTC),
]
POOLS: dict[str, list[Any]] = {
    "a": _INTS,
    "b": _INTS,
    "i": [0, 1, 2, -7, 42, 2**31 - 1, -(2**31)],
    "h": [0, 1, 3, -2, 2**15 - 1, -(2**15)],
    "x": _DOUBLES,
    "y": _DOUBLES,
    "p": [Decimal(text) for text in ("0.00", "2.50", "-2.50", "42.00", "0.05", "99999999.99", "7.00")],
    "q": [Decimal(text) for text in ("0.000000", "2.500000", "-0.000001", "123456789012.345678", "1.100000")],
    "s": _TEXTS,
    "u": _TEXTS,
    "w": [
        "42",
        " 7 ",
        "0",
        "-7",
        "1.5",
        "1e2",
        "true",
        "2026-02-01",
        "2026-02-01 10:00:00.5",
        "2024-02-29T01:02:03Z",
    ],
    "t": [True, False],
    "v": [True, False],
    "d": _DAYS,
    "e": _DAYS,
    "ts": _MOMENTS,
    "tz": _MOMENTS,
    "xs": [[], [1, 2, 3], [2, None], [42], [-1, 0, 2], [None]],
    "ss": [[], ["a", "b"], ["a", None], ["it's"], ["", "b"], ["ab", "42"]],
}


def rows(count: int, seed: int) -> list[dict[str, Any]]:
    """An empty row, and others by a seed: one value of eight is NULL."""
    rng = random.Random(seed)  # no secret
    found: list[dict[str, Any]] = [{}]
    while len(found) < count:
        found.append(
            {name: None if rng.random() < 0.125 else rng.choice(pool) for name, pool in POOLS.items()}
        )
    return found
