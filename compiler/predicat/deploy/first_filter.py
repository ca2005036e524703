"""The first filter of a dataset: a condition that tells some rows of its data from others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from math import floor, isfinite, log10
from typing import Any

from msgspec import Struct

from predicat.api import parse
from predicat.deploy.field_names import in_ascii
from predicat.diagnostics import PredicatError
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import BOOLEAN, DATE, STRING, TIMESTAMP, DecimalType

_MOST_WORDS, _LONGEST_WORD = 12, 40
_REPEATED = 3  # how often a word of an enumeration is there on average, at least
_NUMBERS = ("bigint", "double")


class First(Struct, frozen=True):
    """A filter: its name, description and condition, and tests of one field, each with a value and whether
    the filter accepts it.
    """

    name: str
    description: str
    sql: str
    field: str
    tests: Sequence[tuple[Any, bool]]


def first_filter(
    fields: Mapping[str, FieldDecl], values: Mapping[str, Sequence[Any]], keys: Collection[str]
) -> First | None:
    """A filter by the values of some rows, which may be none: a word of an enumeration, a flag, a date, a
    range of a number; otherwise a field that has a value. Fields of `keys` name rows, and are not looked at.
    """
    usual = {name: decl for name, decl in fields.items() if name not in keys and not _is_id(name)}
    for kind in _BY_VALUES:
        for name, decl in usual.items():
            known = [value for value in values.get(name, ()) if value is not None]
            if (found := kind(name, decl, known)) is not None and _holds(found, decl):
                return found
    for kind in _OTHERWISE:
        for name, decl in fields.items():
            if (found := kind(name, decl, [])) is not None and _holds(found, decl):
                return found
    return None


def _is_id(name: str) -> bool:
    words = in_ascii(name, "").strip("_").split("_")
    return words[-1] in ("id", "ids", "nr", "no", "number", "key", "uuid", "guid") or name.endswith(
        ("Id", "ID")
    )


def _holds(found: First, decl: FieldDecl) -> bool:
    """Whether the condition can be read, and has the outcomes of the tests."""
    try:
        predicate = parse(found.sql, "sql", {found.field: decl})
        outcomes = [predicate.evaluate({found.field: value}) for value, _ in found.tests]
    except PredicatError:
        return False
    return all(
        (outcome is True) == wanted for outcome, (_, wanted) in zip(outcomes, found.tests, strict=True)
    )


def _column(name: str) -> str:
    """A field in SQL: without quotes where it can stand so."""
    try:
        parse(f"{name} IS NULL", "sql", {name: "string"})
    except PredicatError:
        return '"{}"'.format(name.replace('"', '""'))
    return name


def _labelled(*words: str) -> str:
    name = in_ascii("_".join(words), "first")[:63].rstrip("_")
    return name if name[:1].isalpha() else "first"


def _word(name: str, decl: FieldDecl, values: Sequence[Any]) -> First | None:
    """The most usual word of an enumeration."""
    if decl.type != STRING:
        return None
    labels = [str(word) for word in _labels(decl)]
    counts = Counter(map(str, values))
    words = [*(word for word, _ in counts.most_common()), *(word for word in labels if word not in counts)]
    enumerates = labels or len(values) >= _REPEATED * len(counts)
    if not enumerates or not 1 < len(words) <= max(_MOST_WORDS, len(labels)):
        return None
    if not all(word.strip() and len(word) <= _LONGEST_WORD for word in words):
        return None
    constant = words[0].replace("'", "''")
    sql = f"{_column(name)} = '{constant}'"
    about = f"Rows whose {name} is {words[0]}."
    return First(_labelled(name, words[0]), about, sql, name, [(words[0], True), (words[1], False)])


def _labels(decl: FieldDecl) -> Iterator[str]:
    from predicat.backends.column_types import words_of_enum  # noqa: PLC0415  # sqlglot is slow to load

    yield from words_of_enum(decl.stored) or ()


def _flag(name: str, decl: FieldDecl, values: Sequence[Any]) -> First | None:
    if decl.type != BOOLEAN or len(set(values)) == 1:
        return None
    about = f"Rows whose {name} is true."
    return First(_labelled(name), about, _column(name), name, [(True, True), (False, False)])


def _since(name: str, decl: FieldDecl, values: Sequence[Any]) -> First | None:
    """From a day in the middle of the values on."""
    if decl.type not in (DATE, TIMESTAMP) or len(set(values)) < 2:
        return None
    days = sorted(map(_day, values))
    day = days[len(days) // 2]
    if day == days[0]:
        return None
    word, time = ("DATE", "") if decl.type == DATE else ("TIMESTAMP", " 00:00:00")
    sql = f"{_column(name)} >= {word} '{day}{time}'"
    tests = [(f"{day}{time}", True), (f"{days[0]}{time}", False)]
    return First(_labelled(name, "since", str(day)), f"From {day} on, by {name}.", sql, name, tests)


def _day(value: Any) -> date:
    if isinstance(value, datetime):
        return (value.astimezone(UTC) if value.tzinfo else value).date()
    return date.fromisoformat(str(value)[:10])


def _at_least(name: str, decl: FieldDecl, values: Sequence[Any]) -> First | None:
    """From a round number in the middle of the values on."""
    numbers = sorted(value for value in values if _is_number(decl) and isfinite(value))
    if len(set(numbers)) < 3:
        return None
    limit = _round(numbers[len(numbers) // 2])
    if not numbers[0] < limit <= numbers[-1]:
        return None
    about = f"Rows whose {name} is at least {limit}."
    sql = f"{_column(name)} >= {limit}"
    return First(_labelled(name, "from", str(limit)), about, sql, name, [(limit, True), (limit - 1, False)])


def _round(number: Any) -> int:
    """A number with one digit that is not zero, not above it."""
    if abs(number) < 1:
        return 0
    step = 10 ** floor(log10(abs(float(number))))
    return int(int(number // step) * step)


def _is_number(decl: FieldDecl) -> bool:
    return str(decl.type) in _NUMBERS or isinstance(decl.type, DecimalType)


def _positive(name: str, decl: FieldDecl, _values: Sequence[Any]) -> First | None:
    if not _is_number(decl):
        return None
    about, sql = f"A positive number in {name}.", f"{_column(name)} > 0"
    return First(_labelled("positive", name), about, sql, name, [(1, True), (0, False)])


def _there(name: str, _decl: FieldDecl, _values: Sequence[Any]) -> First | None:
    return First(_labelled("has", name), f"A value in {name}.", f"{_column(name)} IS NOT NULL", name, [])


_Kind = Callable[[str, FieldDecl, Sequence[Any]], First | None]
_BY_VALUES: tuple[_Kind, ...] = (_word, _flag, _since, _at_least, _positive)
_OTHERWISE: tuple[_Kind, ...] = (_positive, _there)
