"""Spark without ANSI mode: what the operators of its conditions mean there, by the types of their arguments.

Whole numbers have the range of their type, and begin again at its other end where a sum leaves it. All is
said with operators of the table: nothing of it where the ranges of fields show that it cannot happen.
Sources: Spark SQL, "ANSI Compliance"; `TypeCoercion`, `Cast` and `UTF8String.toLong` of Spark's source; each
row of the table in `language/spark/without_ansi.py` was asked of Spark 4.3.
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
_DIGITS = f"^{_BLANK}[+]?(-?[0-9]+)(?:[.][0-9]*)?{_BLANK}$"
"""The texts that are whole numbers, or numbers whose decimals are cut."""
_WITHOUT_DIGITS = f"^{_BLANK}[+-]?[.][0-9]*{_BLANK}$"
"""The texts without a digit before the point, which are 0; a point alone is one."""
_MOST_WRITTEN = 1000
_MOST_DIGITS = 18
"""A decimal with more digits before its point may be no BIGINT."""


# --- whole numbers that begin again at the other end


def arithmetic(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """`+`, `-`, `*`, `%`, the sign and ABS. A text is a double beside them."""
    name = op.partition(".")[2]
    parts = list(map(underlying, args))
    if all(part.type == BIGINT for part in parts):
        return _of_whole_numbers(check, name, parts, span)
    times = (DATE, TIMESTAMP, DURATION)
    if any(part.type == STRING for part in parts) and not any(part.type in times for part in parts):
        parts = [_double(part) if part.type == STRING else part for part in parts]
    return check.operator(name, parts, span)


def attempt(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """TRY_ADD and its like: NULL beyond the range of the type."""
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
    """DIV of whole numbers: a BIGINT. The least BIGINT by -1 is itself."""
    result = sql_numbers.whole_quotient(check, "sql.div", args, span)
    parts = list(map(underlying, args))
    if all(part.type == BIGINT for part in parts):
        (least, _), (low, high) = (known_range(check, part) for part in parts)
        if least == INT_MIN and low <= -1 <= high:
            minus = Call(BOOLEAN, "eq", (parts[1], Literal(BIGINT, -1, span)), span)
            result = Call(BIGINT, "cond", (minus, _wrapping("neg", parts[:1], (), span), result), span)
    return known(check, result, Known(LONG))


def bits_of(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """`&`, `|` and `^`, in the wider type."""
    parts = list(map(underlying, args))
    result = check.operator(op.partition(".")[2], parts, span)
    widths = [width(check, part) for part in parts]
    bits = max((one for one in widths if one is not None), default=None)
    return known(check, result, Known(bits if None not in widths or bits == LONG else None))


def index(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """`xs[n]`: the place is an INT."""
    base, place = args[0], underlying(args[1])
    if isinstance(underlying(base).type, ArrayType) and place.type == BIGINT:
        return check.operator("bracket", [base, _cast(check, place, INT, span)], span)
    return check.operator("bracket", args, span)


def sum_of_array(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """AGGREGATE, which begins again at the other end as well."""
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
    if op != "abs" and _fits(*far, LONG):  # one turn for a whole sum
        plain, (low, high) = Call(BIGINT, op, tuple(one.node for one in exact), span), far
    return known(check, _wrapped(plain, low, high, bits, span), Known(bits, Exact(plain, (low, high))))


def _common(check: Check, op: str, parts: list[Node], span: Span) -> int | None:
    """The bits of the type that Spark computes with; None where it is not known and does not matter."""
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
    """A sum, a difference, a product or another sign of BIGINT, where it may leave its range."""
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
    """A number from `low` to `high`, which begins again at the other end of the range of a type."""
    if _fits(low, high, bits):
        return node
    ends = (Literal(BIGINT, low, span), Literal(BIGINT, high, span))
    return Call(BIGINT, WRAPPED[bits], (node, *ends), span)


def _where(node: Node, low: int, high: int, bits: int, span: Span) -> Node:
    """A number from `low` to `high` where it is in the range of a type, else NULL."""
    if _fits(low, high, bits):
        return node
    if bits == INT:
        return Call(BIGINT, "int32", (node,), span)
    least, most = (Literal(BIGINT, end, span) for end in LIMITS[bits])
    tests = (Call(BOOLEAN, "ge", (node, least), span), Call(BOOLEAN, "le", (node, most), span))
    inside = Call(BOOLEAN, "and", tests, span)
    return Call(BIGINT, "cond", (inside, node, Literal(BIGINT, None, span)), span)


# --- casts to whole numbers


def whole(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """A cast to a whole number of so many bits."""
    bits = _bits(args[1])
    return known(check, _cast(check, underlying(args[0]), bits, span), Known(bits))


def of_width(check: Check, _op: str, args: list[Node], _span: Span) -> Node:
    """A whole number of which the language knows the type."""
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
    return _where(result, *facts.integers(result), bits, span)  # of a time: NULL beyond


def _of_double(node: Node, bits: int, span: Span) -> Node:
    """A double: cut towards zero, the nearest INT or BIGINT where it is beyond, 0 for NaN. A narrower type
    has the last bits of that INT.
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
    """A text as a whole number: blanks around it are dropped, and decimals; NULL beyond the range."""
    digits = Call(STRING, "regex_extract", (text, _constant(_DIGITS, span), Literal(BIGINT, 1, span)), span)
    number = Call(BIGINT, "to_int", (digits,), span)
    result = number if bits == LONG else _where(number, *LIMITS[LONG], bits, span)
    without = Call(BOOLEAN, "matches", (text, _constant(_WITHOUT_DIGITS, span)), span)
    zero = _choice(without, Literal(BIGINT, 0, span), Literal(BIGINT, None, span), span)
    return Call(BIGINT, "coalesce", (result, zero), span)


