"""The values of each type that a second opinion tries: constants, their neighbours, and what arithmetic makes
of them.
"""

import math
import struct
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any

from predicat.ir.column_forms import form_of
from predicat.ir.nodes import Literal, Node, walk
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Type,
)
from predicat.ir.values import EXACT, FIRST_NOW, INT_MAX, INT_MIN, LAST_NOW
from predicat.ir.widths import RANGES

_MOST_CONSTANTS = 6
_MOST_TEXTS = 16
# One of so many values is NULL.
_NO_VALUES = 8
_STEPS = (timedelta(microseconds=1), timedelta(seconds=1), timedelta(hours=1), timedelta(days=1))
_MOMENTS = (
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2023, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2024, 2, 29, 12, 30, tzinfo=UTC),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
)
_TEXTS = ("", "a", "A", "ab", "5", "5.0", " a", "x", "1e3", "\u212a", "true", "2024-02-29", "{}")
_KINDS: tuple[Any, ...] = (True, False, "", "a", "5", 0, -0.0, 1.5, -1, 10**20, 1e308, [], {}, [1], {"a": 1})
_WHOLES = (0, 1, -1, 2, 2**53, 2**53 + 1, INT_MAX, INT_MIN)
_DOUBLES = (0.0, -0.0, 0.5, 1.5, -2.5, 5e-324, 1e308, 2.0**53, math.nan, math.inf, -math.inf)


class Values:
    """The values of each type for some predicates."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.numbers: list[Any] = []
        self.texts: list[str] = []
        self.moments: list[datetime] = []
        self.known: dict[tuple[Type, str, bool], list[Any]] = {}
        for value in _constants(nodes):
            match value:
                case bool():
                    pass
                case int() | float() | Decimal() if math.isfinite(value):
                    self.numbers.append(value)
                case str():
                    self.texts.append(value)
                case datetime():
                    self.moments.append(value)
                case date():
                    self.moments.append(datetime.combine(value, time(), UTC))
                case timedelta():
                    self.numbers.append(value.total_seconds())
                case _:
                    pass
        self.numbers = self.numbers[:_MOST_CONSTANTS]
        self.near = list(dict.fromkeys(_near(self.numbers)))

    def of(self, kind: Type, stored: str, *, given: bool) -> list[Any]:
        """The values of a type. If it is `given`, all of them are values, and none is NaN."""
        key = kind, stored, given
        if key not in self.known:
            form = form_of(stored)
            values = list(self._of(kind, stored))
            values = [*form.samples, *filter(form.is_value, values)] if form is not None else values
            missing = [None] * (len(values) // _NO_VALUES + 1)
            self.known[key] = list(filter(_is_given, values)) if given else values + missing
        return self.known[key]

    def _of(self, kind: Type, stored: str) -> Iterable[Any]:
        if isinstance(kind, DecimalType):
            return self._decimals(kind)
        if isinstance(kind, ArrayType):
            return ([],)
        if kind == BIGINT:
            least, greatest = RANGES.get(stored, (INT_MIN, INT_MAX))
            found = [*map(math.floor, self.near), *map(math.ceil, self.near), *_WHOLES]
            return [least, greatest, *(value for value in found if least <= value <= greatest)]
        makers: dict[Type, Callable[[], Iterable[Any]]] = {
            BOOLEAN: lambda: (True, False),
            DOUBLE: lambda: map(_single, self._doubles()) if stored == "float" else self._doubles(),
            STRING: lambda: [*self._words(), *map(str, islice(self.near, _MOST_TEXTS))],
            TIMESTAMP: self._times,
            DATE: lambda: [moment.date() for moment in self._times()],
            DURATION: lambda: [timedelta(seconds=number) for number in self.near if abs(number) < 1e9],
            JSON: self._documents,
        }
        return makers[kind]() if kind in makers else ({},)

    def _doubles(self) -> Iterator[float]:
        yield from _DOUBLES
        yield from map(float, self.near)
        for number in self.numbers:
            yield from (math.nextafter(float(number), end) for end in (math.inf, -math.inf))

    def _decimals(self, kind: DecimalType) -> Iterator[Decimal]:
        step, most = Decimal(1).scaleb(-kind.scale), Decimal(10) ** (kind.precision - kind.scale)
        last = EXACT.subtract(most, step)
        yield from (Decimal(0), step, last, EXACT.minus(last))
        for number in (*self.numbers, *self.near):
            if abs(number) < most - 1:
                near = EXACT.quantize(Decimal(number), step)
                yield from (near, EXACT.add(near, step), EXACT.subtract(near, step))

    def _words(self) -> Iterator[str]:
        """Texts near those that are compared: patterns too, with their signs as they are and without."""
        yield from _TEXTS
        for text in self.texts:
            plain = text.replace("%", "").replace("_", "x").strip("^$")
            yield from (text, plain, plain[:-1], plain[1:], f"{plain}x", f"x{plain}", plain.upper())
            yield from (plain.lower(), f" {plain} ", f"{plain}\n")
        yield from ("".join(self.texts), "".join(reversed(self.texts)))
        for moment in self.moments:
            yield from (f"{moment.date()}", f"{moment:%Y-%m-%d %H:%M:%S}", f"{moment:%Y-%m-%dT%H:%M:%SZ}")

    def _times(self) -> Iterator[datetime]:
        years = (int(number) for number in self.numbers if 1 < number < 9999)
        ends = (datetime(year, 1, 1, tzinfo=UTC) for year in years)
        for moment in (*self.moments, *ends, *_MOMENTS):
            yield moment
            if 1 < moment.year < 9999:
                yield from (moment + step for step in _STEPS)
                yield from (moment - step for step in _STEPS)
                yield from (
                    moment + number * step
                    for number in self.numbers
                    if abs(number) < 1000 and number == int(number)
                    for number in (int(number),)
                    for step in _STEPS[1:]
                )

    def _documents(self) -> Iterator[Any]:
        yield from self.near
        yield from self.near
        yield from map(float, self.near)
        yield from map(str, islice(self.near, _MOST_TEXTS))
        yield from self._words()
        for _ in range(1 + len(self.near) // 16):
            yield from _KINDS


def _single(value: float) -> float:
    """The nearest double that a field of 32 bits holds, or zero if there is none."""
    try:
        (result,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return 0.0
    return float(result)


def _is_given(value: Any) -> bool:
    """Whether a parameter may have a value, and the current time too."""
    return value == value and not (isinstance(value, datetime) and not FIRST_NOW <= value <= LAST_NOW)  # noqa: PLR0124


def _constants(nodes: Iterable[Node]) -> Iterator[Any]:
    """The constants of predicates, each once."""
    literals = (part for node in nodes for part in walk(node) if isinstance(part, Literal))
    yield from dict.fromkeys(part.value for part in literals if part.value.__hash__ is not None)


def _near(numbers: list[Any]) -> Iterator[float | int]:
    """Numbers, their neighbours, and what one operation makes of two of them."""
    found = [number if isinstance(number, int) else float(number) for number in numbers]
    for number in found:
        yield from (
            number,
            number + 1,
            number - 1,
            number + 0.5,
            number - 0.5,
            -number,
            number * 2,
            number / 2,
        )
    for one in found:
        for other in found:
            for made in (one + other, one - other, one * other, one / other if other else 0):
                if abs(made) < 1e300:
                    yield made
                    yield math.floor(made) + 1
    yield from (0, 1, -1, 2, 3, 1.5, -0.5)
