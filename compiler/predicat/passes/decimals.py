"""Comparisons of decimals: engines bring both sides to one type, which has at most 38 digits."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.operators import COMPARISONS, FLIPPED
from predicat.ir.types import BIGINT, BOOLEAN, MAX_PRECISION, DecimalType, Type
from predicat.ir.values import type_of
from predicat.passes import constants

_BIGINT = DecimalType(20, 0)
"""What Spark takes an integer for beside a decimal."""
_EXACT = Context(prec=1000)
"""Constants may have more digits than columns."""


def fits(nodes: Sequence[Node]) -> bool:
    """Whether numbers that are no doubles have a type in common that holds all values of all of them."""
    kinds = [kind for node in nodes if (kind := _type(node)) is not None]
    if not any(isinstance(node.type, DecimalType) for node in nodes):
        return True
    return (
        max(kind.precision - kind.scale for kind in kinds) + max(kind.scale for kind in kinds)
        <= MAX_PRECISION
    )


def as_decimal(constant: Node, column: Node) -> Node:
    """A double constant beside a decimal of at most 15 digits as the decimal that is written for it, so that
    no column is converted.

    So few digits make different doubles, in the same order: a decimal is below a double if and only if it is
    below the shortest
    decimal that is read as that double.
    """
    if (
        not isinstance(constant, Literal)
        or not isinstance(constant.value, float)
        or not math.isfinite(constant.value)
    ):
        return constant
    if not isinstance(column.type, DecimalType) or column.type.precision > sys.float_info.dig:
        return constant
    value = Decimal(
        f"{_EXACT.plus(Decimal(repr(constant.value))):f}"
    )  # without an exponent, and without the sign of zero
    return Literal(type_of(value), value, constant.span)


def against_constant(op: str, left: Node, right: Node, span: Span) -> Node | None:
    """Rewrites `column op constant` where the constant has more digits than the column's type can hold. None
    if neither side is a constant.
    """
    if isinstance(left, Literal):
        if op not in FLIPPED or isinstance(right, Literal):
            return None
        left, right, op = right, left, FLIPPED[op]
    kind = _type(left)
    if not isinstance(right, Literal) or kind is None or not isinstance(right.value, int | Decimal):
        return None
    value = Decimal(right.value)
    most = Decimal(10) ** (kind.precision - kind.scale)
    if -most < value < most:
        floor = value.quantize(Decimal(1).scaleb(-kind.scale), ROUND_FLOOR, _EXACT)
        if floor > -most and (floor == value or op in _BELOW):
            constant = Literal(type_of(floor), floor, right.span)
            return Call(BOOLEAN, op if floor == value else _BELOW[op], (left, constant), span)
    if op == "same":
        return Literal(BOOLEAN, False, span)
    holds = COMPARISONS[op].holds(
        0, value
    )  # as for any number of the column's: all are on one side of the constant
    return constants.unknown_if_missing(Literal(BOOLEAN, holds, span), [left], span)


_BELOW = {"lt": "le", "le": "le", "gt": "gt", "ge": "gt"}
"""How a value compares with the next smaller constant, where no value is between that one and the constant
asked for.
"""


def _type(node: Node) -> DecimalType | None:
    if isinstance(node, Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
        found = type_of(Decimal(node.value))
        return found if isinstance(found, DecimalType) else None
    kind: Type = node.type
    return kind if isinstance(kind, DecimalType) else _BIGINT if kind == BIGINT else None
