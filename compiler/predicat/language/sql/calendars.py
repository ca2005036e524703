"""Functions of dates and times: from sqlglot's nodes to trees.

They are read as they are written (`AS_WRITTEN`): for most of them sqlglot's dialects have special nodes that
reorder the arguments and rewrite the formats.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_times
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, cast_to, let, number
from predicat.language.sql import constants, formats, intervals, lengths, meanings, times, zones
from predicat.language.sql.arguments import counted
from predicat.language.sql.casts import converted
from predicat.language.sql.node_reader import Build, Reader
from predicat.language.sql.now import is_utc

# The units of TRUNC and DATE_TRUNC, with Spark's short names.
_TRUNCATED = {
    **{unit.lower(): unit.lower() for unit in ("YEAR", "QUARTER", "MONTH", "WEEK")},
    "yyyy": "year",
    "yy": "year",
    "mon": "month",
    "mm": "month",
    "day": "day",
    "dd": "day",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
}


def as_date(reader: Reader, tree: t.Tree) -> t.Tree:
    """A date, or the UTC day of a timestamp."""
    return converted(reader, tree, "date", tree.span)


def as_timestamp(reader: Reader, tree: t.Tree) -> t.Tree:
    """A timestamp, or the start of a date."""
    return converted(reader, tree, "timestamp", tree.span)


# --- units


def unit_of(node: exp.Expr) -> str | None:
    """The unit that an argument names, as a word or as a string; None if it is not a unit."""
    name = node.name.upper() if isinstance(node, exp.Column | exp.Var | exp.Identifier | exp.Literal) else ""
    singular = name.removesuffix("S")
    return singular if singular in lengths.UNITS else None


def _unit(reader: Reader, node: exp.Expr) -> str:
    unit = unit_of(node)
    if unit is None:
        raise reader.fail(sql_times.no_unit(reader.span(node), lengths.UNITS))
    return unit


def _shifted(reader: Reader, moment: t.Tree, unit: str, count: t.Tree, span: Span, sign: int = 1) -> t.Tree:
    """A time plus a number of units."""
    if unit in ("DAY", "WEEK") and not isinstance(count, t.Constant):
        days = timedelta(1) if unit == "DAY" else timedelta(7)
        return apply("add_days", span, moment, lengths.times_whole(count, days.days * sign))
    return lengths.moved(moment, lengths.of_unit(reader, count, unit, span), sign, span)


def plus(op: str) -> Build:
    """`+` and `-`. Intervals with months are added by the calendar: they have no fixed length."""
    sign = 1 if op == "add" else -1

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        moment, length = node.this, node.expression.unnest()
        if times.is_time_of_day(moment) is not times.is_time_of_day(length):
            raise reader.fail(sql_times.time_of_day_shifted(reader.span(node)))
        if op == "add" and isinstance(moment.unnest(), exp.Interval):
            moment, length = length, moment.unnest()
        if (size := lengths.read(reader, length, depth)) is not None:
            return lengths.moved(reader.read(moment, depth), size, sign, reader.span(node))
        return reader.apply(op, node, node.this, node.expression, depth=depth)

    return build


# --- later and earlier


def later(sign: int) -> Build:
    """`date_add(d, 3)`, `date_add(d, INTERVAL 1 MONTH)`, `date_add('month', 1, t)`, `timestamp_sub(...)`."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        args, span = counted(reader, node, 2, 3), reader.span(node)
        if len(args) == 3:
            count, moment = reader.all(args[1:], depth)
            return _shifted(reader, moment, _unit(reader, args[0]), count, span, sign)
        if (length := lengths.read(reader, args[1], depth)) is not None:
            return lengths.moved(reader.read(args[0], depth), length, sign, span)
        day, count = reader.all(args, depth)
        return apply("add_days", span, as_date(reader, day), lengths.times_whole(count, sign))

    return build


