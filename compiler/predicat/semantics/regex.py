r"""RE2 regular expressions: parsed once, then written for each engine in a form without ambiguity.

Engines differ in what `.`, `$`, `\s`, `\w`, `\b`, POSIX classes and `(?i)` mean. So a pattern is parsed into
sets of code points, sequences, alternatives, repetitions and assertions, and each engine gets these spelled
out. Source: RE2 syntax. A pattern may match any part of the string. Laziness does not change whether it does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import assert_never

from msgspec import Struct

from predicat.diagnostics.messages import patterns as say
from predicat.semantics import casefold

MAX_PATTERN = 1000
_MAX_REPEAT = 255
MAX_DEPTH = 50
# RE2's own limit of counted repetitions within each other.
_MAX_PRODUCT = 1000
# The most weight of a pattern (see _size). Of 67,000 random ones below it PostgreSQL read two in more
# than half a second; above it, it took up to 43.
MAX_SIZE = 4_000
TOP = 0x10FFFF


class RegexError(ValueError):
    """A pattern that is no RE2, or that an engine cannot express. `offset` is its place in the pattern,
    `hint` what to do.
    """

    def __init__(self, message: str, offset: int, hint: str = say.RE2_SYNTAX) -> None:
        super().__init__(message)
        self.offset = offset
        self.hint = hint


# Code points: sorted, disjoint, closed ranges.
Ranges = tuple[tuple[int, int], ...]


class Chars(Struct, frozen=True):
    """One code point out of some."""

    ranges: Ranges


class Seq(Struct, frozen=True):
    """A sequence of patterns."""

    parts: tuple[Regex, ...]


class Alt(Struct, frozen=True):
    """Alternatives; the first one that matches counts."""

    parts: tuple[Regex, ...]


class Possessive(Struct, frozen=True):
    """Marks a repetition as possessive: it never gives an iteration back. Each iteration is followed by one
    of these characters or by the end of the string; without either, by anything.
    """

    ranges: Ranges = ()
    end: bool = False


class Repeat(Struct, frozen=True):
    """A repetition, `low` to `high` times. Only Java gets the possessive form (`kept`, see automaton):
    Python's had bugs until 3.11.5.
    """

    part: Regex
    low: int
    high: int | None
    kept: Possessive | None = None


class Group(Seq, frozen=True):
    """A capturing group. Only patterns whose match is used have them (see captures)."""

    number: int


class Lazy(Repeat, frozen=True):
    """A lazy repetition. Only patterns whose match is used have them (see captures)."""


class Assert(Struct, frozen=True):
    """`text_start`, `text_end`, `line_start`, `line_end`, `word` or `not_word`."""

    kind: str


Regex = Chars | Seq | Alt | Repeat | Assert

_DIGIT = ((48, 57),)
NEWLINE = ((10, 10),)
WORD = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE = ((9, 10), (12, 13), (32, 32))
_PERL = {"d": _DIGIT, "w": WORD, "s": _SPACE}
_POSIX = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": _DIGIT,
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": WORD,
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}
_ESCAPES = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}


def normalize(ranges: list[tuple[int, int]]) -> Ranges:
    """The same characters as sorted ranges that do not touch each other."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return tuple(out)


def _negated(ranges: Ranges) -> Ranges:
    out: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if low > start:
            out.append((start, low - 1))
        start = high + 1
    if start <= TOP:
        out.append((start, TOP))
    return tuple(out)


def _any_case(ranges: Ranges) -> Ranges:
    extra: list[tuple[int, int]] = list(ranges)
    if sum(high - low + 1 for low, high in ranges) <= 4:
        chars = {chr(code) for low, high in ranges for code in range(low, high + 1)}
        for char in chars:
            folded = casefold.fold_char(char)
            extra += [(ord(other), ord(other)) for other in (folded, *casefold.variants(folded))]
        return normalize(extra)
    for folded, others in casefold.orbits().items():
        family = [ord(char) for char in (folded, *others)]
        if any(low <= code <= high for code in family for low, high in ranges):
            extra += [(code, code) for code in family]
    return normalize(extra)


def escaped(text: str) -> str:
    """The RE2 pattern that matches exactly this string."""
    return re.sub(r"([^A-Za-z0-9_ \x80-\U0010ffff])", r"\\\1", text)


