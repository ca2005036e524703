"""DuckDB: parts of times and calculations with days."""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql.builders import (
    Sql,
    between,
    between_utc,
    binary,
    call,
    case,
    cast,
    number_literal,
    try_cast,
)
from predicat.backends.sql.common.times import FIRST_DAY, LAST_DAY, SECOND
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.duckdb.calendar import in_zone, local, micros, try_
from predicat.backends.sql.renderer import Renderer, Rule, constant, constant_int
from predicat.ir.nodes import Call, Literal
from predicat.ir.operators import TIME_PARTS
from predicat.ir.types import DATE
from predicat.ir.values import UNITS


def below_a_second(sql: Sql) -> Sql:
    """The microseconds of a timestamp after its whole second; NULL of NULL."""
    return binary(exp.Mod, binary(exp.Add, binary(exp.Mod, micros(sql), SECOND), SECOND), SECOND)


def _clock(name: str) -> Rule:
    """A part of a timestamp, in UTC or in a named zone; of a date, as it is."""
    return lambda r, node: call(name, wall(r, node))


def wall(r: Renderer, node: Call) -> Sql:
    """The clock and the calendar of a call's timestamp in its time zone, or in UTC; a date as it is."""
    sql = r.node(node.args[0])
    if node.args[0].type == DATE:
        return sql
    return exp.Paren(this=in_zone(sql, r.node(node.args[1]))) if len(node.args) == 2 else local(sql)


def _millisecond(r: Renderer, node: Call) -> Sql:
    return binary(exp.IntDiv, below_a_second(r.node(node.args[0])), 1000)


def _trunc(r: Renderer, node: Call) -> Sql:
    wall = local(r.node(node.args[1]))
    return between_utc(cast(call("DATE_TRUNC", constant(node.args[0]), wall), "TIMESTAMP"))


_LAST_DAY = date.max.toordinal()


def _add_days(r: Renderer, node: Call) -> Sql:
    day, count = r.node(node.args[0]), as_bigint(r, node.args[1])
    ahead = constant_int(node.args[1])
    if is_of_clock(node):
        return binary(exp.Add, day, ahead)
    if isinstance(node.args[1], Literal) and not r.parameterize and abs(ahead) < _LAST_DAY:
        first, last = date.fromordinal(max(1, 1 - ahead)), date.fromordinal(min(_LAST_DAY, _LAST_DAY - ahead))
        return case(
            (between(day, r.literal(DATE, first), r.literal(DATE, last)), try_(binary(exp.Add, day, ahead)))
        )
    epoch = cast("1970-01-01", "DATE")
    total = try_(binary(exp.Add, binary(exp.Sub, day, epoch), count))
    return case((between(total, FIRST_DAY, LAST_DAY), binary(exp.Add, epoch, try_cast(total, "INT"))))


def _in_units(r: Renderer, node: Call) -> Sql:
    return binary(
        exp.IntDiv, cast(r.node(node.args[1]), "BIGINT"), number_literal(UNITS[constant(node.args[0])])
    )


RULES: dict[str, Rule] = {
    **{op: _clock(op.replace("_", "").upper()) for op in TIME_PARTS},
    "millisecond": _millisecond,
    "date_trunc": _trunc,
    "in_units": _in_units,
    "add_days": _add_days,
    "days_between": lambda r, node: cast(binary(exp.Sub, *r.args(node)), "BIGINT"),
}
