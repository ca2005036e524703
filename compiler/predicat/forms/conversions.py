"""Conversions of typed nodes, dynamically typed nodes, choices between types, and strings as times."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import TypeGuard

from predicat.diagnostics import Diagnostic, PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.python_values import RowError
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    DecimalType,
    Type,
    is_numeric,
)
from predicat.ir.values import is_below_micros, parse_date, parse_sql_timestamp, to_value


def dynamic(node: Node) -> Node:
    """The node, marked as dynamically typed: a wrong type makes the predicate UNKNOWN and is not an error of
    the filter.
    """
    return (
        node
        if isinstance(node, Items) or is_dynamic(node) or is_union(node) or is_joined(node)
        else Call(node.type, "dyn", (node,), node.span)
    )


def is_dynamic(node: Node) -> bool:
    """Whether a node is marked as dynamically typed."""
    return isinstance(node, Call) and node.op == "dyn"


def underlying(node: Node) -> Node:
    """A node without the mark that it is dynamically typed."""
    return node.args[0] if isinstance(node, Call) and node.op == "dyn" else node


def dynamic_error(span: Span) -> Node:
    """The dynamically typed NULL: the result for a value of a wrong type."""
    return dynamic(Literal(BOOLEAN, None, span))


def is_union(node: Node) -> TypeGuard[Call]:
    """Whether a node is a choice between values of different types (`b ? j.k : "x"`). An operator on it is
    applied to each value.

    It has the type JSON, and at least one of its values has another type. The check removes all such nodes.
    """
    return (
        isinstance(node, Call)
        and node.op == "cond"
        and node.type == JSON
        and any(value.type != JSON or is_union(value) for value in node.args[1:])
    )


def is_joined(node: Node) -> TypeGuard[Call]:
    """Whether a node is a concatenation of lists (see lists.joined). No checked predicate has one."""
    return isinstance(node, Call) and node.op == "joined"


def union_width(node: Node) -> int:
    """The number of values of a choice between different types; 1 for other nodes."""
    return sum(map(union_width, node.args[1:])) if is_union(node) else 1


def convert(node: Node, kind: Type) -> Node:
    """A node converted to a type, if signatures.find supports the conversion."""
    if node.type == kind:
        return node
    if node.type == NULL and isinstance(node, Literal):
        return Literal(kind, None, node.span)
    if node.type == JSON:
        op = _JSON_VALUES.get(kind)
        return Call(kind, op, (node,), node.span) if op else node
    if kind == DOUBLE and is_numeric(node.type):
        if isinstance(node, Literal) and node.value is not None:
            return Literal(DOUBLE, float(str(node.value)), node.span)
        return Call(DOUBLE, "to_double", (node,), node.span)
    return node


_JSON_VALUES: dict[Type, str] = {STRING: "json_string", DOUBLE: "json_number", BOOLEAN: "json_boolean"}


def typed_null(node: Node, kind: Type) -> Node:
    """NULL with a type; other nodes are returned unchanged."""
    return Literal(kind, None, node.span) if isinstance(node, Literal) and node.value is None else node


def json_number(node: Node, other: Type) -> Node:
    """A JSON value beside a number as a double; other nodes are returned unchanged."""
    return convert(node, DOUBLE) if node.type == JSON and is_numeric(other) else node


def beside_double(node: Node) -> Node:
    """A decimal, or an integer constant of at most 2**53, as a double, as all engines compare it with a
    double. Other nodes are returned unchanged.
    """
    exact = (
        isinstance(node, Literal)
        and node.type == BIGINT
        and isinstance(node.value, int)
        and abs(node.value) <= 2**53
    )
    return convert(node, DOUBLE) if exact or isinstance(node.type, DecimalType) else node


def same_constant(one: Node, other: Node) -> bool:
    """Whether two nodes are equal constants of one type, or equal numbers."""
    if not isinstance(one, Literal) or not isinstance(other, Literal):
        return False
    comparable = one.type == other.type or (is_numeric(one.type) and is_numeric(other.type))
    return comparable and one.value == other.value


def argument(node: Node, kind: Type) -> Node | None:
    """A node as the value of a parameter of a type; None if it does not fit. Raises PredicatError for a
    string that is not a date or timestamp.

    A double may be any number, a decimal a constant that fits the type, and a date or a timestamp a string.
    """
    if node.type == kind:
        return node
    if kind == DOUBLE and is_numeric(node.type):
        return convert(node, DOUBLE)
    value = node.value if isinstance(node, Literal) else None
    if isinstance(value, str) and kind in (DATE, TIMESTAMP):
        result = time_constant(value, kind, node.span)
        if isinstance(result, Diagnostic):
            raise PredicatError.of(result)
        return Literal(kind, result, node.span)
    if isinstance(value, int | Decimal) and isinstance(kind, DecimalType) and is_numeric(node.type):
        try:
            return Literal(kind, to_value(value, kind), node.span)
        except RowError:
            return None
    return None


def time_constant(text: str, kind: Type, span: Span) -> datetime | date | Diagnostic:
    """A string constant of SQL as a timestamp or a date, or the problem with it."""
    if kind == TIMESTAMP and is_below_micros(text):
        return msg.too_fine(span, "a timestamp")
    value = parse_sql_timestamp(text) if kind == TIMESTAMP else parse_date(text)
    if value is None:
        return msg.bad_constant(
            span, str(kind), text, "2013-07-04 10:30:00" if kind == TIMESTAMP else "2013-07-04"
        )
    return value
