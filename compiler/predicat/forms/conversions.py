"""Typed nodes as other types, nodes whose type is not checked, choices between several types, and texts
that are times.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import TypeGuard

from predicat.diagnostics import Diagnostic, PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Call, Items, Literal, Node
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
from predicat.ir.values import RowError, is_below_micros, parse_date, parse_sql_timestamp, to_value


def dynamic(node: Node) -> Node:
    """Marks a node as dynamically typed: a type that does not fit makes the row UNKNOWN, and is no error of
    the filter.
    """
    return (
        node
        if isinstance(node, Items) or is_dynamic(node) or is_union(node) or is_joined(node)
        else Call(node.type, "dyn", (node,), node.span)
    )


def is_dynamic(node: Node) -> bool:
    """Whether a node has the mark that its type is not checked."""
    return isinstance(node, Call) and node.op == "dyn"


def underlying(node: Node) -> Node:
    """A node without the mark that it is dynamically typed."""
    return node.args[0] if isinstance(node, Call) and node.op == "dyn" else node


def dynamic_error(span: Span) -> Node:
    """The dynamically typed NULL: what a value gives whose type does not fit."""
    return dynamic(Literal(BOOLEAN, None, span))


def is_union(node: Node) -> TypeGuard[Call]:
    """Whether a node is a choice between values of several types (`b ? j.k : "x"`). An operator on it is
    applied to each of them.

    It has the type JSON, and at least one of its values has another type. The check removes all such nodes.
    """
    return (
        isinstance(node, Call)
        and node.op == "cond"
        and node.type == JSON
        and any(value.type != JSON or is_union(value) for value in node.args[1:])
    )


def is_joined(node: Node) -> TypeGuard[Call]:
    """Whether a node is a list joined of others (see lists.joined), which stands in no predicate that is
    checked.
    """
    return isinstance(node, Call) and node.op == "joined"


def union_width(node: Node) -> int:
    """Between how many values a node chooses."""
    return sum(map(union_width, node.args[1:])) if is_union(node) else 1


def convert(node: Node, kind: Type) -> Node:
    """A node as another type: a conversion that signatures.find has found possible."""
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
    """NULL as one of a type; other nodes as they are."""
    return Literal(kind, None, node.span) if isinstance(node, Literal) and node.value is None else node


def json_number(node: Node, other: Type) -> Node:
    """The numbers of JSON are doubles; beside any number a JSON value must be one."""
    return convert(node, DOUBLE) if node.type == JSON and is_numeric(other) else node


def beside_double(node: Node) -> Node:
    """A decimal beside a double is compared as a double, on every engine; so is a whole constant that a
    double holds.
    """
    exact = (
        isinstance(node, Literal)
        and node.type == BIGINT
        and isinstance(node.value, int)
        and abs(node.value) <= 2**53
    )
    return convert(node, DOUBLE) if exact or isinstance(node.type, DecimalType) else node


def same_constant(one: Node, other: Node) -> bool:
    """Whether two nodes are equal constants, of one type or of two of numbers."""
    if not isinstance(one, Literal) or not isinstance(other, Literal):
        return False
    comparable = one.type == other.type or (is_numeric(one.type) and is_numeric(other.type))
    return comparable and one.value == other.value


def argument(node: Node, kind: Type) -> Node | None:
    """A node as the value of a parameter of a type; None if it cannot be one. Raises PredicatError for a text
    that is no time.

    Any number may stand for a double; for a decimal a constant that it holds, for a date or a timestamp a
    text of one.
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
    """The timestamp or the date that a constant of SQL is, or what is wrong with it."""
    if kind == TIMESTAMP and is_below_micros(text):
        return msg.too_fine(span, "a timestamp")
    value = parse_sql_timestamp(text) if kind == TIMESTAMP else parse_date(text)
    if value is None:
        return msg.bad_constant(
            span, str(kind), text, "2013-07-04 10:30:00" if kind == TIMESTAMP else "2013-07-04"
        )
    return value
