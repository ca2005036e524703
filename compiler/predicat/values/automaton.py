"""Automata over strings whose states have labels: the exact classes of strings that a test distinguishes.

A machine reads the code points of a string and ends in a state with a label: the outcome of a test, or the
order of the string and a constant. String functions (`lower`, `trim`, `replace`, ...) turn a machine over
their result into one over their argument, so that no solver has to invert them. Source: Hopcroft, Motwani,
Ullman, chapters 2 to 4 (homomorphisms, reversal, minimization).
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from msgspec import Struct

from predicat.semantics.automaton import minimal

Label = Any
State = Hashable
MOST_STATES = 3_000
# States and transitions of one machine; beyond them a question goes to the solver.
MOST_MOVES = 40_000
# Transitions of several machines side by side.
_MOST_TOGETHER = 80_000
_MINIMIZED = 2_000
_SURROGATES = range(0xD800, 0xE000)
# The number behind the last code point.
TOP = 0x110000
# The characters that a shown text has if it can.
_NICE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,:/@"


class Opaque(Exception):
    """No finite set of cases is known to be complete, or it is too large."""


class Machine(Struct, frozen=True):
    """An automaton.

    Code points between two `cuts` lead to the same state; `label` is the label of the strings that end in a
    state.
    """

    cuts: frozenset[int]
    start: State
    step: Callable[[Any, int], State]
    label: Callable[[Any], Label]

    def run(self, text: str) -> State:
        """The state after a string."""
        return self.after(self.start, text)

    def after(self, state: State, text: str) -> State:
        """The state after a string that is read from a given state."""
        for char in text:
            state = self.step(state, ord(char))
        return state


class Table(Struct, frozen=True):
    """A machine with numbered states.

    `columns[n]` has the targets of the n-th kind of code point, `kinds` the kind of each range of `edges`.
    """

    edges: list[int]
    kinds: list[int]
    columns: list[list[int]]
    labels: list[Label]

    def machine(self) -> Machine:
        """The table as a machine with numbers as states."""
        edges, kinds, columns, labels = self.edges, self.kinds, self.columns, self.labels
        return Machine(
            frozenset(edges),
            0,
            lambda state, code: columns[kinds[bisect_right(edges, code) - 1]][state],
            labels.__getitem__,
        )


def constant(label: Label) -> Machine:
    """A machine with the same label for every string."""
    return Machine(frozenset(), 0, lambda state, _code: state, lambda _state: label)


def tabulated(machine: Machine) -> Table:
    """The minimal machine as a table. Raises Opaque if it has too many states."""
    edges = sorted({0, *(cut for cut in machine.cuts if 0 < cut < TOP)})
    numbers: dict[State, int] = {machine.start: 0}
    order = [machine.start]
    moves: list[list[int]] = []
    for state in order:
        targets = []
        for edge in edges:
            target = machine.step(state, edge)
            number = numbers.get(target)
            if number is None:
                number = numbers[target] = len(order)
                order.append(target)
            targets.append(number)
        moves.append(targets)
        if len(order) > MOST_STATES or len(order) * len(edges) > MOST_MOVES:
            raise Opaque
    labels = [machine.label(state) for state in order]
    return _table(edges, *(minimal(moves, labels) if len(moves) <= _MINIMIZED else (moves, labels)))


def _table(edges: list[int], moves: list[list[int]], labels: list[Label]) -> Table:
    numbers: dict[tuple[int, ...], int] = {}
    kept: list[int] = []
    kinds: list[int] = []
    for edge, column in zip(edges, zip(*moves, strict=True), strict=True):
        kind = numbers.setdefault(column, len(numbers))
        if not kinds or kinds[-1] != kind:
            kept.append(edge)
            kinds.append(kind)
    return Table(kept, kinds, [list(column) for column in numbers], labels)


def product(machines: Sequence[Machine], label: Callable[..., Label]) -> Machine:
    """The product of machines; `label` combines their labels."""
    if len(machines) == 1:
        (only,) = machines
        return Machine(only.cuts, only.start, only.step, lambda state: label(only.label(state)))
    cuts = frozenset[int]().union(*(machine.cuts for machine in machines))
    steps = [machine.step for machine in machines]
    labels = [machine.label for machine in machines]
    return Machine(
        cuts,
        tuple(machine.start for machine in machines),
        lambda state, code: tuple([step(part, code) for step, part in zip(steps, state, strict=True)]),
        lambda state: label(*[own(part) for own, part in zip(labels, state, strict=True)]),
    )


def relabelled(machine: Machine, change: Callable[[Label], Label]) -> Machine:
    """The machine with each label changed."""
    return product([machine], change)


def shortest_texts(tables: Sequence[Table]) -> dict[tuple[Label, ...], str]:
    """The combinations of labels that a string can have, each with a shortest such string.

    Raises Opaque if there are too many.
    """
    classes = _classes(tables) if tables else []
    start: tuple[int, ...] = (0,) * len(tables)
    seen: dict[tuple[int, ...], str] = {start: ""}
    order: list[tuple[int, ...]] = [start]
    result: dict[tuple[Label, ...], str] = {}
    for state in order:
        result.setdefault(
            tuple([table.labels[part] for table, part in zip(tables, state, strict=True)]), seen[state]
        )
        for char, columns in classes:
            target = tuple([column[part] for column, part in zip(columns, state, strict=True)])
            if target not in seen:
                seen[target] = seen[state] + char
                order.append(target)
        if len(order) * len(classes) > _MOST_TOGETHER:
            raise Opaque
    return result


def _classes(tables: Sequence[Table]) -> list[tuple[str, list[list[int]]]]:
    """Classes of code points that the machines do not distinguish: one code point of each class, and the next
    state in each machine.
    """
    edges = sorted({edge for table in tables for edge in table.edges})
    chars: dict[tuple[int, ...], str] = {}
    for edge, end in zip(edges, [*edges[1:], TOP], strict=True):
        key = tuple([table.kinds[bisect_right(table.edges, edge) - 1] for table in tables])
        char = _nice(edge, end)
        if char is not None and (key not in chars or _rank(char) < _rank(chars[key])):
            chars[key] = char
    ranked = sorted(chars.items(), key=lambda item: _rank(item[1]))
    return [
        (char, [table.columns[kind] for table, kind in zip(tables, key, strict=True)]) for key, char in ranked
    ]


def _rank(char: str) -> int:
    place = _NICE.find(char)
    return place if place >= 0 else 100 + ord(char) if char.isprintable() else 0x200000 + ord(char)


def _nice(low: int, end: int) -> str | None:
    """A readable code point of a range; None if it has only surrogates."""
    result = next((char for char in _NICE if low <= ord(char) < end), None)
    if result is not None:
        return result
    if low in _SURROGATES:
        low = _SURROGATES.stop
    if low >= end:
        return None
    return next((chr(code) for code in range(low, min(end, low + 200)) if chr(code).isprintable()), chr(low))
