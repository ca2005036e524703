"""Comparisons and exact arithmetic of decimals. Engines convert both operands to one type with at most 38
digits.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import Context, Decimal

from predicat.ir.decimal_types import OF_BIGINT, RESULTS, Digits, least_holding, result
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import FLIPPED
from predicat.ir.types import BIGINT, MAX_PRECISION, DecimalType, Type
from predicat.ir.values import type_of
from predicat.ir.widths import RANGES

# Constants may have more digits than columns.
_EXACT = Context(prec=1000)


def fits(nodes: Sequence[Node]) -> bool:
    """Whether there is a decimal type that holds all values of these numbers, which are not doubles."""
    kinds = [kind for node in nodes if (kind := _decimal_type(node)) is not None]
    if not any(isinstance(node.type, DecimalType) for node in nodes):
        return True
    return (
        max(kind.precision - kind.scale for kind in kinds) + max(kind.scale for kind in kinds)
        <= MAX_PRECISION
    )


def as_decimal(constant: Node, column: Node) -> Node:
    """A double constant beside a decimal of at most 15 digits as its shortest decimal, so the column is not
    converted. Other nodes are returned unchanged.

    Different decimals of at most 15 digits are different doubles in the same order. So a decimal is below a
    double if and only if it is below the shortest decimal of that double.
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


def beside_constant(op: str, left: Node, right: Node) -> tuple[str, Node, Decimal] | None:
    """A comparison of an integer or decimal with a constant as operator, number and constant; None for
    others.
    """
    if isinstance(left, Literal):
        if op not in FLIPPED or isinstance(right, Literal):
            return None
        left, right, op = right, left, FLIPPED[op]
    value = right.value if isinstance(right, Literal) else None
    if not isinstance(value, int | Decimal) or _decimal_type(left) is None:
        return None
    return op, left, Decimal(value)


# --- arithmetic


def is_exact(op: str, args: Sequence[Node]) -> bool:
    """Whether an operator is exact for these arguments: decimals, and integers beside decimals."""
    return (
        op in RESULTS
        and any(isinstance(arg.type, DecimalType) for arg in args)
        and all(isinstance(arg.type, DecimalType) or arg.type == BIGINT for arg in args)
    )


def digits(op: str, args: Sequence[Node]) -> Digits:
    """The digits of the exact result of an operator."""
    return result(op, [kind for arg in args if (kind := _decimal_type(arg)) is not None])


def may_have_more_digits(node: Call) -> bool:
    """Whether a result of exact arithmetic may have more integer digits than its type. Then it is UNKNOWN.

    The type was computed from the operands in the text. Operands that were folded to a constant may have
    fewer digits.
    """
    kind = node.type
    return (
        isinstance(kind, DecimalType)
        and is_exact(node.op, node.args)
        and digits(node.op, node.args).whole > kind.precision - kind.scale
    )


def may_not_fit(node: Call) -> bool:
    """Whether the result of a conversion to a decimal may not fit the type."""
    number, kind = _decimal_type(node.args[0]), node.type
    if number is None or not isinstance(kind, DecimalType):
        return True
    carry = 1 if number.scale > kind.scale else 0
    return number.precision - number.scale + carry > kind.precision - kind.scale


def unwidened(node: Node) -> Node:
    """A decimal without a conversion to a wider type. Only for uses in which the type does not matter."""
    if not isinstance(node, Call) or node.op != "to_decimal" or may_not_fit(node):
        return node
    (number,), kind = node.args, node.type
    if not isinstance(number.type, DecimalType) or not isinstance(kind, DecimalType):
        return node
    return number if number.type.scale <= kind.scale else node


def exact_type(node: Node) -> DecimalType:
    """The type of a decimal, or of an integer beside a decimal."""
    return _decimal_type(node) or OF_BIGINT


def has_known_type(node: Node) -> bool:
    """Whether the type on the engine is known to be `exact_type`. For a choice it may be narrower."""
    if isinstance(node, Call):
        return node.op == "to_decimal" or (
            is_exact(node.op, node.args) and all(map(has_known_type, node.args))
        )
    return isinstance(node, Field | Literal)


def as_exact(node: Node) -> Node:
    """An integer constant as a decimal; other nodes are returned unchanged."""
    if isinstance(node, Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
        value = Decimal(node.value)
        return Literal(least_holding([value]), value, node.span)
    return node


def common(values: Sequence[Node]) -> DecimalType | None:
    """The type of a choice between decimals and integers; None for other values, and if 38 digits are not
    enough.
    """
    known = [value for value in values if not (isinstance(value, Literal) and value.value is None)]
    kinds = [kind for value in known if (kind := _in_choice(value)) is not None]
    if len(kinds) < len(known) or not any(isinstance(value.type, DecimalType) for value in known):
        return None
    scale = max(kind.scale for kind in kinds)
    precision = max(kind.precision - kind.scale for kind in kinds) + scale
    return DecimalType(precision, scale) if precision <= MAX_PRECISION else None


def _in_choice(node: Node) -> DecimalType | None:
    """The type of a number in a choice. An integer constant is an INT or a BIGINT, as on engines."""
    kind = _decimal_type(node)
    if isinstance(node, Literal) and kind is not None and kind.scale == 0:
        least = _OF_WIDTHS["int"] if kind.precision <= _DIGITS_OF_INT else OF_BIGINT
        return max(kind, least, key=lambda one: one.precision)
    return kind


def as_type(node: Node, kind: DecimalType) -> Node:
    """A number as a decimal of a type that holds it."""
    if isinstance(node, Literal):
        value = node.value
        return Literal(kind, Decimal(value) if isinstance(value, int) else value, node.span)
    return Call(kind, "to_decimal", (node,), node.span) if node.type == BIGINT else node


def _decimal_type(node: Node) -> DecimalType | None:
    """The decimal type of an integer or decimal, as narrow as is known; None for any other value."""
    if isinstance(node, Literal) and isinstance(node.value, int | Decimal):
        return None if isinstance(node.value, bool) else least_holding([node.value])
    if isinstance(node, Field) and node.decl.stored in RANGES and node.type == BIGINT:
        return _OF_WIDTHS[node.decl.stored]
    if isinstance(node, Call) and is_exact(node.op, node.args):
        return digits(node.op, node.args).type()
    kind: Type = node.type
    return kind if isinstance(kind, DecimalType) else OF_BIGINT if kind == BIGINT else None


# All integers with at most this number of digits fit 32 bits.
_DIGITS_OF_INT = 9
# Spark's decimal types for integer columns of these widths.
_OF_WIDTHS = {"tinyint": DecimalType(3, 0), "smallint": DecimalType(5, 0), "int": DecimalType(10, 0)}
