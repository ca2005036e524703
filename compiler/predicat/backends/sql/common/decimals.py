"""Exact arithmetic of decimals in the words of each engine. Where a type holds every result it is plain."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    binary,
    call,
    case,
    cast,
    concatenated,
    number_literal,
    try_cast,
    wrap,
)
from predicat.backends.sql.common.widths import as_double
from predicat.backends.sql.renderer import Renderer, let
from predicat.backends.sql.rules import Rule
from predicat.diagnostics.messages import backends as say
from predicat.forms import decimals
from predicat.ir.decimal_types import Digits, result
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, MAX_PRECISION, STRING, DecimalType

SIGNS: dict[str, type[exp.Binary]] = {"add": exp.Add, "sub": exp.Sub, "mul": exp.Mul}
_TRIED = {"add": "TRY_ADD", "sub": "TRY_SUBTRACT", "mul": "TRY_MULTIPLY"}
_MOST_OF_MINUS = 34
_MOST_OF_INT64 = 18
"""DuckDB keeps a result of narrower decimals in as many digits, and has an error beyond."""


def where_exact(exact: Rule, otherwise: Rule) -> Rule:
    """A rule for decimals, and one for other types."""
    return lambda r, node: (exact if isinstance(node.type, DecimalType) else otherwise)(r, node)


def of_numbers(exact: Rule, of_texts: Rule) -> Rule:
    """A conversion to a decimal: of a number, or of a text."""
    return lambda r, node: (of_texts if node.args[0].type == STRING else exact)(r, node)


def operands(r: Renderer, node: Call) -> list[Sql]:
    """The operands of a calculation. A whole constant beside whole numbers is cast: it is an integer to the
    engine.
    """
    parts = list(map(r.node, node.args))
    if all(arg.type == BIGINT or _is_whole_constant(arg) for arg in node.args):
        place = next(place for place, arg in enumerate(node.args) if arg.type != BIGINT)
        parts[place] = cast(parts[place], str(decimals.exact_type(node.args[place])))
    return parts


def _is_whole_constant(node: Node) -> bool:
    return isinstance(node, Literal) and decimals.exact_type(node).scale == 0


def signed(r: Renderer, node: Call) -> Sql:
    """The other sign, or none."""
    value = r.node(node.args[0])
    return exp.Neg(this=wrap(value)) if node.op == "neg" else call("ABS", value)


def spark(r: Renderer, node: Call) -> Sql:
    """Spark has the digits of the type. Where these are too many it gives up some behind the point."""
    parts = operands(r, node)
    digits = decimals.digits(node.op, node.args)
    if digits.rounded_by_spark:
        raise r.refuse(node, say.ROUNDED_DECIMAL, say.FEWER_DIGITS)
    found = binary(SIGNS[node.op], *parts) if digits.fits else call(_TRIED[node.op], *parts)
    return found if _ends_at(node, digits) else try_cast(found, str(node.type))


def _ends_at(node: Call, digits: Digits) -> bool:
    """Whether an engine with 38 digits has no value where the result has none."""
    same = not digits.fits and isinstance(node.type, DecimalType) and node.type.scale == digits.scale
    return (same and decimals.has_known_type(node)) or not decimals.may_have_more_digits(node)


def spark_signed(r: Renderer, node: Call) -> Sql:
    """Spark's minus and ABS round beyond 34 digits (Decimal.unary_-, with Scala's context)."""
    (arg,) = node.args
    kind = decimals.exact_type(arg)
    if kind.precision <= _MOST_OF_MINUS:
        return signed(r, node)

    def build(value: Sql) -> Sql:
        turned = _turned(value, kind)
        below = binary(exp.LT, value, 0)
        return turned if node.op == "neg" else case((below, turned), default=value)

    return let(r, r.node(arg), build)


def _turned(value: Sql, kind: DecimalType) -> Sql:
    digits = result("sub", [kind, kind])
    if digits.rounded_by_spark:  # by its text, where a difference would lose a digit
        text = concatenated("-", cast(value, "STRING"))
        return cast(call("REPLACE", text, "--", ""), str(kind))
    zero = number_literal(0)
    return binary(exp.Sub, zero, value) if digits.fits else call(_TRIED["sub"], zero, value)


def duckdb(r: Renderer, node: Call, try_: Callable[[Sql], Sql]) -> Sql:
    """DuckDB has an error where a result of at most 18 digits becomes longer: one operand has more."""
    parts = operands(r, node)
    digits = decimals.digits(node.op, node.args)
    if node.op != "mul" and any(_whole(arg) + digits.scale > MAX_PRECISION for arg in node.args):
        raise r.refuse(node, say.OPERAND_OF_SUM, say.FEWER_DIGITS)  # it casts operands to the result's type
    if digits.precision > _MOST_OF_INT64 and not any(map(_is_wide, node.args)):
        kinds = [decimals.exact_type(arg) for arg in node.args]
        chosen = max(range(len(parts)), key=lambda place: kinds[place].precision)
        kind = kinds[chosen]
        parts[chosen] = cast(
            parts[chosen], f"DECIMAL({max(kind.precision, _MOST_OF_INT64 + 1)}, {kind.scale})"
        )
    found = binary(SIGNS[node.op], *parts) if digits.fits else try_(binary(SIGNS[node.op], *parts))
    return found if _ends_at(node, digits) else try_cast(found, str(node.type))


def _whole(node: Node) -> int:
    kind = decimals.exact_type(node)
    return kind.precision - kind.scale


def _is_wide(node: Node) -> bool:
    """Whether DuckDB surely has more than 18 digits for a number."""
    if not isinstance(node.type, DecimalType) or decimals.exact_type(node).precision <= _MOST_OF_INT64:
        return False
    return isinstance(node, Field) or (
        isinstance(node, Call) and (node.op in SIGNS or node.op == "to_decimal")
    )


def converted(r: Renderer, node: Call) -> Sql:
    """A number with the digits of a type, rounded as the engine's cast does: a half away from zero."""
    (arg,), kind = node.args, str(node.type)
    value = as_double(r, arg) if arg.type == DOUBLE else r.node(arg)
    return try_cast(value, kind) if decimals.may_not_fit(node) else cast(value, kind)


def by_text(r: Renderer, node: Call) -> Sql:
    """As `converted`; of a double by its text, the shortest decimal: a cast would multiply doubles."""
    if node.args[0].type != DOUBLE:
        return converted(r, node)
    return try_cast(cast(as_double(r, node.args[0]), "TEXT"), str(node.type))


def rounded(value: Sql, scale: int) -> Sql:
    """ROUND to some digits behind the point."""
    return call("ROUND", value, scale)
