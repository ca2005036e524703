"""Constants and rows: Python values for typed values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any

from predicat.ir.column_forms import form_of
from predicat.ir.python_values import RowError, document, members, plain
from predicat.ir.syntax import Value
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    FormType,
    MapType,
    Scalar,
    StructType,
    Type,
)
from predicat.ir.value_sets import ValueSet

# Unicode's White_Space characters.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
# The years 1 to 9999, in seconds since 1970.
MIN_SECONDS, MAX_SECONDS = -62135596800, 253402300799
FIRST_MOMENT, LAST_MOMENT = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
# The years of a clock: a century before and after the current time is always within years 1 to 9999.
FIRST_NOW, LAST_NOW = (
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
)
# The microseconds of each unit of a duration.
UNITS = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000, "millisecond": 1_000}
# How many of each unit the next larger one has.
UNITS_OF_NEXT = {"hour": 24, "minute": 60, "second": 60, "millisecond": 1000}
PERIOD_LENGTHS = {
    **{unit: timedelta(microseconds=UNITS[unit]) for unit in ("second", "minute", "hour")},
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
# The units for truncating a time: their lengths, or their numbers of months.
PERIOD_MONTHS = {"month": 1, "quarter": 3, "year": 12}
# The microseconds of the longest duration: about 10,000 years, the range of google.protobuf.Duration and
# therefore of CEL.
LONGEST = 315_576_000_000_999_999
# Arithmetic on decimals of up to 38 digits; Python's own rounds to 28.
EXACT = Context(prec=100)
# The nanoseconds of each unit in the string of a duration.
NANOSECONDS = {
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
INT_MIN, INT_MAX = -(2**63), 2**63 - 1

# The string of a timestamp or a date means the same on every engine because all test it with one pattern. The
# pattern has the lengths of the months and the leap years, so no engine converts a day that does not exist.
_DAY = (
    r"(?:(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8])))"
    r"|(?:(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29))"
)
DATE_PATTERN = f"^(?!0000){_DAY}$"
TIMESTAMP_PATTERN = (
    f"^(?!0000){_DAY}[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{{1,9}})?"
    r"(?:[Zz]|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$"
)
# At most 20 characters, so that an engine can test the length instead.
INT_PATTERN = "^(?:-[0-9]{1,19}|[0-9]{1,20})$"
# Go's syntax (`1h30m`, `-1.5s`), limited so that the sum of the parts is exact in 38 digits.
DURATION_PATTERN = r"^[+-]?(?:0|(?:(?:[0-9]{1,15}(?:[.][0-9]{0,9})?|[.][0-9]{1,9})(?:h|ms|us|ns|m|s)){1,9})$"
DOUBLE_PATTERN = r"^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$"
QUANTITY_PATTERN = (
    r"^[+-]?(?:[0-9]{1,60}(?:[.][0-9]{0,60})?|[.][0-9]{1,60})(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$"
)
# The exponent for each unit of a quantity. (`E` may also start an exponent.)
QUANTITY_UNITS = {"n": "e-9", "u": "e-6", "m": "e-3", "k": "e3", "M": "e6", "G": "e9", "T": "e12", "P": "e15"}
# The factor for each binary unit of a quantity.
QUANTITY_POWERS = {f"{letter}i": 1024**power for power, letter in enumerate("KMGTPE", 1)}
# The most elements of a range.
RANGE_MOST = 1_000_000
# The largest finite double in a sum of an array: so the sum of any array stays finite. PostgreSQL raises an
# error for an overflow.
SUM_MOST = 1e298
# A decimal number in SQL: up to 40 digits on each side of the point, and an exponent of up to two.
DECIMAL_PATTERN = "^[+-]?(?:[0-9]{1,40}(?:[.][0-9]{0,40})?|[.][0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?$"
# The longest string that converts to a double: so short that with an exponent of 1,000 or more the number
# is zero or infinity.
DOUBLE_LONGEST = 600
_TIMESTAMP = re.compile(TIMESTAMP_PATTERN.removesuffix("$") + r"\Z")
_DURATION = re.compile(DURATION_PATTERN.removesuffix("$") + r"\Z")
_DATE = re.compile(DATE_PATTERN.removesuffix("$") + r"\Z")
_LOOSE = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ Tt](\d\d:\d\d)(?::(\d\d)(\.\d+)?)?)?\s*(Z|z|UTC|[+-]\d\d(?::?\d\d)?)?\Z", re.ASCII
)
_WHOLE = re.compile(r"[+-]?[0-9]{1,1000}\Z")
_DOUBLE = re.compile(
    r"[+-]?(?:(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,1000})?|Infinity)\Z|NaN\Z"
)


def parse_whole(text: str) -> int | None:
    """An integer of at most 1,000 ASCII digits with an optional sign; None for anything else, such as
    Python's 1_0.
    """
    return int(text) if _WHOLE.match(text) else None


def parse_double(text: str) -> float | None:
    """A number of ASCII digits with an optional decimal point and exponent, NaN or Infinity; None for
    anything else.
    """
    return float(text) if _DOUBLE.match(text) else None


def is_timestamp(text: str) -> bool:
    """Whether a string has the form of RFC 3339, in any year."""
    return bool(
        re.match(
            r"[0-9]{4}-[01][0-9]-[0-3][0-9][Tt][0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:[.][0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})\Z",
            text,
        )
    )


def parse_timestamp(text: str) -> datetime | None:
    """An RFC 3339 string as a timestamp in UTC, truncated to microseconds; None for anything else, and
    outside the years 1 to 9999.
    """
    if not _TIMESTAMP.match(text):
        return None
    cut = re.sub(r"([.][0-9]{6})[0-9]+", r"\1", text.upper())
    try:
        return datetime.fromisoformat(cut).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,6}))?)?", re.ASCII)


def parse_clock(text: str) -> timedelta | None:
    """The time since midnight of `08:30`, `08:30:15` or `08:30:15.25`; None for any other string."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    hour, minute, second, fraction = match.groups("0")
    return timedelta(
        hours=int(hour),
        minutes=int(minute),
        seconds=int(second),
        microseconds=int(fraction.ljust(6, "0")),
    )


