"""The result types of exact decimal arithmetic, as in Spark: they hold every result.

Source: Spark's DecimalPrecision. PostgreSQL's numeric has the same scales.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from msgspec import Struct

from predicat.ir.types import BIGINT, MAX_PRECISION, DecimalType, Type

# The type of an integer beside a decimal in Spark.
OF_BIGINT = DecimalType(20, 0)
# The decimal places that Spark keeps, if it reduces the scale of a result with too many digits.
_KEPT_SCALE = 6


class Digits(Struct, frozen=True):
    """The number of integer digits and decimal places of a result, possibly more than a type supports."""

    whole: int
    scale: int

    @property
    def precision(self) -> int:
        """The number of all digits."""
        return self.whole + self.scale

    @property
    def fits(self) -> bool:
        """Whether there is a type that holds every result."""
        return self.precision <= MAX_PRECISION

    @property
    def rounded_by_spark(self) -> bool:
        """Whether Spark reduces the scale to keep integer digits."""
        return not self.fits and self.scale > min(self.scale, max(_KEPT_SCALE, MAX_PRECISION - self.whole))

    def type(self) -> DecimalType:
        """The type of the result. A result that does not fit it is UNKNOWN."""
        return DecimalType(min(self.precision, MAX_PRECISION), self.scale)


def _sum(one: DecimalType, other: DecimalType) -> Digits:
    whole = max(one.precision - one.scale, other.precision - other.scale)
    return Digits(whole + 1, max(one.scale, other.scale))


def _product(one: DecimalType, other: DecimalType) -> Digits:
    scale = one.scale + other.scale
    return Digits(one.precision + other.precision + 1 - scale, scale)


def _same(one: DecimalType) -> Digits:
    return Digits(one.precision - one.scale, one.scale)


# The operators that are exact on decimals, and on decimals beside integers.
RESULTS: Mapping[str, Callable[..., Digits]] = {
    "add": _sum,
    "sub": _sum,
    "mul": _product,
    "neg": _same,
    "abs": _same,
}


def result(op: str, kinds: Sequence[DecimalType]) -> Digits:
    """The digits of an operator's result for the types of its arguments."""
    return RESULTS[op](*kinds)


def result_type(op: str, kinds: Sequence[Type]) -> Type | None:
    """The type of an operator's result if it is exact on these types, otherwise None."""
    if op not in RESULTS or not any(isinstance(kind, DecimalType) for kind in kinds):
        return None
    exact = [OF_BIGINT if kind == BIGINT else kind for kind in kinds]
    return result(op, [kind for kind in exact if isinstance(kind, DecimalType)]).type()


def least_holding(values: Sequence[int | Decimal]) -> DecimalType:
    """The type with the fewest digits that holds all these numbers."""
    scale, whole = 0, 0
    for value in map(Decimal, values):
        _, digits, exponent = value.as_tuple()
        behind = max(0, -int(exponent))
        scale = max(scale, behind)
        whole = max(whole, len(digits) + int(exponent) if value else 0)
    return DecimalType(max(whole + scale, 1), scale)
