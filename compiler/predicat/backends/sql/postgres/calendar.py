"""PostgreSQL: months, microseconds and formats of times, in UTC whatever the time zone of the session."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import Sql, and_, between, binary, call, case, cast
from predicat.backends.sql.postgres import times
from predicat.backends.sql.postgres.ranges import numeric
from predicat.backends.sql.renderer import Renderer, constant, let
from predicat.backends.sql.rules import Rule
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import DATE, TIMESTAMP, Type
from predicat.semantics import calendar


def _add_months(r: Renderer, node: Call) -> Sql:
    moment, count = node.args
    return let(r, r.node(moment), lambda one: _later(r, node, one, moment.type, count))


def _later(r: Renderer, node: Call, one: Sql, kind: Type, count: Node) -> Sql:
    if isinstance(count, Literal) and isinstance(count.value, int) and not r.parameterize:
        moved = _moved(one, kind, cast(f"{count.value} months", "INTERVAL"))
        if is_of_clock(node):
            return moved
        bounds = calendar.months_between_bounds(count.value)
        if bounds is None:
            return cast(exp.Null(), "DATE" if kind == DATE else "TIMESTAMPTZ")
        low, high = (
            _literal(r, kind, day, end) for day, end in zip(bounds, (time.min, time.max), strict=True)
        )
        return case((between(one, low, high), moved))

    def shifted(months: Sql) -> Sql:
        most = calendar.MOST_MONTHS
        near = and_(between(months, -most, most), times.is_in_supported_years(kind, one))
        length = binary(exp.Mul, cast(months, "INT"), cast("1 month", "INTERVAL"))
        later = case((near, _moved(one, kind, length)))
        return let(r, later, lambda found: case((times.is_in_supported_years(kind, found), found)))

    return let(r, r.node(count), shifted)


def _literal(r: Renderer, kind: Type, day: date, clock: time) -> Sql:
    return r.dialect.timestamp(datetime.combine(day, clock, UTC)) if kind != DATE else _date(day)


def _date(day: date) -> Sql:
    return cast(day.isoformat(), "DATE")


def _moved(one: Sql, kind: Type, length: Sql) -> Sql:
    if kind == DATE:
        return cast(exp.Paren(this=binary(exp.Add, one, length)), "DATE")
    return times.utc(binary(exp.Add, exp.Paren(this=times.utc(one)), length))


def _last_day(r: Renderer, node: Call) -> Sql:
    day = cast(times.in_supported_years(r, node.args[0]), "TIMESTAMP")
    end = binary(exp.Add, call("DATE_TRUNC", "month", day), _interval("1 month -1 day"))
    return cast(exp.Paren(this=end), "DATE")


def _interval(text: str) -> Sql:
    return cast(text, "INTERVAL")


def _to_micros(r: Renderer, node: Call) -> Sql:
    moment = node.args[0]
    if moment.type != TIMESTAMP:
        return r.node(moment)
    epoch = exp.Extract(this=exp.Var(this="EPOCH"), expression=times.in_supported_years(r, moment))
    return cast(exp.Paren(this=binary(exp.Mul, epoch, 1_000_000)), "BIGINT")


def _from_micros(r: Renderer, node: Call) -> Sql:
    return times.moment(r, numeric(r.node(node.args[0])))


_LETTERS = {
    "Y": "YYYY",
    "m": "MM",
    "d": "DD",
    "H": "HH24",
    "M": "MI",
    "S": "SS",
    "L": "MS",
    "f": "US",
    "j": "DDD",
    "a": "Dy",
    "A": "FMDay",
    "b": "Mon",
    "B": "FMMonth",
}
_PLAIN = frozenset("-/.:, _")
"""What TO_CHAR writes as it is."""


def _format_time(r: Renderer, node: Call) -> Sql:
    pattern = "".join(
        _LETTERS[letter] if letter else said if set(said) <= _PLAIN else _quoted(said)
        for letter, said in calendar.pieces(constant(node.args[0]))
    )
    moment = times.utc(times.in_supported_years(r, node.args[1]))
    return call("TO_CHAR", moment, pattern)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


RULES: dict[str, Rule] = {
    "add_months": _add_months,
    "last_day": _last_day,
    "to_micros": _to_micros,
    "from_micros": _from_micros,
    "format_time": _format_time,
}
