"""Facts about numbers that are true for every row: the range, and whether a value may be NaN.

They follow from the types of fields and constants, the ranges of operators, and interval arithmetic. They are
about values: an expression that is UNKNOWN has none. The SQL leaves out guards that these facts prove
needless.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from msgspec import Struct

from predicat.ir.bounds import bounded
from predicat.ir.nodes import Call, Field, Literal, Node, Parameter
from predicat.ir.operators import CHOICES, OPS
from predicat.ir.surface import LENGTH_FIELDS, SECONDS, SECONDS_OF_LENGTH, WIDTHS_OF_WRAPPED
from predicat.ir.types import BIGINT, DOUBLE, DecimalType
from predicat.ir.values import INT_MAX, INT_MIN, UNITS_OF_NEXT
from predicat.ir.widths import FLOAT_LEAST, FLOAT_MOST, LIMITS, RANGES

# The least and the greatest value.
Integers = tuple[int, int]
ANY_INTEGER = INT_MIN, INT_MAX
# The fields of a length of time have its sign, and are less than the next longer unit.
_FIELDS = {LENGTH_FIELDS[unit]: (1 - many, many - 1) for unit, many in UNITS_OF_NEXT.items()}


# --- integers


def integers(node: Node) -> Integers:
    """The range of an expression of integers. A result that overflows is UNKNOWN, and does not count."""
    low, high = _unbounded(node)
    return max(low, INT_MIN), min(high, INT_MAX)


def may_overflow(node: Node) -> bool:
    """Whether a calculation with integers, or one inside it, may overflow.

    Those inside count because an engine may regroup sums of sums.
    """
    if not isinstance(node, Call) or node.op not in _COMBINED:
        return False
    low, high = _unbounded(node)
    return low < INT_MIN or high > INT_MAX or any(map(may_overflow, node.args))


def _unbounded(node: Node) -> Integers:
    match node:
        case Literal(value=int() as value):
            return int(value), int(value)
        case Field(decl=decl):
            return _within(RANGES.get(decl.stored, ANY_INTEGER), decl.least, decl.greatest)
        case Call(op="cond") if (bounds := bounded(node)) is not None:
            return _within(_unbounded(bounds.field), bounds.least, bounds.greatest)
        case Call(op=op, args=args) if op in CHOICES:
            parts = [integers(arg) for arg in args[CHOICES[op] :]]
            return min(low for low, _ in parts), max(high for _, high in parts)
        case Call(type=kind, op=op, args=args) if kind == BIGINT and op in _COMBINED:
            if all(arg.type == BIGINT for arg in args):
                return _COMBINED[op](*map(integers, args))
        case Call(op=op) if op in _FIELDS:
            return _FIELDS[op]
        case Call(op=op, args=(number, low, high)) if op in WIDTHS_OF_WRAPPED:
            return _wrapped(integers(number), _unbounded(low)[0], _unbounded(high)[1], WIDTHS_OF_WRAPPED[op])
        case Call(op=op) if op in OPS:  # of the surface nothing is known
            return OPS[op].range or ANY_INTEGER
        case _:
            pass
    return ANY_INTEGER


def _wrapped(known: Integers, low: int, high: int, bits: int) -> Integers:
    """The range of a number from `low` to `high` that begins again at the other end of its type. It is the
    hull of the steps that lower/wrapping.py takes.
    """
    (least, most), period = LIMITS[bits], 2**bits
    if low < least - period or high > most + period:
        known, low, high = _remainder(known, (period, period)), 1 - period, period - 1
    turns = [0, *([-period] if high > most else []), *([period] if low < least else [])]
    ends = [max(min(end + turn, INT_MAX), INT_MIN) for end in known for turn in turns]
    return min(ends), max(ends)


def _within(known: Integers, least: object, greatest: object) -> Integers:
    """The declared range of an operator."""
    low = max(known[0], least) if isinstance(least, int) else known[0]
    high = min(known[1], greatest) if isinstance(greatest, int) else known[1]
    return low, max(low, high)


def combined(op: str, parts: Sequence[Integers]) -> Integers:
    """The range of a calculation, given the ranges of its operands. It may exceed 64 bits."""
    return _COMBINED[op](*parts)


def _products(one: Integers, other: Integers) -> Integers:
    products = [a * b for a in one for b in other]
    return min(products), max(products)


def _remainder(one: Integers, other: Integers) -> Integers:
    """The range of a remainder: at most the dividend, less than the divisor, with the dividend's sign."""
    most = min(max(-one[0], one[1]), max(abs(other[0]), abs(other[1]), 1) - 1, INT_MAX)
    return -most if one[0] < 0 else 0, most if one[1] > 0 else 0


def _quotient(one: Integers, other: Integers) -> Integers:
    """The range of a quotient: at most the dividend; only -2**63 / -1 overflows."""
    low, high = one
    if other[0] > 0 or other[1] < -1:
        return min(low, -high), max(high, min(-low, INT_MAX))
    return min(low, -high), max(high, -low)


_COMBINED: dict[str, Callable[..., Integers]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _products,
    "neg": lambda a: (-a[1], -a[0]),
    "abs": lambda a: (0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1])), max(-a[0], a[1])),
    "mod": _remainder,
    "div": _quotient,
}


# --- doubles


