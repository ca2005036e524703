"""Automata for the integers and dates that strings convert to."""

import re
from functools import lru_cache

from predicat.ir.types import DATE
from predicat.ir.values import DATE_PATTERN, INT_MAX
from predicat.values.automaton import Label, Machine, product, tabulated
from predicat.values.domain import domain
from predicat.values.text_machines import order
from predicat.values.text_patterns import pattern_machine

_Read = tuple[str, int, int, tuple[int, ...]]


@lru_cache(maxsize=256)
def integer(starts: tuple[int, ...]) -> Machine:
    """The range that contains the number in a string; None if the string is not a number (see INT_PATTERN).

    The state is the sign, the number of digits read, their number without leading zeros, and their order
    compared with the first digits of each constant that is as long or longer.
    """
    edges = {
        "": (INT_MAX, *(start for start in starts if start > 0)),
        "-": (INT_MAX + 1, *(-start for start in starts if start <= 0)),
    }
    written = {sign: [str(edge) if edge else "" for edge in own] for sign, own in edges.items()}

    def step(state: _Read | None, code: int) -> _Read | None:
        if state is None:
            return None
        sign, read, size, orders = state
        if code == 45 and not sign and not read:
            return "-", 0, 0, (0,) * len(edges["-"])
        if not 48 <= code <= 57 or read >= (19 if sign else 20):
            return None
        if code == 48 and not size:
            return sign, read + 1, 0, orders
        return (
            sign,
            read + 1,
            size + 1,
            tuple(
                [
                    _beside(digits, size, code, order)
                    for digits, order in zip(written[sign], orders, strict=True)
                ]
            ),
        )

    def label(state: _Read | None) -> int | None:
        if state is None or not state[1]:
            return None
        sign, _, size, orders = state
        limit, *passed = [
            _sign(size - len(digits)) or order for digits, order in zip(written[sign], orders, strict=True)
        ]
        if limit > 0:
            return None
        if sign:
            return sum(order <= 0 for order in passed) - 1
        return sum(start <= 0 for start in starts) + sum(order >= 0 for order in passed) - 1

    return tabulated(
        Machine(frozenset((45, 46, *range(48, 59))), ("", 0, 0, (0,) * len(edges[""])), step, label)
    ).machine()


def _beside(digits: str, size: int, code: int, order: int) -> int:
    return 0 if size >= len(digits) else order or _sign(code - ord(digits[size]))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def day(starts: tuple[int, ...], labels: tuple[Label, ...], unknown: Label) -> Machine:
    """The label of the range that contains the date in a string."""
    pattern = re.sub(r"\(\?!0000\)", "", DATE_PATTERN)
    valid, zero = pattern_machine("matches", pattern), pattern_machine("starts_with", "0000")
    days = domain(DATE)
    assert days is not None  # noqa: S101  # dates have an order
    orders = [order(days.value(start).isoformat()) for start in starts[1:]]

    def label(right: bool, no_year: bool, *places: int) -> Label:
        if not right or no_year:
            return unknown
        return labels[sum(place >= 0 for place in places)]

    return product([valid, zero, *orders], label)
