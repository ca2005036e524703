"""The values of a rule, and JavaScript's coercions of them.

A value whose type depends on the row has alternatives, one for each kind that it may have; those of a value
exclude each other, and one of them is always the case. NULL of a column is JavaScript's null. A number that
is UNKNOWN is NaN.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.ir.values import DOUBLE_PATTERN
from predicat.language.common.trees import all_of, any_of, apply, cast_to, choose, decided, text

NULL, TRUTH, NUMBER, TEXT, LIST, OBJECT, TIME = (
    "null",
    "boolean",
    "number",
    "string",
    "array",
    "object",
    "time",
)
# What JavaScript takes for white space around a number.
BLANKS = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_DECIMAL = re.compile(DOUBLE_PATTERN)
# What parseFloat reads at the start of a string.
_LEADING = r"^([+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?)"
# A test that is never UNKNOWN: one that is decided already is a bool.
Test = t.Tree | bool


class One(Struct, frozen=True, gc=False):
    """An alternative of a value.

    Attributes:
        kind: One of the names above.
        tree: The value; UNKNOWN if the value is of another kind.
        type: Its type; that of the elements for a list.
        when: Tests of whether it is the case, beside that of the kind.
        own: The test of its kind, which a strict use of `tree` implies; None if it always has it.
    """

    kind: str
    tree: t.Tree
    type: Type = JSON
    when: tuple[t.Tree, ...] = ()
    own: t.Tree | None = None

    @property
    def tests(self) -> tuple[t.Tree, ...]:
        """All tests of whether it is the case."""
        return self.when if self.own is None else (*self.when, self.own)

    @property
    def constant(self) -> t.Value:
        """The value of a constant; None for any other tree."""
        return self.tree.value if isinstance(self.tree, t.Constant) else None


Alternatives = tuple[One, ...]


# --- where values come from


def constant(value: bool | float | str | None, span: Span) -> Alternatives:
    """A constant of a rule."""
    for type_, kind, held in ((bool, TRUTH, BOOLEAN), (int, NUMBER, BIGINT), (float, NUMBER, DOUBLE)):
        if isinstance(value, type_):
            return (One(kind, t.Constant(value, span), held),)
    if isinstance(value, str):  # with its place in the text
        return (One(TEXT, t.Constant(str(value), span), STRING),)
    return (One(NULL, t.Constant(None, span)),)


def truth(test: Test, span: Span) -> Alternatives:
    """The boolean of a test."""
    return (One(TRUTH, as_tree(test, span), BOOLEAN),)


def number(tree: t.Tree, type_: Type = DOUBLE) -> Alternatives:
    """A number; NaN if it is UNKNOWN."""
    return (One(NUMBER, tree, type_),)


def string(tree: t.Tree) -> Alternatives:
    """A string."""
    return (One(TEXT, tree, STRING),)


def read(tree: t.Tree, type_: Type, null: Alternatives) -> Alternatives:
    """What a field or an element has; `null` if it has no value."""
    span = tree.span
    if type_ == JSON:
        found = tuple(
            One(
                kind, apply(f"json_{kind}", span, tree) if typed else tree, typed or JSON, (), _is(tree, kind)
            )
            for kind, typed in (
                (TEXT, STRING),
                (NUMBER, DOUBLE),
                (TRUTH, BOOLEAN),
                (LIST, None),
                (OBJECT, None),
            )
        )
        # A macro over an object would be one over its keys.
        found = tuple(
            replace(one, when=(_is(tree, LIST),), own=None) if one.kind == LIST else one for one in found
        )
    else:
        element = type_.element if isinstance(type_, ArrayType) else type_
        found = (One(kind_of(type_), tree, element, (), apply("not", span, apply("is_null", span, tree))),)
    absent = apply("is_null", span, tree)
    return (*found, *(replace(one, when=(absent, *one.when)) for one in null))


def _is(tree: t.Tree, kind: str) -> t.Tree:
    """Whether a JSON value is of a kind: never UNKNOWN."""
    return decided(apply("json_is", tree.span, tree, text(kind, tree.span)))


def kind_of(type_: Type) -> str:
    """The kind of the values of a type."""
    match type_:
        case DecimalType():
            return NUMBER
        case ArrayType():
            return LIST
        case MapType() | StructType():
            return OBJECT
        case _:
            return _KINDS.get(type_, TEXT)


_KINDS = {
    BIGINT: NUMBER,
    DOUBLE: NUMBER,
    BOOLEAN: TRUTH,
    DATE: TIME,
    TIMESTAMP: TIME,
}


def either(test: Test, yes: Callable[[], Alternatives], no: Callable[[], Alternatives]) -> Alternatives:
    """One value or another."""
    if isinstance(test, bool):
        return yes() if test else no()
    other = apply("not", test.span, test)
    return (
        *(replace(one, when=(test, *one.when)) for one in yes()),
        *(replace(one, when=(other, *one.when)) for one in no()),
    )


# --- tests


def as_tree(test: Test, span: Span) -> t.Tree:
    """A test as a tree."""
    return t.Constant(test, span) if isinstance(test, bool) else test


def every(tests: Sequence[Test], span: Span) -> Test:
    """Whether all tests hold."""
    if any(test is False for test in tests):
        return False
    trees = [test for test in tests if not isinstance(test, bool)]
    return all_of(trees, span) if trees else True


def some(tests: Sequence[Test], span: Span) -> Test:
    """Whether one of the tests holds."""
    if any(test is True for test in tests):
        return True
    trees = [test for test in tests if not isinstance(test, bool)]
    return any_of(trees, span) if trees else False


def opposite(test: Test) -> Test:
    """Whether a test does not hold."""
    return not test if isinstance(test, bool) else apply("not", test.span, test)


def chosen(test: Test, yes: Test, no: Test, span: Span) -> Test:
    """One test or another."""
    if isinstance(test, bool):
        return yes if test else no
    if yes is True and no is False:
        return test
    if no is False or yes is True:
        return every([test, yes], span) if no is False else some([test, no], span)
    return choose(test, as_tree(yes, span), as_tree(no, span), span)


def holds(value: Alternatives, use: Callable[[One], Test], span: Span) -> Test:
    """Whether the alternative that is the case has a property.

    `use` tests it: with a bool, or with a tree that is not TRUE if the value is UNKNOWN.
    """
    tests: list[Test] = []
    for one in value:
        found = use(one)
        tests.append(
            every([*(one.tests if found is True else one.when), _decided(found)], span)
            if found is not False
            else False
        )
    if all(use(one) is True for one in value):
        return True
    return some(tests, span)


def both(left: Alternatives, right: Alternatives, use: Callable[[One, One], Test], span: Span) -> Test:
    """Whether the alternatives of two values that are the case have a property."""
    return holds(left, lambda one: holds(right, lambda other: use(one, other), span), span)


def _decided(test: Test) -> Test:
    """IS TRUE, once."""
    if isinstance(test, bool) or (isinstance(test, t.OperatorCall) and test.op in _TWO_VALUED):
        return test
    return decided(test)


_TWO_VALUED = frozenset({"is_true", "is_null"})


def truthy(value: Alternatives, span: Span) -> Test:
    """JsonLogic's truth: null, false, 0, NaN, the empty string and the empty array are not."""

    def use(one: One) -> Test:
        match one.kind:
            case "null":
                return False
            case "object" | "time":
                return True
            case "boolean":
                return one.constant if isinstance(one.constant, bool) else one.tree
            case "array":
                return apply("gt", span, apply("size", span, one.tree), t.Constant(0, span))
            case "string" if isinstance(one.constant, str):
                return bool(one.constant)
            case "string":
                return apply("ne", span, one.tree, text("", span))
            case _ if isinstance(one.constant, int | float):
                return bool(one.constant) and not math.isnan(one.constant)
            case _ if one.type == BIGINT:
                return apply("ne", span, one.tree, t.Constant(0, span))
            case _:  # NaN is neither
                zero = t.Constant(0.0, span)
                return apply("or", span, apply("lt", span, one.tree, zero), apply("gt", span, one.tree, zero))

    return holds(value, use, span)


