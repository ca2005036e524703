"""The meaning of conversions in the languages, by the type of the value.

A conversion may have its own rule for some values (`CASTS`). For other values the general rules (`_BY_TYPE`)
are tried in order, and then the operator of the table.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from predicat.check import json_casts, json_constants, sql_numbers, text_constants
from predicat.check.overloads import OverloadResolver
from predicat.diagnostics import Span
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import columns, sql_json, sql_meanings
from predicat.forms import json_values
from predicat.forms.conversions import convert, dynamic_error, is_dynamic, underlying
from predicat.ir.column_forms import of_field
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
        check: The check, which reports problems and resolves the operator of the table.
        name: A conversion of CASTS.
        node: The value, possibly dynamically typed.
        span: The position of the conversion.

    Raises:
        Stop: Values of the type cannot be converted, or engines convert them differently. It is reported.
    """
    conversion = CASTS[name]
    if node.type == NULL:
        return Literal(conversion.to, None, span)
    own = conversion.own(check, node, span) if conversion.own is not None else None
    if own is not None:
        return own
    node = underlying(node)
    form = of_field(node)
    if conversion.to == STRING and form is not None and form.form.read and check.rules.widens_numbers:
        raise check.fail(columns.cast_of_citext(span, written(node)))
    for rule in _BY_TYPE:
        if (result := rule(check, conversion.to, node, span)) is not None:
            return result
    if isinstance(node.type, DecimalType) and conversion.to == BIGINT:
        node = convert(node, DOUBLE)
    result = check.call(_OPERATORS[conversion.to], [node], span)
    overflows = check.rules.ieee_division and conversion.to == BIGINT and result.args[0].type == DOUBLE
    return Call(BIGINT, CHECKED_TO_INT, result.args, span) if overflows else result


def written(node: Node) -> str:
    """The source text of a node, on one line."""
    return " ".join(node.span.text.split())


_OPERATORS = {STRING: "to_string", **CONVERSIONS}


# --- the rules of single conversions


def _alike(check: OverloadResolver, node: Node, span: Span) -> None:
    """SQL's cast to a string. Raises Stop for types that engines write differently."""
    if node.type == JSON and (check.rules.json_constants or check.rules.json_scalars):
        raise check.fail(
            sql_json.text_of_document(span, json_constants.spelled(node), json_constants.spelled(node, "->>"))
        )
    if node.type in (DOUBLE, TIMESTAMP, DURATION) or not sql_numbers.written_alike(node):
        raise check.fail(say.cast_to_text(span, node.type))


def _no_truth(check: OverloadResolver, node: Node, span: Span) -> Node | None:
    """CEL's int() of a boolean: an error. None for other values."""
    if underlying(node).type != BOOLEAN:
        return None
    if is_dynamic(node):
        return dynamic_error(span)
    raise check.fail(say.int_of_truth(span, ["boolean"]))


def _doubtful(check: OverloadResolver, node: Node, span: Span) -> None:
    """A cast to an integer that truncates on some engines and rounds on others. Reports this if the number
    may have a fraction.
    """
    if _has_decimals(node) and not _is_whole(node):
        check.doubt(sql_meanings.ambiguous_whole(span, written(node)))


def _rounded(_check: OverloadResolver, node: Node, span: Span) -> Node | None:
    """PostgreSQL's cast to an integer rounds: halves of doubles to even, halves of decimals away from zero.
    None for other values.
    """
    if not _has_decimals(node):
        return None
    op = HALF_UP if sql_numbers.is_of_decimal(node) else HALF_EVEN
    return Call(BIGINT, op, (convert(node, DOUBLE),), span)


def _rounded_also_of_text(check: OverloadResolver, node: Node, span: Span) -> Node | None:
    """DuckDB's cast to an integer, which also rounds numbers in strings."""
    if node.type == STRING:
        return sql_numbers.whole_of_text(node, span)
    return _rounded(check, node, span)


def _has_decimals(node: Node) -> bool:
    return node.type == DOUBLE or isinstance(node.type, DecimalType)


def _is_whole(node: Node) -> bool:
    """Whether a number is known to have no fraction, so truncating and rounding are the same."""
    if isinstance(node, Literal):
        return node.value is None or node.value == int(node.value)  # type: ignore[arg-type]  # a number
    return isinstance(node, Call) and (
        node.op in _WHOLE or (node.op == "to_double" and node.args[0].type == BIGINT)
    )


_WHOLE = frozenset({"floor", "ceil", "round", "trunc"})


class Cast(Struct, frozen=True):
    """A conversion of a language.

    Attributes:
        to: The type of the result.
        own: Its own rule for some values, which returns None for the others; None if there is no such rule.
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


# --- the general rules, by the type of the value


def _of_written_number(check: OverloadResolver, to: Type, node: Node, span: Span) -> Node | None:
    """A JSON value as a string as a double: the number is read directly, because engines write doubles
    differently.
    """
    return sql_numbers.of_document(check, node, span) if to == DOUBLE and json_values.is_text(node) else None


def _truth_of_number(check: OverloadResolver, to: Type, node: Node, span: Span) -> Node | None:
    """SQL's cast of an integer to a boolean: TRUE unless it is 0."""
    if node.type != BIGINT or to != BOOLEAN or not check.rules.widens_numbers:
        return None
    return Call(BOOLEAN, "ne", (node, Literal(BIGINT, 0, span)), span)


def _of_json(check: OverloadResolver, to: Type, node: Node, span: Span) -> Node | None:
    """A JSON value, converted by its kind in the row."""
    if node.type != JSON:
        return None
    if check.rules.json_constants:
        return json_constants.converted(check, to, node, span)
    if check.rules.json_scalars:
        return json_casts.cast(node, to, span)
    checked = to == BIGINT and check.rules.ieee_division
    return Call(to, CHECKED_TO_INT if checked else _OPERATORS[to], (node,), span)


def _of_decimal(_check: OverloadResolver, to: Type, node: Node, _span: Span) -> Node | None:
    return convert(node, DOUBLE) if isinstance(node.type, DecimalType) and to == DOUBLE else None


def _itself(_check: OverloadResolver, to: Type, node: Node, _span: Span) -> Node | None:
    return node if node.type == to else None


def _of_text(check: OverloadResolver, to: Type, node: Node, span: Span) -> Node | None:
    """SQL's cast of a string, which accepts what all engines accept."""
    if node.type != STRING or not check.rules.casts_of_text:
        return None
    if to == DOUBLE and isinstance(node, Literal) and isinstance(node.value, str):
        endless = text_constants.endless(node.value)
        if endless is not None:
            return Literal(DOUBLE, endless, span)
    return Call(to, TEXT_CASTS[to], (node,), span)


# The general rules. The first one that does not return None is used.
_BY_TYPE: tuple[Callable[[OverloadResolver, Type, Node, Span], Node | None], ...] = (
    _of_written_number,
    _truth_of_number,
    _of_json,
    _of_decimal,
    _itself,
    _of_text,
)