@lru_cache(maxsize=4096)
def parse(pattern: str) -> Regex:
    """Read an RE2 pattern. Raises RegexError."""
    if len(pattern) > MAX_PATTERN:
        raise RegexError(say.pattern_too_long(len(pattern), MAX_PATTERN), MAX_PATTERN)
    reader = _PatternReader(pattern)
    result = reader.alternatives(_Flags(), 0)
    if reader.pos < len(pattern):
        raise RegexError(say.NO_OPENING_BRACKET, reader.pos)
    if _product(result) > _MAX_PRODUCT:
        raise RegexError(say.too_many_rounds(_MAX_PRODUCT), 0, say.FEWER_ROUNDS)
    result = _drop_repeated_assertions(result)
    if _size(result) > MAX_SIZE:
        raise RegexError(say.TOO_LARGE_FOR_ENGINES, 0, say.FEWER_ROUNDS)
    return result


def parse_groups(pattern: str) -> Regex:
    """Read an RE2 pattern with its groups and lazy repetitions, which do not change whether it matches.
    Raises RegexError.
    """
    reader = _PatternReader(pattern, groups=True)
    result = reader.alternatives(_Flags(), 0)
    if reader.pos < len(pattern):
        raise RegexError(say.NO_OPENING_BRACKET, reader.pos)
    return _drop_repeated_assertions(result)


def _product(node: Regex) -> int:
    match node:
        case Seq(parts) | Alt(parts):
            return max(map(_product, parts), default=1)
        case Repeat(part, low, high):
            return max(high or low, 1) * _product(part)
        case _:
            return 1


def _size(node: Regex) -> int:
    """The cost of a pattern on PostgreSQL, which expands counted repetitions, looks around at word ends,
    and is slow with iterations that may be empty.
    """
    match node:
        case Chars():
            return 1
        case Assert(kind):
            return _ASSERT_SIZES.get(kind, 1)
        case Seq(parts) | Alt(parts):
            return sum(map(_size, parts))
        case Repeat(part, low, high):
            times = max(low, high or 1, 1)
            endless = 2 if high is None and not isinstance(part, Chars) else 1
            looks = 4 if high != 1 and asserts(part, "word", "not_word") else 1
            return _size(part) * endless * looks * (times * times if may_be_empty(part) else times)
        case _:
            assert_never(node)


_ASSERT_SIZES = {"word": 30, "not_word": 30, "line_start": 2, "line_end": 2}


def may_be_empty(node: Regex) -> bool:
    """Whether a pattern matches the empty string, apart from its assertions."""
    match node:
        case Seq(parts):
            return all(map(may_be_empty, parts))
        case Alt(parts):
            return any(map(may_be_empty, parts))
        case Repeat(part, low):
            return low == 0 or may_be_empty(part)
        case _:
            return isinstance(node, Assert)


def _drop_repeated_assertions(node: Regex) -> Regex:
    """The pattern without repetitions of assertions."""
    result = map_children(node, _drop_repeated_assertions)
    if isinstance(result, Repeat) and not any(isinstance(part, Chars) for part in walk(result)):
        return result.part if result.low else Seq(())
    return result


class _Flags(Struct, frozen=True):
    i: bool = False
    m: bool = False
    s: bool = False


