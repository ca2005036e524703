"""Classes of rows: rows that no condition of the filters distinguishes get the same small numbers.

A condition that compares a value with constants splits its values at a few cuts; where a value lies between
the cuts of all conditions is one number (a key), found by a binary search. Every other condition is a key of
three classes. Rows with the same keys have the same outcome in every filter, so rows are grouped by their
keys, and the filters are worked out for groups, not for rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct
from sqlglot import exp

from predicat.backends.sql.builders import Sql, binary, call, case, cast, number_literal
from predicat.backends.sql.dialect import Dialect
from predicat.diagnostics import Unsupported
from predicat.forms.total_order import is_nan_test
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.ir.operators import COMPARISONS, EQUALITIES
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, DecimalType
from predicat.quality.fold import LANES
from predicat.values.domain import after_prefix

# A place between values: just below a constant (False) or just above it (True).
Cut = tuple[Any, bool]
# The values between two cuts, or on one side of one.
Range = tuple[Cut | None, Cut | None]

# Bits of keys in one 64-bit number: the sign is left alone.
WORD = 62
# Cuts of one key: its classes fit into a byte, and its search into a method that the JVM's compiler takes
# (8,000 bytes).
_CUTS = 96
# Items of an IN that are looked for in this way; engines look through longer lists by a hash table.
_ITEMS = 32


class Key(Struct, frozen=True):
    """The expression for the class of a row, and how many classes there are."""

    value: Sql
    classes: int

    @property
    def width(self) -> int:
        """The bits of the number of a class."""
        return (self.classes - 1).bit_length()


class Leaf(Struct, frozen=True):
    """A condition in the classes of one key: where it is TRUE, and where UNKNOWN."""

    key: int
    true: frozenset[int]
    unknown: frozenset[int]


class Classes(Struct, frozen=True):
    """The keys of a relation's rows, and each condition as an OR of leaves.

    `most` is how many groups of rows there can be: keys of one value are not independent of each other.
    """

    dialect: Dialect
    keys: tuple[Key, ...]
    leaves: Mapping[Node, tuple[Leaf, ...]]
    most: int = 1

    def key_offsets(self, *, lanes: bool = False) -> list[tuple[int, int]]:
        """The number (`packed_keys`) and the bit where each key begins: close together, or with `lanes` in a
        byte of its own each.
        """
        if lanes:
            return [(place // LANES, place % LANES * 8) for place in range(len(self.keys))]
        offsets: list[tuple[int, int]] = []
        word = bit = 0
        for key in self.keys:
            if bit + key.width > WORD:
                word, bit = word + 1, 0
            offsets.append((word, bit))
            bit += key.width
        return offsets

    def packed_keys(self, *, lanes: bool = False) -> list[str]:
        """SQL for the numbers that rows are grouped by, or with `lanes` streamed as."""
        words: dict[int, Sql] = {}
        for key, (word, bit) in zip(self.keys, self.key_offsets(lanes=lanes), strict=True):
            # Shifts and ORs: sums and products would be checked for overflow, row by row.
            shifted = exp.Paren(this=binary(exp.BitwiseLeftShift, _number(key), number_literal(bit)))
            known = words.get(word)
            words[word] = shifted if known is None else exp.BitwiseOr(this=known, expression=shifted)
        return [self.dialect.text(word) for word in words.values()]

    def numbers(self) -> list[str]:
        """SQL for the class of each key, as a number."""
        return [self.dialect.text(_number(key)) for key in self.keys]


def _number(key: Key) -> Sql:
    return cast(key.value, "bigint")


def classes(conditions: Iterable[Node], dialect: Dialect) -> Classes:
    """The classes of some conditions (what AND, OR and NOT combine). Raises Unsupported if SQL cannot say
    one.
    """
    keys: list[Key] = []
    leaves: dict[Node, tuple[Leaf, ...]] = {}
    alone: list[Node] = []
    most = 1
    for subject, tests in _by_subject(dict.fromkeys(conditions), alone).items():
        before = len(keys)
        try:
            alone += _add_cuts(subject, tests, dialect, keys, leaves)
            most *= sum(key.classes for key in keys[before:])
        except Unsupported:  # the value can be compared as the filters do it, but not put in order
            alone += tests
    for condition in alone:
        leaves[condition] = (Leaf(len(keys), frozenset((1,)), frozenset((2,))),)
        known = cast(dialect.tree(condition), "int")
        keys.append(Key(call("COALESCE", known, number_literal(2)), 3))
    return Classes(dialect, tuple(keys), leaves, most * 3 ** len(alone))


def _by_subject(conditions: Iterable[Node], alone: list[Node]) -> dict[Node, dict[Call, list[Range]]]:
    """Conditions on a value and constants as the ranges they look for, by the value; the others are
    `alone`.
    """
    by_subject: dict[Node, dict[Call, list[Range]]] = {}
    for condition in conditions:
        ranges = _ranges(condition) if isinstance(condition, Call) else None
        if isinstance(condition, Call) and ranges is not None:
            by_subject.setdefault(condition.args[0], {})[condition] = ranges
        else:
            alone.append(condition)
    for subject, tests in list(by_subject.items()):
        # A search asks for the value several times: of an expression, it must save as many.
        if not any(tests.values()) or (len(tests) == 1 and not isinstance(subject, Field)):
            alone += by_subject.pop(subject)
    return by_subject


def _ranges(test: Call) -> list[Range] | None:
    """The ranges of its first argument that a comparison with constants looks for; None if it is something
    else.
    """
    if test.op == "is_null" or is_nan_test(test):
        return []
    if test.op not in COMPARISONS and test.op not in ("in", "starts_with"):
        return None
    subject, other = test.args
    items = _items(test)
    if len(items) > _ITEMS or not all(_ordered(subject, item) for item in items):
        return None
    if not items or len(items) != (len(other.items) if isinstance(other, Items) else 1):
        return None
    values = [item.value for item in items]
    if test.op in EQUALITIES or test.op == "in":
        return [((value, False), (value, True)) for value in values]
    (value,) = values
    if test.op == "starts_with":
        after = after_prefix(str(value))
        return None if after is None else [((value, False), (after, False))]
    if test.op in ("lt", "le"):
        return [(None, (value, test.op == "le"))]
    return [((value, test.op == "gt"), None)]


def _items(test: Call) -> list[Literal]:
    """The constants that a value is compared with."""
    if len(test.args) < 2:
        return []
    items = test.args[1].items if isinstance(test.args[1], Items) else (test.args[1],)
    return [item for item in items if isinstance(item, Literal)]


def _ordered(subject: Node, item: Literal) -> bool:
    """Whether constants of this kind can be put in order with the values that they are compared with; NaN
    cannot.
    """
    if item.value is None or item.value != item.value or isinstance(subject, Literal):
        return False
    if isinstance(subject.type, DecimalType):
        return isinstance(item.type, DecimalType)
    return subject.type == item.type and item.type in (BIGINT, STRING, DOUBLE, DATE, TIMESTAMP)


def _add_cuts(
    subject: Node,
    tests: Mapping[Call, list[Range]],
    dialect: Dialect,
    keys: list[Key],
    leaves: dict[Node, tuple[Leaf, ...]],
) -> list[Node]:
    """Add the keys of a value and the leaves of its tests; returns the tests for which that cannot be
    done.
    """
    chunks = list(
        _chunks(
            sorted(
                {
                    cut
                    for ranges in tests.values()
                    for low_high in ranges
                    for cut in low_high
                    if cut is not None
                }
            )
        )
    )
    constants = {item.value: item for test in tests for item in _items(test)}
    added: list[Key] = []
    by_test: dict[Node, tuple[Leaf, ...]] = {}
    nan = subject.type == DOUBLE  # then NaN has the class before that of NULL
    split = (
        {test for test in tests if test.op == "starts_with"} if len(chunks) > 1 else set[Call]()
    )  # its ranges may be far apart
    for cuts in chunks:
        number = len(keys) + len(added)
        null = len(cuts) + 1 + nan
        missing = dialect.tree(Call(BOOLEAN, "is_null", (subject,)))
        place = _search(subject, cuts, constants, dialect)
        added.append(Key(case((missing, number_literal(null)), default=place), null + 1))
        for test, ranges in tests.items():
            here = [low_high for low_high in ranges if (low_high[0] or low_high[1]) in cuts]
            if test.op == "is_null":
                by_test[test] = (Leaf(number, frozenset((null,)), frozenset()),)
            elif is_nan_test(test):
                by_test[test] = (Leaf(number, frozenset((null - 1,)), frozenset((null,))),)
            elif here and test not in split:
                true = frozenset(place for low_high in here for place in _between(low_high, cuts))
                chosen = frozenset(range(null)) - true if test.op == "ne" else true
                by_test[test] = (*by_test.get(test, ()), Leaf(number, chosen, frozenset((null,))))
    keys += added
    leaves.update(by_test)
    return list(split)


def _chunks(cuts: Sequence[Cut]) -> Iterator[list[Cut]]:
    """Cuts for one key each; both cuts of a constant stay together."""
    chunk: list[Cut] = []
    for _, same in groupby(cuts, lambda cut: cut[0]):
        if len(chunk) + 2 > _CUTS:
            yield chunk
            chunk = []
        chunk += same
    yield chunk


def _between(low_high: Range, cuts: Sequence[Cut]) -> range:
    """The classes in a range: class n lies above n cuts."""
    low, high = low_high
    return range(
        0 if low is None else cuts.index(low) + 1, len(cuts) + 1 if high is None else cuts.index(high) + 1
    )


def _search(subject: Node, cuts: Sequence[Cut], constants: Mapping[Any, Literal], dialect: Dialect) -> Sql:
    """The expression that finds the class of a value by binary search over the cuts. NaN has the class behind
    all cuts.
    """
    kind = subject.type

    def test(op: str, cut: Cut) -> Sql:
        return dialect.tree(Call(BOOLEAN, op, (subject, constants.get(cut[0]) or Literal(kind, cut[0]))))

    def search(low: int, high: int) -> Sql:
        if low < high:
            middle = (low + high) // 2
            cut = cuts[middle]
            below = test("le" if cut[1] else "lt", cut)
            return case((below, search(low, middle)), default=search(middle + 1, high))
        if low == len(cuts) and kind == DOUBLE:
            return case((test("ge", cuts[-1]), number_literal(low)), default=number_literal(low + 1))
        return number_literal(low)

    return search(0, len(cuts))
