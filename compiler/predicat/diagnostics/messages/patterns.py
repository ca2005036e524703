"""Reasons why a pattern or a type is refused. Each function is a message: see the package."""

from __future__ import annotations

ALTERNATIVES_BEGIN_ALIKE = (
    "two alternatives can begin with the same character, and engines choose differently"
)
BACKSLASH_IN_REPLACEMENT = "its replacement has a backslash that names no group"
BOUNDARY_BESIDE_LOOP = "it has a word boundary and a group that repeats without limit"
BOUNDS_REVERSED = "the bounds of a repetition are reversed"
EMPTY_MATCH = "it matches the empty string, which engines find at different places"
EMPTY_ROUNDS = "its repeated group may match the empty string"
EMPTY_CLASS = "the class matches no character"
ENDS_WITH_BACKSLASH = "it ends with a backslash"
ENDS_WITH_ESCAPE = "it ends with its escape character"
FEWER_ROUNDS = "use a smaller count, or repeat without a count (* or +) and test the length separately"
GROUPS_IN_REPLACEMENT = "write \\\\1 for a group, \\\\0 for the match, and \\\\\\\\ for a backslash"
HEXADECIMAL_DIGITS = "\\x needs two hexadecimal digits, or some in braces"
LAZY_AT_THE_END = "it ends with a lazy repetition, and engines match different parts of a string"
LINES_TO_FIND = "what matches at the ends of lines differs between engines"
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
ROUND_OR_NOT = (
    "a repetition and what follows it can begin with the same character, and engines choose differently"
)
SAY_NEWLINES = "write \\n for a line break"
SHORTER_FIRST = "an empty alternative is not the last one, and engines choose differently"
START_INSIDE = "it tests for the start of the string after other characters"
TOO_LARGE_FOR_ENGINES = "its nested repetitions multiply to more than engines support"
TO_FIND = "let the next character decide: write '([^@]*)@' instead of '(.*)@', 'ab?' instead of 'a|ab'"
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
    return f"its nested repetitions multiply to more than {most:,}, which RE2 does not support"


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


def no_group(number: int, count: int) -> str:
    return f"it has no group {number}" + (f"; its last one is {count}" if count else "")


def group_repeats(number: int) -> str:
    return f"its group {number} is repeated, and engines capture different repetitions"
