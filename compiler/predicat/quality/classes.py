"""Classes of rows: rows that no condition of the filters distinguishes get the same small numbers.

A condition that compares a value with constants splits its values at a few cuts; where a value lies between
the cuts of all conditions is one number (a key), found by a binary search. Every other condition is a key of
three classes. Rows with the same keys have the same outcome in every filter, so rows are grouped by their
keys, and the filters are worked out for groups, not for rows.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp

from predicat.backends.sql.builders import Sql, binary, call, case, cast, number_literal
from predicat.backends.sql.dialect import Dialect
from predicat.diagnostics import Unsupported
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, DecimalType
from predicat.ir.values import INT_MAX
from predicat.ir.widths import RANGES
from predicat.quality.fold import LANES
from predicat.values.automaton import Label
from predicat.values.domain import Domain, domain_of
from predicat.values.outcomes import known_outcomes
from predicat.values.partition import Line, Partition
from predicat.values.written import bounds_at

# Bits of keys in one 64-bit number: the sign is left alone.
WORD = 62
# Cuts of one key: its classes fit into a byte, and its search into a method that the JVM's compiler takes
# (8,000 bytes).
_CUTS = 96
# Items of an IN that are looked for in this way; engines look through longer lists by a hash table.
_ITEMS = 32
# Cuts from which on a class is looked up in a list, which has at most this number of items.
_LEAST_LISTED = 8
_MOST_LISTED = 4096
# Types whose values are steps.
_STEPPED = (BIGINT, DATE, TIMESTAMP)
# Types whose values SQL puts in the order of their domain, with decimals.
_ORDERED = (BIGINT, STRING, DOUBLE, DATE, TIMESTAMP)


class Key(Struct, frozen=True):
    """The expression for the class of a row, and how many classes there are. `of` is the value whose cuts it
    has, None for a condition.
    """

    value: Sql
    classes: int
    of: Node | None = None

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
    """The keys of a relation's rows, and each condition as an OR of leaves."""

    dialect: Dialect
    keys: tuple[Key, ...]
    leaves: Mapping[Node, tuple[Leaf, ...]]

    @property
    def most(self) -> int:
        """How many groups of rows there can be: keys of one value are not independent of each other."""
        sums: Counter[Node | int] = Counter()
        for place, key in enumerate(self.keys):
            sums[place if key.of is None else key.of] += key.classes
        return math.prod(sums.values())

    def only(self, places: Iterable[int]) -> Classes:
        """The same with some of the keys, and the conditions that need no others."""
        new = {place: number for number, place in enumerate(sorted(places))}
        leaves = {
            condition: tuple(replace(leaf, key=new[leaf.key]) for leaf in parts)
            for condition, parts in self.leaves.items()
            if all(leaf.key in new for leaf in parts)
        }
        return replace(self, keys=tuple(self.keys[place] for place in new), leaves=leaves)

    def in_columns(self, names: Iterable[str]) -> Classes:
        """The same for rows that have the class of each key in a column."""
        pairs = zip(self.keys, names, strict=True)
        return replace(self, keys=tuple(replace(key, value=exp.column(name)) for key, name in pairs))

    def with_cuts(self, field: Node, cuts: Sequence[Any]) -> Classes:
        """The same with keys, behind the others, for where the value of a field lies between some values."""
        values = domain_of(field)
        assert values is not None  # noqa: S101  # dates and timestamps are ordered
        keys = [
            _cut_key(field, values, chunk, self.dialect) for chunk in chunks([*map(values.ordinal, cuts)])
        ]
        return replace(self, keys=(*self.keys, *keys))

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
    for subject, tests in _by_subject(dict.fromkeys(conditions), alone).items():
        try:
            _add_cuts(subject, tests, dialect, keys, leaves)
        except Unsupported:  # the value can be compared as the filters do it, but not put in order
            alone += tests
    for condition in alone:
        leaves[condition] = (Leaf(len(keys), frozenset((1,)), frozenset((2,))),)
        known = cast(dialect.tree(condition), "int")
        keys.append(Key(call("COALESCE", known, number_literal(2)), 3))
    return Classes(dialect, tuple(keys), leaves)


def _by_subject(conditions: Iterable[Node], alone: list[Node]) -> dict[Node, dict[Node, Partition]]:
    """The outcomes of conditions on one value, by the value; the other conditions are `alone`."""
    by_subject: dict[Node, dict[Node, Partition]] = {}
    for condition in conditions:
        found = _outcomes(condition)
        if found is None:
            alone.append(condition)
        else:
            by_subject.setdefault(found[0], {})[condition] = found[1]
    for subject, tests in list(by_subject.items()):
        # A search asks for the value several times: of an expression, it must save as many.
        if not any(map(_cuts, tests.values())) or (len(tests) == 1 and not isinstance(subject, Field)):
            alone += by_subject.pop(subject)
    return by_subject


def _outcomes(condition: Node) -> tuple[Node, Partition] | None:
    """What a condition is a test of, and its outcomes in intervals; None if there is no such value."""
    args = condition.args if isinstance(condition, Call) else ()
    if any(isinstance(arg, Items) and len(arg.items) > _ITEMS for arg in args):
        return None
    for subject, found in known_outcomes(condition):
        is_ordered = isinstance(subject.type, DecimalType) or subject.type in _ORDERED
        # The outcome of a calculation behind the calendar is not known.
        is_known = found.domain.closed_below or subject in args
        if is_ordered and is_known and isinstance(found.cells, Line) and not found.cells.has_cycles:
            return subject, found
    return None


