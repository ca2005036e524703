"""Casts to a type, as operator calls."""

from __future__ import annotations

from predicat.diagnostics import Diagnostic, Span
from predicat.diagnostics.messages import sql_times
from predicat.forms.conversions import time_constant
from predicat.ir import syntax as t
from predicat.ir.types import DATE, TIMESTAMP
from predicat.ir.values import parse_clock
from predicat.language.common.trees import apply, cast_to
from predicat.language.sql.node_reader import Reader

_CASTS = {
    "string": "to_sql_string",
    "bigint": "to_int",
    "double": "to_double",
    "boolean": "to_boolean",
    "timestamp": "to_timestamp",
    "date": "to_date",
}
_TIMES = {"timestamp": TIMESTAMP, "date": DATE}


def converted(reader: Reader, inner: t.Tree, kind: str, span: Span) -> t.Tree:
    """A cast to a type. A constant date or time is parsed in SQL's format. Raises Stop if it is invalid."""
    if kind == "time":
        return _time_of_day(reader, inner, span)
    if isinstance(inner, t.Constant) and isinstance(inner.value, str) and kind in _TIMES:
        value = time_constant(inner.value, _TIMES[kind], inner.span)
        if isinstance(value, Diagnostic):
            raise reader.fail(value)
        return t.Constant(value, span)
    return cast_to(_CASTS[kind], inner, span)


def _time_of_day(reader: Reader, inner: t.Tree, span: Span) -> t.Tree:
    """`t::time`, and the constant `TIME '08:30'`: the time since midnight."""
    if not isinstance(inner, t.Constant) or not isinstance(inner.value, str):
        return apply("time_of_day", span, inner)
    value = parse_clock(inner.value.strip())
    if value is None:
        raise reader.fail(sql_times.bad_time_of_day(inner.span, inner.value))
    return t.Constant(value, span)
