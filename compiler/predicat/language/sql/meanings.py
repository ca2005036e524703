"""SQL functions that are translated to several operators: the tree of each."""

from __future__ import annotations

from datetime import date

from predicat.diagnostics import Span
from predicat.ir import syntax as t


def right(text: t.Tree, length: t.Tree, span: Span) -> t.Tree:
    """RIGHT: the last characters of a string; all of it if it is shorter. The length must not be negative."""
    start = _apply(
        "add", span, _apply("sub", span, _apply("length", span, text), length), t.Constant(1, span)
    )
    return _apply("substr", span, text, start, length)


def split_part(text: t.Tree, by: t.Tree, place: int, span: Span) -> t.Tree:
    """SPLIT_PART: the part at a position, counted from 1; the empty string if there are fewer parts."""
    part = _apply("bracket", span, _apply("split", span, text, by), t.Constant(place - 1, span))
    return _apply(
        "coalesce", span, part, _apply("substr", span, text, t.Constant(1, span), t.Constant(0, span))
    )


def quarter(month: t.Tree, span: Span) -> t.Tree:
    """The quarter of a month, 1 to 4."""
    return _apply("div", span, _apply("add", span, month, t.Constant(2, span)), t.Constant(3, span))


def iso_day(day: t.Tree, span: Span) -> t.Tree:
    """ISODOW: 1 for Monday to 7 for Sunday."""
    return _apply("add", span, weekday(day, span), t.Constant(1, span))


def spark_day(day: t.Tree) -> t.Tree:
    """DAYOFWEEK: 1 for Sunday to 7 for Saturday; `day` is 0 for Sunday."""
    return _apply("add", day.span, day, t.Constant(1, day.span))


def weekday(day: t.Tree, span: Span) -> t.Tree:
    """WEEKDAY: 0 for Monday to 6 for Sunday; `day` is 0 for Sunday."""
    return _apply("mod", span, _apply("add", span, day, t.Constant(6, span)), t.Constant(7, span))


def _thursday(moment: t.Tree, span: Span) -> t.Tree:
    """The Thursday of the week (Monday to Sunday) of a time."""
    day = _apply("cast", span, moment, t.Constant("to_date", span))
    ahead = _apply("sub", span, t.Constant(3, span), weekday(_apply("day_of_week", span, day), span))
    return _apply("add_days", span, day, ahead)


def iso_year(moment: t.Tree, span: Span) -> t.Tree:
    """The year of ISO 8601: the year of the week's Thursday."""
    return _apply("year", span, _thursday(moment, span))


def week(moment: t.Tree, span: Span) -> t.Tree:
    """The week of ISO 8601, numbered within the year of its Thursday."""
    thursday = _apply("day_of_year", span, _thursday(moment, span))
    whole = _apply("div", span, _apply("sub", span, thursday, t.Constant(1, span)), t.Constant(7, span))
    return _apply("add", span, whole, t.Constant(1, span))


def floor_div(number: t.Tree, by: int, span: Span) -> t.Tree:
    """An integer divided by a positive integer, rounded down."""
    size = t.Constant(by, span)
    return _apply("div", span, _apply("sub", span, number, _floor_mod(number, size, span)), size)


def _floor_mod(number: t.Tree, size: t.Tree, span: Span) -> t.Tree:
    """The remainder of a division by a positive integer. It is never negative."""
    rest = _apply("mod", span, number, size)
    return _apply("mod", span, _apply("add", span, rest, size), size)


def date_bin(stride: int, moment: t.Tree, origin: t.Tree, span: Span) -> t.Tree:
    """DATE_BIN: the start of the stride that contains a time. Strides are counted from an origin."""
    ahead = _apply("to_micros", span, _apply("sub", span, moment, origin))
    rest = _floor_mod(ahead, t.Constant(stride, span), span)
    return _apply("from_micros", span, _apply("sub", span, _apply("to_micros", span, moment), rest))


def epoch(moment: t.Tree, span: Span) -> t.Tree:
    """EXTRACT(EPOCH): the seconds since 1970, or of a duration, with decimals."""
    micros = _apply("cast", span, _apply("to_micros", span, moment), t.Constant("to_double", span))
    return _apply("div", span, micros, t.Constant(1_000_000.0, span))


def second(moment: t.Tree, span: Span) -> t.Tree:
    """EXTRACT(SECOND): the second with decimals."""
    return _apply("sql.second", span, moment)


def make_date(year: t.Tree, month: t.Tree, day: t.Tree, span: Span) -> t.Tree:
    """MAKE_DATE: NULL if there is no such month or day."""
    one = t.Constant(1, span)
    months = _apply(
        "add",
        span,
        _apply("mul", span, _apply("sub", span, year, one), t.Constant(12, span)),
        _apply("sub", span, month, one),
    )
    first = _apply("add_months", span, t.Constant(date(1, 1, 1), span), months)
    result = _apply("add_days", span, first, _apply("sub", span, day, one))
    fits = _apply(
        "and",
        span,
        _apply("ge", span, month, one),
        _apply("le", span, month, t.Constant(12, span)),
        _apply("eq", span, _apply("day", span, result), day),
    )
    return _apply("cond", span, fits, result, t.Constant(None, span))


def units_between(unit: str, start: t.Tree, end: t.Tree, span: Span) -> t.Tree:
    """TIMESTAMPDIFF: the complete units from one time to another, truncated toward zero.

    Months are counted as in java.time: an end after the start first moves back by a day if its time of day is
    before that of the start; an end before the start moves the other way.
    """
    if unit not in ("MONTH", "QUARTER", "YEAR"):
        ahead = _apply("sub", span, end, start)
        if unit in _BELOW_A_DAY:
            if unit == "MICROSECOND":
                return _apply("to_micros", span, ahead)
            return _apply("in_units", span, t.Constant(unit.lower(), span), ahead)
        hours = _apply("in_units", span, t.Constant("hour", span), ahead)
        return _apply("div", span, hours, t.Constant(24 if unit == "DAY" else 168, span))
    one, other = _packed(start, span), _packed(end, span)
    clocks = [
        _apply("sub", span, moment, _apply("date_trunc", span, t.Constant("day", span), moment))
        for moment in (start, end)
    ]
    day = _apply("cast", span, end, t.Constant("to_date", span))
    before = _apply("and", span, _apply("gt", span, other, one), _apply("lt", span, clocks[1], clocks[0]))
    after = _apply("and", span, _apply("lt", span, other, one), _apply("gt", span, clocks[1], clocks[0]))
    moved = _apply(
        "add_days",
        span,
        day,
        _apply(
            "cond",
            span,
            before,
            t.Constant(-1, span),
            _apply("cond", span, after, t.Constant(1, span), t.Constant(0, span)),
        ),
    )
    months = _apply("sub", span, _packed(moved, span), one)
    return _apply("div", span, months, t.Constant(32 * {"MONTH": 1, "QUARTER": 3, "YEAR": 12}[unit], span))


_BELOW_A_DAY = ("MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR")


def _packed(moment: t.Tree, span: Span) -> t.Tree:
    """A number for the year, the month and the day of a time; each month is 32."""
    months = _apply(
        "add",
        span,
        _apply("mul", span, _apply("year", span, moment), t.Constant(12, span)),
        _apply("month", span, moment),
    )
    return _apply("add", span, _apply("mul", span, months, t.Constant(32, span)), _apply("day", span, moment))


def _apply(op: str, span: Span, *args: t.Tree) -> t.Tree:
    return t.OperatorCall(op, args, span)
