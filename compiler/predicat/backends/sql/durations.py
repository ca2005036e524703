"""Durations, which SQL keeps as whole microseconds, and the texts of durations and timestamps, alike on
every engine.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.base import Sql, between, binary, case, cast, fn, number, text, wrap
from predicat.ir.values import LONGEST, NANOSECONDS

PART = "[0-9.]+[a-z]+"
"""One number and its unit in the text of a duration."""
_SECOND = 1_000_000


def operation(operator: type[exp.Binary], left: Sql, right: Sql) -> Sql:
    """A sum or difference, which never overflows; small constants alone would be integers of 32 bits."""
    return binary(operator, cast(left, "BIGINT"), cast(right, "BIGINT"))


def in_range(micros: Sql) -> Sql:
    """A duration, or NULL beyond the longest."""
    return case((between(micros, number(-LONGEST), number(LONGEST)), micros))


def nanoseconds(unit: Sql) -> Sql:
    """How many nanoseconds a unit has."""
    return exp.Case(
        this=unit, ifs=[exp.If(this=text(name), true=number(count)) for name, count in NANOSECONDS.items()]
    )


def short(total: Sql) -> Sql:
    """Whether so many nanoseconds make no more than the longest duration."""
    return binary(exp.LT, total, number((LONGEST + 1) * 1000))


def signed(duration: Sql, micros: Sql) -> Sql:
    """The microseconds with the sign that the text of a duration begins with."""
    minus = binary(exp.EQ, fn("LEFT", duration, number(1)), text("-"))
    return binary(exp.Mul, case((minus, number(-1)), default=number(1)), micros)


def duration_text(micros: Sql) -> Sql:
    """A duration as CEL writes it: seconds, with three or six digits behind the point."""
    size = fn("ABS", micros)
    sign = case((binary(exp.LT, micros, number(0)), text("-")), default=text(""))
    return joined(sign, _shown(divided(size, _SECOND)), fraction(remainder(size, _SECOND)), text("s"))


def fraction(micros: Sql) -> Sql:
    """The point and the digits behind whole seconds: none, three or six."""
    digits = case((binary(exp.EQ, remainder(micros, 1000), number(0)), number(3)), default=number(6))
    # A leading 1 keeps the zeros.
    shown = joined(
        text("."), fn("SUBSTRING", _shown(binary(exp.Add, micros, number(_SECOND))), number(2), digits)
    )
    return case((binary(exp.EQ, micros, number(0)), text("")), default=shown)


def joined(*parts: Sql) -> Sql:
    """Texts one behind the other; NULL where one is."""
    found, *others = parts
    for part in others:
        found = exp.DPipe(this=wrap(found), expression=wrap(part), safe=True)
    return found


def divided(sql: Sql, by: int) -> Sql:
    return exp.IntDiv(this=wrap(sql), expression=number(by))


def remainder(sql: Sql, by: int) -> Sql:
    return binary(exp.Mod, sql, number(by))


def _shown(sql: Sql) -> Sql:
    return cast(sql, "TEXT")