class _PatternReader:
    def __init__(self, text: str, *, groups: bool = False) -> None:
        self.text = text
        self.pos = 0
        self.groups = groups
        # So many groups were opened.
        self.count = 0

    def peek(self) -> str:
        return self.text[self.pos : self.pos + 1]

    def take(self) -> str:
        char = self.peek()
        self.pos += 1
        return char

    def eat(self, token: str) -> bool:
        if self.text.startswith(token, self.pos):
            self.pos += len(token)
            return True
        return False

    def fail(self, message: str, at: int | None = None) -> RegexError:
        return RegexError(message, self.pos if at is None else at)

    def alternatives(self, flags: _Flags, depth: int) -> Regex:
        if depth > MAX_DEPTH:
            raise self.fail(say.groups_nest(MAX_DEPTH))
        branches: list[Regex] = []
        parts: list[Regex] = []
        while self.pos < len(self.text) and self.peek() != ")":
            if self.eat("|"):
                branches.append(Seq(tuple(parts)))
                parts = []
            elif self.text.startswith("(?", self.pos) and (changed := self.flag_group(flags)) is not None:
                flags = changed
            elif self.eat("\\Q"):
                end = self.text.find("\\E", self.pos)
                quoted = self.text[self.pos : end if end >= 0 else len(self.text)]
                self.pos = end + 2 if end >= 0 else len(self.text)
                parts += [self.chars(((ord(char), ord(char)),), flags) for char in quoted]
            else:
                parts.append(self.repeated(flags, depth))
        branches.append(Seq(tuple(parts)))
        return branches[0] if len(branches) == 1 else Alt(tuple(branches))

    def flag_group(self, flags: _Flags) -> _Flags | None:
        """`(?flags)`: changes the flags of the rest of the group. None if something else stands here."""
        result = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?\)").match(self.text, self.pos)
        if not result or not (result[1] or result[2]):
            return None
        self.pos = result.end()
        return self.changed(flags, result[1], result[2] or "")

    @staticmethod
    def changed(flags: _Flags, on: str, off: str) -> _Flags:
        return _Flags(*((getattr(flags, name) or name in on) and name not in off for name in ("i", "m", "s")))

    def repeated(self, flags: _Flags, depth: int) -> Regex:
        start = self.pos
        part = self.atom(flags, depth)
        while (bounds := self.bounds()) is not None:
            if isinstance(part, Repeat) and self.text[start : self.pos].endswith(("**", "++", "??+")):
                raise self.fail(say.REPETITION_TWICE, start)
            lazy = self.eat("?") and self.groups
            part = Lazy(part, *bounds) if lazy else Repeat(part, *bounds)
            if self.peek() and self.peek() in "*+?" and self.text[self.pos - 1] in "*+?}":
                raise self.fail(say.REPETITION_TWICE)
        return part

    def bounds(self) -> tuple[int, int | None] | None:
        if self.eat("*"):
            return 0, None
        if self.eat("+"):
            return 1, None
        if self.eat("?"):
            return 0, 1
        result = re.compile(r"\{(\d{1,6})(,(\d{0,6}))?\}").match(self.text, self.pos)
        if not result:
            return None
        low = int(result[1])
        high = low if result[2] is None else int(result[3]) if result[3] else None
        if max(low, high or 0) > _MAX_REPEAT:
            raise self.fail(say.too_many_repetitions(_MAX_REPEAT))
        if high is not None and high < low:
            raise self.fail(say.BOUNDS_REVERSED)
        self.pos = result.end()
        return low, high

    def atom(self, flags: _Flags, depth: int) -> Regex:
        start = self.pos
        char = self.take()
        match char:
            case "(":
                return self.group(flags, depth, start)
            case "[":
                return self.chars(self.char_class(flags, start), _Flags())
            case ".":
                return Chars(((0, TOP),)) if flags.s else Chars(_negated(NEWLINE))
            case "^":
                return Assert("line_start" if flags.m else "text_start")
            case "$":
                return Assert("line_end" if flags.m else "text_end")
            case "*" | "+" | "?":
                raise self.fail(say.nothing_to_repeat(char), start)
            case "\\":
                return self.escape(flags, start)
            case _:
                return self.chars(((ord(char), ord(char)),), flags)

    def chars(self, ranges: Ranges, flags: _Flags) -> Regex:
        return Chars(_any_case(ranges) if flags.i else ranges)

    def group(self, flags: _Flags, depth: int, start: int) -> Regex:
        inner, number = flags, 0
        if not self.text.startswith("?", self.pos) or self.text.startswith(("?P<", "?<"), self.pos):
            self.count += 1
            number = self.count
        if self.eat("?"):
            match = re.compile(r"(?:P?<([A-Za-z_0-9]+)>)|([imsU]*)(?:-([imsU]+))?:").match(
                self.text, self.pos
            )
            if not match:
                raise self.fail(say.NO_LOOKAROUND, start)
            self.pos = match.end()
            inner = self.changed(flags, match[2] or "", match[3] or "")
        part = self.alternatives(inner, depth + 1)
        if not self.eat(")"):
            raise self.fail(say.NO_CLOSING_BRACKET, start)
        return Group((part,), number) if number and self.groups else part

    def escape(self, flags: _Flags, start: int) -> Regex:
        char = self.peek()
        if char in ("A", "z", "b", "B"):
            self.pos += 1
            return Assert({"A": "text_start", "z": "text_end", "b": "word", "B": "not_word"}[char])
        perl = self.perl_class(flags)
        if perl is not None:
            return Chars(perl)
        code = self.escaped_char(start)
        return self.chars(((code, code),), flags)

    def perl_class(self, flags: _Flags) -> Ranges | None:
        char = self.peek()
        if char and char.lower() in _PERL and char.isascii():
            self.pos += 1
            return self.named(_PERL[char.lower()], flags, negate=char.isupper())
        return None

    def named(self, ranges: Ranges, flags: _Flags, *, negate: bool) -> Ranges:
        """A named class. Case is folded before the class is negated: with `i`, no negated class contains the
        long s, which folds to a letter.
        """
        result = _any_case(ranges) if flags.i else ranges
        return _negated(result) if negate else result

    def escaped_char(self, start: int) -> int:
        char = self.take()
        if not char:
            raise self.fail(say.ENDS_WITH_BACKSLASH, start)
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char == "x":
            result = re.compile(r"\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2})").match(self.text, self.pos)
            if not result or int(result[1] or result[2], 16) > TOP:
                raise self.fail(say.HEXADECIMAL_DIGITS, start)
            self.pos = result.end()
            return int(result[1] or result[2], 16)
        if char.isdigit():
            result = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}").match(self.text, self.pos - 1)
            if not result:
                raise self.fail(say.NO_BACK_REFERENCES, start)
            self.pos = result.end()
            return int(result[0], 8)
        if char.isalpha():
            reason = say.NO_UNICODE_CLASSES if char in "pP" else say.no_escape(char)
            raise self.fail(reason, start)
        return ord(char)

    def char_class(self, flags: _Flags, start: int) -> Ranges:
        negate = self.eat("^")
        ranges: list[tuple[int, int]] = []
        named: list[tuple[int, int]] = []
        first = True
        while first or self.peek() != "]":
            if not self.peek():
                raise self.fail(say.NO_CLOSING_SQUARE_BRACKET, start)
            first = False
            known = self.named_class(flags)
            if known is not None:
                named += known
                continue
            low = self.class_char(start)
            high = low
            if self.peek() == "-" and self.text[self.pos + 1 : self.pos + 2] not in ("]", ""):
                self.pos += 1
                high = self.class_char(start)
                if high < low:
                    raise self.fail(say.RANGE_REVERSED, start)
            ranges.append((low, high))
        self.pos += 1
        ranges_ = normalize(ranges)
        ranges_ = normalize([*(_any_case(ranges_) if flags.i else ranges_), *named])
        ranges_ = _negated(ranges_) if negate else ranges_
        if not ranges_:
            raise self.fail(say.EMPTY_CLASS, start)
        return ranges_

    def named_class(self, flags: _Flags) -> Ranges | None:
        result = re.compile(r"\[:(\^?)([a-z]+):\]").match(self.text, self.pos)
        if result:
            if result[2] not in _POSIX:
                raise self.fail(say.unknown_class(result[2]))
            self.pos = result.end()
            return self.named(_POSIX[result[2]], flags, negate=bool(result[1]))
        if self.peek() == "\\":
            self.pos += 1
            perl = self.perl_class(flags)
            if perl is None:
                self.pos -= 1
            return perl
        return None

    def class_char(self, start: int) -> int:
        char = self.take()
        return self.escaped_char(start) if char == "\\" else ord(char)