def _cuts(part: Partition) -> tuple[Any, ...]:
    """Where outcomes change: the first ordinals of the intervals but for the first one."""
    return part.line().starts[1:]


def _add_cuts(
    subject: Node,
    tests: Mapping[Node, Partition],
    dialect: Dialect,
    keys: list[Key],
    leaves: dict[Node, tuple[Leaf, ...]],
) -> None:
    """Add the keys of a value and the leaves of its tests."""
    cuts = sorted({cut for part in tests.values() for cut in _cuts(part)})
    values, parts = next(iter(tests.values())).domain, chunks(cuts)
    added = [_cut_key(subject, values, chunk, dialect) for chunk in parts]
    for test, part in tests.items():
        found = _leaves(part, cuts, parts)
        leaves[test] = tuple(replace(leaf, key=len(keys) + leaf.key) for leaf in found)
    keys += added


def chunks(cuts: Sequence[Any]) -> list[Sequence[Any]]:
    """The cuts of each key. Neighbours share a cut, so that each interval between two cuts is a class of some
    key.
    """
    return [cuts[start : start + _CUTS] for start in range(0, max(len(cuts) - 1, 1), _CUTS - 1)]


def _cut_key(subject: Node, values: Domain, cuts: Sequence[Any], dialect: Dialect) -> Key:
    """The key whose class is how many cuts are not above a value; behind these NaN, then a missing value."""
    missing = dialect.tree(Call(BOOLEAN, "is_null", (subject,)))
    place = _looked_up(subject, values, cuts, dialect) or _search(subject, values, cuts, dialect)
    null = len(cuts) + 1 + (subject.type == DOUBLE)
    return Key(case((missing, number_literal(null)), default=place), null + 1, subject)


def _leaves(part: Partition, cuts: Sequence[Any], chunks: Sequence[Sequence[Any]]) -> Iterator[Leaf]:
    """The classes of a test: of one key if that has all its cuts, otherwise of each where it is not FALSE."""
    own = [bisect_left(cuts, cut) for cut in _cuts(part)] or [0]
    first, last = own[0] // (_CUTS - 1), (own[-1] - 1) // (_CUTS - 1)
    whole = min(first, len(chunks) - 1) if first >= last else None
    for key, chunk in enumerate(chunks) if whole is None else [(whole, chunks[whole])]:
        # Class n lies above n cuts. The ends of a key stand for all intervals of the keys beside it.
        inside = [part.line().labels[0], *map(part.line().at, chunk)]
        if whole is None:
            inside[0] = inside[0] if key == 0 else False
            inside[-1] = inside[-1] if key == len(chunks) - 1 else False
        if whole is not None or not {*inside} <= {False}:
            classes = [*inside, *(part.others[1:2] if part.domain.others else ()), part.others[0]]
            yield Leaf(key, _places(classes, True), _places(classes, None))


def _places(labels: Sequence[Label], wanted: bool | None) -> frozenset[int]:
    return frozenset(place for place, label in enumerate(labels) if label is wanted)


def _looked_up(subject: Node, values: Domain, cuts: Sequence[Any], dialect: Dialect) -> Sql | None:
    """The expression that takes the class of a value from a list; None if the engine has none, for few cuts,
    and if the list would be long.
    """
    plain = not isinstance(subject, Field) or subject.decl.stored in ("", *RANGES)
    if dialect.item_at is None or subject.type not in _STEPPED or not plain or len(cuts) < _LEAST_LISTED:
        return None
    step = math.gcd(*(cut - cuts[0] for cut in cuts))
    start = cuts[0] - step
    if start < values.least or cuts[-1] > values.greatest:
        return None
    if cuts[-1] - start > min(step * _MOST_LISTED, INT_MAX):
        return None
    items = [bisect_right(cuts, at) for at in range(start, cuts[-1] + 1, step)]
    low, high = (dialect.tree(Literal(subject.type, values.value(at))) for at in (start, cuts[-1]))
    inside = call("LEAST", call("GREATEST", dialect.tree(subject), low), high)
    return dialect.item_at(subject.type, inside, low.copy(), start, step, items)


def _search(subject: Node, values: Domain, cuts: Sequence[Any], dialect: Dialect) -> Sql:
    """The expression that finds the class of a value by binary search over the cuts. NaN has the class behind
    all cuts.
    """

    def test(cut: Any, *, below: bool) -> Sql:
        """Whether the value is below a cut, or not."""
        ways = bounds_at(values, cut, below=below)
        op, at = min(ways, key=lambda way: len(str(values.value(way[1]))))
        return dialect.tree(Call(BOOLEAN, op, (subject, Literal(subject.type, values.value(at)))))

    def search(low: int, high: int) -> Sql:
        if low < high:
            middle = (low + high) // 2
            return case(
                (test(cuts[middle], below=True), search(low, middle)), default=search(middle + 1, high)
            )
        if low == len(cuts) and subject.type == DOUBLE:
            return case((test(cuts[-1], below=False), number_literal(low)), default=number_literal(low + 1))
        return number_literal(low)

    return search(0, len(cuts))
