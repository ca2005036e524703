"""Makes the example rows of a verdict small."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from predicat.ir.column_forms import held_type
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP

Row = Mapping[str, Any]
Test = Callable[[Row], bool]
_SIMPLE: dict[Any, tuple[Any, ...]] = {
    STRING: ("", "a"),
    BIGINT: (0, 1),
    DOUBLE: (0.0, 1.0),
    BOOLEAN: (False, True),
    TIMESTAMP: (),
    DATE: (),
}
_MAX_TRIALS = 200


def shrink(row: Row, holds: Test, fields: Mapping[str, FieldDecl]) -> dict[str, Any]:
    """A smaller row with the same property: fewer fields, shorter strings and lists, numbers near zero."""
    result = dict(row)
    for name in list(result):
        without = {key: value for key, value in result.items() if key != name}
        if holds(without):
            result = without
            continue
        # A shorter text is no value of a column with a form.
        if name in fields and held_type(fields[name]) != fields[name].type:
            continue
        kind = fields[name].type if name in fields else None
        result[name] = _smaller(result[name], partial(_holds_with, holds, dict(result), name), kind)
    return result


def _holds_with(holds: Test, row: Row, name: str, value: Any) -> bool:
    return holds({**row, name: value})


def _smaller(value: Any, holds: Callable[[Any], bool], kind: Any) -> Any:
    for simple in _SIMPLE.get(kind, ()) if kind is not None else ():
        if simple == value:
            return value
        if holds(simple):
            return simple
    if isinstance(value, dict):
        return _smaller_dict(value, holds)
    if isinstance(value, list):
        return _smaller_list(value, holds)
    if isinstance(value, str):
        return _smaller_text(value, holds)
    if isinstance(value, int) and not isinstance(value, bool):
        return _smaller_number(value, holds)
    if isinstance(value, float) and value == value and abs(value) < 2**53 and holds(float(round(value))):  # noqa: PLR0124  # NaN is the one value that differs from itself
        return float(round(value))
    return value


def _smaller_dict(value: dict[str, Any], holds: Callable[[Any], bool]) -> dict[str, Any]:
    for key in list(value):
        without = {name: item for name, item in value.items() if name != key}
        if holds(without):
            value = without
        else:
            value = {**value, key: _smaller(value[key], partial(_holds_with, holds, value, key), None)}
    return value


def _smaller_list(value: list[Any], holds: Callable[[Any], bool]) -> list[Any]:
    """Remove elements: first all, then halves, then smaller and smaller parts. The cost of a trial is
    proportional to the length of the list.
    """
    size, budget = len(value), 50 * _MAX_TRIALS
    while size:
        place = 0
        while place < len(value) and budget > 0:
            budget -= len(value)
            without = value[:place] + value[place + size :]
            if holds(without):
                value = without
            else:
                place += size
        size //= 2
    return value


def _smaller_text(value: str, holds: Callable[[Any], bool]) -> str:
    place = 0
    while place < min(len(value), _MAX_TRIALS):
        without = value[:place] + value[place + 1 :]
        if holds(without):
            value = without
            continue
        if not value[place].isalnum() or not value[place].isascii():
            plain = value[:place] + "a" + value[place + 1 :]
            value = plain if holds(plain) else value
        place += 1
    return value


def _smaller_number(value: int, holds: Callable[[Any], bool]) -> int:
    """Towards zero by halves, then by ones: as many trials as a search by halves can need, since a condition
    may hold for every second number.
    """
    step = abs(value) // 2
    for _ in range(4 * abs(value).bit_length()):
        if not step:
            break
        nearer = value - step if value > 0 else value + step
        if holds(nearer):
            value = nearer
            step = min(step, abs(value) // 2)
        else:
            step //= 2
    return value