def _constant(text: str, span: Span) -> Node:
    return Literal(STRING, text, span)


def whole_constant(text: str, bits: int) -> int | None:
    """The whole number that a text is."""
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
    """FLOOR and CEIL: of a double a BIGINT, the nearest one where it is beyond."""
    name = op.partition(".")[2]
    if underlying(args[0]).type != DOUBLE:
        return check.operator(f"spark.{name}", args, span)
    return known(check, _of_double(check.call(name, args, span), LONG, span), Known(LONG))


def no_text(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """The argument of UNIX_TIMESTAMP, which takes texts of one format."""
    if underlying(args[0]).type == STRING:
        raise check.fail(say.seconds_of_text(span, args[0].span.text))
    return args[0]


Rule = Callable[[Check, str, list[Node], Span], Node]
OPERATORS: dict[str, Rule] = {
    **dict.fromkeys((f"lenient.{op}" for op in ("add", "sub", "mul", "mod", "neg", "abs")), arithmetic),
    **dict.fromkeys((f"lenient.try_{op}" for op in ("add", "sub", "mul", "mod")), attempt),
    **dict.fromkeys((f"lenient.{op}" for op in ("floor", "ceil")), floor),
    **dict.fromkeys((f"lenient.{op}" for op in ("bit_and", "bit_or", "bit_xor")), bits_of),
    "lenient.bracket": index,
    "lenient.div": quotient,
    "lenient.sum": sum_of_array,
    "lenient.whole": whole,
    "lenient.width": of_width,
    "lenient.size": size,
    "lenient.no_text": no_text,
}
"""What the operators of the language mean."""


# --- texts beside other values


def beside(check: Calls, left: Node, right: Node) -> tuple[Node, Node]:
    """A text beside another value is converted to its type. A constant that is none is refused."""
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
    number = whole_constant(text.value, bits)
    # The check refuses what is no number.
    return text if number is None else Literal(BIGINT, number, text.span)


def truth_beside_number(left: Node, right: Node) -> tuple[Node, Node]:
    """`paid = 1`: TRUE is 1 beside a number."""
    return _as_number(left, right), _as_number(right, left)


def _as_number(truth: Node, other: Node) -> Node:
    if truth.type != BOOLEAN or not (other.type in (BIGINT, DOUBLE) or isinstance(other.type, DecimalType)):
        return truth
    one, zero = (Literal(BIGINT, value, truth.span) for value in (1, 0))
    return convert(_choice(truth, one, zero, truth.span), DOUBLE if other.type == DOUBLE else BIGINT)


def in_texts(check: Calls, left: Node, items: tuple[Node, ...], span: Span) -> tuple[Node, ...]:
    """IN with texts beside other values: Spark compares all as texts."""
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
    """A text constant that is the text of a value."""
    if item.type != STRING:
        return item
    value = item.value if isinstance(item, Literal) else None
    if isinstance(value, str) and left.type == BIGINT:
        number = whole_constant(value, LONG)
        if number is not None and str(number) == value:
            return Literal(BIGINT, number, item.span)
    if isinstance(value, str) and left.type == DATE and re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", value):
        return item
    raise check.fail(say.text_in_list(item.span, str(left.type)))
