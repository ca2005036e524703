"""Reasons why a pattern or a type is refused."""

from __future__ import annotations

BOUNDS_REVERSED = "the bounds of a repetition are reversed"
EMPTY_CLASS = "the class matches no character"
ENDS_WITH_BACKSLASH = "it ends with a backslash"
ENDS_WITH_ESCAPE = "it ends with its escape character"
FEWER_ROUNDS = "use a smaller count, or repeat without a count (* or +) and test the length separately"
HEXADECIMAL_DIGITS = "\\x needs two hexadecimal digits, or some in braces"
MAP_KEYS_ARE_STRINGS = "the keys of a map are strings"
NO_BACK_REFERENCES = "RE2 has no back-references"
NO_CLOSING_BRACKET = "a '(' is not closed"
NO_CLOSING_SQUARE_BRACKET = "a '[' is not closed"
NO_LOOKAROUND = "RE2 has no lookaround, back-references or other groups of this kind"
NO_OPENING_BRACKET = "there is a ')' without '('"
NO_UNICODE_CLASSES = "Unicode classes are not supported"
NUMBER_EXPECTED = "expected a number"
RANGE_REVERSED = "the ends of a range are reversed"
RE2_SYNTAX = "patterns follow RE2 syntax"
REPETITION_TWICE = "one repetition follows another"
TOO_LARGE_FOR_ENGINES = "its repetitions multiply to more than the engines can hold"
TYPE_ENDS_EARLY = "the type ends too early"


def unexpected_after_type(text: str) -> str:
    return f"unexpected {text!r} after the type"


def types_nest_at_most(most: int) -> str:
    return f"types are nested at most {most} levels deep"


def unknown_type(name: str) -> str:
    return f"unknown type {name!r}"


def digits_of_a_decimal(most: int) -> str:
    return f"a decimal has 1 to {most} digits, and at most as many after the point"


def escape_before(character: str) -> str:
    return f"the escape character is before {character!r}, which needs no escape"


def pattern_too_long(count: int, most: int) -> str:
    return f"it has {count} characters; the limit is {most}"


def too_many_rounds(most: int) -> str:
    return f"its repetitions multiply to more than {most:,}, which RE2 refuses"


def groups_nest(most: int) -> str:
    return f"groups are nested deeper than {most} levels"


def too_many_repetitions(most: int) -> str:
    return f"it repeats more than {most} times, which PostgreSQL does not support"


def no_escape(character: str) -> str:
    return f"RE2 has no escape \\{character}"


def nothing_to_repeat(sign: str) -> str:
    return f"there is nothing for {sign!r} to repeat"


def unknown_class(name: str) -> str:
    return f"there is no class [:{name}:]"
