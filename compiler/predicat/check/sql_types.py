"""SQL's functions that return the name of a type."""

from __future__ import annotations

from predicat.check.overloads import OverloadResolver
from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_functions as say
from predicat.forms.conversions import underlying
from predicat.ir.nodes import Field, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, DecimalType

_PLAIN = (STRING, BIGINT, DOUBLE, BOOLEAN, TIMESTAMP, DATE)


def typeof(check: OverloadResolver, _op: str, args: list[Node], span: Span) -> Node:
    """Spark's TYPEOF of a field. Raises Stop for other values: their types may be wider than in Spark."""
    value = underlying(args[0])
    if not isinstance(value, Field) or not (value.type in _PLAIN or isinstance(value.type, DecimalType)):
        raise check.fail(say.type_of(span))
    return Literal(STRING, value.decl.shown_type, span)