def identical(left: Alternatives, right: Alternatives, span: Span) -> Test:
    """===: of one kind, and equal. An array or an object equals nothing."""

    def use(one: One, other: One) -> Test:
        if TIME in (one.kind, other.kind):
            return _of_time("eq", one, other, span)
        if one.kind != other.kind or one.kind in (LIST, OBJECT):
            return False
        return True if one.kind == NULL else _compared("eq", one.tree, other.tree, span)

    return both(left, right, use, span)


def equal(left: Alternatives, right: Alternatives, span: Span) -> Test:
    """==: values of two kinds are compared as numbers; null equals only null."""

    def use(one: One, other: One) -> Test:
        kinds = {one.kind, other.kind}
        if TIME in kinds:
            return _of_time("eq", one, other, span)
        if kinds & {LIST, OBJECT}:
            return False
        if NULL in kinds:
            return kinds == {NULL}
        if len(kinds) == 1:
            return _compared("eq", one.tree, other.tree, span)
        return _of_numbers("eq", one, other, span)

    return both(left, right, use, span)


def ordered(op: str, left: Alternatives, right: Alternatives, span: Span) -> Test:
    """<, <=, > and >=: strings by their characters, other values as numbers."""

    def use(one: One, other: One) -> Test:
        if TIME in (one.kind, other.kind):
            return _of_time(op, one, other, span)
        if one.kind == other.kind == TEXT:
            return _compared(op, one.tree, other.tree, span)
        return _of_numbers(op, one, other, span)

    return both(left, right, use, span)


