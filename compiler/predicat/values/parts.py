"""Tests of several parts of one value, such as `year(d) * 100 + month(d) = 202403`, and of formatted times.

A part has few values: the hours of a day, the months of a year, a remainder. The test is evaluated for each
combination of them. The values of one part that have the same outcomes beside all others are one class; where
the classes change, which is seldom, the test may change, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import product as combinations
from math import prod
from typing import Any

from predicat.analysis.facts import integers, may_overflow
from predicat.ir.nodes import LEAVES, Call, Field, FieldDecl, Literal, Node, children, substituted, walk
from predicat.ir.operators import COMPARISONS, OPS
from predicat.ir.types import BIGINT, DATE
from predicat.semantics.calendar import DIGITS, pieces
from predicat.semantics.calendar import formatted as shown
from predicat.semantics.evaluate import compile_node
from predicat.values.automaton import Label, Machine, Opaque, tabulated
from predicat.values.cycles import PERIODIC
from predicat.values.domain import domain
from predicat.values.partition import Partition, line, machine_of, partition, product
from predicat.values.text_machines import leap_days

# The most combinations of parts that are evaluated.
_MOST = 150_000
# The most values of a part that is a remainder.
_MOST_REMAINDERS = 2_000
# The most states of a text before one of its parts.
_MOST_STATES = 200
# The most changes between classes of a part: each is sought.
_MOST_CHANGES = 1_000
_NULL = "null"
# From a calculation and the outcomes of its values to those of a variable.
Preimage = Callable[[Call, Partition], Partition]
# The parts of a formatted time.
_LETTERS = {
    "Y": "year",
    "m": "month",
    "d": "day",
    "H": "hour",
    "M": "minute",
    "S": "second",
    "L": "millisecond",
    "j": "day_of_year",
    "a": "day_of_week",
    "A": "day_of_week",
    "b": "month",
    "B": "month",
}
_ISO = "%Y-%m-%d"
# The formats that begin with a date, the day of which may be a constant.
_DATED = re.compile(r"%Y(-?)%m\1(?:%d|(?!29)[0-9]{2})")
_SUNDAY = datetime(2024, 9, 1, tzinfo=UTC)


def of_parts(test: Node, variable: Field, preimage: Preimage) -> Partition:
    """The outcomes of a test by those of its parts. Raises Opaque."""
    parts = list(dict.fromkeys(_parts(test, variable)))
    ranges = [_range(part) for part in parts]
    if not parts:
        raise Opaque
    alike = [{value: value for value in values} for values in ranges]
    if prod(map(len, ranges)) > _MOST:
        widest = max(range(len(parts)), key=lambda place: len(ranges[place]))
        alike[widest] = _alike(test, parts[widest], ranges[widest])
    chosen = [sorted(set(one.values())) for one in alike]
    if prod(map(len, chosen)) > _MOST:
        raise Opaque
    fields = [Field(BIGINT, FieldDecl(f"part{place}", BIGINT)) for place in range(len(parts))]
    own = test
    for part, field in zip(parts, fields, strict=True):
        own = substituted(own, part, field)
    if any(isinstance(part, LEAVES) and not isinstance(part, Literal | Field) for part in walk(own)):
        raise Opaque
    if variable in walk(own):
        raise Opaque
    run, names = compile_node(own), [field.decl.name for field in fields]
    outcome = {row: run(dict(zip(names, row, strict=True))) for row in combinations(*chosen)}
    absent = compile_node(test)({variable.decl.name: None})
    classes, known = _classes(chosen, outcome)
    found = [
        preimage(part, _stepped({value: of[one] for value, one in same.items()}))
        for part, same, of in zip(parts, alike, classes, strict=True)
    ]
    return product(found, lambda *labels: absent if _NULL in labels else known[labels])


def _parts(node: Node, variable: Field) -> Iterator[Call]:
    """The outermost parts of the variable."""
    if isinstance(node, Call) and (node.op in PERIODIC or node.op == "year") and variable in walk(node):
        yield node
        return
    for part in children(node):
        yield from _parts(part, variable)


def _range(part: Node) -> range:
    """The values that a part may have."""
    match part:
        case Call(op="mod", args=(_, Literal(value=int(by)))) if 0 < abs(by) <= _MOST_REMAINDERS:
            return range(1 - abs(by), abs(by))
        case Call(op=op) if (ends := OPS[op].range) is not None:
            return range(ends[0], ends[1] + 1)
        case _:
            raise Opaque


def _alike(test: Node, part: Call, values: range) -> dict[int, int]:
    """For each value of a part one with the same outcomes beside all values of the others: where the range
    of the calculation shows on which side of a constant it is. Raises Opaque for other tests.
    """
    match test:
        case Call(op=op, args=(inner, Literal(value=int(by)))) if op in COMPARISONS and not may_overflow(
            inner
        ):
            pass
        case _:
            raise Opaque
    first: dict[bool, int] = {}
    result = {}
    for value in values:
        least, greatest = integers(substituted(inner, part, Literal(BIGINT, value)))
        is_known = greatest < by or least > by
        result[value] = first.setdefault(least > by, value) if is_known else value
    return result


def _classes(
    ranges: Sequence[Sequence[int]], outcome: dict[tuple[int, ...], Label]
) -> tuple[list[dict[int, int]], dict[tuple[int, ...], Label]]:
    """The class of each value of each part, and the outcomes of combinations of classes."""
    classes: list[dict[int, int]] = []
    for place in range(len(ranges)):
        rows: dict[int, list[Label]] = {value: [] for value in ranges[place]}
        for row, label in outcome.items():
            rows[row[place]].append(label)
        numbers: dict[tuple[Label, ...], int] = {}
        own = {value: numbers.setdefault(tuple(labels), len(numbers)) for value, labels in rows.items()}
        classes.append(own)
        # From here on one value of each class stands for all.
        first = {number: value for value, number in reversed(own.items())}
        outcome = {
            (*row[:place], own[row[place]], *row[place + 1 :]): label
            for row, label in outcome.items()
            if first[own[row[place]]] == row[place]
        }
    return classes, outcome


def _stepped(labels: dict[int, Label]) -> Partition:
    """The partition of integers in which those in a range have labels."""
    values = domain(BIGINT)
    assert values is not None  # noqa: S101  # integers have an order
    (least, *others) = labels
    cells = line((values.least, *others), [labels[least], *(labels[value] for value in others)])
    if len(cells.starts) > _MOST_CHANGES:
        raise Opaque
    return partition(values, cells, _NULL, None, None)


# --- formatted times


def is_formatted(node: Node) -> bool:
    """Whether a node is a time or a date as a string."""
    return isinstance(node, Call) and (
        node.op == "format_time" or (node.op == "to_string" and node.args[0].type == DATE)
    )


def formatted(node: Call, wanted: Partition, preimage: Preimage) -> Partition:
    """The outcomes of a time by those of its string. Raises Opaque."""
    *form, inner = node.args
    pattern = str(form[0].value) if form and isinstance(form[0], Literal) else _ISO
    machine, dated = machine_of(wanted.cells), _DATED.match(pattern)
    try:
        return _by_pieces(pattern, inner, machine, wanted, preimage)
    except Opaque:
        if dated is None:
            raise
    # Each leap year may be a piece of its own. No time has the text of another 29 February.
    machine = tabulated(leap_days(machine, f"{dated[1]}02{dated[1]}29")).machine()
    return _by_pieces(pattern, inner, machine, wanted, preimage)


def _by_pieces(
    pattern: str, inner: Node, machine: Machine, wanted: Partition, preimage: Preimage
) -> Partition:
    """The automaton of the test reads the string part by part. Before a part it is in one of a few states;
    values of the part that lead from each of these to the same state are one class.
    """
    states: list[Any] = [machine.start]
    found: list[Partition] = []
    steps: list[str | dict[Any, int]] = []
    for letter, text in _with_texts(pattern):
        states = list(dict.fromkeys(states))
        steps.append({state: place for place, state in enumerate(states)} if letter else text)
        if not letter:
            states = [machine.after(state, text) for state in states]
            continue
        part = Call(BIGINT, _LETTERS[letter], (inner,))
        after = {
            value: tuple(machine.after(state, _shown(letter, value) + text) for state in states)
            for value in _range(part)
        }
        found.append(preimage(part, _stepped(after)))
        states = list({state for reached in after.values() for state in reached})
        if len(states) > _MOST_STATES:
            raise Opaque

    def label(*reached: Label) -> Label:
        if _NULL in reached:
            return wanted.others[0]
        state, left = machine.start, iter(reached)
        for step in steps:
            state = machine.after(state, step) if isinstance(step, str) else next(left)[step[state]]
        return machine.label(state)

    if not found:
        raise Opaque
    return product(found, label)


def _with_texts(pattern: str) -> Iterator[tuple[str, str]]:
    """The letters of a format, each with the text behind it: after that the automaton has fewer states."""
    found = pieces(pattern)
    for place, (letter, text) in enumerate(found):
        if letter and letter not in _LETTERS:
            raise Opaque
        behind = found[place + 1][1] if place + 1 < len(found) else ""
        if letter or not place:
            yield letter, behind if letter else text


def _shown(letter: str, value: int) -> str:
    """A part as it is in a formatted time."""
    if letter in DIGITS:
        return f"{value:0{DIGITS[letter]}}"
    day = _SUNDAY + timedelta(days=value) if letter in "aA" else _SUNDAY.replace(month=value)
    return shown(f"%{letter}", day)
