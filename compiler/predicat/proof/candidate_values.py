"""Candidate values: the constant of a comparison and values near it."""

import math
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from predicat.ir.column_forms import of_field
from predicat.ir.nodes import Call, FieldDecl, Literal
from predicat.ir.operators import OPS, TIME_PARTS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Type,
)
from predicat.ir.values import INT_MAX, INT_MIN, seconds
from predicat.ir.widths import RANGES
from predicat.semantics import like, regex
from predicat.values.domain import domain

# A moment like any other.
MOMENT = datetime(2024, 3, 15, 10, 30, tzinfo=UTC)
# The step from a constant to a value that makes a comparison TRUE. It is tried first, because most
# conditions are part of an AND.
_FIRST_STEP = {"gt": 1, "lt": -1, "ne": 1}
# The parts of a moment that `replace` changes.
_PARTS = tuple(op for op in OPS if op in TIME_PARTS and hasattr(MOMENT, op))
_FARTHEST = timedelta(days=365_000)
# How values near a constant of a type are written as, or become, values of another type.
_CHANGES: dict[tuple[Type, Type], Callable[[Any], Any]] = {
    (TIMESTAMP, TIMESTAMP): lambda moment: moment,
    (TIMESTAMP, DATE): datetime.date,
    (TIMESTAMP, STRING): lambda moment: moment.isoformat().replace("+00:00", "Z"),
    (DATE, DATE): lambda day: day,
    (DATE, TIMESTAMP): lambda day: datetime(day.year, day.month, day.day, tzinfo=UTC),
    (DATE, STRING): date.isoformat,
    (DURATION, STRING): seconds,
}


def near_values(op: str, constant: Any, kind: Type) -> list[Any]:
    """A constant and its neighbours, as values of a type; values that make the comparison TRUE come first."""
    match constant:
        case bool():
            return [constant] if kind in (BOOLEAN, JSON) else []
        case str():
            return _texts(op, constant, kind)
        case int() | float() | Decimal():
            return _numbers(op, constant, kind)
        case timedelta() if kind == TIMESTAMP:
            distances = [min(near, _FARTHEST) for near in map(abs, _around(DURATION, op, constant)[:1])]
            return [moment for by in distances for moment in (MOMENT, MOMENT + by, MOMENT - by)]
        case date() | timedelta():
            own = _own_type(constant)
            change = _CHANGES.get((own, STRING if kind == JSON else kind))
            return [] if change is None else list(map(change, _around(own, op, constant)))
        case _:
            return []


def _own_type(constant: date | timedelta) -> Type:
    return TIMESTAMP if isinstance(constant, datetime) else DATE if isinstance(constant, date) else DURATION


def _around(kind: Type, op: str, constant: Any) -> list[Any]:
    """A constant and its neighbours; first the one that makes a comparison TRUE."""
    values = domain(kind)
    assert values is not None  # noqa: S101  # callers ask for types with an order
    at = values.ordinal(constant)
    near = dict.fromkeys((at + _FIRST_STEP.get(op, 0), at, at + 1, at - 1))
    return [values.value(ordinal) for ordinal in near if values.has(ordinal)]


def _texts(op: str, constant: str, kind: Type) -> list[Any]:
    if kind not in (STRING, JSON):
        return []
    if op in ("like", "like_ci"):
        base = "".join("" if part is None else part or "x" for part in like.parts(constant))
        full = "".join("xy" if part is None else part or "x" for part in like.parts(constant))
        return [base, full, base + "x", "x" + base, base.upper(), base[:-1]]
    if op in ("matches", "regex_extract", "regex_replace"):
        base = _sample(regex.parse(constant))
        return [base, f"x{base}x", base[:-1], base + base, base.upper(), base + "\n"]
    first = [constant + "x"] if op in ("ne", "gt") else []
    return [
        *first,
        constant,
        constant + "x",
        "x" + constant,
        constant.upper(),
        constant.lower(),
        f" {constant}",
        constant[:-1],
    ]


def _sample(node: regex.Regex) -> str:
    """A string that a pattern matches, if its assertions are ignored."""
    match node:
        case regex.Chars(ranges):
            return next(
                (char for low, high in ranges for char in "aA0 -" if low <= ord(char) <= high),
                chr(ranges[0][0]),
            )
        case regex.Seq(parts):
            return "".join(map(_sample, parts))
        case regex.Alt(parts):
            return _sample(parts[0])
        case regex.Repeat(part, low, _):
            return _sample(part) * max(low, 1)
        case regex.Assert():
            return ""


