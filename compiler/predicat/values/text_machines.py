"""Machines of tests and functions of one string.

The machine of a function is built from the machine of a test of its result (`after`), and tests its argument.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from predicat.values.automaton import TOP, Label, Machine, Opaque, State, Table, constant, tabulated
from predicat.values.partition import Cycle, Partition

# States of a machine that is reversed, at most.
_MOST_REVERSED = 300
# States of a machine that is run from each of them, at most.
_MOST_PARALLEL = 100


def order(value: str) -> Machine:
    """The order of a string and a constant by code points: -1 before it, 0 equal, 1 after it. The state is
    the common prefix.
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
    """Whether a string is one of the given strings."""
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
    """Whether a string has one code point of each set in turn; None means any string."""
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
        # After a wildcard, earlier states do not matter: what they can still match can match from here.
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
    """The number of code points; `most` means this number or more."""
    return Machine(frozenset(), 0, lambda state, _code: min(state + 1, most), lambda state: state)


def first_code(starts: Iterable[int]) -> Machine:
    """The first code point, or the greatest of some numbers up to it; 0 of the empty string."""
    cuts = frozenset(start for start in starts if 0 < start < TOP)

    def step(state: int | None, code: int) -> int:
        return max([cut for cut in cuts if cut <= code], default=1) if state is None else state

    return Machine(cuts | {1}, None, step, lambda state: state or 0)


def counted(wanted: Partition, most: int) -> Machine:
    """The label of the number of code points. Where labels repeat, the counts do, too."""
    cells = wanted.line(repeats=True)
    start, last = max(cells.starts[-1], 0), cells.labels[-1]
    period = last.period if isinstance(last, Cycle) else 1
    if start + period > most:
        raise Opaque
    end = start + period
    return Machine(
        frozenset(), 0, lambda count, _code: count + 1 if count + 1 < end else count + 1 - period, wanted.of
    )


