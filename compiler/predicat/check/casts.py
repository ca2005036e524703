"""Conversions by the names that languages give them: what each means, by the type of its value.

A conversion has a rule of its own for some values (`CASTS`). All others follow the rules of any conversion,
in their order (`BY_TYPE`), and at last the operator of the table.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from predicat.check import sql_numbers
from predicat.check.overloads import OverloadResolver
from predicat.diagnostics import Span
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import sql_meanings
from predicat.forms import json_values
from predicat.forms.conversions import convert, dynamic_error, is_dynamic, underlying
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.surface import CHECKED_TO_INT, CONVERSIONS, HALF_EVEN, HALF_UP, TEXT_CASTS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    DURATION,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    DecimalType,
    Type,
)


def cast(check: OverloadResolver, name: str, node: Node, span: Span) -> Node:
    """A value as another type. NULL stays NULL, and so does UNKNOWN.

    Args:
        check: Takes problems, and resolves the operator of the table.
        name: A conversion of CASTS.
        node: The value. Of one whose type is not checked, the mark is dropped.
        span: The place of the conversion.

    Raises:
        Stop: No value of the type converts, or engines convert it differently. It is reported.
    """
    conversion = CASTS[name]
    if node.type == NULL:
        return Literal(conversion.to, None, span)
    own = conversion.own(check, node, span) if conversion.own is not None else None
    if own is not None:
        return own
    node = underlying(node)
    for rule in BY_TYPE:
        if (result := rule(check, conversion.to, node, span)) is not None:
            return result
    if isinstance(node.type, DecimalType) and conversion.to == BIGINT:
        node = convert(node, DOUBLE)
    result = check.call(_OPERATORS[conversion.to], [node], span)
    overflows = check.rules.ieee_division and conversion.to == BIGINT and result.args[0].type == DOUBLE
    return Call(BIGINT, CHECKED_TO_INT, result.args, span) if overflows else result


def written(node: Node) -> str:
    """A part as its author wrote it, on one line."""
    return " ".join(node.span.text.split())


_OPERATORS = {STRING: "to_string", **CONVERSIONS}


# --- what single conversions mean for some values


def _alike(check: OverloadResolver, node: Node, span: Span) -> None:
    """SQL's cast to a text knows only what all engines write alike."""
    if node.type in (DOUBLE, TIMESTAMP, DURATION) or not sql_numbers.written_alike(node):
        raise check.fail(say.cast_to_text(span, node.type))


def _no_truth(check: OverloadResolver, node: Node, span: Span) -> Node | None:
    """CEL has no number for a truth value."""
    if underlying(node).type != BOOLEAN:
        return None
    if is_dynamic(node):
        return dynamic_error(span)
    raise check.fail(say.int_of_truth(span, ["boolean"]))


def _doubtful(check: OverloadResolver, node: Node, span: Span) -> None:
    """Engines cut a number with decimals, or round it."""
    if _has_decimals(node) and not _is_whole(node):
        check.doubt(sql_meanings.ambiguous_whole(span, written(node)))


def _rounded(_check: OverloadResolver, node: Node, span: Span) -> Node | None:
    """PostgreSQL rounds to the nearest whole number: halves of doubles to the even one, those of decimals
    away from zero.
    """
    if not _has_decimals(node):
        return None
    op = HALF_UP if sql_numbers.is_of_decimal(node) else HALF_EVEN
    return Call(BIGINT, op, (convert(node, DOUBLE),), span)


def _rounded_also_of_text(check: OverloadResolver, node: Node, span: Span) -> Node | None:
    """DuckDB rounds numbers in texts, too."""
    if node.type == STRING:
        return sql_numbers.whole_of_text(node, span)
    return _rounded(check, node, span)


def _has_decimals(node: Node) -> bool:
    return node.type == DOUBLE or isinstance(node.type, DecimalType)


def _is_whole(node: Node) -> bool:
    """Whether a number has no decimals, so that it is neither cut nor rounded."""
    if isinstance(node, Literal):
        return node.value is None or node.value == int(node.value)  # type: ignore[arg-type]  # a number
    return isinstance(node, Call) and (
        node.op in _WHOLE or (node.op == "to_double" and node.args[0].type == BIGINT)
    )


_WHOLE = frozenset({"floor", "ceil", "round", "trunc"})


class Cast(Struct, frozen=True):
    """A conversion of a language.

    Attributes:
        to: The type that it gives.
        own: What it means for some values. None for those that convert like any, and for none such.
    """

    to: Type
    own: Callable[[OverloadResolver, Node, Span], Node | None] | None = None


CASTS = {
    **{op: Cast(to) for to, op in _OPERATORS.items()},
    "to_sql_string": Cast(STRING, _alike),
    "to_cel_int": Cast(BIGINT, _no_truth),
    "to_either_int": Cast(BIGINT, _doubtful),
    "to_rounded_int": Cast(BIGINT, _rounded),
    "to_duckdb_int": Cast(BIGINT, _rounded_also_of_text),
}


# --- what any conversion means, by the type of the value


def _of_written_number(_check: OverloadResolver, to: Type, node: Node, span: Span) -> Node | None:
    """The number of a JSON value that is made a text first: engines write doubles in several ways."""
    return Call(DOUBLE, "to_double", node.args, span) if to == DOUBLE and json_values.is_text(node) else None


def _truth_of_number(check: OverloadResolver, to: Type, node: Node, span: Span) -> Node | None:
    """SQL: a whole number is TRUE unless it is 0."""
    if node.type != BIGINT or to != BOOLEAN or not check.rules.widens_numbers:
        return None
    return Call(BOOLEAN, "ne", (node, Literal(BIGINT, 0, span)), span)


def _of_json(check: OverloadResolver, to: Type, node: Node, span: Span) -> Node | None:
    """A JSON value, by the kind that the row knows."""
    if node.type != JSON:
        return None
    checked = to == BIGINT and check.rules.ieee_division
    return Call(to, CHECKED_TO_INT if checked else _OPERATORS[to], (node,), span)


def _of_decimal(_check: OverloadResolver, to: Type, node: Node, _span: Span) -> Node | None:
    return convert(node, DOUBLE) if isinstance(node.type, DecimalType) and to == DOUBLE else None


def _itself(_check: OverloadResolver, to: Type, node: Node, _span: Span) -> Node | None:
    return node if node.type == to else None


def _of_text(check: OverloadResolver, to: Type, node: Node, span: Span) -> Node | None:
    """SQL: a text that both engines take."""
    if node.type != STRING or not check.rules.casts_of_text:
        return None
    return Call(to, TEXT_CASTS[to], (node,), span)


BY_TYPE: tuple[Callable[[OverloadResolver, Type, Node, Span], Node | None], ...] = (
    _of_written_number,
    _truth_of_number,
    _of_json,
    _of_decimal,
    _itself,
    _of_text,
)
"""The first rule that has a meaning for a type and a value holds."""
