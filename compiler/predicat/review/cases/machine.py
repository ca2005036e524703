"""Automata over texts whose states carry a label: which texts a test of a text tells apart, exactly.

A machine reads the code points of a text and ends in a state with a label: the outcome of a test, or the
order of the text beside a constant. Functions of texts (`lower`, `trim`, `replace`, ...) turn a machine over
their result into one over their argument, so that no solver has to invert them. Source: Hopcroft, Motwani,
Ullman, chapters 2 to 4 (homomorphisms, reversal, minimization).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from msgspec import Struct

Label = Any
State = Hashable
MOST_STATES = 3_000
MOST_MOVES = 40_000
"""States and transitions of one machine; beyond them a question goes to the solver."""
_MOST_TOGETHER = 80_000
"""Transitions of several machines side by side."""
_MOST_REVERSED = 300
_MINIMIZED = 2_000
_SURROGATES = range(0xD800, 0xE000)
_TOP = 0x110000
_NICE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,:/@"
"""The characters that a shown text has if it can."""


class NotCases(Exception):
    """There is no finite set of cases that is known to be complete, or it is too large."""


class Machine(Struct, frozen=True):
    """An automaton.

    Code points between two `cuts` lead to the same state; `label` is what a text means that ends in a state.
    """

    cuts: frozenset[int]
    start: State
    step: Callable[[Any, int], State]
    label: Callable[[Any], Label]

    def run(self, text: str) -> State:
        """The state after reading a text from a state on."""
        return self.after(self.start, text)

    def after(self, state: State, text: str) -> State:
        """The state behind a text that is read from a state on."""
        for char in text:
            state = self.step(state, ord(char))
        return state


class Table(Struct, frozen=True):
    """A machine with numbered states.

    `columns[n]` are the targets of the n-th kind of code point, `kinds` that of each piece from `edges`.
    """

    edges: list[int]
    kinds: list[int]
    columns: list[list[int]]
    labels: list[Label]

    def machine(self) -> Machine:
        """The same as a machine whose states are numbers."""
        edges, kinds, columns, labels = self.edges, self.kinds, self.columns, self.labels
        return Machine(
            frozenset(edges),
            0,
            lambda state, code: columns[kinds[bisect_right(edges, code) - 1]][state],
            labels.__getitem__,
        )


def constant(label: Label) -> Machine:
    """A machine that says the same of every text."""
    return Machine(frozenset(), 0, lambda state, _code: state, lambda _state: label)


def tabulated(machine: Machine) -> Table:
    """The machine with as few states as it needs. Raises NotCases where it has too many."""
    edges = sorted({0, *(cut for cut in machine.cuts if 0 < cut < _TOP)})
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
            raise NotCases
    return _table(edges, *_minimal(moves, [machine.label(state) for state in order]))


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


def _minimal(moves: list[list[int]], labels: list[Label]) -> tuple[list[list[int]], list[Label]]:
    """A minimal automaton (Moore's algorithm); the first state stays the first."""
    if len(moves) > _MINIMIZED:
        return moves, labels
    known: dict[Label, int] = {}
    block = [known.setdefault(label, len(known)) for label in labels]
    count = len(known)
    while True:
        numbers: dict[tuple[int, ...], int] = {}
        finer = [
            numbers.setdefault((own, *map(block.__getitem__, row)), len(numbers))
            for own, row in zip(block, moves, strict=True)
        ]
        block = finer
        if len(numbers) == count:
            break
        count = len(numbers)
    first = [-1] * count
    for place in range(len(moves) - 1, -1, -1):
        first[block[place]] = place
    return [[block[target] for target in moves[place]] for place in first], [labels[place] for place in first]


def product(machines: Sequence[Machine], label: Callable[..., Label]) -> Machine:
    """Machines side by side; `label` takes the label of each."""
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
    """The combinations of labels that some text has, each with a shortest one.

    Raises NotCases where there are too many to look at.
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
            raise NotCases
    return result


def _classes(tables: Sequence[Table]) -> list[tuple[str, list[list[int]]]]:
    """Classes of code points that the machines do not distinguish: one code point of each, and its next state
    in each machine.
    """
    edges = sorted({edge for table in tables for edge in table.edges})
    chars: dict[tuple[int, ...], str] = {}
    for edge, end in zip(edges, [*edges[1:], _TOP], strict=True):
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
    """A code point of a range, the likelier the better; None where there are only surrogates."""
    result = next((char for char in _NICE if low <= ord(char) < end), None)
    if result is not None:
        return result
    if low in _SURROGATES:
        low = _SURROGATES.stop
    if low >= end:
        return None
    return next((chr(code) for code in range(low, min(end, low + 200)) if chr(code).isprintable()), chr(low))


# --- tests of a text


def order(value: str) -> Machine:
    """The order of a text and a constant by code points: -1 before it, 0 equal, 1 after it. The state is the
    common prefix.
    """
    codes = [ord(char) for char in value]
    size = len(codes)

    def step(state: int, code: int) -> int:
        if not 0 <= state <= size:
            return state
        if state == size or code > codes[state]:
            return size + 1
        return state + 1 if code == codes[state] else -1

    cuts = frozenset(edge for code in codes for edge in (code, code + 1))
    return Machine(cuts, 0, step, lambda state: -1 if state < size else int(state > size))


def one_of(values: Iterable[str]) -> Machine:
    """Whether a text is one of some."""
    wanted = frozenset(values)
    prefixes = {value[:end] for value in wanted for end in range(len(value) + 1)}
    cuts = frozenset(edge for value in wanted for char in value for edge in (ord(char), ord(char) + 1))

    def step(state: str | None, code: int) -> str | None:
        if state is None:
            return None
        longer = state + chr(code)
        return longer if longer in prefixes else None

    return Machine(cuts, "" if "" in prefixes else None, step, lambda state: state in wanted)


Ranges = tuple[tuple[int, int], ...]


def sequence(parts: Sequence[Ranges | None]) -> Machine:
    """Whether a text has one code point of each set in turn; None means any text."""
    last = len(parts)
    cuts = frozenset(edge for part in parts if part for low, high in part for edge in (low, high + 1))

    def closed(places: Iterable[int]) -> tuple[int, ...]:
        result: set[int] = set()
        for place in places:
            at = place
            while at < last and parts[at] is None:
                result.add(at)
                at += 1
            result.add(at)
        loops = [at for at in result if at < last and parts[at] is None]
        # Behind a wildcard nothing before it counts: what can still match from there can match from here.
        least = max(loops, default=-1)
        return tuple(sorted(at for at in result if at >= least))

    def step(state: tuple[int, ...], code: int) -> tuple[int, ...]:
        after: list[int] = []
        for at in state:
            part = parts[at] if at < last else ()
            if part is None:
                after.append(at)
            elif any(low <= code <= high for low, high in part):
                after.append(at + 1)
        return closed(after)

    return Machine(cuts, closed([0]), step, lambda state: last in state)


def length(most: int) -> Machine:
    """The number of code points, `most` standing for all from there on."""
    return Machine(frozenset(), 0, lambda state, _code: min(state + 1, most), lambda state: state)


class Search:
    """The search for the occurrences of a text from left to right (Knuth, Morris, Pratt)."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.cuts = frozenset(edge for char in wanted for edge in (ord(char), ord(char) + 1))
        self.known: dict[tuple[int, int], int] = {}

    def step(self, held: int, code: int) -> int:
        """How many characters of the text are matched after a code point, `held` before it."""
        result = self.known.get((held, code))
        if result is None:
            read = self.wanted[:held] + chr(code)
            result = next(
                size
                for size in range(min(len(read), len(self.wanted)), -1, -1)
                if read.endswith(self.wanted[:size])
            )
            self.known[held, code] = result
        return result


def position(wanted: str, most: int) -> Machine:
    """The position, from 1, of the first occurrence of a text; 0 if there is none. `most` means any later
    position.
    """
    search = Search(wanted)
    size = len(wanted)
    if not size:
        return constant(1)

    def step(state: tuple[int, int, int], code: int) -> tuple[int, int, int]:
        read, held, found = state
        if found:
            return state
        held = search.step(held, code)
        read = min(read + 1, most + size)
        return (0, 0, min(max(read - size + 1, 1), most)) if held == size else (read, held, 0)

    return Machine(search.cuts, (0, 0, 0), step, lambda state: state[2])


# --- functions of a text


def mapped(after: Machine, change: Callable[[int], int], cuts: Iterable[int]) -> Machine:
    """Before a function that changes each code point.

    `cuts` are where it changes its rule; between them it adds a constant.
    """
    shifts = set()
    own = sorted({0, *cuts})
    for edge, end in zip(own, [*own[1:], _TOP], strict=True):
        by = change(edge) - edge
        shifts |= {cut - by for cut in after.cuts if edge <= cut - by < end}
    return Machine(
        frozenset({*own, *shifts}),
        after.start,
        lambda state, code: after.step(state, change(code)),
        after.label,
    )


def stripped(after: Machine, chars: str, *, left: bool, right: bool) -> Machine:
    """The machine over the argument of a function that takes one of the parts of a text between occurrences
    of another text.

    `missing` is the label if there are too few parts. `most` is the largest number of parts, the last with
    the rest of the text; 0 means any number.
    """
    codes = frozenset(map(ord, chars))
    cuts = after.cuts | {edge for code in codes for edge in (code, code + 1)}

    def step(state: tuple[State, State, bool], code: int) -> tuple[State, State, bool]:
        kept, held, begun = state
        if code in codes:
            if left and not begun:
                return state
            behind = after.step(held, code)
            return (kept if right else behind, behind, begun)
        behind = after.step(held, code)
        return (behind, behind, True)

    return Machine(
        frozenset(cuts), (after.start, after.start, not left), step, lambda state: after.label(state[0])
    )


def without_first(after: Machine, count: int) -> Machine:
    """Before a function that leaves out the first characters."""

    def step(state: tuple[int, State], code: int) -> tuple[int, State]:
        read, behind = state
        return (read + 1, behind) if read < count else (count, after.step(behind, code))

    return Machine(after.cuts, (0, after.start), step, lambda state: after.label(state[1]))


def first(after: Machine, count: int) -> Machine:
    """The machine over the argument of a function that keeps the first characters."""

    def step(state: tuple[int, State], code: int) -> tuple[int, State]:
        read, behind = state
        return (read + 1, after.step(behind, code)) if read < count else state

    return Machine(after.cuts, (0, after.start), step, lambda state: after.label(state[1]))


def reversed_text(after: Machine) -> Machine:
    """Before a function that reverses a text.

    The state says what the rest of the text would be from each state.
    """
    table = tabulated(after)
    if len(table.labels) > _MOST_REVERSED:
        raise NotCases
    columns, kinds, edges = table.columns, table.kinds, table.edges

    def step(state: tuple[Label, ...], code: int) -> tuple[Label, ...]:
        return tuple([state[target] for target in columns[kinds[bisect_right(edges, code) - 1]]])

    return Machine(frozenset(edges), tuple(table.labels), step, lambda state: state[0])


def last(after: Machine, count: int) -> Machine:
    """The machine over the argument of a function that keeps the last characters. Characters before them are
    not read, which keeps the reversal small.
    """
    return reversed_text(first(reversed_text(first(after, count)), count))


def prefixed(after: Machine, text: str) -> Machine:
    """Before a function that puts a constant in front."""
    return Machine(after.cuts, after.run(text), after.step, after.label)


def suffixed(after: Machine, text: str) -> Machine:
    """Before a function that puts a constant behind."""
    return Machine(after.cuts, after.start, after.step, lambda state: after.label(after.after(state, text)))


def replaced(after: Machine, old: str, new: str) -> Machine:
    """The machine over the argument of a function that replaces each occurrence of a text, which is not
    empty, from the left.
    """
    search, size = Search(old), len(old)

    def step(state: tuple[State, int], code: int) -> tuple[State, int]:
        behind, held = state
        now = search.step(held, code)
        if now == size:
            return after.after(behind, new), 0
        # The first characters of what was held no longer begin an occurrence.
        passed = old[:held] + chr(code)
        return after.after(behind, passed[: held + 1 - now]), now

    return Machine(
        after.cuts | search.cuts,
        (after.start, 0),
        step,
        lambda state: after.label(after.after(state[0], old[: state[1]])),
    )


def between_each(after: Machine, new: str) -> Machine:
    """Before a function that puts a text before, between and behind the characters."""
    return Machine(
        after.cuts, after.run(new), lambda state, code: after.after(after.step(state, code), new), after.label
    )


def part_of_split(after: Machine, by: str, number: int, most: int, missing: Label) -> Machine:
    """Before a function that takes a text between the occurrences of another.

    `missing` is the label where there are too few. `most`: at most so many parts, the last with all the rest;
    0 for any number.
    """
    search, size = Search(by), len(by)

    def step(state: tuple[int, int, State], code: int) -> tuple[int, int, State]:
        place, held, behind = state
        if place > number:
            return state
        if most and place >= most - 1:  # the last part: it has all the rest
            return place, 0, after.step(behind, code) if place == number else behind
        now = search.step(held, code)
        if now == size:
            return place + 1, 0, behind
        if place == number:
            behind = after.after(behind, (by[:held] + chr(code))[: held + 1 - now])
        return place, now, behind

    def label(state: tuple[int, int, State]) -> Label:
        place, held, behind = state
        if place < number:
            return missing
        return after.label(after.after(behind, by[:held]) if place == number else behind)

    return Machine(after.cuts | search.cuts, (0, 0, after.start), step, label)


def split_parts(by: str, most: int, wanted: int) -> Machine:
    """The number of parts of a text between the occurrences of another; `wanted` means this number or
    more.
    """
    search, size = Search(by), len(by)

    def step(state: tuple[int, int], code: int) -> tuple[int, int]:
        parts, held = state
        if parts >= wanted or (most and parts >= most):
            return parts, 0
        held = search.step(held, code)
        return (parts + 1, 0) if held == size else (parts, held)

    return Machine(search.cuts, (1, 0), step, lambda state: min(state[0], wanted))


def any_part(body: Machine, by: str, most: int, kind: str) -> Machine:
    """Whether a test holds for any, or for all, of the parts between the occurrences of a text."""
    search, size = Search(by), len(by)
    absorbing = kind == "any"

    def closed(behind: State, unknown: bool) -> tuple[bool, bool]:
        label = body.label(behind)
        return label is absorbing, unknown or label is None

    def step(state: tuple[int, int, State, bool] | None, code: int) -> tuple[int, int, State, bool] | None:
        if state is None:
            return None
        parts, held, behind, unknown = state
        if most and parts >= most:
            return parts, 0, body.step(behind, code), unknown
        now = search.step(held, code)
        if now == size:
            decided, unknown = closed(behind, unknown)
            return None if decided else (parts + 1 if most else 1, 0, body.start, unknown)
        return parts, now, body.after(behind, (by[:held] + chr(code))[: held + 1 - now]), unknown

    def label(state: tuple[int, int, State, bool] | None) -> Label:
        if state is None:
            return absorbing
        decided, unknown = closed(body.after(state[2], by[: state[1]]), state[3])
        return absorbing if decided else None if unknown else not absorbing

    return Machine(body.cuts | search.cuts, (1, 0, body.start, False), step, label)
