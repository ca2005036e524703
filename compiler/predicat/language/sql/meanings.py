"""SQL functions that are translated to several operators: the tree of each."""

from __future__ import annotations

from datetime import date

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, cast_to


def right(text: t.Tree, length: t.Tree, span: Span) -> t.Tree:
    """RIGHT: the last characters of a string; all of it if it is shorter. The length must not be negative."""
    start = apply("add", span, apply("sub", span, apply("length", span, text), length), t.Constant(1, span))
    return apply("substr", span, text, start, length)


def split_part(text: t.Tree, by: t.Tree, place: int, span: Span) -> t.Tree:
    """SPLIT_PART: the part at a position, counted from 1; the empty string if there are fewer parts."""
    part = apply("bracket", span, apply("split", span, text, by), t.Constant(place - 1, span))
    return apply(
        "coalesce", span, part, apply("substr", span, text, t.Constant(1, span), t.Constant(0, span))
    )


def quarter(month: t.Tree, span: Span) -> t.Tree:
    """The quarter of a month, 1 to 4."""
    return apply("div", span, apply("add", span, month, t.Constant(2, span)), t.Constant(3, span))


def iso_day(day: t.Tree, span: Span) -> t.Tree:
    """ISODOW: 1 for Monday to 7 for Sunday."""
    return apply("add", span, weekday(day, span), t.Constant(1, span))


def spark_day(day: t.Tree) -> t.Tree:
    """DAYOFWEEK: 1 for Sunday to 7 for Saturday; `day` is 0 for Sunday."""
    return apply("add", day.span, day, t.Constant(1, day.span))


def weekday(day: t.Tree, span: Span) -> t.Tree:
    """WEEKDAY: 0 for Monday to 6 for Sunday; `day` is 0 for Sunday."""
    return apply("mod", span, apply("add", span, day, t.Constant(6, span)), t.Constant(7, span))


def _thursday(moment: t.Tree, span: Span) -> t.Tree:
    """The Thursday of the week (Monday to Sunday) of a time."""
    day = cast_to("to_date", moment, span)
    ahead = apply("sub", span, t.Constant(3, span), weekday(apply("day_of_week", span, day), span))
    return apply("add_days", span, day, ahead)


def iso_year(moment: t.Tree, span: Span) -> t.Tree:
    """The year of ISO 8601: the year of the week's Thursday."""
    return apply("year", span, _thursday(moment, span))


def week(moment: t.Tree, span: Span) -> t.Tree:
    """The week of ISO 8601, numbered within the year of its Thursday."""
    thursday = apply("day_of_year", span, _thursday(moment, span))
    whole = apply("div", span, apply("sub", span, thursday, t.Constant(1, span)), t.Constant(7, span))
    return apply("add", span, whole, t.Constant(1, span))


def floor_div(number: t.Tree, by: int, span: Span) -> t.Tree:
    """An integer divided by a positive integer, rounded down."""
    size = t.Constant(by, span)
    return apply("div", span, apply("sub", span, number, _floor_mod(number, size, span)), size)


def _floor_mod(number: t.Tree, size: t.Tree, span: Span) -> t.Tree:
    """The remainder of a division by a positive integer. It is never negative."""
    rest = apply("mod", span, number, size)
    return apply("mod", span, apply("add", span, rest, size), size)


def date_bin(stride: int, moment: t.Tree, origin: t.Tree, span: Span) -> t.Tree:
    """DATE_BIN: the start of the stride that contains a time. Strides are counted from an origin."""
    ahead = apply("to_micros", span, apply("sub", span, moment, origin))
    rest = _floor_mod(ahead, t.Constant(stride, span), span)
    return apply("from_micros", span, apply("sub", span, apply("to_micros", span, moment), rest))


def epoch(moment: t.Tree, span: Span) -> t.Tree:
    """EXTRACT(EPOCH): the seconds since 1970, or of a duration, with decimals."""
    micros = cast_to("to_double", apply("to_micros", span, moment), span)
    return apply("div", span, micros, t.Constant(1_000_000.0, span))


def second(moment: t.Tree, span: Span) -> t.Tree:
    """EXTRACT(SECOND): the second with decimals."""
    return apply("sql.second", span, moment)


def make_date(year: t.Tree, month: t.Tree, day: t.Tree, span: Span) -> t.Tree:
    """MAKE_DATE: NULL if there is no such month or day."""
    one = t.Constant(1, span)
    months = apply(
        "add",
        span,
        apply("mul", span, apply("sub", span, year, one), t.Constant(12, span)),
        apply("sub", span, month, one),
    )
    first = apply("add_months", span, t.Constant(date(1, 1, 1), span), months)
    result = apply("add_days", span, first, apply("sub", span, day, one))
    fits = apply(
        "and",
        span,
        apply("ge", span, month, one),
        apply("le", span, month, t.Constant(12, span)),
        apply("eq", span, apply("day", span, result), day),
    )
    return apply("cond", span, fits, result, t.Constant(None, span))


def units_between(unit: str, start: t.Tree, end: t.Tree, span: Span) -> t.Tree:
    """TIMESTAMPDIFF: the complete units from one time to another, truncated toward zero.

    Months are counted as in java.time: an end after the start first moves back by a day if its time of day is
    before that of the start; an end before the start moves the other way.
    """
    if unit not in ("MONTH", "QUARTER", "YEAR"):
        ahead = apply("sub", span, end, start)
        if unit in _BELOW_A_DAY:
            if unit == "MICROSECOND":
                return apply("to_micros", span, ahead)
            return apply("in_units", span, t.Constant(unit.lower(), span), ahead)
        hours = apply("in_units", span, t.Constant("hour", span), ahead)
        return apply("div", span, hours, t.Constant(24 if unit == "DAY" else 168, span))
    one, other = _packed(start, span), _packed(end, span)
    clocks = [
        apply("sub", span, moment, apply("date_trunc", span, t.Constant("day", span), moment))
        for moment in (start, end)
    ]
    day = cast_to("to_date", end, span)
    before = apply("and", span, apply("gt", span, other, one), apply("lt", span, clocks[1], clocks[0]))
    after = apply("and", span, apply("lt", span, other, one), apply("gt", span, clocks[1], clocks[0]))
    moved = apply(
        "add_days",
        span,
        day,
        apply(
            "cond",
            span,
            before,
            t.Constant(-1, span),
            apply("cond", span, after, t.Constant(1, span), t.Constant(0, span)),
        ),
    )
    months = apply("sub", span, _packed(moved, span), one)
    return apply("div", span, months, t.Constant(32 * {"MONTH": 1, "QUARTER": 3, "YEAR": 12}[unit], span))


_BELOW_A_DAY = ("MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR")


def _packed(moment: t.Tree, span: Span) -> t.Tree:
    """A number for the year, the month and the day of a time; each month is 32."""
    months = apply(
        "add",
        span,
        apply("mul", span, apply("year", span, moment), t.Constant(12, span)),
        apply("month", span, moment),
    )
    return apply("add", span, apply("mul", span, months, t.Constant(32, span)), apply("day", span, moment))