def add_months(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ADD_MONTHS(date, number). If the month has no such day, its last day."""
    day, count = reader.all(counted(reader, node, 2), depth)
    return apply("add_months", reader.span(node), as_date(reader, day), count)


def last_day(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """LAST_DAY(date)."""
    (day,) = reader.all(counted(reader, node, 1), depth)
    return apply("last_day", reader.span(node), as_date(reader, day))


# Spark's names of days in NEXT_DAY, with two, three or all letters.
_NAMES = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")


def next_day(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """NEXT_DAY(date, 'Mon'): the first such day of the week after a date."""
    span = reader.span(node)
    day, wanted = reader.all(counted(reader, node, 2), depth)
    name = constants.text(reader, wanted, "next_day").upper()
    place = next((at for at, full in enumerate(_NAMES) if name in (full[:2], full[:3], full)), None)
    if place is None:
        raise reader.fail(sql_times.no_day_of_the_week(wanted.span, name))

    def build(day: t.Tree) -> t.Tree:
        # 0 for Monday; the days from the next day to the wanted one, then one more.
        weekday = meanings.weekday(apply("day_of_week", span, day), span)
        ahead = apply("mod", span, apply("sub", span, number(place + 6, span), weekday), number(7, span))
        return apply("add_days", span, day, apply("add", span, ahead, number(1, span)))

    return let("a day", as_date(reader, day), build, span)


def make_date(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`make_date(y, m, d)`: NULL if there is no such month or day."""
    year, month, day = reader.all(counted(reader, node, 3), depth)
    return meanings.make_date(year, month, day, reader.span(node))


# --- differences


def difference(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`datediff(end, start)` in days; `datediff(unit, start, end)` in complete units, as in Spark, Trino."""
    args, span = counted(reader, node, 2, 3), reader.span(node)
    if len(args) == 2:
        end, start = reader.all(args, depth)
        return apply("days_between", span, as_date(reader, end), as_date(reader, start))
    unit = unit_of(args[0])
    if unit is not None:
        return _units(reader, unit, args[1], args[2], span, depth)
    if unit_of(args[2]) != "DAY":
        raise reader.fail(sql_times.counted_boundaries(span))
    end, start = reader.all(args[:2], depth)
    return apply("days_between", span, as_date(reader, end), as_date(reader, start))


def _timestamp_difference(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`timestampdiff(unit, start, end)`, and BigQuery's `timestamp_diff(end, start, unit)`."""
    args, span = counted(reader, node, 3), reader.span(node)
    unit = unit_of(args[0])
    if unit is not None:
        return _units(reader, unit, args[1], args[2], span, depth)
    return _units(reader, _unit(reader, args[2]), args[1], args[0], span, depth)


def _units(reader: Reader, unit: str, start: exp.Expr, end: exp.Expr, span: Span, depth: int) -> t.Tree:
    one, other = (as_timestamp(reader, moment) for moment in reader.all([start, end], depth))
    return meanings.units_between(unit, one, other, span)


def months_between(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """Refuses MONTHS_BETWEEN with a hint."""
    raise reader.fail(sql_times.months_between(reader.span(node)))


def age(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """Refuses AGE with a hint."""
    raise reader.fail(sql_times.age(reader.span(node)))


# --- starts of units


def date_trunc(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`date_trunc('month', t)`, and BigQuery's `timestamp_trunc(t, MONTH)`: a timestamp."""
    args = counted(reader, node, 2, 3)
    if len(args) == 3 and not is_utc(args.pop()):
        raise reader.fail(sql_times.start_in_zone(reader.span(node)))
    unit, moment = args if _truncated(args[0]) or not _truncated(args[1]) else args[::-1]
    text = _truncated(unit) or unit.name.lower()
    span = reader.span(node)
    return apply(
        "date_trunc",
        span,
        t.Constant(text, reader.span(unit)),
        as_timestamp(reader, reader.read(moment, depth)),
    )


def _truncated(node: exp.Expr) -> str | None:
    """The unit of DATE_TRUNC that an argument names, as a string or a bare word; None if it names none."""
    word = isinstance(node, exp.Literal) and node.is_string
    return _TRUNCATED.get(node.name.lower()) if word or isinstance(node, exp.Var | exp.Column) else None


def trunc(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`trunc(d, 'MM')`: the first day of the month. TRUNC of a number is read by the rule "trunc"."""
    unit = node.args.get("unit") or node.args.get("decimals")
    name = _TRUNCATED.get(unit.name.lower()) if isinstance(unit, exp.Literal) and unit.is_string else None
    if unit is None or name is None:
        return reader.table.rules["trunc"][1](reader, node, depth)  # of a number
    start = apply(
        "date_trunc",
        reader.span(node),
        t.Constant(name, reader.span(unit)),
        as_timestamp(reader, reader.read(node.this, depth)),
    )
    return cast_to("to_date", start)


def date_bin(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`date_bin('15 minutes', t, origin)`: the start of the stride that contains a time."""
    stride, moment, origin = counted(reader, node, 3)
    length = _stride_of(reader, stride)
    tree, start = (as_timestamp(reader, one) for one in reader.all([moment, origin], depth))
    return meanings.date_bin(length, tree, start, reader.span(node))


def _stride_of(reader: Reader, node: exp.Expr) -> int:
    """The microseconds of a constant interval or of its string. Raises Stop unless they are positive."""
    if isinstance(node, exp.Interval):
        months, rest = times.length(reader, node)
        size = None if months else rest // timedelta(microseconds=1)
    else:
        parts = intervals.split(node.name, "", "") if isinstance(node, exp.Literal) else None
        size = int(parts[1]) if parts is not None and not parts[0] and not parts[1] % 1 else None
    if size is None or size <= 0:
        raise reader.fail(sql_times.stride(reader.span(node)))
    return size


# --- seconds since 1970


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def unix_timestamp(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`unix_timestamp()`, `unix_timestamp(t)`, `unix_timestamp(s, 'yyyy-MM-dd')`: seconds as an integer."""
    args, span = counted(reader, node, 0, 1, 2), reader.span(node)
    if not args:
        return seconds(apply("now", span), span)
    operands = reader.all(args, depth)
    if len(operands) == 2:
        pattern = formats.format_of(reader, operands[1], "spark")
        return seconds(formats.read(reader, operands[0], pattern, "timestamp", span), span)
    return seconds(as_timestamp(reader, operands[0]), span)


def seconds(moment: t.Tree, span: Span) -> t.Tree:
    """The seconds since 1970-01-01 as an integer, truncated toward zero."""
    return apply("div", span, apply("to_micros", span, moment), t.Constant(1_000_000, span))


def unix(per_second: int) -> Build:
    """`unix_seconds(t)`, `unix_millis(t)`, `unix_micros(t)`: an integer, rounded down."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        (moment,) = reader.all(counted(reader, node, 1), depth)
        span = reader.span(node)
        micros = apply("to_micros", span, as_timestamp(reader, moment))
        return meanings.floor_div(micros, 1_000_000 // per_second, span) if per_second < 10**6 else micros

    return build


def moment(micros: int) -> Build:
    """`timestamp_seconds(n)`, `timestamp_millis(n)`, `timestamp_micros(n)`."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        (count,) = reader.all(counted(reader, node, 1), depth)
        span = reader.span(node)
        if micros == 1_000_000:
            return apply("to_timestamp", span, count)
        return apply("from_micros", span, lengths.times_whole(count, micros))

    return build


def from_unixtime(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`from_unixtime(n)`: a string, as in Spark."""
    args, span = reader.all(counted(reader, node, 1, 2), depth), reader.span(node)
    pattern = formats.format_of(reader, args[1], "spark") if len(args) == 2 else "%Y-%m-%d %H:%M:%S"
    seconds = cast_to("to_int", args[0], span)  # Spark truncates `ms / 1000`
    stamp = apply("to_timestamp", span, seconds)
    return apply("format_time", span, t.Constant(pattern, span), stamp)


def unix_date(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """UNIX_DATE(date): the days since 1970-01-01."""
    (day,) = reader.all(counted(reader, node, 1), depth)
    span = reader.span(node)
    return apply("days_between", span, as_date(reader, day), t.Constant(date(1970, 1, 1), span))


def _date_of_unix_date(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """DATE_FROM_UNIX_DATE(number): the date that number of days after 1970-01-01."""
    (count,) = reader.all(counted(reader, node, 1), depth)
    span = reader.span(node)
    return apply("add_days", span, t.Constant(date(1970, 1, 1), span), count)


# --- texts


def text_of(style: str, *, format_first: bool = False) -> Build:
    """`date_format(t, 'yyyy-MM')`, `to_char(t, 'YYYY-MM')`, `format_date('%Y-%m', d)`."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        args = reader.all(counted(reader, node, 2), depth)
        value, pattern = args[::-1] if format_first else args
        known = formats.format_of(reader, pattern, style or reader.language.name)
        return formats.written(known, as_timestamp(reader, value), reader.span(node))

    return build


def name_of(pattern: str) -> Build:
    """`dayname(d)`: Mon; `monthname(d)`: Jan."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        (value,) = reader.all(counted(reader, node, 1), depth)
        return formats.written(pattern, as_timestamp(reader, value), reader.span(node))

    return build


def read(kind: str, style: str = "", *, format_first: bool = False, most: int = 2) -> Build:
    """`to_date(s, 'yyyy-MM-dd')`, `to_timestamp(s, 'YYYY-MM-DD HH24:MI:SS')`; with one argument a cast."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        args, span = reader.all(counted(reader, node, *range(1, most + 1)), depth), reader.span(node)
        if len(args) == 1:
            return converted(reader, args[0], kind, span)
        text, pattern = args[::-1] if format_first else args
        known = formats.format_of(reader, pattern, style or reader.language.name, read=True)
        return formats.read(reader, text, known, kind, span)

    return build


# The functions of dates and times by name, in lower case.
AS_WRITTEN: dict[str, Build] = {
    **zones.READ,
    **lengths.AS_WRITTEN,
    "add_months": add_months,
    "age": age,
    "date_add": later(1),
    "date_bin": date_bin,
    "date_diff": difference,
    "date_format": text_of("spark"),
    "date_from_unix_date": _date_of_unix_date,
    "date_sub": later(-1),
    "date_trunc": date_trunc,
    "dateadd": later(1),
    "datediff": difference,
    "datetime_add": later(1),
    "datetime_sub": later(-1),
    "datetime_trunc": date_trunc,
    "dayname": name_of("%a"),
    "format_date": text_of("strftime", format_first=True),
    "format_timestamp": text_of("strftime", format_first=True),
    "from_unixtime": from_unixtime,
    "last_day": last_day,
    "make_date": make_date,
    "monthname": name_of("%b"),
    "months_between": months_between,
    "parse_date": read("date", "strftime", format_first=True),
    "parse_timestamp": read("timestamp", "strftime", format_first=True),
    "strftime": text_of("strftime"),
    "timestamp_add": later(1),
    "timestamp_diff": _timestamp_difference,
    "timestamp_micros": moment(1),
    "timestamp_millis": moment(1000),
    "timestamp_seconds": moment(1_000_000),
    "timestamp_sub": later(-1),
    "timestamp_trunc": date_trunc,
    "timestampadd": later(1),
    "timestampdiff": _timestamp_difference,
    "to_char": text_of(""),
    "to_date": read("date"),
    "to_timestamp": read("timestamp"),
    "to_unix_timestamp": unix_timestamp,
    "try_to_date": read("date"),
    "try_to_timestamp": read("timestamp"),
    "unix_date": unix_date,
    "unix_micros": unix(1_000_000),
    "unix_millis": unix(1000),
    "unix_seconds": unix(1),
    "unix_timestamp": unix_timestamp,
    **{name: times.part(name) for name in ("year", "month", "day")},
    **{name: times.named(name.upper()) for name in ("dayofmonth", "dayofweek", "dayofyear", "quarter")},
    **dict.fromkeys(("week", "weekofyear"), times.named("WEEK")),
    "weekday": times.weekday,
}
