"""SQL functions that need several operators: the tree of each."""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir import tree as t


def right(text: t.Tree, length: t.Tree, span: Span) -> t.Tree:
    """RIGHT: the last characters of a text; the whole text if it is shorter. The length is not negative."""
    start = _apply("add", span, _apply("sub", span, _apply("length", span, text), length), t.Const(1, span))
    return _apply("substr", span, text, start, length)


def split_part(text: t.Tree, by: t.Tree, place: int, span: Span) -> t.Tree:
    """SPLIT_PART: the part at a position that counts from 1; the empty text if there are fewer parts."""
    part = _apply("bracket", span, _apply("split", span, text, by), t.Const(place - 1, span))
    return _apply("coalesce", span, part, _apply("substr", span, text, t.Const(1, span), t.Const(0, span)))


def quarter(month: t.Tree, span: Span) -> t.Tree:
    """1 to 4."""
    return _apply("div", span, _apply("add", span, month, t.Const(2, span)), t.Const(3, span))


def iso_day(day: t.Tree, span: Span) -> t.Tree:
    """ISODOW: 1 for Monday to 7 for Sunday."""
    return _apply("add", span, weekday(day, span), t.Const(1, span))


def spark_day(day: t.Tree) -> t.Tree:
    """DAYOFWEEK: 1 for Sunday to 7 for Saturday; `day` is 0 for Sunday."""
    return _apply("add", day.span, day, t.Const(1, day.span))


def weekday(day: t.Tree, span: Span) -> t.Tree:
    """WEEKDAY: 0 for Monday to 6 for Sunday; `day` is 0 for Sunday."""
    return _apply("mod", span, _apply("add", span, day, t.Const(6, span)), t.Const(7, span))


def week(moment: t.Tree, span: Span) -> t.Tree:
    """The week of ISO 8601: that of the year which its Thursday lies in."""
    date = _apply("cast", span, moment, t.Const("to_date", span))
    to_thursday = _apply("sub", span, t.Const(3, span), weekday(_apply("day_of_week", span, date), span))
    thursday = _apply("day_of_year", span, _apply("add_days", span, date, to_thursday))
    whole = _apply("div", span, _apply("sub", span, thursday, t.Const(1, span)), t.Const(7, span))
    return _apply("add", span, whole, t.Const(1, span))


def row_equal(left: tuple[t.Tree, ...], right: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """`(a, b) = (1, 2)`: equal in each place."""
    return _apply(
        "and", span, *(_apply("eq", span, one, other) for one, other in zip(left, right, strict=True))
    )


def _apply(op: str, span: Span, *args: t.Tree) -> t.Tree:
    return t.Apply(op, args, span)
