"""The values of a type, or of a column that is declared narrower, numbered in their order.

Bisection works on these numbers. Bounds of fields, proofs and example rows all take the values of a column
from here.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from functools import lru_cache, partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.ir.column_forms import form_of
from predicat.ir.nodes import Field, Node
from predicat.ir.types import BIGINT, DATE, DOUBLE, DURATION, MAX_PRECISION, TIMESTAMP, DecimalType, Type
from predicat.ir.values import EXACT, FIRST_MOMENT, INT_MAX, INT_MIN, LAST_MOMENT, LONGEST
from predicat.ir.widths import RANGES
from predicat.values.automaton import Opaque

# The microseconds of a day.
DAY = 86_400_000_000
_MICROSECOND = timedelta(microseconds=1)
_DIGITS = Context(prec=MAX_PRECISION)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_ONE = _EPOCH.date()


class Domain(Struct, frozen=True):
    """The values of a type or of a column by their ordinals.

    Attributes:
        least: The ordinal of the least value.
        greatest: The ordinal of the greatest value.
        value: The value of an ordinal. Greater ordinals have greater values.
        ordinal: The ordinal of a value other than NaN. Of a number that no ordinal has, because it is not in
            range or not stored exactly, it is that of the next greater value, perhaps beyond `greatest`.
        others: Values without an ordinal: NaN and negative zero.
        closed_below: Whether no engine has a value below the least one. PostgreSQL has `-infinity` for
            timestamps.
        closed_above: Whether no engine has a value above the greatest one.
    """

    least: Any
    greatest: Any
    value: Callable[[Any], Any]
    ordinal: Callable[[Any], Any]
    others: tuple[Any, ...] = ()
    closed_below: bool = True
    closed_above: bool = True

    def next(self, ordinal: Any) -> Any:
        """The ordinal of the next greater value."""
        return ordinal + "\0" if self is TEXTS else ordinal + 1

    def has(self, ordinal: Any) -> bool:
        """Whether a value has an ordinal."""
        return bool(self.least <= ordinal and (self.greatest is None or ordinal <= self.greatest))


# All texts, each of which is its own ordinal: between two there is always a third.
TEXTS = Domain("", None, str, str)
_BEFORE_SURROGATES = "\ud7ff"


def after_prefix(prefix: str) -> str | None:
    """The first text after all with this prefix, by code point; None if there is none."""
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return None
    return stem[:-1] + ("\ue000" if stem[-1] == _BEFORE_SURROGATES else chr(ord(stem[-1]) + 1))


def domain_of(node: Node) -> Domain | None:
    """The values of a node: of a field those that its column can hold, of others those of their type. None
    for a type without an order.
    """
    return domain(node.type, node.decl.stored if isinstance(node, Field) else "")


@lru_cache
def domain(kind: Type, stored: str = "") -> Domain | None:
    """The values of a type, or of a column of a declared width (see `predicat.ir.widths`)."""
    if isinstance(kind, DecimalType):
        held = form_of(stored)
        return _decimals(kind) if held is None else _within(_decimals(kind), held.samples)
    if stored == "float":
        return _FLOATS
    result = _DOMAINS.get(kind)
    if result is None or stored not in RANGES:
        return result
    least, greatest = RANGES[stored]
    return replace(result, least=least, greatest=greatest)


def first_where(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first ordinal of a range from which a test holds; `high` + 1 if it holds for none."""
    while low <= high:
        middle = (low + high) // 2
        low, high = (low, middle - 1) if holds(middle) else (middle + 1, high)
    return low