class Search:
    """The search for the occurrences of a string from left to right (Knuth, Morris, Pratt)."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.cuts = frozenset(edge for char in wanted for edge in (ord(char), ord(char) + 1))
        self.known: dict[tuple[int, int], int] = {}

    def step(self, held: int, code: int) -> int:
        """The number of matched characters after a code point; `held` is the number before it."""
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
    """The position, from 1, of the first occurrence of a string; 0 if there is none. `most` means any later
    position.
    """
    search = Search(wanted)
    size = len(wanted)
    if not size:
        return constant(1)

    def step(state: tuple[int, int, int], code: int) -> tuple[int, int, int]:
        read, held, result = state
        if result:
            return state
        held = search.step(held, code)
        read = min(read + 1, most + size)
        return (0, 0, min(max(read - size + 1, 1), most)) if held == size else (read, held, 0)

    return Machine(search.cuts, (0, 0, 0), step, lambda state: state[2])


def occurrences(wanted: str, most: int) -> Machine:
    """The number of occurrences of a string that `replace` finds; `most` means this number or more."""
    search, size = Search(wanted), len(wanted)

    def step(state: tuple[int, int], code: int) -> tuple[int, int]:
        count, held = state
        held = search.step(held, code)
        return (min(count + 1, most), 0) if held == size else state if count == most else (count, held)

    return Machine(search.cuts, (0, 0), step, lambda state: state[0])


# --- functions of a text


def mapped(after: Machine, change: Callable[[int], int], cuts: Iterable[int]) -> Machine:
    """The machine before a function that maps each code point.

    `cuts` are the code points at which the mapping changes; between them it adds a constant.
    """
    shifts = set()
    own = sorted({0, *cuts})
    for edge, end in zip(own, [*own[1:], TOP], strict=True):
        by = change(edge) - edge
        shifts |= {cut - by for cut in after.cuts if edge <= cut - by < end}
    return Machine(
        frozenset({*own, *shifts}),
        after.start,
        lambda state, code: after.step(state, change(code)),
        after.label,
    )


def stripped(after: Machine, chars: str, *, left: bool, right: bool) -> Machine:
    """The machine before a function that strips characters from the ends."""
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
    """The machine before a function that drops the first `count` characters."""

    def step(state: tuple[int, State], code: int) -> tuple[int, State]:
        read, behind = state
        return (read + 1, behind) if read < count else (count, after.step(behind, code))

    return Machine(after.cuts, (0, after.start), step, lambda state: after.label(state[1]))


def first(after: Machine, count: int) -> Machine:
    """The machine before a function that keeps the first `count` characters."""

    def step(state: tuple[int, State], code: int) -> tuple[int, State]:
        read, behind = state
        return (read + 1, after.step(behind, code)) if read < count else state

    return Machine(after.cuts, (0, after.start), step, lambda state: after.label(state[1]))


def reversed_text(after: Machine) -> Machine:
    """The machine before a function that reverses a string.

    The state has for each state of `after` the label that the reversed text leads to from there.
    """
    table = tabulated(after)
    if len(table.labels) > _MOST_REVERSED:
        raise Opaque
    columns, kinds, edges = table.columns, table.kinds, table.edges

    def step(state: tuple[Label, ...], code: int) -> tuple[Label, ...]:
        return tuple([state[target] for target in columns[kinds[bisect_right(edges, code) - 1]]])

    return Machine(frozenset(edges), tuple(table.labels), step, lambda state: state[0])


def last(after: Machine, count: int) -> Machine:
    """The machine before a function that keeps the last characters. Other characters are not read, which
    keeps the reversal small.
    """
    return reversed_text(first(reversed_text(first(after, count)), count))


def prefixed(after: Machine, text: str) -> Machine:
    """The machine before a function that adds a constant prefix."""
    return Machine(after.cuts, after.run(text), after.step, after.label)


def suffixed(after: Machine, text: str) -> Machine:
    """The machine before a function that adds a constant suffix."""
    return Machine(after.cuts, after.start, after.step, lambda state: after.label(after.after(state, text)))


def from_each(after: Machine) -> tuple[Machine, Machine]:
    """Two machines, which read two strings one behind the other. The label of the first is the state of
    `after`, those of the second are the labels behind its string from each state.
    """
    table = tabulated(after)
    if len(table.labels) > _MOST_PARALLEL:
        raise Opaque
    columns, kinds, edges = table.columns, table.kinds, table.edges

    def step(states: tuple[int, ...], code: int) -> tuple[int, ...]:
        column = columns[kinds[bisect_right(edges, code) - 1]]
        return tuple([column[state] for state in states])

    numbered = Table(edges, kinds, columns, list(range(len(table.labels)))).machine()
    return numbered, Machine(
        numbered.cuts,
        tuple(range(len(table.labels))),
        step,
        lambda states: tuple([table.labels[state] for state in states]),
    )


def replaced(after: Machine, old: str, new: str) -> Machine:
    """The machine before a function that replaces each occurrence of a non-empty string, from the left."""
    search, size = Search(old), len(old)

    def step(state: tuple[State, int], code: int) -> tuple[State, int]:
        behind, held = state
        now = search.step(held, code)
        if now == size:
            return after.after(behind, new), 0
        # The first held characters can no longer begin an occurrence.
        passed = old[:held] + chr(code)
        return after.after(behind, passed[: held + 1 - now]), now

    return Machine(
        after.cuts | search.cuts,
        (after.start, 0),
        step,
        lambda state: after.label(after.after(state[0], old[: state[1]])),
    )


def padded(after: Machine, size: int, by: str, *, left: bool) -> Machine:
    """The machine before a function that makes strings as long as a size: it cuts them, or adds characters of
    another string on a side. The state has the states behind each number of added characters.
    """
    pads = [(by * size)[:count] for count in range(size + 1)]
    starts = tuple([after.run(pad) for pad in pads]) if left else (after.start,)

    def step(state: tuple[int, tuple[State, ...]], code: int) -> tuple[int, tuple[State, ...]]:
        read, states = state
        if read == size:
            return state
        return read + 1, tuple([after.step(one, code) for one in states[: size - read]])

    def label(state: tuple[int, tuple[State, ...]]) -> Label:
        read, states = state
        missing = len(pads[size - read])
        return after.label(states[missing] if left else after.after(states[0], pads[missing]))

    return Machine(after.cuts, (0, starts), step, label)


def up_to(after: Machine, wanted: str, more: int, missing: Label) -> Machine:
    """The machine before a function that returns what is before the first occurrence of a string, and so many
    more characters; `missing` is the label without one.
    """
    search, size = Search(wanted), len(wanted)

    def step(state: tuple[State, int, int], code: int) -> tuple[State, int, int]:
        behind, held, left = state
        if held == size:
            return (after.step(behind, code), held, left - 1) if left else state
        now = search.step(held, code)
        if now == size:
            return after.after(behind, wanted[:more]), size, max(more - size, 0)
        return after.after(behind, (wanted[:held] + chr(code))[: held + 1 - now]), now, 0

    return Machine(
        after.cuts | search.cuts,
        (after.start, 0, 0),
        step,
        lambda state: after.label(state[0]) if state[1] == size else missing,
    )


def from_first(after: Machine, wanted: str, skipped: int, missing: Label) -> Machine:
    """The machine before a function that returns the text from the first occurrence of a string on, without
    some of its first characters; `missing` is the label without one.
    """
    search, size = Search(wanted), len(wanted)

    def step(state: tuple[State, int, int], code: int) -> tuple[State, int, int]:
        behind, held, left = state
        if held == size:
            return (behind, held, left - 1) if left else (after.step(behind, code), held, 0)
        now = search.step(held, code)
        if now == size:
            return after.after(behind, wanted[skipped:]), size, max(skipped - size, 0)
        return behind, now, 0

    return Machine(
        after.cuts | search.cuts,
        (after.start, 0, 0),
        step,
        lambda state: after.label(state[0]) if state[1] == size else missing,
    )


def leap_days(after: Machine, rest: str) -> Machine:
    """The machine before a function that reads 29 February of a year without it as the 28th. A text begins
    with the four digits of its year; `rest` is how the day is written behind them.

    The state has the number of characters read, and of the digits the remainder by 4, whether all were zero,
    and whether the century is a multiple of 4; None if what follows is read as it is.
    """
    chars = f"{rest}0123456789"
    cuts = after.cuts | {edge for char in chars for edge in (ord(char), ord(char) + 1)}

    def year(state: tuple[int, int, bool, bool], digit: int) -> tuple[int, int, bool, bool] | None:
        read, by_four, zero, century = state
        by_four, zero = (2 * by_four + digit) % 4, zero and digit == 0
        if not 0 <= digit <= 9 or (read == 3 and by_four == 0 and (century or not zero)):
            return None
        return (2, 0, True, by_four == 0) if read == 1 else (read + 1, by_four, zero, century)

    def step(state: tuple[Any, State], code: int) -> tuple[Any, State]:
        known, behind = state
        if known is None or known[0] < 4:
            return known and year(known, code - 48), after.step(behind, code)
        left = rest[known[0] - 4 :]
        is_here = chr(code) == left[0]
        if is_here and len(left) == 1:
            code -= 1
        following = (known[0] + 1, 0, True, False) if is_here and len(left) > 1 else None
        return following, after.step(behind, code)

    return Machine(cuts, ((0, 0, True, False), after.start), step, lambda state: after.label(state[1]))


def between_each(after: Machine, new: str) -> Machine:
    """The machine before a function that inserts a string before, between and after the characters."""
    return Machine(
        after.cuts, after.run(new), lambda state, code: after.after(after.step(state, code), new), after.label
    )


def part_of_split(after: Machine, by: str, number: int, most: int, missing: Label) -> Machine:
    """The machine before a function that returns one part of a split string.

    Args:
        after: The machine of the part.
        by: The separator.
        number: The number of the part, from 0.
        most: The largest number of parts, of which the last has the rest of the string; 0 for any number.
        missing: The label if there are too few parts.
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


