"""Machines of what a pattern finds in a string: `regex_extract` and `regex_replace`.

All ways to read a string with a pattern are followed at the same time, the way that an engine tries first
before all others. Of two ways that have come to the same place in the pattern, the later one cannot win any
more. So a state is a short list of places, each with the state of the machine that reads the result. Source:
Cox, Regular Expression Matching: the Virtual Machine Approach (Pike's machine).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import assert_never

from msgspec import Struct

from predicat.semantics import captures
from predicat.semantics.regex import (
    TOP,
    Alt,
    Assert,
    Chars,
    Group,
    Lazy,
    Ranges,
    Regex,
    RegexError,
    Repeat,
    Seq,
)
from predicat.values.automaton import Label, Machine, Opaque, State, tabulated

_ANY: Ranges = ((0, TOP),)
# The most places of a pattern with its repetitions written out.
_MOST_PLACES = 400


class _Read(Struct, frozen=True):
    """Reads one of some characters, which may be a part of the result."""

    ranges: Ranges
    kept: bool
    then: int


class _Try(Struct, frozen=True):
    """Goes on at one of some places; the first that leads to a match counts."""

    places: tuple[int, ...]


class _Check(Struct, frozen=True):
    """Goes on at the start of the text only, or at its end."""

    kind: str
    then: int


class _Write(Struct, frozen=True):
    """Adds to the result what replaces a match."""

    then: int


_Step = _Read | _Try | _Check | _Write
_Thread = tuple[int, State]


class _Program:
    """The steps of a pattern by their places. Place 0 is the end. Without a group each match is
    replaced, and the text may end wherever no match is read.
    """

    def __init__(self, pattern: Regex, group: int | None) -> None:
        self.group = group
        self.steps: list[_Step | None] = [None]
        self.start = self.add(None)
        skip = self.add(_Read(_ANY, group is None, self.start))
        self.end = skip if group is None else 0
        behind = self.add(_Write(self.start)) if group is None else self.end
        self.steps[self.start] = _Try((self.read(pattern, behind, kept=False), skip))

    def add(self, step: _Step | None) -> int:
        """The place of a new step."""
        if len(self.steps) > _MOST_PLACES:
            raise Opaque
        self.steps.append(step)
        return len(self.steps) - 1

    def read(self, node: Regex, then: int, *, kept: bool) -> int:
        """The place that reads a part of the pattern and goes on."""
        match node:
            case Chars(ranges):
                return self.add(_Read(ranges, kept, then))
            case Seq(parts):
                own = kept or (isinstance(node, Group) and node.number == self.group)
                for part in reversed(parts):
                    then = self.read(part, then, kept=own)
                return then
            case Alt(parts):
                return self.add(_Try(tuple([self.read(part, then, kept=kept) for part in parts])))
            case Repeat():
                return self.repeated(node, then, kept=kept)
            case Assert("text_start" | "text_end" as kind):
                return self.add(_Check(kind, then))
            case Assert():
                raise Opaque
            case _:
                assert_never(node)

    def repeated(self, node: Repeat, then: int, *, kept: bool) -> int:
        """The place that reads a repetition."""
        at, optional = then, 0 if node.high is None else node.high - node.low
        if node.high is None:
            at = self.add(None)
            self.steps[at] = _either(node, self.read(node.part, at, kept=kept), then)
        for _ in range(optional):
            at = self.add(_either(node, self.read(node.part, at, kept=kept), then))
        for _ in range(node.low):
            at = self.read(node.part, at, kept=kept)
        return at


def _either(node: Repeat, again: int, then: int) -> _Try:
    return _Try((then, again) if isinstance(node, Lazy) else (again, then))


@lru_cache(maxsize=256)
def _program(pattern: str, group: int | None) -> _Program:
    known = captures.parse(pattern)
    return _Program(known.only(*(() if group is None else (group,))), group)


def extracted(after: Machine, pattern: str, group: int) -> Machine:
    """The machine before a function that returns what a group has of the first match, or nothing."""
    try:
        captures.check_group(captures.parse(pattern), group)
        program = _program(pattern, group)
    except RegexError:
        raise Opaque from None
    return _Search(program, after, "").machine()


def replaced_matches(after: Machine, pattern: str, text: str) -> Machine:
    """The machine before a function that replaces all matches by a string, which names no group."""
    try:
        parts = captures.template(text)
        captures.check_replacement(captures.parse(pattern), text)
        program = _program(pattern, None)
    except RegexError:
        raise Opaque from None
    if not all(isinstance(part, str) for part in parts):
        raise Opaque
    return _Search(program, after, "".join(map(str, parts))).machine()


class _Search:
    """The search for matches beside the machine that reads the result."""

    def __init__(self, program: _Program, after: Machine, new: str) -> None:
        self.steps = program.steps
        self.program = program
        self.result = tabulated(after).machine()
        self.new = new

    def machine(self) -> Machine:
        """The machine whose states are lists of threads, the one that counts first."""
        spans = [span for step in self.steps if isinstance(step, _Read) for span in step.ranges]
        edges = frozenset(edge for low, high in spans for edge in (low, high + 1))
        first = self.followed([(self.program.start, self.result.start)], at_start=True)
        return Machine(edges | self.result.cuts, first, self.step, self.label)

    def step(self, threads: Sequence[_Thread], code: int) -> tuple[_Thread, ...]:
        """The threads behind a code point."""
        return self.followed([after for thread in threads for after in self.read(thread, code)])

    def read(self, thread: _Thread, code: int) -> Iterator[_Thread]:
        """What becomes of a thread that reads a code point."""
        place, state = thread
        step = self.steps[place]
        if step is None:
            yield thread
        elif isinstance(step, _Read) and any(low <= code <= high for low, high in step.ranges):
            yield step.then, self.result.step(state, code) if step.kept else state

    def label(self, threads: Sequence[_Thread]) -> Label:
        """The label of the result at the end of the text."""
        ended = self.followed(threads, at_end=True)
        found = (state for place, state in ended if place == self.program.end)
        return self.result.label(next(found, self.result.start))

    def followed(
        self, threads: Sequence[_Thread], *, at_start: bool = False, at_end: bool = False
    ) -> tuple[_Thread, ...]:
        """The threads where they need another code point, one for each place: the first one counts."""
        seen: set[int] = set()
        waiting: list[_Thread] = []
        following = [*reversed(threads)]
        while following:
            place, state = following.pop()
            if place in seen:
                continue
            seen.add(place)
            match self.steps[place]:
                case None:
                    return (*waiting, (place, state))
                case _Try(places):
                    following += [(other, state) for other in reversed(places)]
                case _Write(then):
                    following.append((then, self.result.after(state, self.new)))
                case _Check(kind, then) if at_start if kind == "text_start" else at_end:
                    following.append((then, state))
                case _Check("text_start"):
                    pass
                case _:
                    waiting.append((place, state))
        return tuple(waiting)
