"""Numeric functions of the reference evaluator."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

from predicat.ir.values import INT_MAX, INT_MIN

# Up to this number of digits behind the point a double is rounded.
MOST_DIGITS = 10
_EXACT = Context(prec=800, Emax=MAX_EMAX, Emin=MIN_EMIN)
_PRECISE = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)
# Above the one, e**x is infinite as a double, below the other it is 0.
_EXP_OVERFLOWS, _EXP_VANISHES = 710, -746


def rounded(how: str) -> Callable[[float, int], float]:
    """A double rounded to a number of decimal places. Its shortest decimal form is what is rounded."""

    def run(value: float, digits: int) -> float:
        if not math.isfinite(value):
            return value
        result = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), how, _EXACT)
        return float(result) + 0.0

    return run


half_up = rounded(ROUND_HALF_UP)
half_even = rounded(ROUND_HALF_EVEN)


def decimal(number: str | int | Decimal, precision: int, scale: int) -> Decimal | None:
    """A decimal rounded to `scale` decimal places; None if it does not fit the precision."""
    result = _EXACT.create_decimal(number).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _EXACT)
    return result if result.copy_abs() < Decimal(10) ** (precision - scale) else None


def exact(
    op: Callable[[Context, Decimal, Decimal], Decimal], precision: int, scale: int
) -> Callable[[Decimal | int, Decimal | int], Decimal | None]:
    """An operation on decimals and integers; None if the result does not fit its type."""
    limit = Decimal(10) ** (precision - scale)

    def run(one: Decimal | int, other: Decimal | int) -> Decimal | None:
        result = op(_EXACT, Decimal(one), Decimal(other))
        return result if -limit < result < limit else None

    return run


def negated(value: Decimal) -> Decimal:
    """The exact negation of a decimal. There is no negative zero."""
    return _EXACT.minus(value)


def absolute(value: Decimal) -> Decimal:
    """The exact absolute value of a decimal."""
    return value.copy_abs()


def scaled(value: Decimal, scale: int) -> Decimal:
    """A decimal with at least as many decimal places as before. There is no negative zero."""
    return _EXACT.plus(value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _EXACT))


def sqrt(value: float) -> float | None:
    """The square root; None for a negative number."""
    return None if value < 0 else math.sqrt(value)


def exp(value: float) -> float:
    """E to the power of a number, correctly rounded."""
    if not math.isfinite(value):
        return math.exp(value)
    if value > _EXP_OVERFLOWS:
        return math.inf
    return 0.0 if value < _EXP_VANISHES else float(_PRECISE.exp(Decimal(value)))


def logarithm(of: Callable[[Decimal], Decimal]) -> Callable[[float], float | None]:
    """A logarithm, correctly rounded; None unless the number is positive."""

    def run(value: float) -> float | None:
        if math.isnan(value) or value == math.inf:
            return value
        return float(of(Decimal(value))) if value > 0 else None

    return run


ln = logarithm(_PRECISE.ln)
log10 = logarithm(_PRECISE.log10)


def int64(value: int) -> int | None:
    """The integer; None if it does not fit 64 bits."""
    return value if INT_MIN <= value <= INT_MAX else None


def int_div(a: int, b: int) -> int | None:
    """The quotient of integers, truncated toward zero; None for a division by zero and an overflow."""
    if b == 0:
        return None
    quotient = abs(a) // abs(b)
    return int64(quotient if (a < 0) == (b < 0) else -quotient)


def shifted_left(value: int, places: int) -> int:
    """The lowest 64 bits of a number shifted to the left."""
    bits = (value << places) & (2**64 - 1)
    return bits - 2**64 if bits >= 2**63 else bits
