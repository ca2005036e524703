"""Arithmetic and comparison. Integers are exact, and UNKNOWN if they do not fit 64 bits; doubles are exact
numbers, NaN or infinities.
"""

import math
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from predicat.ir.operators import FLIPPED
from predicat.ir.types import DecimalType
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.proof.smt.terms import Bool, Double, Scalar, all_of, any_of, choose, negated, z3

_EXACT = 2**53


def double_of(value: float) -> Double:
    """A constant double."""
    finite = math.isfinite(value)
    number = Fraction(value) if finite else Fraction(0)
    term = z3.RealVal(f"{number.numerator}/{number.denominator}")
    return Double(term, math.isnan(value), value == math.inf, value == -math.inf, False, value)


def exact_double(value: Scalar) -> Double:
    """An integer or decimal as a `Double` without rounding."""
    term = z3.ToReal(value.term) if value.term.is_int() else value.term
    return Double(term, False, False, False, value.null)


def rounded(value: Scalar, constraints: list[Any]) -> Double:
    """An integer of 64 bits or a decimal as the nearest double. Adds to `constraints`.

    A comparison with a constant is exact: see `compare`. For other uses the constraints are that the relative
    error is at most 2^-53 (no decimal is so small that its double is subnormal), and that integers up to 2^53
    are not rounded.
    """
    if z3.is_int_value(value.term):
        return replace(double_of(float(value.term.as_long())), null=value.null)
    sort = value.term.sort()
    number = z3.ToReal(value.term) if value.term.is_int() else value.term
    near = z3.Function("round", sort, z3.RealSort())(value.term)
    size = z3.If(number < 0, -number, number)
    apart = z3.And(near - number <= size / _EXACT, number - near <= size / _EXACT)
    small = z3.And(
        value.term <= _EXACT, value.term >= -_EXACT, *([] if value.term.is_int() else [z3.IsInt(value.term)])
    )
    constraints.append(z3.And(apart, z3.Implies(small, near == number)))
    return Double(near, False, False, False, value.null, source=number)


def compare(op: str, a: Double, b: Double) -> Bool:
    """Whether a comparison of two values is TRUE, if neither is NULL."""
    if op in ("gt", "ge"):
        return compare(FLIPPED[op], b, a)
    if op == "ne":
        return negated(compare("eq", a, b))
    if a.source is not None and b.value is not None:
        return _rounded_beside(op, a.source, b.value)
    if b.source is not None and a.value is not None:
        return _rounded_beside(FLIPPED[op], b.source, a.value)
    numbers = all_of(negated(a.nan), negated(b.nan))
    both = all_of(a.finite, b.finite)
    less = any_of(
        all_of(a.minus, negated(b.minus)),
        all_of(b.plus, negated(a.plus)),
        all_of(both, _term(a.term < b.term)),
    )
    equal = any_of(all_of(a.plus, b.plus), all_of(a.minus, b.minus), all_of(both, _term(a.term == b.term)))
    return all_of(numbers, {"lt": less, "eq": equal, "le": any_of(less, equal)}[op])


def _rounded_beside(op: str, number: Any, constant: float) -> Bool:
    """A comparison of the double nearest to a number with a constant. Rounding is monotone: numbers below the
    midpoint between the constant and the previous double are rounded to less than the constant. The midpoint
    itself is rounded to the one whose last bit is 0.
    """
    if math.isnan(constant):
        return False
    if math.isinf(constant):  # decimals of 38 digits and integers of 64 bits are never rounded to an infinity
        return op in (("lt", "le") if constant > 0 else ("gt", "ge"))
    less, more = _below(number, constant), _below(-number, -constant)
    return {
        "lt": less,
        "gt": more,
        "le": negated(more),
        "ge": negated(less),
        "eq": all_of(negated(less), negated(more)),
    }[op]


def _below(number: Any, constant: float) -> Bool:
    """Whether the double nearest to a number is less than a constant."""
    before = math.nextafter(constant, -math.inf)
    if math.isinf(before):
        return False
    middle = (Fraction(before) + Fraction(constant)) / 2
    edge = z3.RealVal(f"{middle.numerator}/{middle.denominator}")
    return number <= edge if float(middle) == before else number < edge


def _term(condition: Any) -> Bool:
    return condition


def in_range(term: Any) -> Bool:
    """Whether an integer fits 64 bits."""
    return z3.And(term >= INT_MIN, term <= INT_MAX)


def bigint_result(term: Any, *nulls: Bool) -> Scalar:
    """The result of an operation on integers: UNKNOWN for an overflow, or if one of `nulls` is true."""
    if z3.is_int_value(result := z3.simplify(term)):
        inside = INT_MIN <= result.as_long() <= INT_MAX
        return Scalar(result, any_of(not inside, *nulls))
    return Scalar(term, any_of(negated(in_range(term)), *nulls))


def truncated(a: Any, b: Any) -> Any:
    """The quotient of integers, truncated toward zero. Z3's own division has a non-negative remainder."""
    up = a / z3.If(b < 0, -b, b)
    down = -((-a) / z3.If(b < 0, -b, b))
    size = z3.If(a >= 0, up, down)
    return z3.If(b < 0, -size, size)


