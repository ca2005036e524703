"""Intervals of SQL: a number and a unit, several of them in one string, or the fields of DAY TO SECOND.

Sources: ISO/IEC 9075-2 (interval literals), Spark's `INTERVAL` literals and PostgreSQL's input of intervals,
where they agree.
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise

from sqlglot import Token, TokenType

from predicat.ir.values import LONGEST

# Microseconds. Months and years have no fixed length.
_UNITS = {
    **dict.fromkeys(("week", "weeks"), 7 * 86_400_000_000),
    **dict.fromkeys(("day", "days"), 86_400_000_000),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), 3_600_000_000),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), 60_000_000),
    **dict.fromkeys(("second", "seconds", "sec", "secs"), 1_000_000),
    **dict.fromkeys(("millisecond", "milliseconds"), 1000),
    **dict.fromkeys(("microsecond", "microseconds"), 1),
}
_FIELDS = ("day", "hour", "minute", "second")
_SEPARATORS = {"hour": " ", "minute": ":", "second": ":"}
_BELOW = {"hour": 24, "minute": 60, "second": 60}
_NUMBER = r"[+-]?(?:[0-9]{1,15}(?:[.][0-9]{0,15})?|[.][0-9]{1,15})"
_PART = re.compile(rf"\s*({_NUMBER})\s*([A-Za-z]+)", re.ASCII)
_CLOCK = re.compile(
    r"(?:^\s*|\s+)([+-]?)([0-9]{1,9}):([0-5]?[0-9])(?::([0-5]?[0-9](?:[.][0-9]{0,15})?))?\s*\Z", re.ASCII
)


def protect_interval_literals(tokens: list[Token]) -> list[Token]:
    """The tokens with a placeholder for each string after INTERVAL: sqlglot would keep only one number and
    one unit of it.
    """
    result = tokens[:1]
    for one, other in pairwise(tokens):
        text = one.token_type is TokenType.INTERVAL and other.token_type is TokenType.STRING
        result.append(
            Token(other.token_type, "?", other.line, other.col, other.start, other.end, other.comments)
            if text
            else other
        )
    return result


_MONTHS = {
    **dict.fromkeys(("month", "months", "mon", "mons"), 1),
    **dict.fromkeys(("year", "years"), 12),
}
_YEAR_TO_MONTH = re.compile(r"\s*([+-]?)([0-9]{1,4})-([0-9]{1,2})\s*", re.ASCII)


def split(text: str, unit: str, last: str) -> tuple[int, Decimal] | None:
    """The months and the microseconds of an interval string; None if it has another format or a fraction of a
    month. With `unit` it is a number, with `unit` and `last` it has fields, without both it names its units.
    """
    if unit.lower() == "year" and last.lower() == "month":
        match = _YEAR_TO_MONTH.fullmatch(text)
        if match is None or int(match[3]) > 11:
            return None
        size = int(match[2]) * 12 + int(match[3])
        return (-size if match[1] == "-" else size), Decimal(0)
    if unit and not last and unit.lower() in _MONTHS:
        whole = re.fullmatch(r"\s*([+-]?[0-9]{1,6})\s*", text, re.ASCII)
        return (int(whole[1]) * _MONTHS[unit.lower()], Decimal(0)) if whole else None
    if unit or last:
        size_ = micros(text, unit, last) if not has_unknown_unit(text, unit) else None
        return None if size_ is None else (0, size_)
    if not any(word.lower() in _MONTHS for word in re.findall("[A-Za-z]+", text)):
        size_ = None if has_unknown_unit(text, "") else micros(text, "")
        return None if size_ is None else (0, size_)
    months, rest = 0, []
    for part in re.finditer(r"([+-]?[0-9.]+)\s*([A-Za-z]+)|\S+", text, re.ASCII):
        name = (part[2] or "").lower()
        if name not in _MONTHS:
            rest.append(part[0])
        elif not re.fullmatch(r"[+-]?[0-9]{1,6}", part[1], re.ASCII):
            return None
        else:
            months += int(part[1]) * _MONTHS[name]
    left = " ".join(rest)
    size_ = Decimal(0) if months and not left else None if has_unknown_unit(left, "") else micros(left, "")
    return None if size_ is None else (months, size_)


def has_unknown_unit(text: str, unit: str) -> bool:
    """Whether a unit is unknown or has no fixed length: `unit`, or without it a unit in the string."""
    units = [unit] if unit else re.findall("[A-Za-z]+", text)
    return any(one.lower() not in _UNITS for one in units)


def micros(text: str, unit: str, last: str = "") -> Decimal | None:
    """The microseconds of an interval string: a number of `unit`, fields from `unit` to `last`, or with its
    own units.

    None if it has another format or exceeds the longest interval.
    """
    size = (
        _fields(text, unit.lower(), last.lower())
        if last
        else _amount(text, unit.lower())
        if unit
        else _parts(text)
    )
    return size if size is not None and abs(size) <= LONGEST else None


def _amount(text: str, unit: str) -> Decimal | None:
    """The microseconds of `'3' HOUR`; None if it is not a number. Only seconds may have decimals: PostgreSQL
    drops those of `'1.5' HOUR`, but not those of `'1.5 hours'`.
    """
    number = _NUMBER if _UNITS[unit] == 1_000_000 else "[+-]?[0-9]{1,15}"
    return Decimal(text.strip()) * _UNITS[unit] if re.fullmatch(rf"\s*{number}\s*", text, re.ASCII) else None


def _parts(text: str) -> Decimal | None:
    """The microseconds of `2 days 3 hours` or `1 day 03:04:05`; None for another format."""
    total, at = Decimal(0), 0
    while match := _PART.match(text, at):
        if match[2].lower() not in _UNITS:
            return None
        total, at = total + Decimal(match[1]) * _UNITS[match[2].lower()], match.end()
    if clock := _CLOCK.match(text, at):
        sign, hours, minutes, seconds = clock.groups("0")
        size = int(hours) * 3_600_000_000 + int(minutes) * 60_000_000 + Decimal(seconds) * 1_000_000
        return total - size if sign == "-" else total + size
    return total if at and not text[at:].strip(" \t\r\n") else None


def _fields(text: str, first: str, last: str) -> Decimal | None:
    """The microseconds of `'1 02:03:04.5' DAY TO SECOND`; None for another format. A minus before days is not
    supported: PostgreSQL negates only the days, Spark all fields.
    """
    if first not in _FIELDS or last not in _FIELDS or _FIELDS.index(first) >= _FIELDS.index(last):
        return None
    names = _FIELDS[_FIELDS.index(first) : _FIELDS.index(last) + 1]
    pattern = "".join(
        _SEPARATORS[name] + "([0-9]{1,2}" + ("(?:[.][0-9]{1,9})?)" if name == "second" else ")")
        for name in names[1:]
    )
    match = re.fullmatch(
        rf"\s*([+]?{'' if first == 'day' else '|-'})([0-9]{{1,9}}){pattern}\s*", text, re.ASCII
    )
    if match is None or any(Decimal(match[place]) >= _BELOW[name] for place, name in enumerate(names[1:], 3)):
        return None
    size = sum((Decimal(match[place]) * _UNITS[name] for place, name in enumerate(names, 2)), Decimal(0))
    return -size if match[1] == "-" else size
