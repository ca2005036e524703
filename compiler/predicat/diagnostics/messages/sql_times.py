"""Messages about times, intervals and formats in SQL. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span


def zone_twice(span: Span, moment: str, zone: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "AT TIME ZONE 'UTC' followed by another time zone",
        f"timestamps are in UTC already: write {moment} AT TIME ZONE {zone}",
    )


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


def moment_of_clocks(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "converting a local time back to a timestamp",
        "a local hour may occur twice: compare local times, t AT TIME ZONE 'Europe/Paris' >= '2026-02-01'",
    )


def no_one_moment(span: Span, zone: str) -> Diagnostic:
    return Diagnostic(
        "bad-constant",
        f"this local time occurs never or twice in {zone}",
        span,
        "write the timestamp with its offset: TIMESTAMP '2026-10-25 02:30:00+01:00'",
    )


def start_in_zone(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a time zone as the third argument",
        "compare local times: date_trunc('day', t AT TIME ZONE 'Europe/Paris') = '2026-02-01'",
    )


def bad_time_of_day(span: Span, text: str) -> Diagnostic:
    return msg.bad_constant(span, "time of day", text, "08:30:00")


def time_of_day_shifted(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "arithmetic on a time of day",
        "it wraps around at midnight: shift the timestamp, (t + INTERVAL '2 hours')::time",
    )


def interval_of_parts(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "an interval of several parts", "write it as INTERVAL '3' HOUR")


def interval_unit(span: Span, unit: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"an interval in {unit}",
        "months and years have no fixed length: use weeks, days, hours, minutes or seconds",
    )


def months_as_length(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "an interval of months by itself",
        "months have no fixed length: compare timestamps, end_ts > start_ts + INTERVAL '1 month', or "
        "use days",
    )


def no_unit(span: Span, units: Iterable[str]) -> Diagnostic:
    return msg.unsupported_syntax(span, "this unit of time", f"units: {', '.join(units).lower()}")


def computed_count(span: Span, unit: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"a computed number of {unit}s", "only days and months may be computed"
    )


def counted_boundaries(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "this form of DATE_DIFF",
        "engines disagree about it: write datediff(unit, start, end) for whole units",
    )


def months_between(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "MONTHS_BETWEEN",
        "it returns fractions of months: write datediff(month, start, end) for whole months",
    )


def age(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "AGE",
        "it counts months, which have no fixed length: write end_ts - start_ts > INTERVAL '30 days'",
    )


def stride(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "this stride", "write an interval without months: '15 minutes'")


def format_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a format that is not a constant string", "write the format in single quotes"
    )


def format_letters(span: Span, known: str) -> Diagnostic:
    return msg.unsupported_syntax(span, "this format", f"supported in a format: {known}")


def format_of_two_meanings(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a format that Spark and PostgreSQL read differently",
        "write a spark or a postgres filter: minutes are mm on Spark, MI on PostgreSQL",
    )


def format_not_read(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "reading a time in this format",
        "start with the year and leave no part out: a day needs its month, a minute its hour",
    )


def bad_interval(span: Span, text: str) -> Diagnostic:
    return Diagnostic(
        "bad-constant", f"{text!r} is not an interval", span, "write an interval such as INTERVAL '3' HOUR"
    )


def part_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a part of a time that is not a constant", "write date_part('hour', t)"
    )


def field_of_interval(span: Span, unit: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"the {unit} of an interval that is not the difference of two timestamps",
        "engines disagree about when hours become days: compare extract(epoch FROM ...) / 3600",
    )