def integer_operation(op: str, a: Scalar, b: Scalar) -> Scalar:
    """add, sub, mul, div or mod of integers; UNKNOWN for an overflow and a division by zero."""
    match op:
        case "add":
            return bigint_result(a.term + b.term, a.null, b.null)
        case "sub":
            return bigint_result(a.term - b.term, a.null, b.null)
        case "mul":
            return bigint_result(a.term * b.term, a.null, b.null)
        case "div":
            return bigint_result(truncated(a.term, b.term), a.null, b.null, b.term == 0)
        case _:
            rest = a.term - b.term * truncated(a.term, b.term)
            return Scalar(rest, any_of(a.null, b.null, b.term == 0))


def _real(value: Scalar) -> Any:
    return z3.ToReal(value.term) if value.term.is_int() else value.term


def _beyond(term: Any, kind: DecimalType) -> Bool:
    """Whether a number has too many integer digits for a decimal type."""
    limit = 10 ** (kind.precision - kind.scale)
    return z3.Or(term >= limit, term <= -limit)


def decimal_operation(op: str, a: Scalar, b: Scalar, kind: DecimalType, *, overflows: bool) -> Scalar:
    """add, sub or mul of decimals and integers, exactly. With `overflows`, UNKNOWN if `kind` cannot hold the
    result.
    """
    one, other = _real(a), _real(b)
    result = {"add": one + other, "sub": one - other, "mul": one * other}[op]
    return Scalar(result, any_of(a.null, b.null, *([_beyond(result, kind)] if overflows else [])))


def to_decimal(a: Scalar, kind: DecimalType) -> Scalar:
    """A number as a decimal of a type, half rounded away from zero; UNKNOWN if it does not fit."""
    scaled = _real(a) * 10**kind.scale
    half = z3.RealVal("1/2")
    whole = z3.If(scaled >= 0, z3.ToInt(scaled + half), -z3.ToInt(half - scaled))
    result = z3.ToReal(whole) / 10**kind.scale
    return Scalar(result, any_of(a.null, _beyond(result, kind)))


def double_operation(op: str, a: Double, b: Double) -> Double:
    """add, sub, mul or div of doubles without rounding, with NaN and infinities; a division by zero is
    UNKNOWN.
    """
    null = any_of(a.null, b.null)
    if op == "sub":
        return double_operation("add", a, negated_double(b))
    if op == "add":
        nan = any_of(a.nan, b.nan, all_of(a.plus, b.minus), all_of(a.minus, b.plus))
        return Double(
            a.term + b.term,
            nan,
            all_of(any_of(a.plus, b.plus), negated(nan)),
            all_of(any_of(a.minus, b.minus), negated(nan)),
            null,
        )
    infinite_a, infinite_b = any_of(a.plus, a.minus), any_of(b.plus, b.minus)
    up_a, up_b = any_of(a.plus, all_of(a.finite, a.term > 0)), any_of(b.plus, all_of(b.finite, b.term > 0))
    down_a, down_b = (
        any_of(a.minus, all_of(a.finite, a.term < 0)),
        any_of(b.minus, all_of(b.finite, b.term < 0)),
    )
    same, other = (
        any_of(all_of(up_a, up_b), all_of(down_a, down_b)),
        any_of(all_of(up_a, down_b), all_of(down_a, up_b)),
    )
    if op == "mul":
        infinite = any_of(infinite_a, infinite_b)
        nan = any_of(a.nan, b.nan, all_of(infinite, negated(same), negated(other)))
        valid = all_of(infinite, negated(nan))
        return Double(a.term * b.term, nan, all_of(valid, same), all_of(valid, other), null)
    nan = any_of(a.nan, b.nan, all_of(infinite_a, infinite_b))
    zero = all_of(b.finite, b.term == 0)
    valid = all_of(infinite_a, negated(nan))
    quotient = choose(infinite_b, z3.RealVal(0), a.term / b.term)
    return Double(quotient, nan, all_of(valid, same), all_of(valid, other), any_of(null, zero))


def negated_double(a: Double) -> Double:
    """The negation of a double; NaN for NaN."""
    return Double(-a.term, a.nan, a.minus, a.plus, a.null)


def absolute(a: Double) -> Double:
    """The absolute value of a double; NaN for NaN."""
    return Double(z3.If(a.term < 0, -a.term, a.term), a.nan, any_of(a.plus, a.minus), False, a.null)


def floor(a: Double) -> Double:
    """The floor of a double, as a double."""
    return Double(z3.ToReal(z3.ToInt(a.term)), a.nan, a.plus, a.minus, a.null)


def to_whole(a: Double) -> Scalar:
    """A double as an integer; UNKNOWN if it has a fraction, and for NaN, infinities and overflows."""
    result = to_integer(a)
    return Scalar(result.term, any_of(result.null, negated(z3.IsInt(a.term))))


def to_integer(a: Double) -> Scalar:
    """A double truncated toward zero; UNKNOWN for NaN, infinities and numbers that do not fit 64 bits."""
    cut = z3.If(a.term >= 0, z3.ToInt(a.term), -z3.ToInt(-a.term))
    return Scalar(
        cut, any_of(a.null, negated(a.finite), negated(z3.And(a.term >= INT_MIN, a.term < INT_MAX + 1)))
    )
