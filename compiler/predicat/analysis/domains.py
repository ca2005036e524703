"""The values of a type, numbered in their order: bisection works on these numbers."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any

from msgspec import Struct

from predicat.ir.types import BIGINT, DATE, DOUBLE, DURATION, MAX_PRECISION, TIMESTAMP, DecimalType, Type
from predicat.ir.values import FIRST_MOMENT, LAST_MOMENT, LONGEST

_MICROSECOND = timedelta(microseconds=1)
_EXACT = Context(prec=MAX_PRECISION)
_INFINITY = struct.unpack("<q", struct.pack("<d", math.inf))[0]


class Domain(Struct, frozen=True):
    """The values of a type by their ordinals.

    Attributes:
        least: The ordinal of the least value.
        greatest: The ordinal of the greatest value.
        value: The value of an ordinal. Greater ordinals have greater values.
        others: Values without an ordinal: NaN and negative zero.
        closed_below: Whether no engine has a value below the least one. PostgreSQL has `-infinity` for
            timestamps.
        closed_above: Whether no engine has a value above the greatest one.
    """

    least: int
    greatest: int
    value: Callable[[int], Any]
    others: tuple[Any, ...] = ()
    closed_below: bool = True
    closed_above: bool = True


def _double(ordinal: int) -> float:
    """The double of an ordinal. Positive doubles have the order of their bits; negative ones mirror it."""
    result: float = struct.unpack("<d", struct.pack("<q", abs(ordinal)))[0]
    return -result if ordinal < 0 else result


def _moment(ordinal: int) -> Any:
    return FIRST_MOMENT + timedelta(microseconds=ordinal)


DOMAINS: dict[Type, Domain] = {
    BIGINT: Domain(-(2**63), 2**63 - 1, lambda ordinal: ordinal),
    DOUBLE: Domain(-_INFINITY, _INFINITY, _double, others=(math.nan, -0.0)),
    DATE: Domain(
        date.min.toordinal(), date.max.toordinal(), date.fromordinal, closed_below=False, closed_above=False
    ),
    DURATION: Domain(-LONGEST, LONGEST, lambda ordinal: timedelta(microseconds=ordinal)),
    TIMESTAMP: Domain(
        0, (LAST_MOMENT - FIRST_MOMENT) // _MICROSECOND, _moment, closed_below=False, closed_above=False
    ),
}
"""The types whose comparisons can be solved, in addition to decimals."""


@lru_cache
def decimals(kind: DecimalType) -> Domain:
    """The values of a decimal type. Its ordinals are the unscaled values."""
    most = 10**kind.precision - 1
    return Domain(-most, most, lambda ordinal: _decimal(ordinal, kind.scale))


def _decimal(ordinal: int, scale: int) -> Decimal:
    """A decimal type with no more digits than the value needs. With a scale of 38 there is no room for a
    digit before the point.
    """
    if not ordinal and scale == MAX_PRECISION:
        return Decimal("0.0")
    while scale and ordinal % 10 == 0:
        ordinal, scale = ordinal // 10, scale - 1
    return Decimal(ordinal).scaleb(-scale, _EXACT)