def parse_sql_timestamp(text: str) -> datetime | None:
    """A timestamp constant as SQL writes it (`2013-07-04`, `2013-07-04 10:30`), in UTC if it has no zone;
    None for anything else.
    """
    match = _LOOSE.match(text.strip(" \t\r\n"))
    if not match:
        return None
    day, minutes, seconds, fraction, zone = match.groups()
    zone = "Z" if zone is None or zone.upper() in ("Z", "UTC") else zone
    if len(zone) == 3:
        zone += ":00"
    elif len(zone) == 5:
        zone = f"{zone[:3]}:{zone[3:]}"
    return parse_timestamp(f"{day}T{minutes or '00:00'}:{seconds or '00'}{(fraction or '')[:10]}{zone}")


def parse_date(text: str) -> date | None:
    """YYYY-MM-DD as a date; None for anything else."""
    return date.fromisoformat(text) if _DATE.match(text) else None


def parse_duration(text: str) -> timedelta | None:
    """Go's duration syntax, truncated to microseconds; None for anything else, and beyond LONGEST."""
    micros = _length(text) // 10**12 if is_duration(text) else LONGEST + 1
    return timedelta(microseconds=-micros if text.startswith("-") else micros) if micros <= LONGEST else None


def seconds(value: timedelta) -> str:
    """A duration in seconds for `parse_duration`: `-1.5s`."""
    return f"{Decimal(value // timedelta(microseconds=1)) / 1_000_000:f}s"


def is_duration(text: str) -> bool:
    """Whether a string has the form of a duration, of any length."""
    return bool(_DURATION.match(text))


def is_below_micros(text: str) -> bool:
    """Whether the string of a timestamp has a fraction of a microsecond."""
    return bool(re.search(r"[.][0-9]{6}0*[1-9]", text))


def has_nanoseconds(text: str) -> bool:
    """Whether the string of a duration has a fraction of a microsecond."""
    return is_duration(text) and _length(text) % 10**12 != 0


def _length(text: str) -> int:
    """The sum of the parts of a duration, in billionths of a nanosecond."""
    total = 0
    for whole, fraction, unit in re.findall(r"([0-9]*)[.]?([0-9]*)([a-z]+)", text):
        total += int(whole + fraction.ljust(9, "0")) * NANOSECONDS[unit]
    return total


