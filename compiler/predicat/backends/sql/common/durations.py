"""Durations, which are integers (microseconds) in SQL, and conversions of durations and timestamps to
strings, with the same result on every engine.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import (
    Operand,
    Sql,
    between,
    binary,
    call,
    case,
    cast,
    number_literal,
    sql_of,
    string_literal,
)
from predicat.backends.sql.renderer import Renderer, let
from predicat.ir.nodes import Call
from predicat.ir.values import LONGEST, NANOSECONDS

# One number and its unit in the text of a duration.
PART = "[0-9.]+[a-z]+"
_SECOND = 1_000_000


def operation(operator: type[exp.Binary], left: Sql, right: Sql) -> Sql:
    """A sum or difference of 64-bit integers that never overflows. Literals would have 32 bits."""
    return binary(operator, cast(left, "BIGINT"), cast(right, "BIGINT"))


def in_range(micros: Sql) -> Sql:
    """A duration; NULL if it exceeds the longest one."""
    return case((between(micros, -LONGEST, LONGEST), micros))


def nanoseconds(unit: Sql) -> Sql:
    """The nanoseconds of a unit."""
    return exp.Case(
        this=unit,
        ifs=[
            exp.If(this=string_literal(name), true=number_literal(count))
            for name, count in NANOSECONDS.items()
        ],
    )


def fits_duration(total: Sql) -> Sql:
    """Whether a number of nanoseconds is at most the longest duration."""
    return binary(exp.LT, total, (LONGEST + 1) * 1000)


def signed(duration: Sql, micros: Sql) -> Sql:
    """The microseconds with the sign at the start of the string of a duration."""
    minus = binary(exp.EQ, call("LEFT", duration, 1), "-")
    return binary(exp.Mul, case((minus, -1), default=1), micros)


def duration_text(micros: Sql) -> Sql:
    """A duration as CEL writes it: seconds, with three or six digits after the point."""
    size = call("ABS", micros)
    sign = case((binary(exp.LT, micros, 0), "-"), default="")
    return concatenate(sign, _shown(_divide_by(size, _SECOND)), fraction(remainder_of(size, _SECOND)), "s")


def to_string(r: Renderer, node: Call) -> Sql:
    """A duration as a string. The engine may store it in fewer bits."""
    return let(r, cast(r.node(node.args[0]), "BIGINT"), duration_text)


def fraction(micros: Sql) -> Sql:
    """The fraction of a second, with its point: no digits, three or six."""
    digits = case((binary(exp.EQ, remainder_of(micros, 1000), 0), 3), default=6)
    # A leading 1 keeps the zeros.
    shown = concatenate(".", call("SUBSTRING", _shown(binary(exp.Add, micros, _SECOND)), 2, digits))
    return case((binary(exp.EQ, micros, 0), ""), default=shown)


def concatenate(*parts: Operand) -> Sql:
    """A concatenation; NULL if a part is NULL."""
    result, *others = map(sql_of, parts)
    for part in others:
        result = binary(exp.DPipe, result, part)
    return result


def _divide_by(sql: Sql, by: int) -> Sql:
    """Integer division by a constant, truncated toward zero."""
    return binary(exp.IntDiv, sql, by)


def remainder_of(sql: Sql, by: int) -> Sql:
    """The remainder of a division by a constant, with the sign of the dividend."""
    return binary(exp.Mod, sql, by)


def _shown(sql: Sql) -> Sql:
    return cast(sql, "TEXT")
