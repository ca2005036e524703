"""Strings, LIKE patterns and regular expressions as Z3's strings and regular languages.

Z3's last character is U+2FFFF. A predicate has no formula if a constant or an end of a range is beyond
`LAST_NAMED` (U+2EFFF). So a predicate can only test the order and equality of characters beyond it; none of
them has another case. The 4,096 such characters of Z3 stand for those of a row, in the same order. So a proof
holds for all strings that have at most 4,096 different characters beyond `LAST_NAMED`.
"""

import math
from collections.abc import Callable, Collection
from typing import Any, assert_never

from predicat.proof.smt.terms import z3
from predicat.semantics import casefold, like, regex
from predicat.semantics.regex import Alt, Assert, Chars, Ranges, Regex, Repeat, Seq, anchored, map_children

# The last code point of Z3's strings.
MAX_CODE = 0x2FFFF
LAST_NAMED = 0x2EFFF
_ALL = ((0, 0x10FFFF),)
ANYTHING = Repeat(Chars(_ALL), 0, None)


class NotEncodable(Exception):
    """A node without a formula; it is encoded as an uninterpreted value."""


def text(value: str) -> Any:
    """A string constant. Z3 reads escapes in it, so backslashes are escaped. Raises NotEncodable."""
    if any(ord(char) > LAST_NAMED for char in value):
        raise NotEncodable
    return z3.StringVal(value.replace("\\", "\\u{5c}"))


def states(languages: Collection[Regex]) -> int:
    """About how many states an automaton for all of these languages has. Each search for a part of a text may
    have succeeded or not, whatever the others did; beginnings and ends only add up.
    """
    searches = math.prod(max(1, sum(map(_is_unbounded, regex.walk(one)))) for one in languages)
    return searches * sum(isinstance(part, Chars) for one in languages for part in regex.walk(one))


def _is_unbounded(node: Regex) -> bool:
    return isinstance(node, Repeat) and node.high is None


def literal(value: str) -> Regex:
    """The language of one string."""
    return Seq(tuple(Chars(((ord(char), ord(char)),)) for char in value))


def like_language(pattern: str) -> Regex:
    """The strings that a LIKE pattern matches."""
    return Seq(
        tuple(
            ANYTHING if part is None else Chars(_ALL) if part == "" else literal(part)
            for part in like.parts(pattern)
        )
    )


def search_language(node: Regex) -> Regex:
    """The strings in which a pattern is found. `language` does not support assertions inside the pattern."""
    if isinstance(node, Alt):
        return Alt(tuple(search_language(part) for part in node.parts))
    start, parts, end = anchored(node)
    if not start and not end and len(parts) == 1 and isinstance(parts[0], Alt):
        return search_language(parts[0])
    return Seq((*(() if start else (ANYTHING,)), *parts, *(() if end else (ANYTHING,))))


def mapped(node: Regex, change: Callable[[Ranges], Ranges]) -> Regex:
    """The language with `change` applied to each set of code points."""
    return (
        Chars(change(node.ranges))
        if isinstance(node, Chars)
        else map_children(node, lambda part: mapped(part, change))
    )


def before_lower(ranges: Ranges) -> Ranges:
    """The code points whose ASCII lower case is in some ranges."""
    return _before(ranges, 65, 97)


def before_upper(ranges: Ranges) -> Ranges:
    """The code points whose ASCII upper case is in some ranges."""
    return _before(ranges, 97, 65)


def _before(ranges: Ranges, gone: int, kept: int) -> Ranges:
    result: list[tuple[int, int]] = []
    for low, high in ranges:
        for left, right in ((low, min(high, gone - 1)), (max(low, gone + 26), high)):
            if left <= right:
                result.append((left, right))
        left, right = max(low, kept), min(high, kept + 25)
        if left <= right:
            result.append((left - kept + gone, right - kept + gone))
    return tuple(sorted(result))


def before_fold(ranges: Ranges) -> Ranges:
    """The code points whose simple case folding is one given code point; a wildcard stays as it is."""
    if len(ranges) != 1 or ranges[0][0] != ranges[0][1]:
        return ranges  # a wildcard: it also matches every folded code point
    char = chr(ranges[0][0])
    codes = [ord(other) for other in casefold.variants(char)]
    if casefold.fold_char(char) == char:
        codes.append(ord(char))
    return tuple((code, code) for code in sorted(codes))


def language(node: Regex) -> Any:
    """A language as a regular expression of Z3. Raises NotEncodable."""
    match node:
        case Chars(ranges):
            return _chars(ranges)
        case Seq(parts):
            return _sequence(parts)
        case Alt(parts):
            return _union([language(part) for part in parts])
        case Repeat(part, low, high):
            inner = language(part)
            if isinstance(part, Chars) and part.ranges == _ALL and (low, high) == (0, None):
                return z3.Full(z3.ReSort(z3.StringSort()))
            if high is None:
                return (
                    z3.Star(inner)
                    if low == 0
                    else z3.Plus(inner)
                    if low == 1
                    else z3.Concat(z3.Loop(inner, low, low), z3.Star(inner))
                )
            if high == 0:
                return z3.Re("")
            return z3.Option(inner) if (low, high) == (0, 1) else z3.Loop(inner, low, high)
        case Assert():
            raise NotEncodable
        case _:
            assert_never(node)


def _sequence(parts: tuple[Regex, ...]) -> Any:
    result: list[Any] = []
    plain = ""
    for part in parts:
        if isinstance(part, Chars) and len(part.ranges) == 1 and part.ranges[0][0] == part.ranges[0][1]:
            plain += chr(part.ranges[0][0])
            continue
        if plain:
            result.append(z3.Re(text(plain)))
            plain = ""
        result.append(language(part))
    if plain or not result:
        result.append(z3.Re(text(plain)))
    return result[0] if len(result) == 1 else z3.Concat(*result)


def _chars(ranges: Ranges) -> Any:
    if ranges == _ALL:
        return z3.AllChar(z3.ReSort(z3.StringSort()))
    if any(low > LAST_NAMED or LAST_NAMED < high < _ALL[0][1] for low, high in ranges):
        raise NotEncodable
    return _union([z3.Range(_char(low), _char(min(high, MAX_CODE))) for low, high in ranges])


def _char(code: int) -> Any:
    return z3.StringVal(f"\\u{{{code:x}}}")


def _union(parts: list[Any]) -> Any:
    if not parts:
        return z3.Empty(z3.ReSort(z3.StringSort()))
    return parts[0] if len(parts) == 1 else z3.Union(*parts)


def fold_literal(value: str) -> Regex:
    """The strings that equal a string, ignoring case."""
    return mapped(literal(casefold.fold(value)), before_fold)


def fold_like(pattern: str) -> Regex:
    """The strings that match a LIKE pattern, ignoring case."""
    return mapped(like_language(casefold.fold(pattern)), before_fold)


def pattern_language(pattern: str) -> Regex:
    """The strings in which an RE2 pattern is found."""
    return search_language(regex.parse(pattern))
