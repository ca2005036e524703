"""Reasons why a pattern or a type is refused. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.message import Text

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
NO_FORMS_IN_MAPS = "values of maps have no type of a column: write map<string, string>"
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

unexpected_after_type = Text[str]("unexpected {text!r} after the type")
types_nest_at_most = Text[int]("types are nested at most {most} levels deep")
unknown_type = Text[str]("unknown type {name!r}")
digits_of_a_decimal = Text[int]("a decimal has 1 to {most} digits, and at most as many after the point")
escape_before = Text[str]("the escape character is before {character!r}, which needs no escape")
pattern_too_long = Text[int, int]("it has {count} characters; the limit is {most}")
too_many_rounds = Text[int]("""its nested repetitions multiply to more than {most:,}, which RE2 does not
    support""")
groups_nest = Text[int]("groups are nested deeper than {most} levels")
too_many_repetitions = Text[int]("it repeats more than {most} times, which PostgreSQL does not support")
no_escape = Text[str](r"RE2 has no escape \{character}")
nothing_to_repeat = Text[str]("there is nothing for {sign!r} to repeat")
unknown_class = Text[str]("there is no class [:{name}:]")
no_group = Text[int, int]("it has no group {number}{count:if ; its last one is {count}|}")
group_repeats = Text[int]("its group {number} is repeated, and engines capture different repetitions")
