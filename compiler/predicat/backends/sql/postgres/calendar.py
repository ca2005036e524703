"""PostgreSQL: months, microseconds and formats of times, in UTC whatever the time zone of the session."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    between_utc,
    binary,
    call,
    cast,
)
from predicat.backends.sql.common.times import add_months
from predicat.backends.sql.postgres import times
from predicat.backends.sql.postgres.ranges import numeric
from predicat.backends.sql.renderer import Renderer, Rule, constant
from predicat.ir.nodes import Call
from predicat.ir.types import DATE, TIMESTAMP, Type
from predicat.semantics import calendar


def _moved(one: Sql, kind: Type, length: Sql) -> Sql:
    if kind == DATE:
        return cast(exp.Paren(this=binary(exp.Add, one, length)), "DATE")
    return between_utc(binary(exp.Add, exp.Paren(this=between_utc(one)), length))


def _months(count: Sql) -> Sql:
    return binary(exp.Mul, cast(count, "INT"), _interval("1 month"))


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
# What TO_CHAR writes as it is.
_PLAIN = frozenset("-/.:, _")


def _format_time(r: Renderer, node: Call) -> Sql:
    pattern = "".join(
        _LETTERS[letter] if letter else said if set(said) <= _PLAIN else _quoted(said)
        for letter, said in calendar.pieces(constant(node.args[0]))
    )
    moment = between_utc(times.in_supported_years(r, node.args[1]))
    return call("TO_CHAR", moment, pattern)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


RULES: dict[str, Rule] = {
    "add_months": add_months(_moved, _months, Renderer.node),
    "last_day": _last_day,
    "to_micros": _to_micros,
    "from_micros": _from_micros,
    "format_time": _format_time,
}
