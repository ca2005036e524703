"""Spark: months, microseconds and formats of times, independent of the session's time zone."""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    number_literal,
    string_literal,
)
from predicat.backends.sql.common.times import SECOND, from_micros, is_in_years, is_in_zones, to_micros
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.renderer import Renderer, Rule, constant, function, let
from predicat.ir.nodes import Call, Literal
from predicat.ir.types import DATE
from predicat.semantics import calendar

_MICROS_OF_DAY = 86_400_000_000


def micros(moment: Sql) -> Sql:
    """The microseconds of a timestamp since 1970."""
    return call("UNIX_MICROS", moment)


def moment(micros: Sql) -> Sql:
    """A timestamp of microseconds since 1970; NULL outside years 1 to 9999."""
    return case((is_in_years(micros), call("TIMESTAMP_MICROS", micros)))


def utc_date(sql: Sql) -> Sql:
    """The UTC day of a timestamp: the session's time zone must not matter."""
    days = binary(exp.Div, call("UNIX_SECONDS", sql), 86_400)  # of doubles, and exact enough
    return call("DATE_FROM_UNIX_DATE", cast(call("FLOOR", days), "INT"))


def midnight(day: Sql) -> Sql:
    """The first moment of a day, in UTC."""
    return call("TIMESTAMP_MICROS", binary(exp.Mul, cast(call("UNIX_DATE", day), "BIGINT"), _MICROS_OF_DAY))


def wall_clock(micros: Sql) -> Sql:
    """The wall clock in UTC from microseconds since 1970."""
    return call(
        "TIMESTAMPADD", exp.Var(this="MICROSECOND"), micros, cast("1970-01-01 00:00:00", "TIMESTAMP_NTZ")
    )


def _add_months(r: Renderer, node: Call) -> Sql:
    moment = node.args[0]
    if moment.type == DATE:
        return _months_later(r, node, r.node(moment))

    def at_the_same_time(sql: Sql) -> Sql:
        day = call("UNIX_DATE", _months_later(r, node, utc_date(sql)))
        midnight = binary(exp.Mul, cast(day, "BIGINT"), _MICROS_OF_DAY)
        clock = call("PMOD", micros(sql), _MICROS_OF_DAY)
        return call("TIMESTAMP_MICROS", binary(exp.Add, midnight, clock))

    return let(r, r.node(moment), at_the_same_time)


def _months_later(r: Renderer, node: Call, day: Sql) -> Sql:
    count = node.args[1]
    if is_of_clock(node):
        return call("ADD_MONTHS", day, r.node(count))
    if isinstance(count, Literal) and isinstance(count.value, int) and not r.parameterize:
        bounds, months = calendar.months_between_bounds(count.value), number_literal(count.value)
        if bounds is None:
            return cast(exp.Null(), "DATE")
        low, high = (r.literal(DATE, bound) for bound in bounds)
        return let(r, day, lambda one: case((between(one, low, high), call("ADD_MONTHS", one, months))))
    most = calendar.MOST_MONTHS
    first, last = (r.literal(DATE, bound) for bound in (date.min, date.max))

    def shifted(one: Sql, months: Sql) -> Sql:
        near = and_(between(months, -most, most), between(one, first, last))
        later = case((near, call("ADD_MONTHS", one, cast(months, "INT"))))
        return let(r, later, lambda shifted_: case((between(shifted_, first, last), shifted_)))

    return let(r, day, lambda one: let(r, as_bigint(r, count), lambda months: shifted(one, months)))


def _in_zone(r: Renderer, node: Call) -> Sql:
    """The wall clock in a time zone, as a timestamp."""
    start, zone = node.args
    if is_of_clock(start):
        return call("FROM_UTC_TIMESTAMP", r.node(start), r.node(zone))
    return let(
        r,
        r.node(start),
        lambda one: case((is_in_zones(r, one), call("FROM_UTC_TIMESTAMP", one, r.node(zone)))),
    )


