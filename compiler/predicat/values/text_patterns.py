"""Automata for tests of a string against a constant pattern."""

from collections.abc import Callable
from functools import lru_cache

from predicat.semantics import automaton, casefold, like, regex
from predicat.values.automaton import MOST_STATES, Machine, Opaque, Table, tabulated
from predicat.values.text_machines import Ranges, sequence

_ANY: Ranges = ((0, regex.TOP),)


def _char(char: str) -> Ranges:
    return ((ord(char), ord(char)),)


def _folded(char: str) -> Ranges:
    """The code points that are equal to one without regard to case."""
    own = casefold.fold_char(char)
    return tuple(
        (ord(other), ord(other))
        for other in {own, *casefold.variants(own)}
        if casefold.fold_char(other) == own
    )


def _chars(value: str, ranges: Callable[[str], Ranges]) -> list[Ranges | None]:
    return [ranges(char) for char in value]


def _like(value: str, ranges: Callable[[str], Ranges]) -> list[Ranges | None]:
    return [None if part is None else ranges(part) if part else _ANY for part in like.parts(value)]


PATTERNS: dict[str, Callable[[str], list[Ranges | None]] | None] = {
    "matches": None,
    "like": lambda value: _like(value, _char),
    "like_ci": lambda value: _like(value, _folded),
    "starts_with": lambda value: [*_chars(value, _char), None],
    "ends_with": lambda value: [None, *_chars(value, _char)],
    "contains": lambda value: [None, *_chars(value, _char), None],
    "equals_ci": lambda value: _chars(value, _folded),
    "starts_with_ci": lambda value: [*_chars(value, _folded), None],
    "contains_ci": lambda value: [None, *_chars(value, _folded), None],
}


@lru_cache(maxsize=1024)
def pattern_machine(op: str, value: str) -> Machine:
    """The machine of a test of a string against a pattern."""
    parts = PATTERNS[op]
    if parts is not None:
        return tabulated(sequence(parts(value))).machine()
    try:
        result = automaton.table(value, MOST_STATES)
    except regex.RegexError:
        raise Opaque from None
    if result is None:
        raise Opaque
    return _machine(result)


def _machine(table: automaton.Table) -> Machine:
    pieces = sorted((low, number) for number, ranges in enumerate(table.classes) for low, _ in ranges)
    accepting = set(table.accepting)
    columns = [list(column) for column in zip(*table.moves, strict=True)]
    labels = [state in accepting for state in range(len(table.moves))]
    return Table([low for low, _ in pieces], [number for _, number in pieces], columns, labels).machine()
