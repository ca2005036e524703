"""The part of a string that a pattern or its group matches. Engines agree about it only for some patterns.

Java, RE2 and Python take the first match that they try, PostgreSQL the longest one. These are the same if the
next character always decides how a pattern goes on: alternatives begin with different characters, and so do
another iteration of a repetition and what follows it (an LL(1) grammar). Then there is one way to match at
each start, all engines take the longest match, and none backtracks.

A sequence of character classes, as in `^(.*)@(.*)$`, has the same matches as well (28,000 random patterns on
364 strings each, PostgreSQL 18 beside Python): each class takes as much as it can, from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from predicat.diagnostics.messages import patterns as say
from predicat.semantics import regex
from predicat.semantics.regex import (
    TOP,
    Alt,
    Assert,
    Chars,
    Group,
    Lazy,
    Possessive,
    Ranges,
    Regex,
    RegexError,
    Repeat,
    Seq,
)

# The end of the text, as a character.
_END = TOP + 1


class _Next(Struct, frozen=True):
    """The characters that may come next in a pattern (the end of the string is one of them), and whether the
    pattern may end here.
    """

    ranges: Ranges = ()
    over: bool = False


_OVER = _Next(over=True)
_MOST_ENDLESS = 3


class Pattern(Struct, frozen=True):
    """A pattern whose match, and the matches of all its groups, are the same on all engines."""

    node: Regex
    groups: int

    def only(self, *numbers: int) -> Regex:
        """The pattern with only these groups, in their order; group 0 is the whole match."""
        kept = _only(self.node, frozenset(numbers))
        return Group((kept,), 0) if 0 in numbers else kept


@lru_cache(maxsize=1024)
def parse(pattern: str) -> Pattern:
    """Read an RE2 pattern whose match is used. Raises RegexError, with the reason, if engines find different
    matches.
    """
    regex.parse(pattern)  # its size
    node = _factored(regex.parse_groups(pattern))
    whole = list(regex.walk(node))
    if any(isinstance(part, Assert) and part.kind in ("line_start", "line_end") for part in whole):
        raise RegexError(say.LINES_TO_FIND, 0, say.SAY_NEWLINES)
    result = node if _is_flat(node) else _decided(node, _OVER, first=True)
    loops = any(isinstance(part, Repeat) and part.kept is not None for part in regex.walk(result))
    if loops and regex.asserts(result, "word", "not_word"):
        raise RegexError(say.BOUNDARY_BESIDE_LOOP, 0, say.TO_FIND)
    return Pattern(result, sum(isinstance(part, Group) for part in whole))


def _is_flat(node: Regex) -> bool:
    """Whether a pattern is a sequence of character classes, some of them repeated, with few unlimited
    repetitions, so that a search is fast. All engines find the same: the first class takes as many characters
    as it can, then the next one.
    """
    leaves = list(_leaves(node))
    endless = [part for part in leaves if isinstance(part, Repeat) and part.high is None]
    inner = leaves[
        (1 if leaves[:1] == [Assert("text_start")] else 0) : (
            -1 if leaves[-1:] == [Assert("text_end")] else None
        )
    ]
    plain = all(
        isinstance(part, Chars)
        or (isinstance(part, Repeat) and not isinstance(part, Lazy) and isinstance(part.part, Chars))
        for part in inner
    )
    return plain and len(endless) <= _MOST_ENDLESS


def _leaves(node: Regex) -> Iterator[Regex]:
    """The parts of a sequence and of its groups."""
    if isinstance(node, Seq):
        for part in node.parts:
            yield from _leaves(part)
    else:
        yield node


def matches_once(pattern: str) -> bool:
    """Whether a pattern matches a string at most once: it is anchored at the start or at the end."""
    try:
        leaves = list(_leaves(regex.parse(pattern)))
    except RegexError:
        return False
    return leaves[:1] == [Assert("text_start")] or leaves[-1:] == [Assert("text_end")]


def is_repeated(pattern: Pattern, number: int) -> bool:
    """Whether a group is inside a repetition: engines remember different iterations."""
    return any(
        isinstance(part, Repeat)
        and part.high != 1
        and any(isinstance(inner, Group) and inner.number == number for inner in regex.walk(part.part))
        for part in regex.walk(pattern.node)
    )


def _only(node: Regex, numbers: frozenset[int]) -> Regex:
    result = regex.map_children(node, lambda part: _only(part, numbers))
    return Seq(result.parts) if isinstance(result, Group) and result.number not in numbers else result


# --- alternatives that begin alike


def _factored(node: Regex) -> Regex:
    """The pattern with common prefixes of alternatives factored out."""
    result = regex.map_children(node, _factored)
    if not isinstance(result, Alt):
        return result
    branches: dict[Regex | None, list[tuple[Regex, ...]]] = {}
    for branch in result.parts:
        parts = branch.parts if isinstance(branch, Seq) and not isinstance(branch, Group) else (branch,)
        branches.setdefault(parts[0] if parts else None, []).append(parts)
    if len(branches) == len(result.parts):
        return result
    shared: list[Regex] = []
    for head, rests in branches.items():
        if head is None or len(rests) == 1 or any(isinstance(part, Group) for part in regex.walk(head)):
            shared += [Seq(parts) for parts in rests]
        else:
            shared.append(Seq((head, _factored(Alt(tuple(Seq(parts[1:]) for parts in rests))))))
    return shared[0] if len(shared) == 1 else Alt(tuple(shared))


# --- what decides


def _decided(node: Regex, after: _Next, *, first: bool = False) -> Regex:
    """The pattern in a form that all engines match alike: greedy and without backtracking. `first`: it is at
    the start of a match. Raises RegexError if the next character does not decide how it goes on.
    """
    match node:
        case Chars():
            return node
        case Assert(kind):
            if kind == "text_start" and not first:
                raise RegexError(say.START_INSIDE, 0, say.TO_FIND)
            return node
        case Group(parts, number):
            return Group(_sequence(parts, after, first=first), number)
        case Seq(parts):
            return Seq(_sequence(parts, after, first=first))
        case Alt(parts):
            return _alternatives(node, parts, after, first=first)
        case Repeat():
            return _repetition(node, after, first=first)
        case _:
            assert_never(node)


def _sequence(parts: tuple[Regex, ...], after: _Next, *, first: bool) -> tuple[Regex, ...]:
    following = [after]
    for part in reversed(parts[1:]):
        following.append(_next(part, following[-1]))
    result: list[Regex] = []
    for part, behind in zip(parts, reversed(following), strict=False):
        result.append(_decided(part, behind, first=first))
        first = first and isinstance(part, Assert)
    return tuple(result)


def _alternatives(node: Alt, parts: tuple[Regex, ...], after: _Next, *, first: bool) -> Regex:
    begins = [_next(part, after) for part in parts]
    for place, one in enumerate(begins):
        if one.over and place < len(begins) - 1:
            raise RegexError(say.SHORTER_FIRST, 0, say.TO_FIND)
        if any(_meet(one.ranges, other.ranges) for other in begins[:place]):
            raise RegexError(say.ALTERNATIVES_BEGIN_ALIKE, 0, say.TO_FIND)
    return replace(node, parts=tuple(_decided(part, after, first=first) for part in parts))


def _repetition(node: Repeat, after: _Next, *, first: bool) -> Regex:
    part, low, high = node.part, node.low, node.high
    if regex.may_be_empty(part) and high != 1:
        raise RegexError(say.EMPTY_ROUNDS, 0, say.TO_FIND)
    own = _next(part, _Next())
    if low != high:
        if regex.may_be_empty(part) or _meet(own.ranges, after.ranges):
            raise RegexError(say.ROUND_OR_NOT, 0, say.TO_FIND)
        if isinstance(node, Lazy) and after.over:
            raise RegexError(say.LAZY_AT_THE_END, 0, say.TO_FIND)
    again = after if high == 1 else _Next(_union(own.ranges, after.ranges), after.over)
    kept = Possessive() if high is None and not isinstance(part, Chars) else None
    return Repeat(_decided(part, again, first=first and high == 1), low, high, kept)


def _next(node: Regex, after: _Next) -> _Next:
    """The characters that may come next in a pattern, given those that follow it."""
    match node:
        case Chars(ranges):
            return _Next(ranges)
        case Assert("text_end"):
            at_end = after.over or _meet(after.ranges, ((_END, _END),))
            return _Next(((_END, _END),) if at_end else ())
        case Assert():
            return after
        case Seq(parts):
            for part in reversed(parts):
                after = _next(part, after)
            return after
        case Alt(parts):
            begins = [_next(part, after) for part in parts]
            return _Next(_union(*(one.ranges for one in begins)), any(one.over for one in begins))
        case Repeat(part, low):
            behind = _next(part, after)
            return behind if low else _Next(_union(behind.ranges, after.ranges), behind.over or after.over)
        case _:
            assert_never(node)


def _union(*several: Ranges) -> Ranges:
    return regex.normalize([span for ranges in several for span in ranges])


def _meet(one: Ranges, other: Ranges) -> bool:
    """Whether two sets have a character in common."""
    return any(low <= end and start <= high for low, high in one for start, end in other)


# --- what replaces a match


def template(text: str) -> list[str | int]:
    r"""The parts of a replacement: strings, and numbers of groups. `\1` is a group, `\0` the whole match, and
    `\\` one backslash. Raises RegexError for another backslash.
    """
    parts: list[str | int] = []
    for piece in re.split(r"(\\.?)", text, flags=re.DOTALL):
        if not piece.startswith("\\"):
            parts += [piece] if piece else []
        elif piece[1:].isdigit() and piece.isascii():
            parts.append(int(piece[1:]))
        elif piece == "\\\\":
            parts.append("\\")
        else:
            raise RegexError(say.BACKSLASH_IN_REPLACEMENT, 0, say.GROUPS_IN_REPLACEMENT)
    return parts


def groups_of(parts: list[str | int]) -> list[int]:
    """The groups that a replacement names, except group 0."""
    return sorted({part for part in parts if isinstance(part, int) and part})


def check_group(pattern: Pattern, number: int) -> None:
    """Raises RegexError if a pattern does not have a group, or if the group is inside a repetition."""
    if not 0 <= number <= pattern.groups:
        raise RegexError(say.no_group(number, pattern.groups), 0)
    if is_repeated(pattern, number):
        raise RegexError(say.group_repeats(number), 0, say.TO_FIND)


def check_replacement(pattern: Pattern, text: str) -> None:
    """Raises RegexError for a pattern or a replacement that engines treat differently."""
    if regex.may_be_empty(pattern.node):
        raise RegexError(say.EMPTY_MATCH, 0, say.TO_FIND)
    for number in groups_of(template(text)):
        check_group(pattern, number)


# --- what a text has


def finder(pattern: str, group: int) -> Callable[[str], str]:
    """A function that returns the part of a string that a group matches; the empty string without a match."""
    pattern_ = parse(pattern)
    if group > pattern_.groups:
        return lambda _text: ""
    search = regex.compiled(pattern_.only(group)).search

    def find(text: str) -> str:
        match = search(text)
        return (match[1] or "") if match is not None else ""

    return find


def replacer(pattern: str, replacement: str) -> Callable[[str], str]:
    """A function that replaces all matches of a pattern in a string."""
    parts, known = template(replacement), parse(pattern)
    numbers = groups_of(parts)
    expression = regex.compiled(known.only(*numbers))
    places = {number: place for place, number in enumerate(numbers, 1)} | {0: 0}

    def replaced(match: re.Match[str]) -> str:
        return "".join(part if isinstance(part, str) else match[places[part]] or "" for part in parts)

    return lambda text: expression.sub(replaced, text)
