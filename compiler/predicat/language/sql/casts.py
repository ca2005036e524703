"""Casts to a type, as calls of the check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from predicat.diagnostics import Diagnostic, Span
from predicat.ir import tree as t
from predicat.ir.types import DATE, TIMESTAMP
from predicat.passes.convert import time_constant

if TYPE_CHECKING:
    from predicat.language.sql.reader import Reader

_CASTS = {
    "string": "to_sql_string",
    "bigint": "to_int",
    "double": "to_double",
    "boolean": "to_boolean",
    "timestamp": "to_timestamp",
    "date": "to_date",
}


def converted(reader: Reader, inner: t.Tree, kind: str, span: Span) -> t.Tree:
    """A cast to a type. A constant date or time is read here, in SQL's format."""
    if isinstance(inner, t.Const) and isinstance(inner.value, str) and kind in ("timestamp", "date"):
        value = time_constant(inner.value, TIMESTAMP if kind == "timestamp" else DATE, inner.span)
        if isinstance(value, Diagnostic):
            raise reader.fail(value)
        return t.Const(value, span)
    return t.Apply("cast", (inner, t.Const(_CASTS[kind], span)), span)
