"""The outcomes of tests of a date that the calendar alone decides, such as `d = last_day(d)`.

What such a test calculates either moves with the date, by a bounded number of days, or depends on the weekday
and on the place in the year. So the outcome of a day depends on its place in its year, on the weekday of the
year's first day and on which years nearby are leap years, and all of it repeats after 400 years, which are
whole weeks. One year of each kind is evaluated day by day, and so are the years at the ends of the calendar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from enum import Enum
from itertools import groupby
from math import lcm
from typing import Any

from predicat.analysis.facts import integers
from predicat.ir.nodes import Call, Field, Items, Literal, Node, children
from predicat.ir.operators import CHOICES, COMPARISONS
from predicat.semantics.calendar import pieces
from predicat.semantics.evaluate import compile_node
from predicat.values.automaton import Label, Opaque
from predicat.values.cycles import OF_DAYS
from predicat.values.domain import Domain
from predicat.values.partition import MOST_PIECES, Partition, cycle, line
from predicat.values.preimage import PERHAPS

# Units to which a time of a day is truncated, and the letters of its parts.
_UNITS_OF_DAYS = ("hour", "minute", "second")
_OF_DAYTIME = "HMSLf"
_YEARS = 400
_DAYS = 146_097
_MOST_YEARS_AWAY = 12
# The most days that a truncation, or the end of a month, is away.
_YEAR = 366
_MONTH = 31


class _Kind(Enum):
    """How a calculation changes when its date is 400 years later."""

    FIXED = "not"
    DAYS = "by the same days"
    YEARS = "by 400"


def is_of_day(node: Call) -> bool:
    """Whether a truncated or formatted timestamp is that of midnight of its day."""
    form = node.args[0]
    if not isinstance(form, Literal) or node.op not in ("date_trunc", "format_time"):
        return False
    if node.op == "date_trunc":
        return form.value not in _UNITS_OF_DAYS
    return not any(letter in _OF_DAYTIME for letter, _ in pieces(str(form.value)) if letter)


def of_calendar(test: Node, variable: Field, values: Domain) -> Partition:
    """The outcomes of a test of a date. Raises Opaque."""
    reading = _Reading(variable)
    if reading.kind(test) is not _Kind.FIXED:
        raise Opaque
    away = reading.days // 365 + 1
    if away > _MOST_YEARS_AWAY:
        raise Opaque
    run = compile_node(test)
    days = _Days(run, away, reading.divisor)
    first, last = 1 + away, 9999 - away
    return Partition(
        values,
        line(
            *zip(
                *days.singly(range(1, first), values),
                (values.ordinal(date(first, 1, 1)), days.repeated(values)),
                *days.singly(range(last + 1, 10_000), values),
                strict=True,
            )
        ),
        (run({"x": None}), PERHAPS, PERHAPS),
    )


class _Days:
    """The outcomes of the days of years."""

    def __init__(self, run: Callable[[dict[str, Any]], Label], away: int, divisor: int) -> None:
        self.run, self.away, self.divisor = run, away, divisor
        self.known: dict[Any, Sequence[tuple[int, Label]]] = {}

    def singly(self, years: range, values: Domain) -> Iterator[tuple[int, Label]]:
        """Where the outcomes change in some years."""
        for year in years:
            start = values.ordinal(date(year, 1, 1))
            yield from ((start + day, label) for day, label in self.changes(start, year, values))

    def changes(self, start: int, year: int, values: Domain) -> Sequence[tuple[int, Label]]:
        """The days of a year from which there is another outcome."""
        days = 365 + _is_leap(year)
        labels = [(day, self.run({"x": values.value(start + day)})) for day in range(days)]
        return [next(group) for _, group in groupby(labels, lambda one: one[1])]

    def repeated(self, values: Domain) -> Label:
        """The outcomes of 400 years, which come again."""
        found: dict[int, Label] = {}
        for year in range(1970, 1970 + _YEARS):
            start = values.ordinal(date(year, 1, 1))
            near = range(year - self.away, year + self.away + 1)
            key = (start % 7, year % self.divisor, *map(_is_leap, near))
            own = self.known.get(key)
            if own is None:
                own = self.known[key] = self.changes(start, year, values)
            found.update((start + day, label) for day, label in own)
        if len(found) > MOST_PIECES:
            raise Opaque
        return cycle(_DAYS, found, found.values())


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


class _Reading:
    """What a test reads from the calendar.

    Attributes:
        days: The most days that its calculations are away from the date.
        divisor: A number of years after which the remainders of years repeat.
    """

    def __init__(self, variable: Field) -> None:
        self.variable = variable
        self.days = 0
        self.divisor = 1

    def kind(self, node: Node) -> _Kind:
        """Raises Opaque if the calculation changes otherwise."""
        if node == self.variable:
            return _Kind.DAYS
        if isinstance(node, Literal):
            return _Kind.FIXED
        if not isinstance(node, Call | Items):
            raise Opaque
        kinds = [self.kind(part) for part in children(node)]
        if all(kind is _Kind.FIXED for kind in kinds):
            return _Kind.FIXED
        if not isinstance(node, Call):
            raise Opaque
        rule = _RULES.get(node.op)
        if rule is None:
            raise Opaque
        return rule(self, node, kinds)

    def part(self, node: Call, kinds: list[_Kind]) -> _Kind:
        """A part of a date."""
        return _alone(kinds, _Kind.DAYS, _Kind.YEARS if node.op == "year" else _Kind.FIXED)

    def within_year(self, node: Call, kinds: list[_Kind]) -> _Kind:
        """The first day of a unit, the last one of a month."""
        self.days += _MONTH if node.op == "last_day" else _YEAR
        return _same(kinds[-1:], _Kind.DAYS)

    def converted(self, _node: Call, kinds: list[_Kind]) -> _Kind:
        """A date as a timestamp, or the date of one."""
        return _same(kinds, _Kind.DAYS)

    def days_later(self, node: Call, kinds: list[_Kind]) -> _Kind:
        """Days or months later."""
        if kinds[1] is not _Kind.FIXED:
            raise Opaque
        known = integers(node.args[1])
        unit = 1 if node.op == "add_days" else _MONTH
        self.days += unit * max(map(abs, known))
        return _same(kinds[:1], _Kind.DAYS)

    def formatted(self, node: Call, kinds: list[_Kind]) -> _Kind:
        """A date as a string, without its year."""
        form = node.args[0]
        if not isinstance(form, Literal) or any(letter == "Y" for letter, _ in pieces(str(form.value))):
            raise Opaque
        return _alone(kinds[1:], _Kind.DAYS, _Kind.FIXED)

    def difference(self, node: Call, kinds: list[_Kind]) -> _Kind:
        """The days between two dates; what is added to years."""
        if kinds[0] is kinds[1]:
            if node.op == "add":
                raise Opaque
            return _Kind.FIXED
        if node.op == "days_between" or kinds != [_Kind.YEARS, _Kind.FIXED]:
            raise Opaque
        return _Kind.YEARS

    def compared(self, _node: Call, kinds: list[_Kind]) -> _Kind:
        """A comparison of two dates, or of two years."""
        if kinds[0] is not kinds[1]:
            raise Opaque
        return _Kind.FIXED

    def remainder(self, node: Call, kinds: list[_Kind]) -> _Kind:
        """The remainder of a year that is not negative, by a number that divides 400."""
        years, by = node.args
        number = by.value if isinstance(by, Literal) else None
        if kinds[0] is not _Kind.YEARS or not isinstance(number, int) or integers(years)[0] < 0:
            raise Opaque
        if not number or _YEARS % number:
            raise Opaque
        self.divisor = lcm(self.divisor, number)
        return _Kind.FIXED

    def chosen(self, node: Call, kinds: list[_Kind]) -> _Kind:
        """One of several dates, or of several years."""
        first = CHOICES[node.op]
        _same(kinds[:first], _Kind.FIXED)
        return _same(kinds[first:], kinds[-1])

    def absent(self, _node: Call, _kinds: list[_Kind]) -> _Kind:
        """Whether there is a date."""
        return _Kind.FIXED


def _same(kinds: Sequence[_Kind], wanted: _Kind) -> _Kind:
    if any(kind is not wanted for kind in kinds):
        raise Opaque
    return wanted


def _alone(kinds: Sequence[_Kind], wanted: _Kind, result: _Kind) -> _Kind:
    if len(kinds) != 1 or kinds[0] is not wanted:
        raise Opaque
    return result


_RULES: dict[str, Callable[[_Reading, Call, list[_Kind]], _Kind]] = {
    **dict.fromkeys((*OF_DAYS, "year"), _Reading.part),
    **dict.fromkeys(("date_trunc", "last_day"), _Reading.within_year),
    **dict.fromkeys(("to_date", "to_timestamp"), _Reading.converted),
    **dict.fromkeys(("add_days", "add_months"), _Reading.days_later),
    "format_time": _Reading.formatted,
    **dict.fromkeys(("days_between", "sub", "add"), _Reading.difference),
    **dict.fromkeys((*COMPARISONS, "same"), _Reading.compared),
    "mod": _Reading.remainder,
    **dict.fromkeys(CHOICES, _Reading.chosen),
    "is_null": _Reading.absent,
}
