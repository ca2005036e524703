"""Arms of a union as sets of values: merging is their union, absorption is that one is in the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.ir.nodes import TRUE, Call, Node, reads_now, walk
from predicat.rewrite.solve_clock import beside_clock
from predicat.values.automaton import Opaque
from predicat.values.outcomes import accepted
from predicat.values.partition import Partition, any_of, is_within, product
from predicat.values.written import written

Conditions = frozenset[Node]
# Of more arms than this, none is compared with each other one.
_MOST_PAIRS = 400
# Of more arms than this, none is compared with all others together.
_MOST_COVERED = 8


class _Values(Struct, frozen=True):
    """What an arm accepts of one value: surely and perhaps, the conditions that say so, and such a value."""

    sure: Partition
    near: Partition
    tests: tuple[Node, ...]
    member: Any

    @property
    def size(self) -> int:
        """The length of the conditions."""
        return sum(len(list(walk(test))) for test in self.tests)

    def within(self, other: _Values) -> bool:
        """Whether all of the values are sure to be accepted by another arm."""
        if self.member is not None and other.sure.of(self.member) is not True:
            return False  # most are not, and one value is quickly looked up
        return is_within(self.near, other.sure)


class _Arm(Struct, frozen=True):
    """The conditions that must all be TRUE: by operand, and those of several values or none (`atoms`)."""

    values: Mapping[Node, _Values]
    atoms: Conditions

    def conditions(self) -> Conditions:
        """All of them."""
        return self.atoms.union(*(own.tests for own in self.values.values()))

    def is_empty(self) -> bool:
        """Whether no row passes."""
        return any(True not in own.near.labels() for own in self.values.values())

    def absorbs(self, other: _Arm) -> bool:
        """Whether each row that passes the other arm passes this one."""
        return self.atoms <= other.atoms and all(
            operand in other.values and other.values[operand].within(own)
            for operand, own in self.values.items()
        )


def merged(
    arms: Iterable[frozenset[Node]], order: Callable[[frozenset[Node]], list[Node]]
) -> list[frozenset[Node]]:
    """Fewer and shorter arms that together accept the same rows."""
    known = [one for arm in arms if not (one := _arm(order(arm))).is_empty()]
    return [arm.conditions() for arm in _apart(_together(known))]


def _values(sure: Partition, near: Partition, tests: tuple[Node, ...]) -> _Values:
    return _Values(sure, near, tests, near.member())


def _arm(conditions: Sequence[Node]) -> _Arm:
    values: dict[Node, _Values] = {}
    atoms: list[Node] = []
    for test in conditions:
        found = accepted(beside_clock(test))
        own = _values(found.sure, found.near, (test,)) if found is not None else None
        both = None if found is None or own is None else _both(values.get(found.operand), own)
        if found is None or both is None:
            atoms.append(test)
        else:
            values[found.operand] = both
    return _Arm(values, frozenset(atoms))


def _both(one: _Values | None, other: _Values) -> _Values | None:
    """The values that pass the conditions of both; None if there is no such set."""
    if one is None:
        return other
    try:
        sure, near = (
            product(pair, lambda a, b: a and b) for pair in ((one.sure, other.sure), (one.near, other.near))
        )
    except Opaque:
        return None
    return _values(sure, near, (*one.tests, *other.tests))


# --- merging


def _together(arms: list[_Arm]) -> list[_Arm]:
    """Arms that differ in one value only, as one where that is shorter. The value by which most can be merged
    comes first.
    """
    while True:
        operands = dict.fromkeys(operand for arm in arms for operand in arm.values)
        grouped = {operand: _groups(operand, arms) for operand in operands}
        for operand, groups in sorted(grouped.items(), key=lambda item: len(item[1])):
            fewer = [arm for group in groups for arm in _of_group(operand, group)]
            if len(fewer) < len(arms):
                arms = fewer
                break
        else:
            return arms


def _groups(operand: Node, arms: Iterable[_Arm]) -> list[list[_Arm]]:
    """The arms that are equal but for what they accept of an operand. Others stand alone."""
    groups: dict[object, list[_Arm]] = {}
    for place, arm in enumerate(arms):
        rest = frozenset(part for other, own in arm.values.items() if other != operand for part in own.tests)
        groups.setdefault((arm.atoms, rest) if operand in arm.values else place, []).append(arm)
    return list(groups.values())


def _of_group(operand: Node, arms: list[_Arm]) -> list[_Arm]:
    """The arms of a group as one, if that is shorter; otherwise those that no other one absorbs."""
    if len(arms) == 1:
        return arms
    all_of = [arm.values[operand] for arm in arms]
    whole = _union(operand, all_of)
    if whole is None:
        return _apart(_needed(operand, arms))
    return [replace(arms[0], values=_with(arms[0].values, operand, whole))]


def _with(values: Mapping[Node, _Values], operand: Node, own: _Values) -> Mapping[Node, _Values]:
    others = {other: known for other, known in values.items() if other != operand}
    return others if own.tests == (TRUE,) else {**others, operand: own}


def _union(operand: Node, parts: Sequence[_Values]) -> _Values | None:
    """The values of several arms, in the shortest conditions for them; None if these are not shorter."""
    if any(part.sure != part.near for part in parts):
        return None
    try:
        values = any_of([part.sure for part in parts])
    except Opaque:
        return None
    known = [part for part in parts if part.sure == values]
    tests = [test for part in parts for test in part.tests]
    test = None if any(map(reads_now, tests)) else written(operand, values, tests)
    if test is not None:
        parts_of_test = test.args if isinstance(test, Call) and test.op == "and" else (test,)
        known.append(_values(values, values, parts_of_test))
    best = min(known, key=lambda part: part.size, default=None)
    return best if best is not None and best.size < sum(part.size for part in parts) else None


# --- absorption


def _apart(arms: list[_Arm]) -> list[_Arm]:
    """The arms without those that another one absorbs."""
    if len(arms) > _MOST_PAIRS:
        return arms
    kept: list[_Arm] = []
    for arm in arms:
        if any(other.absorbs(arm) for other in kept):
            continue
        kept = [other for other in kept if not arm.absorbs(other)]
        kept.append(arm)
    return kept


def _needed(operand: Node, arms: list[_Arm]) -> list[_Arm]:
    """The arms of a group without one whose values the others accept together."""
    if not 2 < len(arms) <= _MOST_COVERED:
        return arms
    for arm in sorted(arms, key=lambda one: -one.values[operand].size):
        others = [other for other in arms if other is not arm]
        try:
            together = any_of([other.values[operand].sure for other in others])
        except Opaque:
            return arms
        if is_within(arm.values[operand].near, together):
            return _needed(operand, others)
    return arms