# --- writing


class Flavor(Struct, frozen=True):
    """How one engine spells code points and assertions."""

    name: str
    code: str
    asserts: dict[str, str]


_WORD_CLASS = "[0-9A-Za-z_]"
_BOUNDARY = f"(?:(?<={_WORD_CLASS})(?!{_WORD_CLASS})|(?<!{_WORD_CLASS})(?={_WORD_CLASS}))"
_NO_BOUNDARY = f"(?:(?<={_WORD_CLASS})(?={_WORD_CLASS})|(?<!{_WORD_CLASS})(?!{_WORD_CLASS}))"


def _flavor(name: str, code: str, start: str, end: str) -> Flavor:
    newline = code.format(10)
    return Flavor(
        name,
        code,
        {
            "text_start": start,
            "text_end": end,
            "line_start": f"(?:{start}|(?<={newline}))",
            "line_end": f"(?:{end}|(?={newline}))",
            "word": _BOUNDARY,
            "not_word": _NO_BOUNDARY,
        },
    )


JAVA = _flavor("java", "\\x{{{:x}}}", "\\A", "\\z")
POSTGRES = _flavor("postgres", "\\U{:08x}", "^", "$")  # not at newlines
PYTHON = _flavor("python", "\\U{:08x}", "\\A", "\\Z")


RE2 = _flavor("re2", "\\x{{{:x}}}", "\\A", "\\z")
RE2.asserts.update({"word": "\\b", "not_word": "\\B"})


