"""The pairs of outcomes that two predicates can have, found with rows that represent all rows.

A predicate is a skeleton of AND, OR and NOT over tests of one path each (see `representatives`). The paths
are decided one after the other; the remaining skeletons are a state, and equal states are merged (a decision
diagram), so that twelve conjuncts need some dozen states and not thousands of rows. Source: Bryant,
Graph-Based Algorithms for Boolean Function Manipulation, 1986.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from predicat.diagnostics import PredicatError
from predicat.ir.nodes import Call, Field, Literal, Node, Parameter, children, walk
from predicat.ir.operators import BY_KEY, JUNCTIONS
from predicat.ir.types import BOOLEAN
from predicat.proof.cases.maps import is_whole
from predicat.proof.cases.representatives import Representative, Unknown, looked_up, representatives
from predicat.proof.cases.since_now import Lengths, at_moment, since_now
from predicat.proof.inputs import is_affordable, over_inputs
from predicat.rewrite.acceptance import never_unknown
from predicat.values.automaton import Opaque
from predicat.values.preimage import connected

Outcome = bool | None
Pair = tuple[Outcome, Outcome]
# True, False, None, the number of a test, or a tuple of an operator and skeletons.
Skeleton = Any
_MOST_STATES = 3_000
_CONNECTIVES = ("and", "or", "not", "is_true", "cond", "coalesce", "is_null", "eq", "ne", "same")
_ROUNDS = 24


class Cases(Struct, frozen=True):
    """The possible pairs of outcomes: no row has another one.

    `rows` were confirmed by the evaluator. `partial` has rows for the other pairs, without values for the
    tests whose cases are unknown.
    """

    possible: frozenset[Pair]
    rows: Mapping[Pair, Mapping[str, Any]]
    partial: Mapping[Pair, Mapping[str, Any]]


def cases(before: Node, after: Node) -> Cases | None:
    """The pairs of outcomes that two predicates can have on one row; None if there are too many cases.
    Parameters are in rows as `:name`.
    """
    try:
        return _Proof((before, after)).cases()
    except (Opaque, RecursionError, PredicatError):
        return None


class _Test(Struct):
    """A test and the one path that it reads; a test without a path may have any outcome."""

    node: Node
    place: Node | None


class _Proof:
    def __init__(self, nodes: tuple[Node, Node]) -> None:
        self.nodes = nodes
        found = [since_now(node, _is_place) for node in nodes]
        self.without_clock = [node for node, _ in found]
        self.lengths: Lengths = {field: length for _, own in found for field, length in own.items()}
        # Maps of which more is asked than the values of some keys.
        self.whole = {holder for node in self.without_clock for holder in _whole(node) if _is_place(holder)}
        # Tests without known cases: they are split, or may have any outcome.
        self.split: set[Node] = set()
        self.tests: list[_Test] = []
        self.numbers: dict[Node, int] = {}
        self.known: dict[tuple[Node, tuple[Node, ...]], list[Representative]] = {}

    def cases(self) -> Cases:
        for _ in range(_ROUNDS):
            self.tests.clear()
            self.numbers.clear()
            skeletons = tuple(map(self.skeleton, self.without_clock))
            try:
                levels = list(self.levels())
            except Unknown as error:
                self.split.add(error.test)
                continue
            same = _same_tests(levels)
            left, right = (_renamed(skeleton, same) for skeleton in skeletons)
            try:
                return self.outcomes((left, right), levels)
            except Opaque:
                if left != right:
                    raise
                return Cases(frozenset(((True, True), (False, False), (None, None))), {}, {})
        raise Opaque

    # --- taking predicates apart

    def places(self, node: Node) -> set[Node]:
        """The paths that a node reads; of a map that is tested as a whole only that of the map."""
        return {self.outermost(place) for place in _places(node)}

    def outermost(self, place: Node) -> Node:
        inner = place
        while isinstance(inner, Call):
            inner = inner.args[0]
            if inner in self.whole:
                place = inner
        return place

    def skeleton(self, node: Node) -> Skeleton:
        if isinstance(node, Literal):
            return node.value
        places = self.places(node)
        if len(places) == 1 and node not in self.split:
            return self.number(node, places.pop())
        if (
            isinstance(node, Call)
            and node.op in _CONNECTIVES
            and all(arg.type == BOOLEAN for arg in node.args)
        ):
            parts = (
                self.merged_operands(node) if node.op in JUNCTIONS and node not in self.split else node.args
            )
            return _reduced((node.op, *map(self.skeleton, parts)), {})
        return self.number(node, None)

    def merged_operands(self, node: Call) -> list[Node]:
        """The operands of AND or OR. Operands that read the same path are merged."""
        groups: dict[Any, list[Node]] = {}
        for number, arg in enumerate(node.args):
            places = self.places(arg)
            key = next(iter(places)) if len(places) == 1 and arg not in self.split else number
            groups.setdefault(key, []).append(arg)
        result = [
            Call(node.type, node.op, tuple(group), node.span) if len(group) > 1 else group[0]
            for group in groups.values()
        ]
        return result if not any(part in self.split for part in result) else list(node.args)

    def number(self, node: Node, slot: Node | None) -> Skeleton:
        result = self.numbers.get(node)
        if result is None:
            result = self.numbers[node] = len(self.tests)
            self.tests.append(_Test(node, slot))
        return ("test", result)

    # --- deciding place by place

    def levels(self) -> Iterator[_Level]:
        """The paths with their values, outer paths before inner ones; tests with any outcome come last."""
        by_place: dict[Node, list[int]] = {}
        for number, test in enumerate(self.tests):
            if test.place is not None:
                by_place.setdefault(test.place, []).append(number)
        for test in self.tests:
            if test.place is not None and any(looked_up(part) == test.place for part in walk(test.node)):
                by_place.setdefault(children(test.place)[0], [])
        for place in sorted(by_place, key=lambda item: len(_path(item))):
            numbers = by_place[place]
            holders = [
                other
                for other in by_place
                if other != place and _path(place)[: len(_path(other))] == _path(other)
            ]
            holder = max(holders, key=lambda item: len(_path(item)), default=None)
            yield _Level(
                place,
                holder,
                numbers,
                self.values(place, tuple(self.tests[number].node for number in numbers)),
            )
        for number, test in enumerate(self.tests):
            if test.place is None:
                outcomes = (True, False) if never_unknown(test.node) else (True, False, None)
                unsure = [Representative(None, (outcome,), sure=False) for outcome in outcomes]
                yield _Level(None, None, [number], unsure)

    def values(self, slot: Node, tests: tuple[Node, ...]) -> list[Representative]:
        result = self.known.get((slot, tests))
        if result is None:
            result = self.known[slot, tests] = representatives(slot, tests)
        return result

    def outcomes(self, skeletons: tuple[Skeleton, ...], levels: Sequence[_Level]) -> Cases:
        """Every reachable pair of outcomes, with values that lead to it."""
        possible: dict[Pair, list[tuple[_Level, Representative]]] = {}
        states: dict[tuple[Skeleton, frozenset[Node]], list[tuple[_Level, Representative]]] = {
            (skeletons, frozenset()): []
        }
        holders = {level.holder for level in levels}
        looked_at = 0
        for level in [*levels, None]:
            following: dict[tuple[Skeleton, frozenset[Node]], list[tuple[_Level, Representative]]] = {}
            for (left, absent), path in states.items():
                if not isinstance(left[0], tuple) and not isinstance(left[1], tuple):
                    possible.setdefault(left, path)
                    continue
                if level is None:
                    raise Opaque
                for value in level.open_to(absent):
                    labels = dict(zip(level.tests, value.labels, strict=True))
                    missing = level.absent(value, absent) if level.place in holders else absent
                    state = ((_reduced(left[0], labels), _reduced(left[1], labels)), missing)
                    following.setdefault(state, [*path, (level, value)])
                    looked_at += 1
            states = following
            if looked_at > _MOST_STATES:
                raise Opaque
        return self.checked_cases(possible)

    def checked_cases(self, possible: Mapping[Pair, list[tuple[_Level, Representative]]]) -> Cases:
        """The rows, by the outcomes of the reference evaluator.

        Raises Opaque if it disagrees with the computed outcomes: the evaluator is right.
        """
        functions = [over_inputs(node) for node in self.nodes]
        rows: dict[Pair, dict[str, Any]] = {}
        partial: dict[Pair, dict[str, Any]] = {}
        for pair, path in possible.items():
            row = self.row_of(path)
            if not is_affordable(row, self.nodes):
                raise Opaque
            seen: Pair = (functions[0](row), functions[1](row))
            if seen != pair and not self.lengths and all(one.sure for _, one in path):
                raise Opaque
            rows.setdefault(seen, row)
            if seen != pair:
                partial[pair] = self.row_of([(level, one) for level, one in path if one.sure])
        return Cases(frozenset(possible), rows, partial)

    def row_of(self, path: Iterable[tuple[_Level, Representative]]) -> dict[str, Any]:
        """The row with the chosen values."""
        row: dict[str, Any] = {}
        for level, one in path:
            has_value = one.value is not None or one.is_key or isinstance(level.place, Parameter)
            if level.place is not None and has_value:
                _put(row, _path(level.place), one.value)
        at_moment(row, self.lengths, lambda place, value: _put(row, _path(place), value))
        return row


class _Level(Struct, frozen=True):
    """A path with its values and the path that contains it, or a test that may have any outcome."""

    place: Node | None
    holder: Node | None
    tests: list[int]
    values: list[Representative]

    def absent(self, chosen: Representative, absent: frozenset[Node]) -> frozenset[Node]:
        """The paths without inner values, including this one if its chosen value has none."""
        return absent if self.place is None or isinstance(chosen.value, dict) else absent | {self.place}

    def open_to(self, absent: frozenset[Node]) -> list[Representative]:
        """The possible values if some containers have no inner values."""
        return (
            [one for one in self.values if one.value is None and one.holder is not True]
            if self.holder in absent
            else [one for one in self.values if one.holder is not False]
        )


def _same_tests(levels: Sequence[_Level]) -> dict[int, int]:
    """Tests with the same outcomes on every value as an earlier test of the same path, and that test."""
    result: dict[int, int] = {}
    for level in levels:
        first: dict[tuple[Outcome, ...], int] = {}
        for number, outcomes in zip(
            level.tests, zip(*(value.labels for value in level.values), strict=True), strict=True
        ):
            result[number] = first.setdefault(outcomes, number)
    return result


def _renamed(node: Skeleton, same: Mapping[int, int]) -> Skeleton:
    """A skeleton with equal tests shared, and the operands of AND and OR sorted."""
    if not isinstance(node, tuple):
        return node
    op, *parts = node
    if op == "test":
        return ("test", same[parts[0]])
    renamed = [_renamed(part, same) for part in parts]
    return (op, *sorted(dict.fromkeys(renamed), key=repr)) if op in JUNCTIONS else (op, *renamed)


def _places(node: Node) -> set[Node]:
    """The paths of a row that a node reads."""
    if _is_place(node):
        return {node}
    key = looked_up(node)
    return {key} if key is not None and _is_place(key) else set[Node]().union(*map(_places, children(node)))


def _whole(node: Node) -> Iterator[Node]:
    """The maps that a node reads as a whole."""
    key, holder = looked_up(node), is_whole(node)
    if holder is not None:
        yield holder
    for part in children(node) if key is None else children(key):
        yield from _whole(part)


def _is_place(node: Node) -> bool:
    while isinstance(node, Call) and node.op in BY_KEY:
        key = node.args[1]
        if not isinstance(key, Literal) or not isinstance(key.value, str):
            return False
        node = node.args[0]
    return isinstance(node, Field | Parameter)


def _path(slot: Node) -> tuple[str, ...]:
    """The names of a path."""
    if isinstance(slot, Call):
        key = slot.args[1]
        return (*_path(slot.args[0]), str(key.value) if isinstance(key, Literal) else "")
    if isinstance(slot, Parameter):
        return (f":{slot.decl.name}",)
    return (slot.decl.name,) if isinstance(slot, Field) else ()


def _put(row: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    holder = row
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    if isinstance(value, dict):
        holder.setdefault(path[-1], {}).update(value)
    else:
        holder[path[-1]] = value


def _reduced(node: Skeleton, labels: Mapping[int, Outcome]) -> Skeleton:
    """The skeleton after some tests are decided."""
    if not isinstance(node, tuple):
        return node
    op, *parts = node
    if op == "test":
        return labels.get(parts[0], node) if parts[0] in labels else node
    if op in JUNCTIONS:
        return _connected(op, [_reduced(part, labels) for part in parts])
    left = [_reduced(part, labels) for part in parts]
    if op == "cond" and not isinstance(left[0], tuple):
        return None if left[0] is None else left[1 if left[0] else 2]
    if op == "coalesce":
        left = [part for part in left if part is not None]
        if not left or not isinstance(left[0], tuple):
            return left[0] if left else None
    if any(isinstance(part, tuple) for part in left):
        return (op, *left)
    return connected(op, *left)


def _connected(op: str, parts: list[Skeleton]) -> Skeleton:
    absorbing = op == "or"
    kept: list[Skeleton] = []
    unknown = False
    for part in parts:
        if part is absorbing:
            return absorbing
        if part is None:
            unknown = True
        elif isinstance(part, tuple) and part not in kept:
            kept.append(part)
    if not kept:
        return None if unknown else not absorbing
    if unknown:
        kept.append(None)
    return kept[0] if len(kept) == 1 else (op, *kept)
