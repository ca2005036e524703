"""The types of CEL's math extension. Whole numbers beside doubles, and JSON's numbers, are doubles.

Source: cel-go, ext/math.
"""

from __future__ import annotations

from collections.abc import Sequence

from predicat.ir.surface import MATH_OF_NUMBERS, MATH_TESTS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, Type, is_numeric


def result(op: str, types: Sequence[Type]) -> Type | None:
    """The type of a function of arguments of these types; None where they do not fit."""
    if op in MATH_OF_NUMBERS:
        fits = all(kind == JSON or is_numeric(kind) for kind in types)
        return (BIGINT if all(kind == BIGINT for kind in types) else DOUBLE) if fits else None
    if types[0] not in (DOUBLE, JSON):
        return None
    return BOOLEAN if op in MATH_TESTS else DOUBLE


def expected(op: str) -> str:
    """What a function takes, in words."""
    return "numbers" if op in MATH_OF_NUMBERS else "a double"
