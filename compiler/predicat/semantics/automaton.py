"""Finite automata of patterns: which patterns Java and Python can search for safely, and matching in linear
time for the others.

Both engines backtrack. For a repeated group such as `([a-z]+,)*` Java recurses once per iteration: a string
of a few thousand iterations overflows its stack, which ends the process of a Spark executor. And both may try
every way to split a string into iterations. A possessive repetition never backtracks, so it runs in a loop.
It matches the same strings if the next character decides where an iteration ends, and if the rest of the
pattern cannot match where another iteration can. This is decided here, on automata. The other patterns get
a deterministic automaton.

Source: Thompson's construction and the subset construction (Aho, Sethi, Ullman, 3.7).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, assert_never

from msgspec import Struct

from predicat.semantics import regex
from predicat.semantics.regex import Alt, Assert, Chars, Possessive, Ranges, Regex, Repeat, Seq

# Transitions to look at before a repetition counts as unsafe, and of an automaton that are remembered.
_MOST_MOVES = 3_000
# What a character is to assertions, and that there is none.
_NEWLINE, _WORD, _OTHER, _EDGE = range(4)
_ENDLESS = 3
# So many are tried in time: `.*a.*a.*a.*b` takes time with the fourth power of a text's length, and
# `(a?){30}a{30}` has 2^30 ways to match.
_MOST_WAYS = 8
States = frozenset[int]


@lru_cache(maxsize=4096)
def backtracking_safe(pattern: str) -> Regex | None:
    """An RE2 pattern for backtracking engines; None if it may overflow their stack, or match other strings
    there. Raises RegexError.
    """
    node = regex.parse(pattern)
    result = _possessive(_trim_edges(node)) if any(map(_is_loop, regex.walk(node))) else node
    return None if result is None or any(map(_has_empty_rounds, regex.walk(result))) else result


@lru_cache(maxsize=256)
def searcher(pattern: str) -> Callable[[str], bool]:
    """A function that tests whether an RE2 pattern matches a part of a string. Raises RegexError."""
    node = backtracking_safe(pattern)
    if node is None or _backtracking_degree(node) > _MOST_WAYS:
        return Automaton(pattern).search
    search = regex.compiled(node).search
    return lambda text: search(text) is not None


@lru_cache(maxsize=256)
def table(pattern: str, most: int) -> Table | None:
    """The minimal deterministic automaton of an RE2 pattern; None if it has more than `most` states. Raises
    RegexError.
    """
    return Automaton(pattern).table(most)


def _is_loop(node: Regex) -> bool:
    """Whether a group is repeated without an upper limit."""
    return isinstance(node, Repeat) and node.high is None and not isinstance(node.part, Chars)


def _has_empty_rounds(node: Regex) -> bool:
    r"""Whether an iteration may be empty and have an assertion, as in `(\b.?){2}`: Java stops after an empty
    iteration.
    """
    return (
        isinstance(node, Repeat)
        and node.high != 1
        and regex.may_be_empty(node.part)
        and regex.asserts(node.part)
    )


def _backtracking_degree(node: Regex) -> int:
    """The number of repetitions that can match in several ways; an unlimited one counts for three."""
    match node:
        case Seq(parts) | Alt(parts):
            return sum(map(_backtracking_degree, parts))
        case Repeat(part, low, high):
            own = _ENDLESS if high is None else int(low != high)
            return own + _backtracking_degree(part) * (1 if high is None else high)
        case _:
            return 0


def _possessive(node: Regex) -> Regex | None:
    """The pattern with possessive loops; None if that would change what it matches."""
    nfa = _Nfa(node)
    kept = {number: nfa.kept(loops) for number, loops in nfa.loops.items()}

    def marked(part: Regex) -> Regex:
        result = regex.map_children(part, marked)
        return (
            Repeat(result.part, result.low, result.high, kept.get(id(part)))
            if isinstance(result, Repeat)
            else result
        )

    return None if None in kept.values() else marked(node)


# --- fewer repetitions


def _trim_edges(node: Regex) -> Regex:
    """A pattern that is found in the same strings, without needless iterations at either end."""
    return _cut(_cut(_merged(node), 0), -1)


def _cut(node: Regex, end: int) -> Regex:
    """The pattern without optional iterations at one end. It matches a part of each former match."""
    match node:
        case Alt(parts):
            return Alt(tuple(_cut(part, end) for part in parts))
        case Seq(parts) if parts:
            rest = parts[1:] if end == 0 else parts[:-1]
            cut = _cut(parts[end], end)
            if cut == Seq(()):
                return _cut(Seq(rest), end)
            return Seq((cut, *rest) if end == 0 else (*rest, cut))
        case Repeat(_, 0):
            return Seq(())
        case Repeat(part, 1):
            return _cut(part, end)
        case Repeat(part, low):
            return Repeat(part, low, low)
        case _:
            return node


def _merged(node: Regex) -> Regex:
    """The pattern with a class for alternatives of single characters, and one repetition for nested ones if
    both match the same.
    """
    match regex.map_children(node, _merged):
        case Seq((part,)):
            return part
        case Alt(parts) if all(isinstance(part, Chars) for part in parts):
            return Chars(
                regex.normalize([span for part in parts if isinstance(part, Chars) for span in part.ranges])
            )
        case Repeat(Repeat(part, inner, None | 1), low, None) if max(low, inner) <= 1:
            return Repeat(part, min(low, inner), None)
        case found:
            return found


# --- automata


class _Loop(Struct, frozen=True):
    """A group that is repeated without limit: its states between iterations, at the start and the end of one,
    and after the last one.
    """

    middle: int
    start: int
    end: int
    exit: int


class _Nfa:
    """Thompson's automaton: state 0 is the start, `last` accepts. Its alphabet is classes of characters that
    the pattern does not distinguish.
    """

    def __init__(self, node: Regex) -> None:
        asserts = regex.asserts(node, "line_start", "line_end", "word", "not_word")
        kinds = (regex.NEWLINE, regex.WORD) if asserts else ()
        sets = list(dict.fromkeys(part.ranges for part in regex.walk(node) if isinstance(part, Chars)))
        cuts = {
            0,
            *(
                edge
                for ranges in (*sets, *kinds)
                for low, high in ranges
                for edge in (low, high + 1)
                if edge <= regex.TOP
            ),
        }
        # Where the pieces of the code points begin; each has a class.
        self.edges = sorted(cuts)
        within = [_within(ranges) for ranges in (*sets, *kinds)]
        keys = [tuple(has(edge) for has in within) for edge in self.edges]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self.classes = [numbers[key] for key in keys]
        self.count = len(numbers)
        self.kinds = [
            (_NEWLINE if key[-2] else _WORD if key[-1] else _OTHER) if asserts else _OTHER for key in numbers
        ]
        self.masks = {
            ranges: sum(1 << number for key, number in numbers.items() if key[place])
            for place, ranges in enumerate(sets)
        }
        self.steps: list[tuple[int, int] | None] = []
        self.empty: list[list[tuple[str, int]]] = []
        # The loops by the identity of their node: one for each time that a repetition around it says it
        # again.
        self.loops: dict[int, list[_Loop]] = {}
        self.last = self.build(node, self.state())

    def state(self) -> int:
        self.steps.append(None)
        self.empty.append([])
        return len(self.steps) - 1

    def build(self, node: Regex, at: int) -> int:
        """Add the states of a node after a state, and return the last one."""
        match node:
            case Chars(ranges):
                end = self.state()
                self.steps[at] = (self.masks[ranges], end)
                return end
            case Assert(kind):
                return self.linked(at, kind)
            case Seq(parts):
                for part in parts:
                    at = self.build(part, at)
                return at
            case Alt(parts):
                ends = [self.build(part, self.linked(at)) for part in parts]
                out = self.state()
                for end in ends:
                    self.empty[end].append(("", out))
                return out
            case Repeat(part, low, high):
                for _ in range(low):
                    at = self.build(part, at)
                return self.endless(node, at) if high is None else self.optional(part, at, high - low)
            case _:
                assert_never(node)

    def linked(self, at: int, kind: str = "") -> int:
        end = self.state()
        self.empty[at].append((kind, end))
        return end

    def endless(self, node: Repeat, at: int) -> int:
        middle = self.linked(at)
        start, out = self.linked(middle), self.linked(middle)
        end = self.build(node.part, start)
        self.empty[end].append(("", middle))
        if not isinstance(node.part, Chars):
            self.loops.setdefault(id(node), []).append(_Loop(middle, start, end, out))
        return out

    def optional(self, part: Regex, at: int, times: int) -> int:
        skips = [at]
        for _ in range(times):
            at = self.build(part, self.linked(at))
            skips.append(at)
        out = self.state()
        for skip in skips:
            self.empty[skip].append(("", out))
        return out

    def closure(self, states: Iterable[int], holds: Callable[[str], bool], stop: int | None = None) -> States:
        """The states reached without a character, through assertions that hold, but not beyond `stop`."""
        result = set(states)
        left = list(result)
        while left:
            state = left.pop()
            for kind, target in self.empty[state] if state != stop else ():
                if target not in result and (not kind or holds(kind)):
                    result.add(target)
                    left.append(target)
        return frozenset(result)

    def step(self, states: Iterable[int], number: int) -> States:
        return frozenset(
            step[1] for state in states if (step := self.steps[state]) is not None and step[0] >> number & 1
        )

    # --- repetitions that give nothing back

    def kept(self, loops: Sequence[_Loop]) -> Possessive | None:
        """The lookahead after each iteration with which a possessive loop is equivalent; None without one."""
        if all(self.is_unambiguous(loop, -1) for loop in loops):
            return Possessive()
        following = [self.rest([loop.middle]) for loop in loops]
        mask = 0
        for state in (state for states in following for state in states):
            mask |= step[0] if (step := self.steps[state]) is not None else 0
        if not all(self.is_unambiguous(loop, mask) for loop in loops):
            return None
        ranges = regex.normalize(
            [span for number, spans in enumerate(self.ranges()) if mask >> number & 1 for span in spans]
        )
        ends = any(self.last in self.closure([loop.middle], _always) for loop in loops)
        return Possessive(ranges, ends)

    def is_unambiguous(self, loop: _Loop, mask: int) -> bool:
        """Whether an iteration of a loop can end at one place only, if one of these characters follows, and
        the rest of the pattern does not match where another iteration is possible.

        All assertions are assumed to hold, which can only make more loops unsafe. There is no iteration after
        the end of the string.
        """
        first, last = self.closure([loop.start], _always, loop.end), self.rest([loop.exit])
        if loop.end in first or self.last in last:
            return False
        seen: set[tuple[States, States]] = set()
        left = [(first, last)]
        while left and len(seen) * self.count < _MOST_MOVES:
            inside, rest = pair = left.pop()
            if pair in seen:
                continue
            seen.add(pair)
            for number in range(self.count):
                after = self.closure(self.step(inside, number), _always, loop.end)
                behind = self.rest(self.step(rest, number))
                goes_on = loop.end in inside and mask >> number & 1
                if after and (goes_on or (behind and loop.end in after) or self.last in behind):
                    return False
                if after:
                    left.append((after, behind))
        return not left

    def rest(self, states: Iterable[int]) -> States:
        """The states that are reached without a character, if the string does not end here."""
        return self.closure(states, lambda kind: kind != "text_end")

    def class_of(self, char: str) -> int:
        return self.classes[bisect_right(self.edges, ord(char)) - 1]

    def ranges(self) -> list[Ranges]:
        """The code points of each class."""
        result: list[list[tuple[int, int]]] = [[] for _ in range(self.count)]
        for edge, end, number in zip(self.edges, [*self.edges[1:], regex.TOP + 1], self.classes, strict=True):
            result[number].append((edge, end - 1))
        return [regex.normalize(ranges) for ranges in result]


def _always(_kind: str) -> bool:
    return True


def _within(ranges: Ranges) -> Callable[[int], bool]:
    starts = [low for low, _ in ranges]

    def within(code: int) -> bool:
        place = bisect_right(starts, code)
        return place > 0 and code <= ranges[place - 1][1]

    return within


_HOLDS: dict[str, Callable[[int, int], bool]] = {
    "text_start": lambda before, _: before == _EDGE,
    "text_end": lambda _, after: after == _EDGE,
    "line_start": lambda before, _: before in (_EDGE, _NEWLINE),
    "line_end": lambda _, after: after in (_EDGE, _NEWLINE),
    "word": lambda before, after: (before == _WORD) != (after == _WORD),
    "not_word": lambda before, after: (before == _WORD) == (after == _WORD),
}


class Table(Struct, frozen=True):
    """A deterministic automaton that starts in state 0: its transitions by character class, and its accepting
    states.
    """

    moves: list[list[int]]
    accepting: list[int]
    classes: list[Ranges]


class DfaState:
    """A state of the deterministic automaton: a set of states of Thompson's, the kind of the last character,
    and the transitions computed so far.
    """

    def __init__(self, states: States, before: int) -> None:
        self.states, self.before = states, before
        self.next: dict[str, DfaState] = {}
        self.ends: bool | None = None


class Automaton:
    """The deterministic automaton of a pattern. States are built when a string needs them."""

    def __init__(self, pattern: str) -> None:
        self.nfa = _Nfa(_trim_edges(regex.parse(pattern)))
        self.start = DfaState(frozenset([0]), _EDGE)
        # Where the pattern has matched, whatever follows.
        self.matched = DfaState(frozenset(), _EDGE)
        self.places: dict[tuple[States, int], DfaState] = {}
        self.moves = 0

    def search(self, text: str) -> bool:
        """Whether the pattern matches a part of a string, in time linear in its length."""
        place = self.start
        for char in text:
            place = place.next.get(char) or self.move(place, char)
            if place is self.matched:
                return True
        return self.ends(place)

    def move(self, place: DfaState, char: str) -> DfaState:
        """The state after a character. The transition is remembered."""
        if self.moves >= _MOST_MOVES:
            self.moves = 0
            self.places.clear()
            self.start.next.clear()
        self.moves += 1
        number = self.nfa.class_of(char)
        kind = self.nfa.kinds[number]
        result = self.reached(place, kind)
        if self.nfa.last in result:
            after = self.matched
        else:
            states = self.nfa.step(result, number) | self.start.states
            after = self.places.setdefault((states, kind), DfaState(states, kind))
        place.next[char] = after
        return after

    def ends(self, place: DfaState) -> bool:
        """Whether the pattern has matched if the string ends in this state."""
        if place.ends is None:
            place.ends = place is self.matched or self.nfa.last in self.reached(place, _EDGE)
        return place.ends

    def reached(self, place: DfaState, after: int) -> States:
        """The states of Thompson's automaton before a character of a kind, which assertions depend on."""
        return self.nfa.closure(place.states, lambda kind: _HOLDS[kind](place.before, after))

    def table(self, most: int) -> Table | None:
        """The minimal deterministic automaton; None if it has more than `most` states."""
        ranges = self.nfa.ranges()
        order = [self.start]
        numbers = {id(self.start): 0}
        moves: list[list[int]] = []
        for place in order:
            targets = [
                place if place is self.matched else self.move(place, chr(spans[0][0])) for spans in ranges
            ]
            for target in targets:
                if id(target) not in numbers:
                    numbers[id(target)] = len(order)
                    order.append(target)
            if len(order) * len(ranges) > _MOST_MOVES:  # from here on places would be forgotten
                return None
            moves.append([numbers[id(target)] for target in targets])
        kept, ends = minimal(moves, [self.ends(place) for place in order])
        accepting = [place for place, accepts in enumerate(ends) if accepts]
        return Table(kept, accepting, ranges) if len(kept) <= most else None


def minimal(moves: list[list[int]], labels: Sequence[Any]) -> tuple[list[list[int]], list[Any]]:
    """The minimal automaton (Moore's algorithm): its moves, and the labels of its states. The start stays the
    first state.
    """
    known: dict[Any, int] = {}
    block = [known.setdefault(label, len(known)) for label in labels]
    count = len(known)
    while True:
        numbers: dict[tuple[int, ...], int] = {}
        block = [
            numbers.setdefault((own, *map(block.__getitem__, row)), len(numbers))
            for own, row in zip(block, moves, strict=True)
        ]
        if len(numbers) == count:
            break
        count = len(numbers)
    first = [-1] * count
    for place in range(len(moves) - 1, -1, -1):
        first[block[place]] = place
    return [[block[target] for target in moves[place]] for place in first], [labels[place] for place in first]
