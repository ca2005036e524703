"""flagd's `sem_ver`: versions such as 1.2.3 or v1.2.3-beta, compared with a constant release.

The versions that pass are those that a pattern matches. Source: flagd, "Custom Operations"; Semantic
Versioning 2.0.0, section 11.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_NUMBER = "(?:0|[1-9][0-9]*)"
_WORDS = "[0-9A-Za-z-]+(?:[.][0-9A-Za-z-]+)*"
_BUILD = f"(?:[+]{_WORDS})?"
_IDENTIFIER = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BEFORE = f"-{_IDENTIFIER}(?:[.]{_IDENTIFIER})*{_BUILD}"
_REST = f"(?:{_BEFORE}|{_BUILD})"
_RELEASE = re.compile(rf"v?({_NUMBER})[.]({_NUMBER})[.]({_NUMBER})")
# The three numbers of a release.
Release = tuple[str, str, str]


def release(written: object) -> Release | None:
    """The numbers of a release; None for any other version."""
    found = _RELEASE.fullmatch(written) if isinstance(written, str) else None
    return None if found is None else (found[1], found[2], found[3])


def pattern(operator: str, other: Release) -> str:
    """A pattern of the versions that stand to a release as an operator says."""
    numbers, *more = COMPARED[operator](other)
    ways = [f"(?:{'|'.join(numbers)}){_REST}"] if numbers else []
    return f"^v?(?:{'|'.join([*ways, *more])})$"


def _greater(number: str) -> str:
    """A pattern of the numbers that are greater."""
    ways = [f"[1-9][0-9]{{{len(number)},}}"]
    for place, digit in enumerate(number):
        if digit != "9":
            ways.append(f"{number[:place]}[{int(digit) + 1}-9][0-9]{{{len(number) - place - 1}}}")
    return f"(?:{'|'.join(ways)})"


def _less(number: str) -> str | None:
    """A pattern of the numbers that are less; None if there are none."""
    ways = [f"[1-9][0-9]{{0,{len(number) - 2}}}", "0"] if len(number) > 1 else []
    for place, digit in enumerate(number):
        least = 1 if place == 0 and len(number) > 1 else 0
        if int(digit) > least:
            ways.append(f"{number[:place]}[{least}-{int(digit) - 1}][0-9]{{{len(number) - place - 1}}}")
    return f"(?:{'|'.join(ways)})" if ways else None


def _differing(other: Release, compare: Callable[[str], str | None]) -> list[str]:
    """The numbers of versions of which the first that differs passes a comparison."""
    found = ((place, compare(number)) for place, number in enumerate(other))
    ways = ([*other[:place], way, *[_NUMBER] * (2 - place)] for place, way in found if way is not None)
    return list(map("[.]".join, ways))


def _same(other: Release, count: int = 3) -> str:
    return "[.]".join([*other[:count], *[_NUMBER] * (3 - count)])


def _itself(other: Release) -> str:
    return _same(other) + _BUILD


def _before(other: Release) -> str:
    """The versions before the release, with its numbers."""
    return _same(other) + _BEFORE


# Operators: the numbers of versions that pass with any rest, and other versions.
COMPARED: dict[str, Callable[[Release], tuple[list[str], *tuple[str, ...]]]] = {
    "=": lambda other: ([], _itself(other)),
    "!=": lambda other: ([*_differing(other, _less), *_differing(other, _greater)], _before(other)),
    "<": lambda other: (_differing(other, _less), _before(other)),
    "<=": lambda other: ([*_differing(other, _less), _same(other)],),
    ">": lambda other: (_differing(other, _greater),),
    ">=": lambda other: (_differing(other, _greater), _itself(other)),
    "^": lambda other: ([_same(other, 1)],),
    "~": lambda other: ([_same(other, 2)],),
}