def _of_numbers(op: str, one: One, other: One, span: Span) -> Test:
    left, right = as_number(one), as_number(other)
    return False if left is None or right is None else _compared(op, left, right, span)


def _of_time(op: str, one: One, other: One, span: Span) -> Test:
    """A comparison of times, or of a time with the string of one. A time is not null."""
    kinds = {one.kind, other.kind}
    if kinds <= {TIME, TEXT} and all(part.kind == TIME or part.constant is not None for part in (one, other)):
        return _compared(op, one.tree, other.tree, span)
    if NULL in kinds or kinds & {LIST, OBJECT}:
        return False
    raise NotComparable(one if one.kind != TIME else other)


class NotComparable(Exception):
    """A time beside a value that is neither a time nor a constant string."""

    def __init__(self, other: One) -> None:
        super().__init__()
        self.other = other


def _compared(op: str, left: t.Tree, right: t.Tree, span: Span) -> Test:
    return apply(op, span, left, right)


# --- coercions


def as_number(one: One) -> t.Tree | None:
    """Number(value) of JavaScript; None if it is NaN. An array is not a number."""
    span, value = one.tree.span, one.constant
    match one.kind:
        case "null":
            return t.Constant(0, span)
        case "number":
            return one.tree
        case "boolean" if isinstance(value, bool):
            return t.Constant(int(value), span)
        case "boolean":
            return choose(one.tree, t.Constant(1.0, span), t.Constant(0.0, span), span)
        case "string" if isinstance(value, str):
            found = number_of(value)
            return None if found is None else t.Constant(found, span)
        case "string":
            word = apply("strip", span, one.tree, text(BLANKS, span))
            empty = apply("eq", span, word, text("", span))
            return choose(empty, t.Constant(0.0, span), cast_to("to_double", word), span)
        case _:
            return None


def leading_number(one: One) -> t.Tree | None:
    """parseFloat(value) of JavaScript; None if it is NaN."""
    span, value = one.tree.span, one.constant
    if one.kind == NUMBER:
        return one.tree
    if one.kind != TEXT:
        return None
    if isinstance(value, str):
        found = re.match(_LEADING, value.lstrip(BLANKS))
        return None if found is None else t.Constant(float(found[1]), span)
    stripped = apply("strip", span, one.tree, text(BLANKS, span))
    digits = apply("regex_extract", span, stripped, text(_LEADING, span), t.Constant(1, span))
    return cast_to("to_double", digits)


def number_of(written: str) -> int | float | None:
    """Number(text) of JavaScript; None for NaN."""
    word = written.strip(BLANKS)
    if not word:
        return 0
    if _DECIMAL.match(word) is None:
        return None
    value = float(word)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def as_double(tree: t.Tree, type_: Type) -> t.Tree:
    """A number of JavaScript."""
    if isinstance(tree, t.Constant) and isinstance(tree.value, int):
        return t.Constant(float(tree.value), tree.span)
    return tree if type_ in (DOUBLE, JSON) else cast_to("to_double", tree)


def calculated(value: Alternatives, convert: Callable[[One], t.Tree | None], span: Span) -> t.Tree:
    """The double that each alternative is converted to; UNKNOWN for NaN."""
    trees: list[tuple[Sequence[t.Tree], t.Tree]] = []
    for one in value:
        tree = convert(one)
        kept = one.type if one.kind == NUMBER else DOUBLE
        trees.append((one.tests, t.Constant(None, span) if tree is None else as_double(tree, kept)))
    while len(trees) > 1 and _is_nan(trees[-1][1]) and _is_nan(trees[-2][1]):
        trees.pop()
    result = trees[-1][1]
    for tests, tree in reversed(trees[:-1]):
        result = (
            tree
            if tree == result
            else choose(all_of(tests, span) if tests else t.Constant(True, span), tree, result, span)
        )
    return result


def _is_nan(tree: t.Tree) -> bool:
    return isinstance(tree, t.Constant) and tree.value is None


def text_of_number(value: float) -> str | None:
    """String(number) of JavaScript; None for a number that it writes with an exponent or with digits of its
    own.
    """
    if float(value).is_integer() and abs(value) < 1e21:
        return str(int(value))
    return repr(value) if 1e-4 <= abs(value) < 1e15 else None
