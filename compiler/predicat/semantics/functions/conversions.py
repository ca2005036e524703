"""Conversions of values to another type. A string that cannot be converted is UNKNOWN."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from predicat.ir.nodes import Call
from predicat.ir.types import DOUBLE, MAX_PRECISION, STRING, DecimalType
from predicat.ir.values import (
    DECIMAL_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    INT_PATTERN,
    QUANTITY_PATTERN,
    QUANTITY_POWERS,
    QUANTITY_UNITS,
    parse_date,
    parse_duration,
    parse_timestamp,
)
from predicat.semantics import arithmetic, regex
from predicat.semantics.closures import Choose, Function


def _to_int(value: Any) -> int | None:
    match value:
        case bool():
            return int(value)
        case str():
            return arithmetic.int64(int(value)) if _INT.search(value) else None
        case float():
            return int(value) if -(2.0**63) <= value < 2.0**63 else None
        case datetime():
            return (value - _EPOCH) // timedelta(seconds=1)
        case _:
            return int(value)


_INT = regex.compiled(regex.parse(INT_PATTERN))
_DOUBLE = regex.compiled(regex.parse(DOUBLE_PATTERN))
_DECIMAL = regex.compiled(regex.parse(DECIMAL_PATTERN))
_QUANTITY = regex.compiled(regex.parse(QUANTITY_PATTERN))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _to_whole(value: float) -> int | None:
    return _to_int(value) if value.is_integer() else None


def _to_decimal(node: Call) -> Function:
    kind = node.type if isinstance(node.type, DecimalType) else DecimalType(MAX_PRECISION, 0)
    if node.args[0].type == DOUBLE:
        return lambda value: (
            arithmetic.decimal(repr(value), kind.precision, kind.scale) if math.isfinite(value) else None
        )
    if node.args[0].type != STRING:
        return lambda value: arithmetic.decimal(value, kind.precision, kind.scale)
    return lambda value: (
        arithmetic.decimal(value, kind.precision, kind.scale) if _DECIMAL.search(value) else None
    )


def _to_double(value: Any) -> float | None:
    if isinstance(value, str):
        if len(value) > DOUBLE_LONGEST or not _DOUBLE.search(value):
            return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value)
        result = float(value)
        return None if math.isinf(result) else result
    return float(value)


def _text_of(node: Call) -> Callable[..., str]:
    kind = node.args[0].type
    if isinstance(kind, DecimalType):
        scale = kind.scale
        return lambda value: f"{arithmetic.scaled(value, scale):f}"
    return _to_string


def _to_string(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return _number_text(value)
        case timedelta():
            whole, rest = divmod(abs(value), timedelta(seconds=1))
            fraction = f".{rest.microseconds:06}".removesuffix("000") if rest else ""
            return f"{'-' if value < timedelta(0) else ''}{whole}{fraction}s"
        case datetime():
            return value.astimezone(UTC).replace(tzinfo=None).isoformat().removesuffix("000") + "Z"
        case date():
            return value.isoformat()
        case _:
            return str(value)


def _number_text(value: float) -> str:
    """A double as string: the fewest digits that identify it, with an exponent below 1e-4 and from 1e6 on, as
    the implementations of CEL write it.
    """
    if not math.isfinite(value):
        return str(value)
    shortest = Decimal(repr(value)).normalize()
    if value and not -4 <= shortest.adjusted() < 6:
        return f"{value:.{len(shortest.as_tuple().digits) - 1}e}"
    return f"{shortest:f}"


def _to_quantity(value: str) -> float | None:
    if not _QUANTITY.search(value):
        return None
    digits = value.rstrip("numkKMGTPEi")
    unit = value[len(digits) :]
    power: int = QUANTITY_POWERS.get(unit, 1)
    return float(digits + ("e18" if unit == "E" else QUANTITY_UNITS.get(unit, ""))) * power


_BOOLEANS = {
    "true": True,
    "TRUE": True,
    "True": True,
    "t": True,
    "1": True,
    "false": False,
    "FALSE": False,
    "False": False,
    "f": False,
    "0": False,
}


def _to_timestamp(value: Any) -> datetime | None:
    match value:
        case str():
            return parse_timestamp(value)
        case int():
            try:
                return _EPOCH + timedelta(seconds=value)
            except OverflowError:
                return None
        case _:
            return datetime(value.year, value.month, value.day, tzinfo=UTC)


def _to_date(value: Any) -> date | None:
    return parse_date(value) if isinstance(value, str) else value.date()


FUNCTIONS: dict[str, Function] = {
    "to_int": _to_int,
    "to_whole": _to_whole,
    "to_double": _to_double,
    "to_boolean": _BOOLEANS.get,
    "to_timestamp": _to_timestamp,
    "to_duration": parse_duration,
    "to_quantity": _to_quantity,
    "to_date": _to_date,
}
CHOSEN: dict[str, Choose] = {
    "to_decimal": _to_decimal,
    "to_string": _text_of,
}