def first_near(holds: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """As `first_where`, in few steps if a guess is near: the steps away from it double."""
    at, step = min(max(guess, low), high), 1
    if not holds(at):
        while at < high and not holds(min(at + step, high)):
            at, step = min(at + step, high), 2 * step
        return first_where(holds, at + 1, min(at + step, high))
    while at > low and holds(max(at - step, low)):
        at, step = max(at - step, low), 2 * step
    return first_where(holds, max(at - step, low), at - 1)


def turns(result: Callable[[int], Any], cuts: Iterable[Any], low: int, high: int) -> list[int]:
    """Where a monotone function of ordinals begins and stops to have a value, and where it reaches cuts.

    Raises Opaque if no value is known.
    """
    inside = next((at for at in (low, high, min(max(0, low), high)) if result(at) is not None), None)
    if inside is None and low == high:
        return [low]
    if inside is None:
        raise Opaque
    first = first_near(lambda at: result(at) is not None, low, inside, low)
    last = first_near(lambda at: result(at) is None, inside, high, high) - 1 if result(high) is None else high
    start, end = result(first), result(last)
    found = {low, first, *((last + 1,) if last < high else ())}
    for cut in cuts:
        if min(start, end) < cut <= max(start, end):
            guess = first + (cut - start) * (last - first) // (end - start) if isinstance(cut, int) else first
            found.add(first_near(_passes(result, cut, rising=start <= end), first, last, guess))
    return sorted(found)


def _passes(result: Callable[[int], Any], cut: Any, *, rising: bool) -> Callable[[int], bool]:
    return (lambda at: result(at) >= cut) if rising else (lambda at: result(at) < cut)


# --- binary numbers


def _of_bits(floating: struct.Struct, whole: struct.Struct, ordinal: int) -> float:
    """The number of an ordinal. Positive ones have the order of their bits; negative ones mirror it."""
    (result,) = floating.unpack(whole.pack(abs(ordinal)))
    return float(-result if ordinal < 0 else result)


def _bits(floating: struct.Struct, whole: struct.Struct, value: float) -> int:
    (bits,) = whole.unpack(floating.pack(abs(value)))
    return -int(bits) if value < 0 else int(bits)


def _float_ordinal(value: float) -> int:
    """The ordinal of the least float of 32 bits that is not less than a number."""
    try:
        result = _float_bits(value)
    except OverflowError:
        return _float_bits(math.inf) if value > 0 else 1 - _float_bits(math.inf)
    return result + 1 if _float(result) < value else result


_DOUBLE = struct.Struct("<d"), struct.Struct("<q")
_FLOAT = struct.Struct("<f"), struct.Struct("<i")
_double, _double_bits = partial(_of_bits, *_DOUBLE), partial(_bits, *_DOUBLE)
_float, _float_bits = partial(_of_bits, *_FLOAT), partial(_bits, *_FLOAT)
# The values of a column of floats of 32 bits, as doubles.
_FLOATS = Domain(
    -_float_bits(math.inf), _float_bits(math.inf), _float, _float_ordinal, others=(math.nan, -0.0)
)

# --- whole numbers and times


def _whole(value: Any) -> int:
    return INT_MAX + 1 if value == math.inf else math.ceil(value)


def _moment(ordinal: int) -> datetime:
    return _EPOCH + timedelta(microseconds=ordinal)


def _micros(value: datetime) -> int:
    return (value - _EPOCH) // _MICROSECOND


def _date(ordinal: int) -> date:
    return _DAY_ONE + timedelta(days=ordinal)


def _days(value: date) -> int:
    return (value - _DAY_ONE).days


_DOMAINS: dict[Type, Domain] = {
    BIGINT: Domain(INT_MIN, INT_MAX, int, _whole),
    DOUBLE: Domain(
        -_double_bits(math.inf), _double_bits(math.inf), _double, _double_bits, others=(math.nan, -0.0)
    ),
    DATE: Domain(_days(date.min), _days(date.max), _date, _days, closed_below=False, closed_above=False),
    DURATION: Domain(
        -LONGEST,
        LONGEST,
        lambda ordinal: timedelta(microseconds=ordinal),
        lambda value: value // _MICROSECOND,
    ),
    TIMESTAMP: Domain(
        _micros(FIRST_MOMENT), _micros(LAST_MOMENT), _moment, _micros, closed_below=False, closed_above=False
    ),
}

# --- decimals


def _decimals(kind: DecimalType) -> Domain:
    """The values of a decimal type. Its ordinals are the unscaled values."""
    most = 10**kind.precision - 1
    return Domain(
        -most, most, partial(_decimal, kind.scale), lambda value: math.ceil(value.scaleb(kind.scale, EXACT))
    )


def _within(all_values: Domain, ends: Sequence[Any]) -> Domain:
    """The values from the first to the last one of a form. Columns of another type may have others, too."""
    least, greatest = all_values.ordinal(ends[0]), all_values.ordinal(ends[-1])
    return replace(all_values, least=least, greatest=greatest, closed_below=False, closed_above=False)


def _decimal(scale: int, ordinal: int) -> Decimal:
    """A decimal type with no more digits than the value needs. With a scale of 38 there is no room for a
    digit before the point.
    """
    if not ordinal and scale == MAX_PRECISION:
        return Decimal("0.0")
    while scale and ordinal % 10 == 0:
        ordinal, scale = ordinal // 10, scale - 1
    return Decimal(ordinal).scaleb(-scale, _DIGITS)