class Doubles(Struct, frozen=True):
    """The range of an expression of doubles; its ends may be infinite.

    Attributes:
        low: The least value.
        high: The greatest value.
        nan: Whether it may be NaN.
        least: The smallest size of a value other than zero.
    """

    low: float = -math.inf
    high: float = math.inf
    nan: bool = True
    least: float = 5e-324

    @property
    def finite(self) -> bool:
        """Whether a value is never infinite and never NaN."""
        return not self.nan and math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def most(self) -> float:
        """The greatest absolute value."""
        return max(abs(self.low), abs(self.high))


ANY_DOUBLE = Doubles()
_SECONDS = Doubles(-59.999999, 59.999999, nan=False, least=1.0 / 1_000_000 * 0.9)
_EXACT_STEP = 2.0**-1074


def doubles(node: Node) -> Doubles:
    """The range of an expression of doubles."""
    match node:
        case Literal(value=float() as value):
            return (
                Doubles(0.0, 0.0)
                if math.isnan(value)
                else Doubles(value, value, nan=False, least=abs(value) or math.inf)
            )
        case Field(decl=decl):
            nearest = FLOAT_LEAST if decl.stored == "float" else ANY_DOUBLE.least
            return _between(decl.least, decl.greatest, nearest)
        case Call(op="cond") if (bounds := bounded(node)) is not None:
            return _between(bounds.least, bounds.greatest, doubles(bounds.field).least)
        case Call(op="json_number") | Parameter():
            return Doubles(nan=False)  # as the value of a parameter NaN is refused
        case Call(op=op) if op in (SECONDS, SECONDS_OF_LENGTH):
            return _SECONDS
        case Call(op="to_double", args=(arg,)):
            return _converted(arg)
        case Call(op=op, args=args) if op in CHOICES:
            return _union([doubles(arg) for arg in args[CHOICES[op] :]])
        case Call(op=op, args=args) if op in _CALCULATED and all(arg.type == DOUBLE for arg in args):
            return _CALCULATED[op](*map(doubles, args))
        case _:
            return ANY_DOUBLE


def _between(least: object, greatest: object, nearest: float) -> Doubles:
    """The declared range of an operator, without NaN."""
    low = least if isinstance(least, float) else -math.inf
    high = greatest if isinstance(greatest, float) else math.inf
    return Doubles(low, high, nan=least is None and greatest is None, least=nearest)


def may_be_nan(node: Node) -> bool:
    """Whether a value of doubles may be NaN."""
    return node.type == DOUBLE and doubles(node).nan


def finite_floats(node: Node) -> Doubles | None:
    """The range of the finite values of a 32-bit float column; None for other columns."""
    if isinstance(node, Field) and node.decl.stored == "float":
        return Doubles(-FLOAT_MOST, FLOAT_MOST, nan=False, least=FLOAT_LEAST)
    return None


def calculated(op: str, *parts: Doubles) -> Doubles:
    """The range of a calculation of doubles, given the ranges of its operands."""
    return _CALCULATED[op](*parts)


def _converted(node: Node) -> Doubles:
    """A number of another type as a double."""
    if node.type == BIGINT:
        low, high = integers(node)
        return Doubles(float(low), float(high), nan=False, least=1.0)
    if isinstance(node.type, DecimalType):
        most = 10.0 ** (node.type.precision - node.type.scale)
        return Doubles(-most, most, nan=False, least=10.0**-node.type.scale)
    return doubles(node) if node.type == DOUBLE else ANY_DOUBLE


def _union(parts: list[Doubles]) -> Doubles:
    return Doubles(
        min(part.low for part in parts),
        max(part.high for part in parts),
        any(part.nan for part in parts),
        min(part.least for part in parts),
    )


def _sum(one: Doubles, other: Doubles) -> Doubles:
    """The range of a sum. Its ends are exact because rounding preserves the order."""
    endless = (one.high == math.inf and other.low == -math.inf) or (
        one.low == -math.inf and other.high == math.inf
    )
    low, high = (
        -math.inf if -math.inf in (one.low, other.low) else one.low + other.low,
        math.inf if math.inf in (one.high, other.high) else one.high + other.high,
    )
    # A difference is a multiple of the unit in the last place of the smaller operand.
    least = max(min(one.least, other.least) * 2.0**-53, _EXACT_STEP)
    return Doubles(low, high, one.nan or other.nan or endless, least)


def _product(one: Doubles, other: Doubles) -> Doubles:
    nan = one.nan or other.nan
    if math.isinf(one.most) or math.isinf(other.most):
        return Doubles(nan=True)
    ends = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
    return Doubles(min(ends), max(ends), nan, max(one.least * other.least * 0.9, _EXACT_STEP))


def _ratio(one: Doubles, other: Doubles) -> Doubles:
    """The range of a quotient. A division by zero is UNKNOWN."""
    if one.nan or other.nan or (math.isinf(one.most) and math.isinf(other.most)):
        return ANY_DOUBLE
    if math.isinf(one.most) or math.isinf(other.most):
        return Doubles(nan=False)
    most = one.most / other.least if other.least > 0 else math.inf
    least = one.least / other.most * 0.9 if other.most > 0 else _EXACT_STEP
    return Doubles(-most, most, nan=False, least=max(least, _EXACT_STEP))


def _negative(one: Doubles) -> Doubles:
    return Doubles(-one.high, -one.low, one.nan, one.least)


_CALCULATED: dict[str, Callable[..., Doubles]] = {
    "add": _sum,
    "sub": lambda one, other: _sum(one, _negative(other)),
    "mul": _product,
    "div": _ratio,
    "neg": _negative,
    "abs": lambda one: Doubles(0.0, one.most, one.nan, one.least),
}
