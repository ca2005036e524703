"""SQL's rounding functions and casts to decimals, by the type of the number."""

from __future__ import annotations

from decimal import Decimal

from predicat.check.protocol import Calls, Check
from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_functions as say
from predicat.forms import decimals, json_values
from predicat.forms.conversions import convert, underlying
from predicat.forms.text_casts import BLANKS
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.surface import HALF_UP, TEXT_CASTS
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, JSON, NULL, STRING, UNSIZED_NUMERIC, DecimalType
from predicat.ir.values import type_of
from predicat.semantics.arithmetic import MOST_DIGITS

_DIGITS_OF_BIGINT = 19
_OPS = {"sql.round": "round", "sql.bround": "bround", "spark.round": "round", "postgres.round": "bround"}
# The functions. `spark.round` and `postgres.round` are ROUND in these languages.
FUNCTIONS = (*_OPS, "sql.trunc")
_MOST_SCALE = 6
# The most digits of a decimal that survive a conversion to a double and back.
_MOST_DECIMAL = 15


def function(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """ROUND, BROUND or TRUNC of an integer, a double or a decimal. BROUND and TRUNC convert a decimal to a
    double. Raises Stop if that is not exact, or if engines round differently.
    """
    name = op.partition(".")[2]
    number, *digits = map(underlying, args)
    places = digits[0].value if digits and isinstance(digits[0], Literal) else 0
    if not isinstance(places, int) or not 0 <= places <= MOST_DIGITS:
        raise check.fail(say.digits(span, name, MOST_DIGITS))
    if number.type == BIGINT:
        return number
    if isinstance(number.type, DecimalType):
        if number.type.scale <= places:
            return number
        if check.rules.decimal_arithmetic and op not in ("sql.trunc", "sql.bround"):
            return as_decimal(
                number, DecimalType(number.type.precision - number.type.scale + places + 1, places), span
            )
        if number.type.precision > _MOST_DECIMAL:
            raise check.fail(say.decimal_too_wide(span, name, _MOST_DECIMAL))
        op = "sql.round" if op == "postgres.round" else op
    elif op == "sql.round" and not digits:
        raise check.fail(say.rounds_differently(span))
    if op == "sql.trunc":
        if places:
            raise check.fail(say.digits(span, name, 0))
        return check.operator("math.trunc", [convert(number, DOUBLE)], span)
    return check.call(_OPS[op], [convert(number, DOUBLE), Literal(BIGINT, places, span)], span)


def text(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """An argument of CONCAT or ||: integers, dates and decimals are cast to strings."""
    value = underlying(args[0])
    if value.type in (BIGINT, DATE) or isinstance(value.type, DecimalType):
        return check.cast(value, Literal(STRING, "to_sql_string"), span)
    return args[0]


def is_of_decimal(node: Node) -> bool:
    """Whether a number is a decimal, or a decimal converted to a double."""
    while isinstance(node, Call) and node.op in ("neg", "abs", "to_double"):
        node = node.args[0]
    return isinstance(node.type, DecimalType)


def written_alike(node: Node) -> bool:
    """Whether all engines write a value as the same string. Computed decimals have different scales, and
    Spark may write an exponent for a large scale.
    """
    plain = isinstance(underlying(node), Field | Literal)
    return not isinstance(node.type, DecimalType) or (plain and node.type.scale <= _MOST_SCALE)


def whole(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """Spark's FLOOR and CEIL. For a double the result is a BIGINT, so NaN becomes 0."""
    number, op = underlying(args[0]), op.partition(".")[2]
    result = check.call(op, [number], span)
    if number.type != DOUBLE:
        return result
    is_nan = check.operator("is_nan", [number], span)
    return Call(DOUBLE, "cond", (is_nan, Literal(DOUBLE, 0.0, span), result), span)


def whole_quotient(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """DIV of integers, truncated. Raises Stop for other numbers: engines round before they truncate."""
    parts = list(map(underlying, args))
    if any(part.type == DOUBLE or isinstance(part.type, DecimalType) for part in parts):
        raise check.fail(say.whole_quotient(span))
    return check.operator("div", args, span)


def quotient(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """DuckDB's `//`: truncated for integers; for other numbers the same as `/`."""
    parts = list(map(underlying, args))
    if all(part.type == BIGINT for part in parts):
        return check.call("div", parts, span)
    return check.call("fdiv", [convert(part, DOUBLE) for part in parts], span)


def whole_of_text(text: Node, span: Span) -> Node:
    """DuckDB's cast of a string to an integer: a fraction is rounded, half away from zero."""
    if json_values.is_text(text):
        document = text.args[0]
        parts = (
            whole_of_text(convert(document, STRING), span),
            Call(BIGINT, HALF_UP, (convert(document, DOUBLE),), span),
        )
        return Call(BIGINT, "coalesce", parts, span)
    plain, number = (Call(kind, TEXT_CASTS[kind], (text,), span) for kind in (BIGINT, DOUBLE))
    return Call(BIGINT, "coalesce", (plain, Call(BIGINT, HALF_UP, (number,), span)), span)


def of_document(check: Calls, text: Call, span: Span) -> Node:
    """The number in the string of `->>`: a JSON number, or a string that is cast to one."""
    value = text.args[0]
    if not check.rules.json_constants and not check.rules.json_scalars:
        return Call(DOUBLE, "to_double", text.args, span)
    read = Call(DOUBLE, TEXT_CASTS[DOUBLE], (convert(value, STRING),), span)
    return Call(DOUBLE, "coalesce", (read, convert(value, DOUBLE)), span)


def sign(_check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """PostgreSQL's SIGN. For NaN it is 0."""
    number = convert(underlying(args[0]), DOUBLE)
    zero, one, less = (Literal(DOUBLE, value, span) for value in (0.0, 1.0, -1.0))
    below = Call(DOUBLE, "cond", (Call(BOOLEAN, "lt", (number, zero), span), less, zero), span)
    return Call(DOUBLE, "cond", (Call(BOOLEAN, "gt", (number, zero), span), one, below), span)


def decimal(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """A cast of a string or a number to a decimal. Raises Stop for doubles, except in Spark, and for types on
    which engines differ.
    """
    number, precision, scale = underlying(args[0]), *(_whole(arg) for arg in args[1:])
    kind = DecimalType(precision, scale)
    if number.type == NULL:
        return Literal(kind, None, span)
    if json_values.is_text(number):  # its numbers are doubles
        if (precision, scale) != UNSIZED_NUMERIC:
            raise check.fail(say.sized_decimal_of_document(span, kind))
        return of_document(check, number, span)
    if number.type == JSON and check.rules.json_constants and (precision, scale) == UNSIZED_NUMERIC:
        return convert(number, DOUBLE)
    if number.type == STRING:
        plain = Call(STRING, "strip", (number, Literal(STRING, BLANKS, span)), span)
        return Call(kind, "to_decimal", (plain,), span)
    if check.rules.decimal_arithmetic and (number.type == BIGINT or isinstance(number.type, DecimalType)):
        return (
            as_decimal(number, kind, span)
            if check.rules.unlimited_decimals
            else converted(number, kind, span)
        )
    if isinstance(number.type, DecimalType):
        whole = number.type.precision - number.type.scale
        if number.type.scale > scale:
            raise check.fail(say.rounds_decimal(span))
        return number if whole <= precision - scale else _below(number, precision - scale, span)
    if number.type == BIGINT:
        return number if precision - scale >= _DIGITS_OF_BIGINT else _below(number, precision - scale, span)
    if number.type == DOUBLE and op == "spark.decimal":
        return Call(kind, "to_decimal", (number,), span)
    raise check.fail(say.decimal_of(span, str(number.type)))


def converted(number: Node, kind: DecimalType, span: Span) -> Node:
    """A number converted to exactly this decimal type. The type matters: Spark may round the results of
    arithmetic by it.
    """
    return number if number.type == kind else Call(kind, "to_decimal", (number,), span)


def as_decimal(number: Node, kind: DecimalType, span: Span) -> Node:
    """A number as a decimal of a type. A decimal whose own type is narrower is returned unchanged."""
    result = decimals.exact_type(number)
    narrower = result.scale <= kind.scale and result.precision - result.scale <= kind.precision - kind.scale
    if narrower and isinstance(number.type, DecimalType):
        return number
    return Call(kind, "to_decimal", (number,), span)


def _below(number: Node, digits: int, span: Span) -> Node:
    """A number if it has at most `digits` integer digits, otherwise UNKNOWN."""
    most = 10**digits
    limits = [Literal(type_of(Decimal(limit)), Decimal(limit), span) for limit in (-most, most)]
    tests = (
        Call(BOOLEAN, "gt", (number, limits[0]), span),
        Call(BOOLEAN, "lt", (number, limits[1]), span),
    )
    inside = Call(BOOLEAN, "and", tests, span)
    return Call(number.type, "cond", (inside, number, Literal(number.type, None, span)), span)


def _whole(node: Node) -> int:
    return node.value if isinstance(node, Literal) and isinstance(node.value, int) else 0