def emit(node: Regex, flavor: Flavor) -> str:
    """The pattern in the syntax of an engine. It matches anywhere in a string."""
    match node:
        case Chars(ranges):
            return _emit_chars(ranges, flavor)
        case Assert(kind):
            return flavor.asserts[kind]
        case Group((part,)):
            return f"({emit(part, flavor)})"
        case Seq(parts):
            return "".join(
                f"(?:{emit(part, flavor)})" if isinstance(part, Alt) else emit(part, flavor) for part in parts
            )
        case Alt(parts):
            return "|".join(emit(part, flavor) or "(?:)" for part in parts)
        case Repeat(part, low, high):
            bounds = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
            if bounds is None:
                bounds = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
            inner = emit(part, flavor)
            if node.kept is not None and flavor is JAVA:
                behind = _emit_behind(node.kept, flavor)
                body = f"(?:{inner})" if behind and isinstance(part, Alt) else inner
                return f"(?:{body}{behind}){bounds}+"
            return (inner if isinstance(part, Chars) else f"(?:{inner})") + bounds
        case _:
            assert_never(node)


def _emit_behind(kept: Possessive, flavor: Flavor) -> str:
    options = ([_emit_chars(kept.ranges, flavor)] if kept.ranges else []) + (
        [flavor.asserts["text_end"]] if kept.end else []
    )
    return f"(?={'|'.join(options)})" if options else ""


def _emit_chars(ranges: Ranges, flavor: Flavor) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _emit_char(ranges[0][0], flavor)
    negated = _negated(ranges)
    if ranges[0][0] == 0 and ranges[-1][1] == TOP and negated:
        return f"[^{_emit_ranges(negated, flavor)}]"
    if flavor is POSTGRES and ranges[0][0] == 0:
        # PostgreSQL has no character 0, and rejects a pattern that names it.
        ranges = ((1, ranges[0][1]), *ranges[1:]) if ranges[0][1] else ranges[1:]
    return f"[{_emit_ranges(ranges, flavor)}]"


def _emit_ranges(ranges: Ranges, flavor: Flavor) -> str:
    return "".join(
        _emit_char(low, flavor) if low == high else f"{_emit_char(low, flavor)}-{_emit_char(high, flavor)}"
        for low, high in ranges
    )


def _emit_char(code: int, flavor: Flavor) -> str:
    char = chr(code)
    if char.isascii() and (char.isalnum() or char in "_ <>=!@%,;:'\"/~`"):
        return char
    if char.isascii() and char.isprintable():
        return "\\" + char
    return char if char.isprintable() and not 0xD800 <= code <= 0xDFFF else flavor.code.format(code)


def compiled(node: Regex) -> re.Pattern[str]:
    """The pattern as a Python regular expression, to be used with search."""
    return re.compile(emit(node, PYTHON))


def walk(node: Regex) -> Iterator[Regex]:
    """The node and everything in it."""
    yield node
    match node:
        case Seq(parts) | Alt(parts):
            for part in parts:
                yield from walk(part)
        case Repeat(part):
            yield from walk(part)
        case _:
            return


def map_children(node: Regex, change: Callable[[Regex], Regex]) -> Regex:
    """The node with a function applied to each of its parts."""
    match node:
        case Group(parts, number):
            return Group(tuple(map(change, parts)), number)
        case Seq(parts):
            return Seq(tuple(map(change, parts)))
        case Alt(parts):
            return Alt(tuple(map(change, parts)))
        case Lazy(part, low, high):
            return Lazy(change(part), low, high)
        case Repeat(part, low, high, kept):
            return Repeat(change(part), low, high, kept)
        case _:
            return node


def asserts(node: Regex, *kinds: str) -> bool:
    """Whether a pattern contains one of these assertions; without a kind, any assertion."""
    return any(isinstance(part, Assert) and (not kinds or part.kind in kinds) for part in walk(node))


def anchored(node: Regex) -> tuple[bool, list[Regex], bool]:
    """Whether a pattern is anchored at the start, its parts, and whether it is anchored at the end."""
    parts: list[Regex] = list(node.parts) if isinstance(node, Seq) else [node]
    start = bool(parts) and parts[0] == Assert("text_start")
    parts = parts[1:] if start else parts
    end = bool(parts) and parts[-1] == Assert("text_end")
    return start, parts[:-1] if end else parts, end


def as_literal(node: Regex) -> tuple[str, str] | None:
    """The operator ("eq", "starts_with", "ends_with", "contains") and text that a pattern amounts to, if
    it does.
    """
    start, parts, end = anchored(node)
    anything = Repeat(Chars(((0, TOP),)), 0, None)
    if start and parts and parts[-1] == anything and not end:
        parts = parts[:-1]
    text = ""
    for part in parts:
        if not (isinstance(part, Chars) and len(part.ranges) == 1 and part.ranges[0][0] == part.ranges[0][1]):
            return None
        text += chr(part.ranges[0][0])
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        return None
    return {(True, True): "eq", (True, False): "starts_with", (False, True): "ends_with"}.get(
        (start, end), "contains"
    ), text