def type_of(value: Value) -> Type:
    """The type of a constant."""
    match value:
        case None:
            return NULL
        case bool():
            return BOOLEAN
        case int():
            return BIGINT
        case float():
            return DOUBLE
        case str():
            return STRING
        case Decimal():
            digits = value.as_tuple()
            scale = max(0, -int(digits.exponent))
            return DecimalType(max(len(digits.digits), scale, 1), scale)
        case datetime():
            return TIMESTAMP
        case date():
            return DATE
        case timedelta():
            return DURATION
        case ValueSet():
            raise AssertionError  # a row has no such value


def to_value(value: Any, kind: Type) -> Any:
    """A value of a row (from Python, JSON or YAML) as the evaluator needs it. Raises RowError.

    What is inside of a JSON value is converted only where it is read: see `predicat.ir.python_values`.
    """
    if value is None:
        return None
    try:
        if kind == JSON:
            return document(value)
        if isinstance(kind, FormType) and (form := form_of(kind.name)) is not None:
            return form.of_row(value, to_value)
        given = _named(value, kind) if isinstance(value, tuple) else plain(value)
        return None if given is None else _typed(given, kind)
    except RowError as error:
        raise error.about(kind, value) from None
    except (ValueError, ArithmeticError):
        raise RowError().about(kind, value) from None


def _named(value: Any, kind: Type) -> Any:
    """A tuple, whose type says whether it is a list or has names."""
    if isinstance(kind, StructType) and hasattr(value, "_asdict"):
        return value._asdict()
    return list(value) if isinstance(kind, ArrayType) else plain(value)


def _typed(value: Any, kind: Type) -> Any:
    """A plain value as one of a type other than JSON."""
    match kind:
        case ArrayType(element) if isinstance(value, list):
            return _elements(value, element)
        case MapType(item_type) if isinstance(value, dict):
            if item_type == STRING and {*map(type, value), *map(type, value.values())} <= {str}:
                return dict(value)
            named = members(value)
            return _members(named, dict.fromkeys(named, item_type))
        case StructType() if isinstance(value, dict):
            return _members(value, dict(kind.fields))
        case DecimalType() if isinstance(value, int | float | str | Decimal) and not isinstance(value, bool):
            return _decimal(value, kind)
        case Scalar():
            return _scalar(value, kind)
        case _:
            raise RowError


def _elements(items: list[Any], kind: Type) -> list[Any]:
    result: list[Any] = []
    try:
        for item in items:
            result.append(to_value(item, kind))  # noqa: PERF401  # an error names its position
    except RowError as error:
        raise error.inside(f"[{len(result)}]") from None
    return result


def _members(items: Mapping[str, Any], kinds: Mapping[str, Type]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, kind in kinds.items():
        try:
            result[name] = to_value(items.get(name), kind)
        except RowError as error:
            raise error.inside(f".{name}") from None
    return result


def _decimal(value: float | str | Decimal, kind: DecimalType) -> Decimal:
    """A number as a decimal. Raises RowError if the type cannot hold it exactly: a column would round it, or
    reject it.
    """
    result = Decimal(str(value))
    if not result.is_finite() or result.copy_abs() >= Decimal(10) ** (kind.precision - kind.scale):
        raise RowError
    if result.quantize(Decimal(1).scaleb(-kind.scale), context=EXACT) != result:
        raise RowError
    return result


def _scalar(value: Any, kind: Scalar) -> Any:
    if kind == BOOLEAN and isinstance(value, bool):
        return value
    if kind == STRING and isinstance(value, str):
        return value
    if (
        kind == BIGINT
        and isinstance(value, int)
        and not isinstance(value, bool)
        and INT_MIN <= value <= INT_MAX
    ):
        return value
    if kind == DOUBLE and isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return float(value)
    if kind == TIMESTAMP:
        return _timestamp(value)
    if kind == DATE:
        return _date(value)
    if kind == DURATION and isinstance(value, timedelta):
        return value
    raise RowError


def _timestamp(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, str) and (moment := parse_sql_timestamp(value)):
        return moment
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise RowError


def _date(value: Any) -> date:
    if isinstance(value, datetime):
        raise RowError
    if isinstance(value, date):
        return value
    if isinstance(value, str) and (day := parse_date(value)):
        return day
    raise RowError