def _numbers(op: str, constant: float | Decimal, kind: Type) -> list[Any]:
    whole = int(constant) if -(2**63) < constant < 2**63 else 0  # NaN too is no whole number
    if kind == BIGINT:
        return _around(BIGINT, op, whole)
    if kind == DOUBLE:
        exact = float(constant)
        return [exact + _FIRST_STEP.get(op, 0), exact, exact + 1, exact - 0.5, exact - 1]
    if isinstance(kind, DecimalType):
        most = 10 ** (kind.precision - kind.scale)
        return _around(kind, op, Decimal(str(constant)) if -most < constant < most else Decimal(0))
    if kind == JSON:
        return [
            whole if whole == constant else float(constant),
            float(constant) + 1,
            float(constant) - 1,
            str(whole),
        ]
    if kind == STRING:
        return [
            str(whole),
            str(whole + 1),
            f"{whole}.0",
            f"{whole}.5",
            *(["x" * whole, "x" * (whole + 1)] if 0 <= whole < 50 else []),
        ]
    if kind in (TIMESTAMP, DATE):
        return _moments(op, whole, kind)
    return []


def texts_of(op: str, constant: Any) -> list[str]:
    """Strings that convert to a constant or its neighbours. Different ones may convert to the same value."""
    match constant:
        case int() | float() | Decimal():
            whole = int(constant) if -(2**63) < constant < 2**63 else 0
            first = whole + _FIRST_STEP.get(op, 0)
            numbers: list[Any] = [first, whole, whole + 1, whole - 1]
            if isinstance(constant, float) and constant != whole:
                numbers[1:1] = [constant, *(math.nextafter(constant, end) for end in (math.inf, -math.inf))]
            plain = [str(number) for number in dict.fromkeys(numbers)]
            longer = f"1{'0' * len(str(abs(whole)))}"
            return [*plain, f"0{abs(first)}", longer, f"-{longer}", f"0{abs(whole)}", f"{whole}.5"]
        case datetime():
            moments = _around(TIMESTAMP, op, constant)
            texts = [moment.isoformat().removesuffix("+00:00") for moment in moments]
            return [text for one in texts for text in (f"{one}Z", one.replace("T", " "))]
        case date():
            return [text for day in _around(DATE, op, constant) for text in (f"{day}", f"{day} 00:00:00")]
        case _:
            return []


def _moments(op: str, number: int, kind: Type) -> list[Any]:
    base = datetime(2024, 3, 15, 10, 30, 20, tzinfo=UTC)
    result = []
    for near in (number, number - 1, number + 1):
        for unit in [op] if op in _PARTS else _PARTS:
            try:
                result.append(base.replace(**{unit: near}))  # type: ignore[arg-type]  # a unit and a number
            except (ValueError, OverflowError):
                continue
    return [item.date() for item in result] if kind == DATE else result


def typical_values(kind: Type, column: FieldDecl | None = None) -> list[Any]:
    """Values of a type that authors of filters often forget, with the ends of the range of its column."""
    if column is not None and (form := of_field(column)) is not None and form.samples:
        return list(form.samples)
    if kind == STRING:
        return ["", "a", "x"]
    if kind == BIGINT:
        least, greatest = RANGES.get("" if column is None else column.stored, (INT_MIN, INT_MAX))
        return [0, 1, -1, greatest, least]
    if kind == DOUBLE:
        return [0.0, 1.5, -1.0, float("nan"), float("inf"), float("-inf")]
    if kind == BOOLEAN:
        return [True, False]
    if kind == TIMESTAMP:
        return [
            MOMENT,
            datetime(1970, 1, 1, tzinfo=UTC),
            datetime(2024, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        ]
    if kind == DATE:
        return [date(2024, 3, 15), date(1970, 1, 1)]
    if kind == DURATION:
        return [timedelta(minutes=90), timedelta(seconds=-1)]
    if isinstance(kind, DecimalType):
        return [Decimal(0), Decimal(1).scaleb(-kind.scale)]
    if kind == JSON:
        return ["a", 1, True, {}, []]
    return [[]] if isinstance(kind, ArrayType) else [{}]


def piece(node: Call) -> Iterator[str]:
    """The constant that `contains` or `like` searches for in a string."""
    constant = node.args[1]
    if isinstance(constant, Literal) and isinstance(constant.value, str):
        parts = like.parts(constant.value) if node.op == "like" else [constant.value]
        yield "".join("" if part is None else part or "x" for part in parts)


def joined(pieces: list[str]) -> list[str]:
    """Strings that contain one, all, and all but one of the given strings."""
    if len(pieces) < 2:
        return []
    others = ("".join(piece for piece in pieces if piece != other) for other in pieces)
    return [*pieces, "".join(pieces), *others]
