"""The types of exact arithmetic: digits that hold every result, as Spark has them.

Source: Spark's DecimalPrecision. PostgreSQL's numeric has the same digits behind the point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from msgspec import Struct

from predicat.ir.types import BIGINT, MAX_PRECISION, DecimalType, Type

OF_BIGINT = DecimalType(20, 0)
"""What Spark takes an integer for beside a decimal."""
_KEPT_SCALE = 6
"""So many digits behind the point Spark keeps of a result that has too many digits."""


class Digits(Struct, frozen=True):
    """How many digits a result has before and behind the point; there may be more than a type holds."""

    whole: int
    scale: int

    @property
    def precision(self) -> int:
        """All digits."""
        return self.whole + self.scale

    @property
    def fits(self) -> bool:
        """Whether a type holds every result."""
        return self.precision <= MAX_PRECISION

    @property
    def rounded_by_spark(self) -> bool:
        """Whether Spark gives up digits behind the point for those before it."""
        return not self.fits and self.scale > min(self.scale, max(_KEPT_SCALE, MAX_PRECISION - self.whole))

    def type(self) -> DecimalType:
        """The type of the result. Beyond its digits a result is UNKNOWN."""
        return DecimalType(min(self.precision, MAX_PRECISION), self.scale)


def _sum(one: DecimalType, other: DecimalType) -> Digits:
    whole = max(one.precision - one.scale, other.precision - other.scale)
    return Digits(whole + 1, max(one.scale, other.scale))


def _product(one: DecimalType, other: DecimalType) -> Digits:
    scale = one.scale + other.scale
    return Digits(one.precision + other.precision + 1 - scale, scale)


def _same(one: DecimalType) -> Digits:
    return Digits(one.precision - one.scale, one.scale)


RESULTS: Mapping[str, Callable[..., Digits]] = {
    "add": _sum,
    "sub": _sum,
    "mul": _product,
    "neg": _same,
    "abs": _same,
}
"""The operators that are exact on decimals, and on decimals beside whole numbers."""


def result(op: str, kinds: Sequence[DecimalType]) -> Digits:
    """The digits of an operator's result for the types of its arguments."""
    return RESULTS[op](*kinds)


def result_type(op: str, kinds: Sequence[Type]) -> Type | None:
    """The type of an operator's result, if it is exact on these types."""
    if op not in RESULTS or not any(isinstance(kind, DecimalType) for kind in kinds):
        return None
    exact = [OF_BIGINT if kind == BIGINT else kind for kind in kinds]
    return result(op, [kind for kind in exact if isinstance(kind, DecimalType)]).type()


def least_holding(values: Sequence[int | Decimal]) -> DecimalType:
    """The type with the fewest digits that holds some numbers."""
    scale, whole = 0, 0
    for value in map(Decimal, values):
        _, digits, exponent = value.as_tuple()
        behind = max(0, -int(exponent))
        scale = max(scale, behind)
        whole = max(whole, len(digits) + int(exponent) if value else 0)
    return DecimalType(max(whole + scale, 1), scale)