def _from_zone(r: Renderer, node: Call) -> Sql:
    """The moment of a local time. Of one that occurs twice Spark has the first: the second is the one with
    the offset that the zone has a day later.
    """
    clocks, zone = node.args

    def shown(at: Sql) -> Sql:
        return micros(call("FROM_UTC_TIMESTAMP", call("TIMESTAMP_MICROS", at), r.node(zone)))

    def of_two(first: Sql, one: Sql) -> Sql:
        next_day = binary(exp.Add, first, _MICROS_OF_DAY)
        ahead = exp.Paren(this=binary(exp.Sub, shown(next_day), next_day))
        second = binary(exp.Sub, micros(one), ahead)
        at = case((binary(exp.EQ, shown(second), micros(one)), second), default=first)
        return call("TIMESTAMP_MICROS", at)

    def moment_of(one: Sql) -> Sql:
        first = micros(call("TO_UTC_TIMESTAMP", one, r.node(zone)))
        return case((is_in_zones(r, one), let(r, first, lambda first: of_two(first, one))))

    return let(r, r.node(clocks), moment_of)


# The start and the end of each part in the string of a timestamp: `2013-07-04 10:30:15`.
_PLACES = {"Y": (1, 5), "m": (6, 8), "d": (9, 11), "H": (12, 14), "M": (15, 17), "S": (18, 20)}
_BETWEEN = {5: "-", 8: "-", 11: " ", 14: ":", 17: ":"}
_OF_DATES = {"a": "EEE", "A": "EEEE", "b": "MMM", "B": "MMMM", "j": "DDD"}


def _format_time(r: Renderer, node: Call) -> Sql:
    """A formatted time, from substrings of the wall clock. DATE_FORMAT would read the wall clock in the
    session's time zone, which may skip that hour. For dates it gives the same in all time zones.
    """
    pieces = calendar.pieces(constant(node.args[0]))
    moment = r.node(node.args[1])
    if all(letter in "YmdaAbBj" for letter, _ in pieces if letter):
        return let(r, utc_date(moment), lambda day: _joined(pieces, day, day, None))
    return let(r, moment, lambda sql: _joined(pieces, wall_clock(micros(sql)), utc_date(sql), sql))


def _joined(pieces: list[tuple[str, str]], text_of: Sql, day: Sql, moment: Sql | None) -> Sql:
    """The concatenated parts. Parts that are also adjacent in the string of the time become one substring."""
    text = cast(text_of, "STRING")
    parts: list[tuple[int, int] | Sql] = []
    for letter, said in pieces:
        last = parts[-1] if parts else None
        place = _PLACES.get(letter)
        if place is None and isinstance(last, tuple) and _separator(last[1], day=moment is None) == said:
            place = last[1], last[1] + 1
        if place is not None and isinstance(last, tuple) and last[1] == place[0]:
            parts[-1] = last[0], place[1]
        elif place is not None:
            parts.append(place)
        elif letter in _OF_DATES:
            parts.append(call("DATE_FORMAT", day, _OF_DATES[letter]))
        elif letter and moment is not None:
            parts.append(_fraction(letter, moment))
        else:
            parts.append(string_literal(said))
    shown = [
        call("SUBSTRING", text, part[0], part[1] - part[0]) if isinstance(part, tuple) else part
        for part in parts
    ]
    return shown[0] if len(shown) == 1 else call("CONCAT", *shown)


def _separator(at: int, *, day: bool) -> str | None:
    """The separator at a position in the string of a time, or of a day (ten characters), if there is one."""
    return None if day and at > 10 else _BETWEEN.get(at)


def _fraction(letter: str, moment: Sql) -> Sql:
    digits, rest = calendar.DIGITS[letter], call("PMOD", micros(moment), SECOND)
    shown = rest if digits == 6 else binary(exp.IntDiv, rest, 1000)
    return call("LPAD", cast(shown, "STRING"), digits, "0")


RULES: dict[str, Rule] = {
    "add_months": _add_months,
    "last_day": function("LAST_DAY"),
    "to_micros": to_micros(micros),
    "from_micros": from_micros(moment),
    "in_zone": _in_zone,
    "from_zone": _from_zone,
    "time_of_day": lambda r, node: call("PMOD", micros(r.node(node.args[0])), _MICROS_OF_DAY),
    "format_time": _format_time,
}
