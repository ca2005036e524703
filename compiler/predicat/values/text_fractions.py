"""Automata for the doubles and decimals that strings convert to.

Exact for numbers of few digits without an exponent: no automaton knows what an exponent does to any number of
digits. Another text of a number has one of several labels.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from functools import lru_cache

from predicat.ir.types import DecimalType, Type
from predicat.ir.values import DOUBLE_PATTERN
from predicat.values.automaton import Label, Machine, product, tabulated
from predicat.values.domain import Domain
from predicat.values.partition import Partition, some
from predicat.values.text_machines import one_of
from predicat.values.text_patterns import pattern_machine

# The most digits of a number that is compared with bounds, before and behind the point.
_MOST_DIGITS = 20
_STEP = Decimal(1).scaleb(-_MOST_DIGITS)
# As many digits as the mean of two doubles may have.
_EXACT = Context(prec=2_500, rounding=ROUND_CEILING)
# The order beside a bound of the other sign.
_IGNORED = 2
_SPECIAL = ("NaN", "Infinity", "-Infinity")
# The sign, the number of digits, those before the point without zeros in front, the number behind the point
# (None before it), and the order beside each bound.
_Read = tuple[str, int, int, int | None, tuple[int, ...]]


def fraction(kind: Type, wanted: Partition) -> Machine:
    """The label of the number that a string converts to, which is that of NULL for other strings."""
    null, cells, values = wanted.others[0], wanted.line(), wanted.domain
    starts, labels = cells.starts[1:], cells.labels
    if isinstance(kind, DecimalType):
        starts, labels = (values.least, *starts, values.greatest + 1), (null, *labels, null)
    bounds = tuple([_bound(kind, values, start) for start in starts])
    unsure = some([*labels, null])
    special = () if isinstance(kind, DecimalType) else _SPECIAL

    def label(valid: bool, passed: int | None, *named: bool) -> Label:
        if True in named:
            return wanted.of(float(special[named.index(True)]))
        return null if not valid else unsure if passed is None else labels[passed]

    known = [pattern_machine("matches", DOUBLE_PATTERN), _passed(bounds)]
    return product([*known, *(one_of([text]) for text in special)], label)


def _bound(kind: Type, values: Domain, start: int) -> Decimal:
    """The least number of few digits that is rounded to an ordinal or a greater one."""
    if isinstance(kind, DecimalType):
        middle = _EXACT.divide(Decimal(2 * start - 1).scaleb(-kind.scale, _EXACT), Decimal(2))
        is_reached = start > 0  # a half is rounded away from zero
    else:
        below, above = values.value(start - 1), values.value(start)
        if math.isinf(below) or math.isinf(above):
            return Decimal(10) ** 400 * (1 if above > 0 else -1)
        middle = _EXACT.divide(_EXACT.add(Decimal(below), Decimal(above)), Decimal(2))
        is_reached = start % 2 == 0  # half way between two doubles the even one counts
    result = middle.quantize(_STEP, context=_EXACT)
    return result if is_reached or result != middle else _EXACT.add(result, _STEP)


@lru_cache(maxsize=256)
def _passed(bounds: tuple[Decimal, ...]) -> Machine:
    """The number of bounds that a number reaches; None for an exponent and for many digits."""
    digits = [f"{one.copy_abs().quantize(_STEP, context=_EXACT):f}".partition(".")[::2] for one in bounds]
    compared = {
        sign: tuple([0 if (bound > 0) is (sign == "+") else _IGNORED for bound in bounds]) for sign in "+-"
    }
    whole = [before.lstrip("0") for before, _ in digits]
    behind = [after for _, after in digits]
    places = max([len(one.rstrip("0")) for one in behind], default=0)
    longest = max([len(one) for one in whole if len(one) <= _MOST_DIGITS], default=0) + 1

    def step(state: _Read | None, code: int) -> _Read | None:
        if state is None:
            return None
        sign, read, size, place, orders = state
        char = chr(code)
        if char in "+-" and not sign:
            return char, 0, 0, None, compared[char]
        if not sign:
            sign, orders = "+", compared["+"]
        if char == "." and place is None:
            return sign, read, 0, 0, tuple(_before(size, orders))
        if not "0" <= char <= "9" or read == _MOST_DIGITS:
            return None
        if place is not None:
            own = [order or _sign(char, one[place]) for order, one in zip(orders, behind, strict=True)]
            return sign, read + 1, 0, min(place + 1, places) if 0 in own else 0, tuple(own)
        if char == "0" and not size:
            return sign, read + 1, 0, None, orders
        own = [
            order or (_sign(char, one[size]) if size < len(one) else 0)
            for order, one in zip(orders, whole, strict=True)
        ]
        return sign, read + 1, min(size + 1, longest), None, tuple(own)

    def _before(size: int, orders: tuple[int, ...]) -> list[int]:
        """The orders of whole numbers."""
        return [
            order if order == _IGNORED else (size > len(one)) - (size < len(one)) or order
            for order, one in zip(orders, whole, strict=True)
        ]

    def label(state: _Read | None) -> int | None:
        if state is None:
            return None
        sign, _, size, place, orders = state
        known = orders if place is not None else _before(size, orders)
        passed = 0
        for bound, rest, order in zip(bounds, behind, known, strict=True):
            beside = order or -(rest[place or 0 :].strip("0") != "")
            at_least = beside >= 0 if bound > 0 else True
            passed += (bound <= 0 and beside <= 0) if sign == "-" else at_least
        return passed

    cuts = frozenset((43, 44, 45, 46, 47, *range(48, 59)))
    start: _Read = ("", 0, 0, None, (0,) * len(bounds))
    return tabulated(Machine(cuts, start, step, label)).machine()


def _sign(one: str, other: str) -> int:
    return (one > other) - (one < other)
