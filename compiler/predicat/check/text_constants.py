"""SQL's implicit conversion of string constants to numbers and booleans: `id = '123'`, `paid = 't'`.

Only strings that both Spark and PostgreSQL accept are converted; surrounding whitespace is ignored. Source:
their conversions of unknown literals (PostgreSQL) and of strings to the other operand's type (Spark, ANSI
mode).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from predicat.diagnostics import Span
from predicat.forms.text_casts import BLANKS, TRUTHS
from predicat.ir.nodes import Literal
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, MAX_PRECISION, DecimalType, Type
from predicat.ir.values import INT_MAX, INT_MIN, parse_double, parse_whole, type_of

_ENDLESS = {
    "nan": math.nan,
    **dict.fromkeys(("inf", "+inf", "infinity", "+infinity"), math.inf),
    **dict.fromkeys(("-inf", "-infinity"), -math.inf),
}


def scalar(text: str, kind: Type) -> Callable[[Span], Literal] | str | None:
    """A function that makes the constant of a type from a string. If the string is invalid, an example of a
    valid one; None for other types.
    """
    word = text.strip(BLANKS)
    if kind == BIGINT:
        whole = parse_whole(word)
        return "42" if whole is None or not INT_MIN <= whole <= INT_MAX else _literal_at(whole)
    if kind == BOOLEAN:
        truth = TRUTHS.get(word.lower())
        return "true" if truth is None else _literal_at(truth)
    if kind == DOUBLE:
        number = endless(text)
        number = parse_double(word) if number is None else number
        return "2.5" if number is None else _literal_at(number)
    if isinstance(kind, DecimalType):
        return _decimal(word)
    return None


def endless(text: str) -> float | None:
    """Infinity or NaN in a string, as all engines cast it: in any case, with blanks around; NaN has no sign.
    None for any other string.
    """
    word = text.strip(BLANKS).lower()
    return _ENDLESS.get(word)


def _decimal(word: str) -> Callable[[Span], Literal] | str:
    try:
        value = Decimal(word) if word.isascii() and "_" not in word else None
    except InvalidOperation:
        value = None
    if value is None or not value.is_finite() or len(value.as_tuple().digits) > MAX_PRECISION:
        return "2.5"
    return _literal_at(value if abs(value.adjusted()) < MAX_PRECISION else float(value))


def _literal_at(value: bool | float | Decimal) -> Callable[[Span], Literal]:
    return lambda span: Literal(type_of(value), value, span)
