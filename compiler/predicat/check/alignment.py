"""Conversions that make the operands of a comparison comparable: numbers, strings, dates and times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from predicat.check import text_constants, without_ansi
from predicat.check.protocol import Calls
from predicat.diagnostics import Diagnostic, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import sql_times
from predicat.forms import json_values
from predicat.forms.conversions import (
    beside_double,
    time_constant,
)
from predicat.forms.text_casts import BLANKS
from predicat.ir.column_forms import of_field
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.operators import ORDERED
from predicat.ir.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    Scalar,
    Type,
    is_numeric,
)
from predicat.ir.values import parse_clock


def align(check: Calls, left: Node, right: Node) -> tuple[Node, Node]:
    """The operands of a comparison after SQL's implicit conversions: a string constant gets the type of the
    other operand, and a date beside a timestamp is its midnight in UTC. Raises Stop.
    """
    if not check.rules.widens_numbers:
        return left, right
    if not check.rules.ansi:
        left, right = without_ansi.beside(check, left, right)
    left, right = as_time(check, left, right.type), as_time(check, right, left.type)
    left, right = clock_text(left, right), clock_text(right, left)
    if not check.rules.reads_literals:
        return left, right
    return _as_scalar(check, left, right), _as_scalar(check, right, left)


def _as_scalar(check: Calls, node: Node, other: Node) -> Node:
    """A string constant as the type of `other`, if that is a number, a boolean or a time of day and not a
    constant. Raises Stop if it cannot be converted.
    """
    if not isinstance(node, Literal) or not isinstance(node.value, str) or isinstance(other, Literal):
        return node
    if isinstance(other, Call) and other.op == "time_of_day":
        return _as_clock(check, node, node.value)
    result = text_constants.scalar(node.value, other.type)
    if result is None:
        return node
    if isinstance(result, str):
        raise check.fail(msg.bad_constant(node.span, str(other.type), node.value, result))
    return result(node.span)


def _as_clock(check: Calls, node: Node, text: str) -> Node:
    """A string constant beside a time of day as a time of day. Raises Stop if it is not one."""
    value = parse_clock(text.strip(BLANKS))
    if value is None:
        raise check.fail(sql_times.bad_time_of_day(node.span, text))
    return Literal(DURATION, value, node.span)


def clock_text(node: Node, other: Node) -> Node:
    """A constant time of day beside a column of `time`, whose values are texts, as a text."""
    form = of_field(other)
    if not isinstance(node, Literal) or not isinstance(node.value, timedelta) or form is None:
        return node
    day, moment = timedelta(days=1), datetime(2000, 1, 1, tzinfo=UTC) + node.value
    if form.name != "time" or not timedelta(0) <= node.value < day:
        return node
    return Literal(STRING, moment.time().isoformat(), node.span)


def as_time(check: Calls, node: Node, other: Type) -> Node:
    """A string constant beside a date or a timestamp as that type, and a date beside a timestamp as its
    midnight. Raises Stop for a string that is not a date or timestamp.
    """
    if isinstance(node, Literal) and isinstance(node.value, str) and other in (TIMESTAMP, DATE):
        value = time_constant(node.value, other, node.span)
        if isinstance(value, Diagnostic):
            raise check.fail(value)
        return Literal(other, value, node.span)
    if node.type == DATE and other == TIMESTAMP:
        return Call(TIMESTAMP, "to_timestamp", (node,), node.span)
    return node


def beside_items(check: Calls, left: Node, items: list[Node], span: Span) -> tuple[Node, tuple[Node, ...]]:
    """A value and the items of a list, converted to comparable types. Raises Stop if there are none."""
    pairs = [align(check, left, item) for item in items]
    left = pairs[0][0]
    aligned = tuple(beside_double(item) if left.type == DOUBLE else item for _, item in pairs)
    kinds = {left.type, *(item.type for item in aligned)} - {NULL}
    if len(kinds) > 1 and not all(map(is_numeric, kinds)):
        hint = comparison_hint(left, aligned[0])
        raise check.fail(msg.not_comparable(span, str(left.type), str(aligned[0].type), hint))
    return left, aligned


def comparison_hint(left: Node, right: Node) -> str | None:
    """A hint how to make two values comparable, by a conversion or another constant; None without one."""
    for text, other in ((left, right), (right, left)):
        if isinstance(text, Literal) and isinstance(text.value, str) and is_numeric(other.type):
            return say.NUMBER_WITHOUT_QUOTES if text.value.replace(".", "", 1).lstrip("-").isdigit() else None
    if STRING in (left.type, right.type) and (is_numeric(left.type) or is_numeric(right.type)):
        return say.QUOTE_OR_CONVERT
    for value, other in ((left, right), (right, left)):
        if isinstance(value.type, ArrayType) and isinstance(other.type, Scalar) and other.type != JSON:
            return say.ASK_FOR_AN_ELEMENT
        if isinstance(value, Literal) and value.type == STRING and other.type in (DATE, TIMESTAMP):
            return say.text_beside_a_time(value.span.text, other.span.text, str(other.type))
        if value.type == STRING and other.type in (DATE, TIMESTAMP):
            return say.convert_it(value.span.text, str(other.type).upper())
        if (
            value.type == JSON
            and other.type == TIMESTAMP
            and (hint := json_values.declared_hint(value, TIMESTAMP))
        ):
            return hint
        if value.type == BOOLEAN and is_numeric(other.type):
            is_chain = isinstance(value, Call) and value.op in ORDERED
            return say.A_CHAIN if is_chain else say.BOOLEAN_ALONE
    return say.DECLARE_OR_CONVERT_ONE_SIDE if JSON in (left.type, right.type) else None