def part_from_end(after: Machine, by: str, number: int, missing: Label) -> Machine:
    """The machine before a function that returns one part of a split string; 1 is the last part.

    The state has the states behind the last parts, and of the separator what is read.
    """
    search, size = Search(by), len(by)

    def step(state: tuple[int, tuple[State, ...]], code: int) -> tuple[int, tuple[State, ...]]:
        held, (*before, behind) = state
        now = search.step(held, code)
        if now == size:
            return 0, (*before, behind, after.start)[-number:]
        return now, (*before, after.after(behind, (by[:held] + chr(code))[: held + 1 - now]))

    def label(state: tuple[int, tuple[State, ...]]) -> Label:
        held, parts = state
        if len(parts) < number:
            return missing
        return after.label(after.after(parts[0], by[:held]) if number == 1 else parts[0])

    return Machine(after.cuts | search.cuts, (0, (after.start,)), step, label)


def split_parts(by: str, most: int, wanted: int) -> Machine:
    """The number of parts of a split string; `wanted` means this number or more."""
    search, size = Search(by), len(by)

    def step(state: tuple[int, int], code: int) -> tuple[int, int]:
        parts, held = state
        if parts >= wanted or (most and parts >= most):
            return parts, 0
        held = search.step(held, code)
        return (parts + 1, 0) if held == size else (parts, held)

    return Machine(search.cuts, (1, 0), step, lambda state: min(state[0], wanted))


def any_part(body: Machine, by: str, most: int, kind: str) -> Machine:
    """Whether a test is TRUE for any, or for all, of the parts of a split string."""
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
