"""Messages about times, intervals and formats in SQL. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import NotInFilter, Problem
from predicat.diagnostics.source import Span

zone_twice = NotInFilter[str, str]("""AT TIME ZONE 'UTC' followed by another time zone
    hint: timestamps are in UTC already: write {moment} AT TIME ZONE {zone}""")
moment_of_clocks = NotInFilter[()]("""converting a local time back to a timestamp
    hint: a local hour may occur twice: compare local times, t AT TIME ZONE 'Europe/Paris' >= '2026-02-01'""")
no_one_moment = Problem[str]("""bad-constant: this local time occurs never or twice in {zone}
    hint: write the timestamp with its offset: TIMESTAMP '2026-10-25 02:30:00+01:00'""")
start_in_zone = NotInFilter[()]("""a time zone as the third argument
    hint: compare local times: date_trunc('day', t AT TIME ZONE 'Europe/Paris') = '2026-02-01'""")
bad_time_of_day = Problem[str]("""bad-constant: {text!r} is not a time of day
    hint: write a value such as '08:30:00'""")
time_of_day_shifted = NotInFilter[()]("""arithmetic on a time of day
    hint: it wraps around at midnight: shift the timestamp, (t + INTERVAL '2 hours')::time""")
interval_of_parts = NotInFilter[()]("""an interval of several parts
    hint: write it as INTERVAL '3' HOUR""")
interval_unit = NotInFilter[str]("""an interval in {unit}
    hint: months and years have no fixed length: use weeks, days, hours, minutes or seconds""")
months_as_length = NotInFilter[()]("""an interval of months by itself
    hint: months have no fixed length: compare timestamps, end_ts > start_ts + INTERVAL '1 month', or use
    days""")
multiple_of_interval = Problem[()]("""bad-constant: the interval is too long or too fine, below a microsecond
    hint: write the product as a constant, such as INTERVAL '36 hours'""")
fraction_of_interval = NotInFilter[str]("""a {kind} times an interval
    hint: engines round it differently: count a smaller unit with an integer, n * INTERVAL '1 second'""")
interval_arguments = NotInFilter[str]("""an interval with these arguments
    hint: its arguments are {names}""")
counted_boundaries = NotInFilter[()]("""this form of DATE_DIFF
    hint: engines disagree about it: write datediff(unit, start, end) for whole units""")
months_between = NotInFilter[()]("""MONTHS_BETWEEN
    hint: it returns fractions of months: write datediff(month, start, end) for whole months""")
age = NotInFilter[()]("""AGE
    hint: it counts months, which have no fixed length: write end_ts - start_ts > INTERVAL '30 days'""")
stride = NotInFilter[()]("""this stride
    hint: write an interval without months: '15 minutes'""")
format_not_constant = NotInFilter[()]("""a format that is not a constant string
    hint: write the format in single quotes""")
format_letters = NotInFilter[str]("""this format
    hint: supported in a format: {known}""")
format_of_two_meanings = NotInFilter[()]("""a format that Spark and PostgreSQL read differently
    hint: write a spark or a postgres filter: minutes are mm on Spark, MI on PostgreSQL""")
format_not_read = NotInFilter[()]("""reading a time in this format
    hint: start with the year and leave no part out: a day needs its month, a minute its hour""")
bad_interval = Problem[str]("""bad-constant: {text!r} is not an interval
    hint: write an interval such as INTERVAL '3' HOUR""")
part_not_constant = NotInFilter[()]("""a part of a time that is not a constant
    hint: write date_part('hour', t)""")
field_of_interval = NotInFilter[str]("""the {unit} of an interval that is not the difference of two timestamps
    hint: engines disagree about when hours become days: compare extract(epoch FROM ...) / 3600""")


def part_of_clocks(span: Span, moment: str, zone: str) -> Diagnostic:
    """`moment`: what the timestamp without a zone was made of; its own text if that is a cast."""
    cast = moment == span.text
    return Diagnostic(
        "ambiguous-sql",
        f"{span.text} has no time zone: engines take it as the local time in {zone}, and convert it "
        "from there",
        span,
        f"cast to TIMESTAMPTZ: s::timestamptz AT TIME ZONE {zone}"
        if cast
        else f"timestamps are in UTC already: write {moment} AT TIME ZONE {zone}",
    )


no_day_of_the_week = Problem[str]("""bad-value: {name!r} is no day of the week
    hint: write 'Mon', 'Monday' or 'Mo'""")


def no_unit(span: Span, units: Iterable[str]) -> Diagnostic:
    return msg.unsupported_syntax(span, "this unit of time", f"units: {', '.join(units).lower()}")
