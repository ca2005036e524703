"""Spark without ANSI mode: the meaning of its operators, by the types of the arguments.

Integers wrap around if a result overflows their type. This is translated to operators of the table, but not
if the ranges of the fields exclude an overflow. Sources: Spark SQL, "ANSI Compliance"; `TypeCoercion`, `Cast`
and `UTF8String.toLong` of Spark's source; each row of the table in `language/spark/without_ansi.py` was
checked with Spark 4.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from predicat.analysis import facts
from predicat.check import sql_numbers
from predicat.check.integer_widths import Exact, Known, before_turn, known, known_range, width
from predicat.check.protocol import Calls, Check
from predicat.diagnostics import Span
from predicat.diagnostics.messages import without_ansi as say
from predicat.forms.conversions import convert, underlying
from predicat.forms.text_casts import of_text
from predicat.forms.wrapping import halves
from predicat.ir.nodes import Call, Items, Literal, Node, Variable
from predicat.ir.surface import WRAPPED, WRAPPING
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
)
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.ir.widths import INT, LIMITS, LONG

_BLANK = "[ \\t\\n\\v\\f\\r]*"
# Strings with an integer, possibly with a fraction, which is truncated.
_DIGITS = f"^{_BLANK}[+]?(-?[0-9]+)(?:[.][0-9]*)?{_BLANK}$"
# Strings without a digit before the decimal point, also a lone point. They are 0.
_WITHOUT_DIGITS = f"^{_BLANK}[+-]?[.][0-9]*{_BLANK}$"
_MOST_WRITTEN = 1000
# A decimal with more integer digits may not fit a BIGINT.
_MOST_DIGITS = 18


# --- integers that wrap around


def arithmetic(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """`+`, `-`, `*`, `%`, negation and ABS. String operands are converted to doubles."""
    name = op.partition(".")[2]
    parts = list(map(underlying, args))
    if all(part.type == BIGINT for part in parts):
        return _of_whole_numbers(check, name, parts, span)
    times = (DATE, TIMESTAMP, DURATION)
    if any(part.type == STRING for part in parts) and not any(part.type in times for part in parts):
        parts = [_double(part) if part.type == STRING else part for part in parts]
    return check.operator(name, parts, span)


def attempt(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """TRY_ADD and similar functions: NULL for an overflow."""
    name = op.partition("try_")[2]
    parts = list(map(underlying, args))
    if not all(part.type == BIGINT for part in parts):
        return check.operator(name, parts, span)
    bits = _common(check, name, parts, span)
    result: Node = Call(BIGINT, name, tuple(parts), span)
    if bits is None or bits == LONG:
        return known(check, result, Known(bits))
    return known(check, _where(result, *_combined(check, name, parts), bits, span), Known(bits))


def quotient(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """DIV of integers, as a BIGINT. The least BIGINT divided by -1 is the least BIGINT."""
    result = sql_numbers.whole_quotient(check, "sql.div", args, span)
    parts = list(map(underlying, args))
    if all(part.type == BIGINT for part in parts):
        (least, _), (low, high) = (known_range(check, part) for part in parts)
        if least == INT_MIN and low <= -1 <= high:
            minus = Call(BOOLEAN, "eq", (parts[1], Literal(BIGINT, -1, span)), span)
            result = Call(BIGINT, "cond", (minus, _wrapping("neg", parts[:1], (), span), result), span)
    return known(check, result, Known(LONG))


def _bits_of(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """`&`, `|` and `^`, in the wider type of the operands."""
    parts = list(map(underlying, args))
    result = check.operator(op.partition(".")[2], parts, span)
    widths = [width(check, part) for part in parts]
    bits = max((one for one in widths if one is not None), default=None)
    return known(check, result, Known(bits if None not in widths or bits == LONG else None))


def index(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """`xs[n]`: the index is cast to INT."""
    base, place = args[0], underlying(args[1])
    if isinstance(underlying(base).type, ArrayType) and place.type == BIGINT:
        return check.operator("bracket", [base, _cast(check, place, INT, span)], span)
    return check.operator("bracket", args, span)


def _sum_of_array(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """AGGREGATE as a sum. Raises Stop for integers, which would wrap around."""
    result = check.operator("sum", args, span)
    if result.type == BIGINT:
        raise check.fail(say.sum_of_whole_numbers(span))
    return result


def _of_whole_numbers(check: Check, op: str, parts: list[Node], span: Span) -> Node:
    bits = _common(check, op, parts, span)
    plain: Node = Call(BIGINT, op, tuple(parts), span)
    if bits is None or op == "mod":
        return known(check, plain, Known(bits))
    low, high = _combined(check, op, parts)
    if _fits(low, high, bits):
        return known(check, plain, Known(bits))
    if bits == LONG:
        return known(check, _of_long(check, op, parts, (low, high), span), Known(bits))
    exact = [before_turn(check, part) for part in parts]
    far = facts.combined(op, [one.range for one in exact])
    if op != "abs" and _fits(*far, LONG):  # wrap around once for a whole sum
        plain, (low, high) = Call(BIGINT, op, tuple(one.node for one in exact), span), far
    return known(check, _wrapped(plain, low, high, bits, span), Known(bits, Exact(plain, (low, high))))


def _common(check: Check, op: str, parts: list[Node], span: Span) -> int | None:
    """The number of bits of the type in which Spark computes; None if unknown. Raises Stop if it is unknown
    and the result may overflow.
    """
    widths = [width(check, part) for part in parts]
    known = [bits for bits in widths if bits is not None]
    if len(known) == len(widths) or LONG in known:
        return max(known)
    if op != "mod" and not _fits(*_combined(check, op, parts), INT):
        unknown = next(part for part, bits in zip(parts, widths, strict=True) if bits is None)
        raise check.fail(say.unknown_width(span, _named(unknown)))
    return None


def _named(node: Node) -> str:
    return node.name if isinstance(node, Variable) else node.span.text


def _combined(check: Check, op: str, parts: list[Node]) -> tuple[int, int]:
    return facts.combined(op, [known_range(check, part) for part in parts])


def _fits(low: int, high: int, bits: int) -> bool:
    least, most = LIMITS[bits]
    return least <= low and high <= most


def _of_long(check: Check, op: str, parts: list[Node], ends: tuple[int, int], span: Span) -> Node:
    """BIGINT arithmetic that may overflow. Raises Stop for a product of two numbers that may exceed INT."""
    if op != "mul":
        return _wrapping(op, parts, ends if op in ("add", "sub") else (), span)
    left_is_small = not _fits(*known_range(check, parts[1]), INT)
    large, small = parts[::-1] if left_is_small else parts
    if not _fits(*known_range(check, small), INT):
        raise check.fail(say.product(span, *(part.span.text for part in parts)))
    low, high = facts.combined("add", [facts.integers(half) for half in halves(large, small, span)])
    return _wrapping(op, parts, (low, high, *([1] if left_is_small else [])), span)


def _wrapping(op: str, parts: list[Node], more: tuple[int, ...], span: Span) -> Node:
    return Call(BIGINT, WRAPPING[op], (*parts, *(Literal(BIGINT, one, span) for one in more)), span)


def _wrapped(node: Node, low: int, high: int, bits: int, span: Span) -> Node:
    """A number from `low` to `high`, wrapped around to the range of a type."""
    if _fits(low, high, bits):
        return node
    ends = (Literal(BIGINT, low, span), Literal(BIGINT, high, span))
    return Call(BIGINT, WRAPPED[bits], (node, *ends), span)


def _where(node: Node, low: int, high: int, bits: int, span: Span) -> Node:
    """A number from `low` to `high` if it is in the range of a type, otherwise NULL."""
    if _fits(low, high, bits):
        return node
    if bits == INT:
        return Call(BIGINT, "int32", (node,), span)
    least, most = (Literal(BIGINT, end, span) for end in LIMITS[bits])
    tests = (Call(BOOLEAN, "ge", (node, least), span), Call(BOOLEAN, "le", (node, most), span))
    inside = Call(BOOLEAN, "and", tests, span)
    return Call(BIGINT, "cond", (inside, node, Literal(BIGINT, None, span)), span)


# --- casts to integers


def whole(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """A cast to an integer type, given by its number of bits."""
    bits = _bits(args[1])
    return known(check, _cast(check, underlying(args[0]), bits, span), Known(bits))


def _of_width(check: Check, _op: str, args: list[Node], _span: Span) -> Node:
    """An integer whose width is given by the second argument."""
    return known(check, args[0], Known(_bits(args[1])))


def _bits(node: Node) -> int:
    return node.value if isinstance(node, Literal) and isinstance(node.value, int) else LONG


def _cast(check: Check, node: Node, bits: int, span: Span) -> Node:
    if node.type == STRING:
        return whole_of_text(node, bits, span)
    if node.type == BIGINT:
        return _wrapped(node, *known_range(check, node), bits, span)
    if node.type == DOUBLE:
        return _of_double(node, bits, span)
    if isinstance(node.type, DecimalType):
        digits = node.type.precision - node.type.scale
        if digits > _MOST_DIGITS:
            raise check.fail(say.wide_decimal(span, _MOST_DIGITS))
        most = 10**digits
        return _wrapped(check.cast(node, Literal(STRING, "to_int"), span), -most, most, bits, span)
    result = check.cast(node, Literal(STRING, "to_int"), span)
    if node.type == BOOLEAN:
        return result
    return _where(result, *facts.integers(result), bits, span)  # a timestamp beyond the range gives NULL


def _of_double(node: Node, bits: int, span: Span) -> Node:
    """A cast of a double: truncated toward zero, clamped to the range of INT or BIGINT, 0 for NaN. A narrower
    type gets the lowest bits of the INT.
    """
    most = max(bits, INT)
    limit = float(LIMITS[most][1] + 1)
    least, greatest = (Literal(BIGINT, end, span) for end in LIMITS[most])
    known = facts.doubles(node)
    result: Node = Call(BIGINT, "to_int", (node,), span)
    if known.low <= -limit:
        result = _choice(_compared("le", node, -limit, span), least, result, span)
    if known.high >= limit:
        result = _choice(_compared("ge", node, limit, span), greatest, result, span)
    if known.nan:
        nan = Call(BOOLEAN, "ne", (node, node), span)
        result = _choice(nan, Literal(BIGINT, 0, span), result, span)
    return _wrapped(result, *LIMITS[most], bits, span) if bits < INT else result


def _compared(op: str, node: Node, end: float, span: Span) -> Node:
    return Call(BOOLEAN, op, (node, Literal(DOUBLE, end, span)), span)


def _choice(test: Node, yes: Node, no: Node, span: Span) -> Node:
    return Call(BIGINT, "cond", (test, yes, no), span)


def whole_of_text(text: Node, bits: int, span: Span) -> Node:
    """A cast of a string to an integer: surrounding whitespace and a fraction are dropped. NULL for other
    strings and for an overflow.
    """
    digits = Call(
        STRING, "regex_extract", (text, _text_literal(_DIGITS, span), Literal(BIGINT, 1, span)), span
    )
    number = Call(BIGINT, "to_int", (digits,), span)
    result = number if bits == LONG else _where(number, *LIMITS[LONG], bits, span)
    without = Call(BOOLEAN, "matches", (text, _text_literal(_WITHOUT_DIGITS, span)), span)
    zero = _choice(without, Literal(BIGINT, 0, span), Literal(BIGINT, None, span), span)
    return Call(BIGINT, "coalesce", (result, zero), span)


def _text_literal(text: str, span: Span) -> Node:
    return Literal(STRING, text, span)


def _whole_constant(text: str, bits: int) -> int | None:
    """A constant string cast to an integer; None if it is not a number, or does not fit."""
    match = re.match(_DIGITS, text, re.ASCII)
    if match is None:
        return 0 if re.match(_WITHOUT_DIGITS, text, re.ASCII) else None
    number = int(match[1]) if len(match[1]) < _MOST_WRITTEN else INT_MAX + 1
    return number if _fits(number, number, bits) else None


def _double(text: Node) -> Node:
    return of_text(text, DOUBLE, text.span)


# --- functions


def size(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """SIZE and CARDINALITY: -1 for NULL."""
    node, result = underlying(args[0]), check.operator("size", args, span)
    if isinstance(node.type, ArrayType | MapType) and not isinstance(node, Items) and result.type == BIGINT:
        absent = Call(BOOLEAN, "is_null", (node,), span)
        result = _choice(absent, Literal(BIGINT, -1, span), result, span)
    return known(check, result, Known(INT))


def floor(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """FLOOR and CEIL. For a double the result is clamped to the range of BIGINT."""
    name = op.partition(".")[2]
    if underlying(args[0]).type != DOUBLE:
        return check.operator(f"spark.{name}", args, span)
    return known(check, _of_double(check.call(name, args, span), LONG, span), Known(LONG))


def no_text(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """The argument of UNIX_TIMESTAMP. Raises Stop for a string, for which the format matters."""
    if underlying(args[0]).type == STRING:
        raise check.fail(say.seconds_of_text(span, args[0].span.text))
    return args[0]


Rule = Callable[[Check, str, list[Node], Span], Node]
# The rules of the language's operators.
OPERATORS: dict[str, Rule] = {
    **dict.fromkeys((f"lenient.{op}" for op in ("add", "sub", "mul", "mod", "neg", "abs")), arithmetic),
    **dict.fromkeys((f"lenient.try_{op}" for op in ("add", "sub", "mul", "mod")), attempt),
    **dict.fromkeys((f"lenient.{op}" for op in ("floor", "ceil")), floor),
    **dict.fromkeys((f"lenient.{op}" for op in ("bit_and", "bit_or", "bit_xor")), _bits_of),
    "lenient.bracket": index,
    "lenient.div": quotient,
    "lenient.sum": _sum_of_array,
    "lenient.whole": whole,
    "lenient.width": _of_width,
    "lenient.size": size,
    "lenient.no_text": no_text,
}


# --- strings beside other values


def beside(check: Calls, left: Node, right: Node) -> tuple[Node, Node]:
    """Two operands, with a string converted to the type of the other operand."""
    return _as(check, left, right), _as(check, right, left)


def _as(check: Calls, text: Node, other: Node) -> Node:
    if text.type != STRING or other.type in (STRING, NULL):
        return text
    if other.type == BIGINT:
        return _as_whole(check, text, other)
    if isinstance(text, Literal):
        return text  # as in ANSI mode
    if other.type == DOUBLE or isinstance(other.type, DecimalType):
        return _double(text)
    return of_text(text, other.type, text.span) if other.type in (BOOLEAN, DATE, TIMESTAMP) else text


def _as_whole(check: Calls, text: Node, other: Node) -> Node:
    bits = width(check, other)
    if bits is None:
        raise check.fail(say.unknown_width(text.span.to(other.span), _named(other)))
    if not isinstance(text, Literal) or not isinstance(text.value, str):
        return whole_of_text(text, bits, text.span)
    number = _whole_constant(text.value, bits)
    # If it is not a number, the check reports that later.
    return text if number is None else Literal(BIGINT, number, text.span)


def truth_beside_number(left: Node, right: Node) -> tuple[Node, Node]:
    """The operands of `paid = 1`: a boolean beside a number becomes 1 or 0."""
    return _as_number(left, right), _as_number(right, left)


def _as_number(truth: Node, other: Node) -> Node:
    if truth.type != BOOLEAN or not (other.type in (BIGINT, DOUBLE) or isinstance(other.type, DecimalType)):
        return truth
    one, zero = (Literal(BIGINT, value, truth.span) for value in (1, 0))
    return convert(_choice(truth, one, zero, truth.span), DOUBLE if other.type == DOUBLE else BIGINT)


def in_texts(check: Calls, left: Node, items: tuple[Node, ...], span: Span) -> tuple[Node, ...]:
    """The items of an IN with strings and other values: Spark compares all of them as strings."""
    kinds = {underlying(node).type for node in (left, *items)} - {NULL}
    if STRING not in kinds or len(kinds) == 1:
        return items
    if underlying(left).type == STRING:
        return tuple(_as_text(check, item, span) for item in items)
    return tuple(_as_written(check, item, left) for item in items)


def _as_text(check: Calls, item: Node, span: Span) -> Node:
    if item.type in (STRING, NULL):
        return item
    if item.type not in (BIGINT, DATE):
        raise check.fail(say.text_in_list(item.span, str(item.type)))
    return check.call("to_string", [item], span)


def _as_written(check: Calls, item: Node, left: Node) -> Node:
    """A string constant as an item for an integer or a date. Raises Stop unless it is written exactly as
    Spark writes the value.
    """
    if item.type != STRING:
        return item
    value = item.value if isinstance(item, Literal) else None
    if isinstance(value, str) and left.type == BIGINT:
        number = _whole_constant(value, LONG)
        if number is not None and str(number) == value:
            return Literal(BIGINT, number, item.span)
    if isinstance(value, str) and left.type == DATE and re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", value):
        return item
    raise check.fail(say.text_in_list(item.span, str(left.type)))
