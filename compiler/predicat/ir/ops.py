"""The operator table: one row per operator.

A signature reads `argument, argument -> result`; `T` stands for any one scalar type, `any` for any type, `*`
after the
last argument for one or more of them, and a leading `=` for an argument that must be a constant. Numbers of
different
types may be compared with each other; nothing else mixes.

A row also has the traits of its operator: what it does with UNKNOWN, what it compares, looks up or
calculates. Whoever
asks which operators are of a kind takes the sets at the end of this module, which are made from the rows.

The examples are run by the tests on the reference evaluator, Spark and PostgreSQL.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from msgspec import Struct

from predicat.ir.types import BIGINT, DATE, STRING, TIMESTAMP
from predicat.ir.value_sets import ValueSet

Example = tuple[tuple[Any, ...], Any]


class Strictness(Enum):
    """When an operator is UNKNOWN, as a text for authors."""

    STRICT = "strict"
    """Where an argument is, and where it has no value: overflow, division by zero, a text that is no
    number, a bad index.
    """
    KLEENE = "Kleene"
    """Where no argument decides alone: the three-valued AND and OR."""
    NEVER = "never UNKNOWN"
    CONDITION = "UNKNOWN where the condition is"
    """Where the first argument is, or the argument that it chooses."""
    ALL = "UNKNOWN only if all are"
    ITEMS = "an item without a value makes UNKNOWN what would be FALSE"
    """Where the first argument is, or where it equals no item and one of these has no value."""


class Step(Enum):
    """What a look-up takes to find a value in another."""

    KEY = "key"
    PLACE = "place"


class Comparison(Struct, frozen=True):
    """What a comparison of two values that are there is called, holds for, and becomes."""

    sign: str
    """In SQL."""
    holds: Callable[[Any, Any], Any]
    mirror: str
    """The comparison of the operands in the other order."""
    negation: str
    """The comparison that holds where this one does not, unless an operand is NaN."""


class Op(Struct, frozen=True):
    """One operator: name, signatures, one line of meaning, examples as (arguments, result), and its
    traits.
    """

    name: str
    signatures: tuple[str, ...]
    doc: str
    examples: tuple[Example, ...] = ()
    strictness: Strictness = Strictness.STRICT
    total: bool = True
    """Whether it has a value wherever all its arguments have, and what these hold."""
    range: tuple[int, int] | None = None
    """The numbers between which its value is."""
    comparison: Comparison | None = None
    lookup: Step | None = None
    arithmetic: str | None = None
    """The sign of a calculation with two operands."""
    json_kind: str | None = None
    """The kind of the JSON values that it reads."""


_T1 = datetime(2013, 7, 4, 10, 30, 15, 250000, tzinfo=UTC)
_D1 = date(2013, 7, 4)
_BIG = 2**63 - 1
_COUNT = (0, 2**31 - 1)
_LONG = timedelta(seconds=200_000_000_000)

_ROWS = (
    # logic
    Op(
        "and",
        ("boolean* -> boolean",),
        "Kleene AND: FALSE if one is FALSE, else UNKNOWN if one is UNKNOWN.",
        (((True, True), True), ((True, None), None), ((False, None), False)),
        Strictness.KLEENE,
    ),
    Op(
        "or",
        ("boolean* -> boolean",),
        "Kleene OR: TRUE if one is TRUE, else UNKNOWN if one is UNKNOWN.",
        (((False, False), False), ((True, None), True), ((False, None), None)),
        Strictness.KLEENE,
    ),
    Op("not", ("boolean -> boolean",), "Kleene NOT.", (((True,), False), ((None,), None))),
    Op(
        "is_true",
        ("boolean -> boolean",),
        "TRUE if TRUE, else FALSE.",
        (((True,), True), ((None,), False)),
        Strictness.NEVER,
    ),
    Op(
        "is_null",
        ("any -> boolean",),
        "Whether there is no value.",
        ((("a",), False), ((None,), True)),
        Strictness.NEVER,
    ),
    Op(
        "cond",
        ("boolean, T, T -> T",),
        "The second argument if the first is TRUE, the third if it is FALSE.",
        (((True, "a", "b"), "a"), ((False, "a", "b"), "b"), ((None, "a", "b"), None)),
        Strictness.CONDITION,
    ),
    Op(
        "coalesce",
        ("T* -> T",),
        "The first argument that has a value.",
        (((None, "b"), "b"), (("a", "b"), "a")),
        Strictness.ALL,
    ),
    Op(
        "greatest",
        ("T* -> T",),
        "The largest of the arguments that have a value; texts by code point, NaN above all numbers.",
        (((1, None, 3), 3), (("B", "a"), "a"), ((float("nan"), 1.0), float("nan")), ((None, None), None)),
        Strictness.ALL,
    ),
    Op(
        "least",
        ("T* -> T",),
        "The smallest of the arguments that have a value; texts by code point, NaN above all numbers.",
        (((1, None, 3), 1), (("B", "a"), "B"), ((float("nan"), 1.0), 1.0), ((None, None), None)),
        Strictness.ALL,
    ),
    Op(
        "same",
        ("T, T -> boolean",),
        "IS NOT DISTINCT FROM: equal, or both without a value.",
        (((None, None), True), (("a", None), False), (("a", "a"), True)),
        Strictness.NEVER,
    ),
    # comparison
    Op(
        "eq",
        ("T, T -> boolean",),
        "Equal. Numbers compare by value across types; NaN equals nothing.",
        (((1, 1), True), ((1, 1.5), False), (("a", None), None), ((float("nan"), float("nan")), False)),
        comparison=Comparison("=", operator.eq, mirror="eq", negation="ne"),
    ),
    Op(
        "ne",
        ("T, T -> boolean",),
        "Not equal: NOT (a = b).",
        (((1, 2), True), ((float("nan"), 1.0), True)),
        comparison=Comparison("<>", operator.ne, mirror="ne", negation="eq"),
    ),
    Op(
        "lt",
        ("T, T -> boolean",),
        "Less than; strings by code point; FALSE with NaN.",
        (((1, 2), True), (("B", "a"), True), ((float("nan"), 1.0), False)),
        comparison=Comparison("<", operator.lt, mirror="gt", negation="ge"),
    ),
    Op(
        "le",
        ("T, T -> boolean",),
        "Less than or equal; strings by code point; FALSE with NaN.",
        (((2, 2), True),),
        comparison=Comparison("<=", operator.le, mirror="ge", negation="gt"),
    ),
    Op(
        "gt",
        ("T, T -> boolean",),
        "Greater than; strings by code point; FALSE with NaN.",
        (
            ((2, 1), True),
            ((float("nan"), 1.0), False),
            ((_BIG, float(2**63)), False),
            ((_BIG - 1, float(2**63)), False),
        ),
        comparison=Comparison(">", operator.gt, mirror="lt", negation="le"),
    ),
    Op(
        "ge",
        ("T, T -> boolean",),
        "Greater than or equal; strings by code point; FALSE with NaN.",
        (((2, 2), True), ((1.0, float("nan")), False)),
        comparison=Comparison(">=", operator.ge, mirror="le", negation="lt"),
    ),
    Op(
        "in",
        ("T, list<T> -> boolean", "T, array<T> -> boolean"),
        "Equal to one of the items.",
        ((("a", ["a", "b"]), True), (("c", ["a", "b"]), False), ((None, ["a"]), None)),
        Strictness.ITEMS,
    ),
    Op(
        "in_list",
        ("T, =array<T> -> boolean",),
        "Equal to one of the values of a long list of the catalog, none of which is NULL.",
        (
            (("a", ValueSet.of(STRING, ["a", "it's", "\\,"])), True),
            (("it's", ValueSet.of(STRING, ["a", "it's", "\\,"])), True),
            (("\\,", ValueSet.of(STRING, ["a", "it's", "\\,"])), True),
            (("c", ValueSet.of(STRING, ["a", "it's", "\\,"])), False),
            ((None, ValueSet.of(STRING, ["a"])), None),
            ((7, ValueSet.of(BIGINT, [-1, 7])), True),
            ((_D1, ValueSet.of(DATE, [_D1])), True),
            ((_T1, ValueSet.of(TIMESTAMP, [_T1])), True),
        ),
    ),
    # arithmetic
    Op(
        "add",
        (
            "bigint, bigint -> bigint",
            "double, double -> double",
            "timestamp, duration -> timestamp",
            "duration, duration -> duration",
        ),
        "Sum. A duration is no longer than some 10,000 years.",
        (((1, 2), 3), ((_BIG, 1), None), ((0.5, 0.25), 0.75), ((_LONG, _LONG), None)),
        arithmetic="+",
        total=False,
    ),
    Op(
        "sub",
        (
            "bigint, bigint -> bigint",
            "double, double -> double",
            "timestamp, duration -> timestamp",
            "duration, duration -> duration",
            "timestamp, timestamp -> duration",
        ),
        "Difference.",
        (
            ((1, 2), -1),
            ((-_BIG, 2), None),
            ((_T1, timedelta(hours=1)), _T1 - timedelta(hours=1)),
            ((-_LONG, _LONG), None),
        ),
        arithmetic="-",
        total=False,
    ),
    Op(
        "mul",
        ("bigint, bigint -> bigint", "double, double -> double"),
        "Product.",
        (((3, 4), 12), ((_BIG, 2), None), ((0.5, 3.0), 1.5)),
        arithmetic="*",
        total=False,
    ),
    Op(
        "div",
        ("bigint, bigint -> bigint", "double, double -> double"),
        "Quotient. Integers truncate towards zero; division by zero is UNKNOWN.",
        (
            ((7, 2), 3),
            ((-7, 2), -3),
            ((1, 0), None),
            ((-_BIG - 1, -1), None),
            ((1.0, 4.0), 0.25),
            ((1.0, 0.0), None),
        ),
        arithmetic="/",
        total=False,
    ),
    Op(
        "mod",
        ("bigint, bigint -> bigint",),
        "Remainder, with the sign of the dividend.",
        (((7, 3), 1), ((-7, 3), -1), ((1, 0), None), ((-_BIG - 1, -1), 0)),
        arithmetic="%",
        total=False,
    ),
    Op(
        "fdiv",
        ("double, double -> double",),
        "Quotient by IEEE 754: division by zero gives an infinity or NaN.",
        (
            ((1.0, 4.0), 0.25),
            ((1.0, 0.0), float("inf")),
            ((-1.0, 0.0), float("-inf")),
            ((1.0, -0.0), float("-inf")),
            ((0.0, 0.0), float("nan")),
            ((1.0, None), None),
        ),
        arithmetic="/",
    ),
    Op(
        "int32",
        ("bigint -> bigint",),
        "The same number if it has 32 bits.",
        (((2**31 - 1,), 2**31 - 1), ((2**31,), None), ((-(2**31),), -(2**31))),
        total=False,
    ),
    Op(
        "neg",
        ("bigint -> bigint", "double -> double"),
        "Negation.",
        (((1,), -1), ((-_BIG - 1,), None)),
        total=False,
    ),
    Op(
        "abs",
        ("bigint -> bigint", "double -> double"),
        "Absolute value.",
        (((-2,), 2), ((-_BIG - 1,), None)),
        total=False,
    ),
    Op(
        "floor",
        ("double -> double",),
        "The largest whole number not above.",
        (((-1.5,), -2.0), ((1e300,), 1e300)),
    ),
    Op("ceil", ("double -> double",), "The smallest whole number not below.", (((1.2,), 2.0),)),
    Op(
        "round",
        ("double, =bigint -> double",),
        "A double with so many digits behind the point, by its shortest decimal: a half goes away from zero.",
        (
            ((2.675, 2), 2.68),
            ((-2.5, 0), -3.0),
            ((0.285, 2), 0.29),
            ((1.2649999999999997, 2), 1.26),
            ((1e300, 2), 1e300),
            ((4.5e15 + 0.5, 0), 4.5e15 + 1),
            ((float("nan"), 1), float("nan")),
            ((float("-inf"), 1), float("-inf")),
            ((5e-324, 10), 0.0),
        ),
    ),
    Op(
        "bround",
        ("double, =bigint -> double",),
        "A double with so many digits behind the point, by its shortest decimal: a half goes to the even "
        "digit.",
        (
            ((2.665, 2), 2.66),
            ((2.5, 0), 2.0),
            ((-3.5, 0), -4.0),
            ((0.12500000000000003, 2), 0.13),
            ((float("inf"), 1), float("inf")),
            ((1e22, 3), 1e22),
        ),
    ),
    Op(
        "sqrt",
        ("double -> double",),
        "Square root; UNKNOWN below zero.",
        (((2.0,), 2.0**0.5), ((-1.0,), None), ((float("inf"),), float("inf")), ((1e-320,), 1e-320**0.5)),
        total=False,
    ),
    Op(
        "exp",
        ("double -> double",),
        "e to the power of a number. Only compared with a constant: engines round it differently.",
    ),
    Op(
        "ln",
        ("double -> double",),
        "Natural logarithm; UNKNOWN unless above zero. Only compared with a constant.",
        total=False,
    ),
    Op(
        "log10",
        ("double -> double",),
        "Logarithm to base 10; UNKNOWN unless above zero. Only compared with a constant.",
        total=False,
    ),
    Op(
        "bit_and",
        ("bigint, bigint -> bigint",),
        "The bits that both numbers have.",
        (((12, 10), 8), ((-1, _BIG), _BIG), ((-_BIG - 1, -1), -_BIG - 1)),
    ),
    Op(
        "bit_or",
        ("bigint, bigint -> bigint",),
        "The bits that one of two numbers has.",
        (((12, 10), 14), ((-_BIG - 1, 1), -_BIG), ((0, -1), -1)),
    ),
    Op(
        "bit_xor",
        ("bigint, bigint -> bigint",),
        "The bits that just one of two numbers has.",
        (((12, 10), 6), ((-1, _BIG), -_BIG - 1), ((5, 5), 0)),
    ),
    Op(
        "shift_left",
        ("bigint, =bigint -> bigint",),
        "The 64 bits moved up by 0 to 63 places; what leaves them is lost.",
        (((1, 3), 8), ((_BIG, 1), -2), ((-1, 63), -_BIG - 1), ((3, 62), -(2**62)), ((-5, 0), -5)),
    ),
    Op(
        "shift_right",
        ("bigint, =bigint -> bigint",),
        "The 64 bits moved down by 0 to 63 places; the sign stays.",
        (((8, 3), 1), ((-1, 1), -1), ((-_BIG - 1, 63), -1), ((-5, 1), -3)),
    ),
    # strings
    Op(
        "ascii",
        ("string -> bigint",),
        "The code point of the first character; 0 for the empty text.",
        ((("Abc",), 65), (("é",), 233), (("😀x",), 128512), (("",), 0)),
        range=(0, 0x10FFFF),
    ),
    Op(
        "md5",
        ("string -> string",),
        "The MD5 hash of the text in UTF-8, as hexadecimal digits.",
        ((("é😀",), "62b3afe3b01f6f80152b567d9b216cde"), (("",), "d41d8cd98f00b204e9800998ecf8427e")),
    ),
    Op(
        "sha256",
        ("string -> string",),
        "The SHA-256 hash of the text in UTF-8, as hexadecimal digits.",
        ((("",), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),),
    ),
    Op(
        "concat",
        ("string, string -> string",),
        "One text after the other.",
        ((("a", "b"), "ab"), (("a", None), None)),
    ),
    Op(
        "length",
        ("string -> bigint",),
        "Number of code points.",
        ((("héllo😀",), 6), (("",), 0)),
        range=_COUNT,
    ),
    Op("lower", ("string -> string",), "A to Z become a to z; nothing else changes.", ((("AbÉİ",), "abÉİ"),)),
    Op("upper", ("string -> string",), "a to z become A to Z; nothing else changes.", ((("abéß",), "ABéß"),)),
    Op("trim", ("string -> string",), "Without spaces (U+0020) at both ends.", ((("  a b ",), "a b"),)),
    Op(
        "ltrim",
        ("string -> string", "string, =string -> string"),
        "Without spaces, or any of the characters of the second text, at the start.",
        (
            (("  a ",), "a "),
            (("00120", "0"), "120"),
            (("😀\u00a0é-]a^\\", "^]-\\é😀\u00a0"), "a^\\"),
            (("", "x"), ""),
        ),
    ),
    Op(
        "rtrim",
        ("string -> string", "string, =string -> string"),
        "Without spaces, or any of the characters of the second text, at the end.",
        (((" a  ",), " a"), (("a010", "10"), "a"), (("-a^]é😀", "^]-é😀"), "-a")),
    ),
    Op(
        "lpad",
        ("string, =bigint, =string -> string",),
        "A text cut to a length, or with the characters of another, again and again, in front of it.",
        (
            (("7", 3, "0"), "007"),
            (("héllo😀", 3, "x"), "hél"),
            (("a", 6, "😀bc"), "😀bc😀ba"),
            (("", 2, "x"), "xx"),
        ),
    ),
    Op(
        "rpad",
        ("string, =bigint, =string -> string",),
        "A text cut to a length, or with the characters of another, again and again, behind it.",
        (
            (("7", 3, "0"), "700"),
            (("héllo😀", 3, "x"), "hél"),
            (("a", 6, "😀bc"), "a😀bc😀b"),
            (("", 2, "x"), "xx"),
        ),
    ),
    Op(
        "strip",
        ("string, =string -> string",),
        "Without any of the characters of the second text at both ends.",
        (((" \t a b\u2003", " \t\n\u2003"), "a b"), (("a", " "), "a")),
    ),
    Op("reverse", ("string -> string",), "The code points in reverse.", ((("a😀é",), "é😀a"), (("",), ""))),
    Op(
        "split",
        ("string, =string -> array<string>", "string, =string, =bigint -> array<string>"),
        (
            "The texts between the occurrences of the second text, which is not empty; at most so many, "
            "the last with all the rest."
        ),
        (
            (("a.b.", "."), ["a", "b", ""]),
            (("", "."), [""]),
            (("a.b.c", ".", 2), ["a", "b.c"]),
            (("a.b", ".", 1), ["a.b"]),
            (("a.b", ".", 9), ["a", "b"]),
            (("", ".", 2), [""]),
        ),
    ),
    Op(
        "join",
        ("array<string>, string -> string",),
        "The texts with another between them; UNKNOWN if one is absent.",
        (((["a", "b"], "-"), "a-b"),),
        total=False,
    ),
    Op(
        "starts_with",
        ("string, string -> boolean",),
        "Whether the text begins so.",
        ((("a%b", "a%"), True), (("ab", "a%"), False), (("a", ""), True)),
    ),
    Op("ends_with", ("string, string -> boolean",), "Whether the text ends so.", ((("a_", "_"), True),)),
    Op("contains", ("string, string -> boolean",), "Whether the text occurs.", ((("abc", "b"), True),)),
    Op(
        "like",
        ("string, =string -> boolean",),
        "SQL LIKE: % any text, _ one code point, \\ escapes.",
        ((("a%c", "a\\%_"), True), (("abc", "a\\%c"), False), (("a\nb", "a_b"), True)),
    ),
    Op(
        "equals_ci",
        ("string, =string -> boolean",),
        "Equal under Unicode simple case folding.",
        ((("STRAßE", "straße"), True), (("İ", "i"), False)),
    ),
    Op(
        "starts_with_ci",
        ("string, =string -> boolean",),
        "Begins so, under Unicode simple case folding.",
        ((("ÉCOLE", "éc"), True),),
    ),
    Op(
        "contains_ci",
        ("string, =string -> boolean",),
        "Occurs, under Unicode simple case folding.",
        ((("xKelvin", "KELVIN"), True), (("abc", "D"), False)),
    ),
    Op(
        "like_ci",
        ("string, =string -> boolean",),
        "LIKE under Unicode simple case folding.",
        ((("HELLO", "h%_o"), True),),
    ),
    Op(
        "matches",
        ("string, =string -> boolean",),
        "Whether an RE2 pattern matches a part of the text.",
        ((("abc", "^a.c$"), True), (("a\nc", "a.c"), False), (("x9", "\\d"), True), (("٣", "\\d"), False)),
    ),
    Op(
        "regex_extract",
        ("string, =string, =bigint -> string",),
        "What a group of an RE2 pattern holds where the pattern first matches (0: all of the match); empty "
        "if it holds nothing, or nothing matches.",
        (
            (("ab12c345", "([a-z]+)([0-9]+)", 2), "12"),
            (("ab12c345", "([a-z]+)([0-9]+)", 0), "ab12"),
            (("x=1;y=2", "y=([^;]*)", 1), "2"),
            (("a", "b(c)?", 1), ""),
            (("b", "b(c)?", 1), ""),
            (("é😀-ü", "-(.)$", 1), "ü"),
            (("a@b@c", "^(.*)@(.*)$", 1), "a@b"),
            (("ab,cd,7", "^(?:[a-z]{2},)*([0-9])", 1), "7"),
            (("see A-17.", "\\b([A-Z])-([0-9]+)\\b", 2), "17"),
        ),
    ),
    Op(
        "regex_replace",
        ("string, =string, =string -> string",),
        "The text with all matches of an RE2 pattern replaced; in the replacement \\1 is a group, \\0 the "
        "match and \\\\ a backslash.",
        (
            (("a1b22", "[0-9]+", "#"), "a#b#"),
            (("John Doe", "(\\w+) (\\w+)", "\\2, \\1"), "Doe, John"),
            (("a-b", "-", "$1&\\\\\\0"), "a$1&\\-b"),
            (("😀é", "é", ""), "😀"),
            (("xyx", "x(z)?", "[\\1]"), "[]y[]"),
            (("aaa", "^a", "b"), "baa"),
        ),
    ),
    Op(
        "substr",
        ("string, bigint -> string", "string, bigint, bigint -> string"),
        "SQL SUBSTRING: from a 1-based position, so many code points; UNKNOWN for a negative length.",
        ((("hello", 2, 3), "ell"), (("hello", 4), "lo"), (("hello", 0, 2), "h"), (("hello", 2, -1), None)),
        total=False,
    ),
    Op(
        "position",
        ("string, string -> bigint",),
        "1-based place of the second text in the first, 0 if none.",
        ((("hello", "l"), 3), (("hello", "x"), 0)),
        range=_COUNT,
    ),
    Op(
        "replace",
        ("string, string, string -> string",),
        "Every occurrence of the second text becomes the third.",
        ((("a-b-c", "-", "+"), "a+b+c"), (("abc", "", "x"), "abc")),
    ),
    Op(
        "replace_each",
        ("string, string, string -> string",),
        (
            "As replace; but the empty text occurs before, between and behind the code points (CEL's "
            "strings extension)."
        ),
        (
            (("a-b-c", "-", "+"), "a+b+c"),
            (("a😀\n", "", "$1\\1&"), "$1\\1&a$1\\1&😀$1\\1&\n$1\\1&"),
            (("", "", "x"), "x"),
        ),
    ),
    # conversions
    Op(
        "to_int",
        ("string -> bigint", "double -> bigint", "boolean -> bigint", "timestamp -> bigint"),
        "A whole number: doubles truncate towards zero, text must be an optional minus and digits, a "
        "timestamp gives "
        "seconds since 1970.",
        (((3.5,), 3), ((-2.5,), -2), (("12",), 12), (("2.5",), None), ((" 1",), None), ((1e300,), None)),
        total=False,
    ),
    Op(
        "to_whole",
        ("double -> bigint",),
        "The whole number that a double is; UNKNOWN for one with decimals.",
        (
            ((3.0,), 3),
            ((-0.0,), 0),
            ((3.5,), None),
            ((-(2.0**63),), -(2**63)),
            ((2.0**63,), None),
            ((float("nan"),), None),
            ((float("inf"),), None),
        ),
        total=False,
    ),
    Op(
        "to_double",
        ("string -> double", "bigint -> double", "decimal -> double"),
        "A double.",
        ((("2.5",), 2.5), (("1e3",), 1000.0), (("x",), None), ((3,), 3.0)),
        total=False,
    ),
    Op(
        "to_decimal",
        ("string -> decimal",),
        "A decimal from a text, rounded to its digits, a half away from zero; UNKNOWN if it is too large.",
        (
            (("12.5",), Decimal(13)),
            (("-0.5",), Decimal(-1)),
            (("+1.5e2",), Decimal(150)),
            ((".4",), Decimal(0)),
            (("9999999999.4",), Decimal(9999999999)),
            (("9999999999.5",), None),
            (("1e99",), None),
            (("1,5",), None),
            ((" 1",), None),
        ),
        total=False,
    ),
    Op(
        "to_string",
        (
            "bigint -> string",
            "boolean -> string",
            "date -> string",
            "decimal -> string",
            "double -> string",
            "duration -> string",
            "timestamp -> string",
        ),
        "The text of a value.",
        (
            ((12,), "12"),
            ((True,), "true"),
            ((_D1,), "2013-07-04"),
            ((_T1,), "2013-07-04T10:30:15.250Z"),
            ((timedelta(seconds=-90),), "-90s"),
            ((timedelta(microseconds=1),), "0.000001s"),
        ),
    ),
    Op(
        "to_boolean",
        ("string -> boolean",),
        "TRUE or FALSE from the texts that CEL admits: true, t, 1, false, f, 0.",
        ((("true",), True), (("0",), False), (("yes",), None)),
        total=False,
    ),
    Op(
        "to_timestamp",
        ("string -> timestamp", "date -> timestamp", "bigint -> timestamp"),
        (
            "A timestamp from RFC 3339 text (nanoseconds truncate to microseconds), a date (midnight UTC) "
            "or seconds."
        ),
        (
            (("2013-07-04T10:30:15.25Z",), _T1),
            (("tomorrow",), None),
            (("2013-07-04",), None),
            (("2013-02-29T00:00:00Z",), None),
            ((1372933815,), datetime(2013, 7, 4, 10, 30, 15, tzinfo=UTC)),
        ),
        total=False,
    ),
    Op(
        "to_duration",
        ("string -> duration",),
        (
            "A duration from text in Go's syntax (nanoseconds are cut): up to nine numbers with units, of "
            "up to 15 digits and 9 behind the point."
        ),
        (
            (("1h30m",), timedelta(minutes=90)),
            (("-1.5s",), timedelta(seconds=-1.5)),
            (("0",), timedelta(0)),
            (("0.5us0.5us",), timedelta(microseconds=1)),
            (("90",), None),
            (("1d",), None),
            (("87660001h",), None),
        ),
        total=False,
    ),
    Op(
        "to_quantity",
        ("string -> double",),
        (
            "The double next to a quantity of Kubernetes: a number of up to 60 digits before and behind "
            "the point, with a unit (`100Mi`, `500m`) or an exponent."
        ),
        (
            (("1.5Gi",), 1610612736.0),
            (("500m",), 0.5),
            (("1.1G",), 1.1e9),
            (("2E",), 2e18),
            (("2E2",), 200.0),
            (("-.5k",), -500.0),
            (("+1.",), 1.0),
            (("0.1",), 0.1),
            (("3n",), 3e-9),
            (("1Ei",), 2.0**60),
            (("1K",), None),
            (("",), None),
            (("1e100",), None),
            (("1 k",), None),
        ),
        total=False,
    ),
    Op(
        "to_date",
        ("string -> date", "timestamp -> date"),
        "A date from YYYY-MM-DD, or the UTC day of a timestamp.",
        ((("2013-07-04",), _D1), (("2013-02-30",), None), ((_T1,), _D1)),
        total=False,
    ),
    # time
    Op(
        "year",
        ("timestamp -> bigint", "timestamp, =string -> bigint", "date -> bigint"),
        "The year, in UTC or in a named time zone.",
        (((_T1,), 2013),),
        range=(1, 9999),
    ),
    Op(
        "month",
        ("timestamp -> bigint", "timestamp, =string -> bigint", "date -> bigint"),
        "The month, 1 to 12.",
        (((_T1,), 7),),
        range=(1, 12),
    ),
    Op(
        "day",
        ("timestamp -> bigint", "timestamp, =string -> bigint", "date -> bigint"),
        "The day of the month, 1 to 31.",
        (((_T1,), 4), ((_T1, "Pacific/Auckland"), 4)),
        range=(1, 31),
    ),
    Op(
        "day_of_week",
        ("timestamp -> bigint", "timestamp, =string -> bigint", "date -> bigint"),
        "0 for Sunday to 6 for Saturday.",
        (((_T1,), 4), ((_D1,), 4)),
        range=(0, 6),
    ),
    Op(
        "day_of_year",
        ("timestamp -> bigint", "timestamp, =string -> bigint", "date -> bigint"),
        "1 to 366.",
        (((_T1,), 185),),
        range=(1, 366),
    ),
    Op(
        "hour",
        ("timestamp -> bigint", "timestamp, =string -> bigint"),
        "The hour, 0 to 23.",
        (((_T1,), 10), ((_T1, "America/New_York"), 6)),
        range=(0, 23),
    ),
    Op(
        "minute",
        ("timestamp -> bigint", "timestamp, =string -> bigint"),
        "The minute, 0 to 59.",
        (((_T1,), 30), ((_T1, "Asia/Kolkata"), 0)),
        range=(0, 59),
    ),
    Op(
        "second",
        ("timestamp -> bigint", "timestamp, =string -> bigint"),
        "The second, 0 to 59.",
        (((_T1,), 15),),
        range=(0, 59),
    ),
    Op(
        "millisecond",
        ("timestamp -> bigint", "timestamp, =string -> bigint"),
        "The millisecond, 0 to 999.",
        (((_T1,), 250),),
        range=(0, 999),
    ),
    Op(
        "date_trunc",
        ("=string, timestamp -> timestamp",),
        "The start of the year, quarter, month, week (Monday), day, hour, minute or second, in UTC.",
        ((("day", _T1), datetime(2013, 7, 4, tzinfo=UTC)), (("week", _T1), datetime(2013, 7, 1, tzinfo=UTC))),
    ),
    Op(
        "in_units",
        ("=string, duration -> bigint",),
        "The whole hours, minutes, seconds or milliseconds of a duration.",
        ((("minute", timedelta(hours=1, seconds=119)), 61), (("second", timedelta(milliseconds=-1500)), -1)),
    ),
    Op(
        "add_days",
        ("date, bigint -> date",),
        "So many days later.",
        (((_D1, -4), date(2013, 6, 30)),),
        total=False,
    ),
    Op(
        "days_between",
        ("date, date -> bigint",),
        "Days from the second date to the first.",
        (((_D1, date(2013, 7, 1)), 3),),
    ),
    Op(
        "add_months",
        ("date, bigint -> date", "timestamp, bigint -> timestamp"),
        "So many months later, at the same time of the day (UTC); a day that the month lacks is its last.",
        (
            ((date(2024, 1, 31), 1), date(2024, 2, 29)),
            ((date(2024, 2, 29), -12), date(2023, 2, 28)),
            ((_D1, 119_987), None),
            ((date(9999, 11, 30), 1), date(9999, 12, 30)),
            ((date(1, 1, 1), -1), None),
            ((datetime(2024, 3, 31, 23, 30, tzinfo=UTC), -1), datetime(2024, 2, 29, 23, 30, tzinfo=UTC)),
            ((_T1, 2**40), None),
        ),
        total=False,
    ),
    Op(
        "last_day",
        ("date -> date",),
        "The last day of the month.",
        (((date(2024, 2, 3),), date(2024, 2, 29)), ((date(9999, 12, 31),), date(9999, 12, 31))),
    ),
    Op(
        "to_micros",
        ("timestamp -> bigint", "duration -> bigint"),
        "The microseconds since 1970, or of a duration.",
        (((_T1,), 1_372_933_815_250_000), ((timedelta(seconds=-1.5),), -1_500_000)),
    ),
    Op(
        "from_micros",
        ("bigint -> timestamp",),
        "The moment so many microseconds after 1970.",
        (
            ((1_372_933_815_250_000,), _T1),
            ((-1,), datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
            ((_BIG,), None),
        ),
        total=False,
    ),
    Op(
        "format_time",
        ("=string, timestamp -> string",),
        "The text of a time in a format (UTC): %Y, %m, %d, %H, %M, %S, %f (six digits), %L (three digits), "
        "%j, and the English names %a, %A, %b, %B.",
        (
            (("%Y-%m", _T1), "2013-07"),
            (("%Y%m%d %H:%M:%S.%L|%f", _T1), "20130704 10:30:15.250|250000"),
            (("%a %A, %d %b %B %j", _T1), "Thu Thursday, 04 Jul July 185"),
            (('%%YYYY "dd" \'%d-', _T1), '%YYYY "dd" \'04-'),
            (("%H %Y", datetime(1, 2, 3, 4, tzinfo=UTC)), "04 0001"),
        ),
    ),
    # collections
    Op(
        "get",
        ("map<string, T>, string -> T",),
        "The value of a key.",
        ((({"a": "x"}, "a"), "x"), (({"a": "x"}, "b"), None)),
        lookup=Step.KEY,
        total=False,
    ),
    Op("member", ("struct, =string -> any",), "A member of a struct.", lookup=Step.KEY, total=False),
    Op(
        "index",
        ("array<T>, bigint -> T",),
        "The element at a 0-based index.",
        (((["a", "b"], 1), "b"), ((["a"], 1), None), ((["a"], -1), None)),
        lookup=Step.PLACE,
        total=False,
    ),
    Op(
        "size",
        ("array<T> -> bigint", "map<string, T> -> bigint"),
        "Number of elements.",
        (((["a", "b"],), 2), (({"a": "x"},), 1)),
        range=_COUNT,
    ),
    Op(
        "array",
        ("T* -> array<T>",),
        "An array of values; UNKNOWN if one is.",
        ((("a", "b"), ["a", "b"]), ((1, None), None)),
    ),
    Op(
        "array_position",
        ("array<bigint>, bigint -> bigint", "array<string>, string -> bigint"),
        "The place of the first element that equals a value, counted from 1; 0 if there is none.",
        ((([5, 7, 7], 7), 2), ((["a", "b"], "c"), 0), ((["a", "A"], "A"), 2)),
        range=_COUNT,
    ),
    Op(
        "array_eq",
        ("array<T>, array<T> -> boolean",),
        "Whether two arrays have equal elements; UNKNOWN if an element is absent.",
        (((["a"], ["a"]), True), (([1, 2], [2, 1]), False)),
        total=False,
    ),
    Op(
        "array_concat",
        ("array<T>, array<T> -> array<T>",),
        "One array after the other.",
        ((([1], [2, 3]), [1, 2, 3]),),
    ),
    Op(
        "range",
        ("bigint -> array<bigint>",),
        "0, 1, ... to before a number, which is at most a million.",
        (((3,), [0, 1, 2]), ((0,), []), ((-1,), None), ((1_000_001,), None)),
        total=False,
    ),
    Op(
        "sum",
        ("array<bigint> -> bigint", "array<double> -> double"),
        (
            "The elements added up, 0 for none; UNKNOWN if one is absent, if a sum of integers has more "
            "than 64 bits, or if a finite double is beyond 1e298."
        ),
        (
            (([1, 2, 3],), 6),
            (([_BIG, 1],), None),
            (([_BIG, 1, -1],), _BIG),
            (([0.1, 0.2, 0.3],), 0.1 + 0.2 + 0.3),
            (([0.5, 0.25],), 0.75),
            (([1e299],), None),
            (([float("inf"), 1.0],), float("inf")),
        ),
        total=False,
    ),
    Op(
        "array_max",
        ("array<bigint> -> bigint", "array<double> -> double"),
        "The largest number of an array, NaN above all; UNKNOWN if it has none, or one is absent.",
        ((([1, 3, 2],), 3), (([0.5, float("nan")],), float("nan")), (([0.5, float("inf")],), float("inf"))),
        total=False,
    ),
    Op(
        "array_min",
        ("array<bigint> -> bigint", "array<double> -> double"),
        "The smallest number of an array, NaN above all; UNKNOWN if it has none, or one is absent.",
        ((([3, 1, 2],), 1), (([0.5, float("nan")],), 0.5), (([0.5, float("-inf")],), float("-inf"))),
        total=False,
    ),
    Op("keys", ("map<string, T> -> array<string>",), "The keys of a map.", ((({"a": "x"},), ["a"]),)),
    Op("dyn", ("any -> any",), "The same value, whose type is not checked."),
    # JSON documents
    Op(
        "json_get",
        ("json, string -> json",),
        "The value of a key of a JSON object; no value for JSON null.",
        lookup=Step.KEY,
        total=False,
    ),
    Op(
        "json_at",
        ("json, bigint -> json",),
        "The element of a JSON array at a 0-based index.",
        lookup=Step.PLACE,
        total=False,
    ),
    Op(
        "json_is",
        ("json, =string -> boolean",),
        "Whether a JSON value is of a kind: string, number, boolean, object, array.",
    ),
    Op(
        "json_eq",
        ("json, json -> boolean",),
        (
            "Whether two JSON values are the same: numbers as doubles, arrays by place, objects by key; "
            "null is the same as null inside of them."
        ),
    ),
    Op("json_string", ("json -> string",), "The text of a JSON string.", json_kind="string", total=False),
    Op(
        "json_number",
        ("json -> double",),
        "The value of a JSON number, as a double: infinite beyond the doubles.",
        json_kind="number",
        total=False,
    ),
    Op(
        "json_boolean", ("json -> boolean",), "The value of a JSON boolean.", json_kind="boolean", total=False
    ),
    Op("json_items", ("json -> json",), "The keys of a JSON object as an array; any other value as it is."),
    Op(
        "json_values",
        ("json -> json", "json, =string -> json"),
        "The values that a JSON value, or its member of a name, has: itself or, of an array, its "
        "elements, through arrays within each "
        "other to a depth of three. A member that is JSON null is a value; nothing has none: an empty array.",
        (),
        Strictness.NEVER,
    ),
    Op(
        "json_size",
        ("json -> bigint",),
        "Number of elements of a JSON array or of members of a JSON object.",
        total=False,
        range=_COUNT,
    ),
    # code
    Op(
        "entry_filter",
        ("=string -> boolean",),
        "What a Python class says of the row. UNKNOWN without running it, which only its own runner does.",
        total=False,
    ),
)

OPS = {row.name: row for row in _ROWS}
"""Every operator by its name."""


def _having(*wanted: Strictness) -> frozenset[str]:
    return frozenset(row.name for row in _ROWS if row.strictness in wanted)


STRICT = _having(Strictness.STRICT)
"""The operators that are UNKNOWN where one argument is."""
STRICT_IN_FIRST = _having(Strictness.CONDITION, Strictness.ITEMS)
"""Those of the others that are UNKNOWN where their first argument is."""
NEVER_UNKNOWN = _having(Strictness.NEVER)
"""The operators that have a value whatever their arguments have."""
JUNCTIONS = _having(Strictness.KLEENE)
"""AND and OR."""
CONNECTIVES = JUNCTIONS | {"not"}
"""AND, OR and NOT: never UNKNOWN if no argument is."""
LOGIC = CONNECTIVES | {"is_true"}
"""The operators that make one test of others."""
COMPARISONS = {row.name: row.comparison for row in _ROWS if row.comparison is not None}
"""The comparisons by their names. `same` and `in` are none: they have no mirror and no negation."""
FLIPPED = {op: row.mirror for op, row in COMPARISONS.items()}
"""The comparison of the operands in the other order."""
EQUALITIES = frozenset(op for op, mirror in FLIPPED.items() if mirror == op)
"""Equal and not equal."""
ORDERED = frozenset(COMPARISONS) - EQUALITIES
"""The comparisons that need an order."""
ARITHMETIC = {row.name: row.arithmetic for row in _ROWS if row.arithmetic is not None}
"""The calculations with two operands, with their signs in most languages."""
OF_INTEGERS = frozenset(op for op in ARITHMETIC if "bigint, bigint -> bigint" in OPS[op].signatures)
OF_DOUBLES = frozenset(op for op in ARITHMETIC if "double, double -> double" in OPS[op].signatures)
"""The calculations that take integers, and those that take doubles, whose results are rounded."""
COUNTS = frozenset(row.name for row in _ROWS if row.range == _COUNT)
"""The operators that count characters or elements."""
TIME_PARTS = frozenset(row.name for row in _ROWS if "timestamp, =string -> bigint" in row.signatures)
"""The parts of a moment, whose second argument is a time zone."""
LOOK_UPS = {row.name: row.lookup for row in _ROWS if row.lookup is not None}
"""The operators that find a value in another."""
BY_KEY = frozenset(op for op, step in LOOK_UPS.items() if step is Step.KEY)
BY_PLACE = frozenset(LOOK_UPS) - BY_KEY
JSON_LOOK_UPS = frozenset(op for op in LOOK_UPS if OPS[op].signatures[0].startswith("json,"))
"""The look-ups in a JSON document; the others look into a column of its own."""
JSON_READS = {row.name: row.json_kind for row in _ROWS if row.json_kind is not None}
"""The operators that read a scalar out of JSON, with the kind of JSON value that each reads."""
ARRAYS = 3
"""So many arrays within each other `json_values` goes through."""
SOLVED_ONLY = frozenset({"exp", "ln", "log10"})
"""The functions of a double that engines round differently: their comparisons with constants are solved."""
QUANTIFIERS = ("any", "all", "one", "filter", "map")
