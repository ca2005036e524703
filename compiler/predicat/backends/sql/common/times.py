"""Rules for dates and timestamps that several dialects share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import Sql, and_, at_zone, between, between_utc, binary, case, cast
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.renderer import Renderer, Rule, let
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import DATE, TIMESTAMP, Type
from predicat.ir.values import LONGEST, MAX_SECONDS, MIN_SECONDS
from predicat.semantics import calendar
from predicat.semantics.calendar import FIRST_IN_ZONES, LAST_IN_ZONES

# The microseconds of a second.
SECOND = 1_000_000
# The days of years 1 to 9999, counted from 1970.
FIRST_DAY, LAST_DAY = MIN_SECONDS // 86_400, MAX_SECONDS // 86_400


def is_in_years(micros: Sql) -> Sql:
    """Whether a number of microseconds since 1970 is within years 1 to 9999."""
    return between(micros, MIN_SECONDS * SECOND, MAX_SECONDS * SECOND + SECOND - 1)


def is_in_zones(r: Renderer, moment: Sql) -> Sql:
    """Whether the local time of a timestamp is in the years 1 to 9999 in every time zone."""
    return between(moment, *map(r.dialect.timestamp, (FIRST_IN_ZONES, LAST_IN_ZONES)))


def from_zone(r: Renderer, node: Call) -> Sql:
    """The moment of a local time in a zone, for an engine whose AT TIME ZONE has the rule of the operator."""
    clocks, zone = node.args

    def moment(one: Sql) -> Sql:
        return case((is_in_zones(r, one), at_zone(between_utc(one), r.node(zone))))

    return let(r, r.node(clocks), moment)


def to_micros(micros: Callable[[Sql], Sql]) -> Rule:
    """The microseconds of a timestamp since 1970, or those of a duration."""

    def rule(r: Renderer, node: Call) -> Sql:
        sql = r.node(node.args[0])
        return micros(sql) if node.args[0].type == TIMESTAMP else sql

    return rule


def from_micros(moment: Callable[[Sql], Sql]) -> Rule:
    """A timestamp of microseconds since 1970; NULL outside years 1 to 9999."""
    return lambda r, node: let(r, as_bigint(r, node.args[0]), moment)


def _multiple(r: Renderer, node: Call) -> Sql:
    """A number times a constant duration; NULL if it exceeds the longest one."""
    length, count = node.args
    value = length.value if isinstance(length, Literal) else None
    size = value // timedelta(microseconds=1) if isinstance(value, timedelta) else 0
    if not size:
        return binary(exp.Mul, as_bigint(r, count), size)
    most = LONGEST // abs(size)
    return let(
        r,
        as_bigint(r, count),
        lambda number: case((between(number, -most, most), binary(exp.Mul, number, size))),
    )


def add_months(
    moved: Callable[[Sql, Type, Sql], Sql],
    months_of: Callable[[Sql], Sql],
    width: Callable[[Renderer, Node], Sql],
) -> Rule:
    """A date or a timestamp some months later, by the engine's intervals; NULL outside years 1 to 9999.

    Args:
        moved: Adds an interval to a value of a type.
        months_of: An interval of so many months.
        width: Renders the number of months.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        start, count = node.args
        return let(r, r.node(start), lambda one: later(r, node, one, start.type, count))

    def later(r: Renderer, node: Call, one: Sql, kind: Type, count: Node) -> Sql:
        if isinstance(count, Literal) and isinstance(count.value, int) and not r.parameterize:
            after = moved(one, kind, cast(f"{count.value} months", "INTERVAL"))
            if is_of_clock(node):
                return after
            days = calendar.months_between_bounds(count.value)
            if days is None:
                return cast(exp.Null(), "DATE" if kind == DATE else "TIMESTAMPTZ")
            first, last = (bound(r, kind, *end) for end in zip(days, _CLOCKS, strict=True))
            return case((between(one, first, last), after))
        first, last = (bound(r, kind, *end) for end in zip((date.min, date.max), _CLOCKS, strict=True))

        def shifted(months: Sql) -> Sql:
            most = calendar.MOST_MONTHS
            near = and_(between(months, -most, most), between(one, first, last))
            after = case((near, moved(one, kind, months_of(months))))
            return let(r, after, lambda shifted_: case((between(shifted_, first, last), shifted_)))

        return let(r, width(r, count), shifted)

    def bound(r: Renderer, kind: Type, day: date, clock: time) -> Sql:
        moment = datetime.combine(day, clock, UTC)
        return cast(day.isoformat(), "DATE") if kind == DATE else r.dialect.timestamp(moment)

    return rule


_CLOCKS = (time.min, time.max)


RULES: dict[str, Rule] = {"multiple": _multiple}
