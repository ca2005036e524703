"""The union of many row filters as one short predicate.

A row filter is a disjunction of arms, and an arm is a set of conditions that must all be TRUE. Three laws
make the union shorter, all of them valid in Kleene's logic: absorption (`a OR (a AND b)` is `a`), merging
(arms that differ in one condition keep the rest once), and factoring (a condition of several arms is written
once).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from predicat.forms.engine_order import whole_parts
from predicat.ir.nodes import FALSE, TRUE, Call, Items, Literal, Node
from predicat.ir.operators import COMPARISONS
from predicat.ir.types import BOOLEAN, DOUBLE, JSON
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.simplify import simplify

Arm = frozenset[Node]
"""The conditions that must all be TRUE."""

_MAX_ARMS = 20_000
"""With more arms than this only equal arms are joined."""


def union(nodes: Iterable[Node]) -> Node:
    """A predicate that is TRUE for the rows for which at least one of `nodes` is TRUE.

    On other rows it may be FALSE or UNKNOWN, whichever is shorter to write. Without nodes it is FALSE.

    Args:
        nodes: Simplified predicates without parameters.
    """
    arms = list(dict.fromkeys(frozenset(arm) for node in nodes for arm in arms_of(for_acceptance(node))))
    order = _Order()
    for arm in arms:
        order.add(arm)
    if len(arms) <= _MAX_ARMS:
        arms = _absorbed(_merged(_absorbed(arms), order))
    return simplify(_factored(arms, order))


def arms_of(node: Node) -> list[list[Node]]:
    """The conditions of each arm of a predicate, in order. An OR inside an AND stays one condition: expanding
    it would make the predicate longer.
    """
    parts = [dict.fromkeys(_flat(part, "and")) for part in whole_parts(_flat(node, "or"))]
    return [[condition for condition in arm if condition != TRUE] for arm in parts if FALSE not in arm]


class _Order:
    """The order in which conditions were first seen, so that the same filters give the same SQL."""

    def __init__(self) -> None:
        self.ranks: dict[Node, int] = {}

    def add(self, parts: Iterable[Node]) -> None:
        for part in sorted(parts, key=lambda part: (part.span.start, repr(part))):
            self.ranks.setdefault(part, len(self.ranks))

    def __call__(self, arm: Arm) -> list[Node]:
        return sorted(arm, key=self.ranks.__getitem__)


def conjunction(parts: Sequence[Node]) -> Node:
    """The AND of conditions; TRUE for none."""
    return _joined("and", parts, TRUE)


def disjunction(parts: Sequence[Node]) -> Node:
    """The OR of conditions; FALSE for none."""
    return _joined("or", parts, FALSE)


def _joined(op: str, parts: Sequence[Node], empty: Node) -> Node:
    if len(parts) < 2:
        return parts[0] if parts else empty
    return Call(BOOLEAN, op, tuple(parts), parts[0].span)


def _flat(node: Node, op: str) -> list[Node]:
    if isinstance(node, Call) and node.op == op:
        return [part for arg in node.args for part in _flat(arg, op)]
    return [node]


def _absorbed(arms: list[Arm]) -> list[Arm]:
    """The arms without those that another arm absorbs: one whose conditions are a subset of theirs."""
    single = _widest([next(iter(arm)) for arm in arms if len(arm) == 1])
    kept: list[Arm] = []
    having: dict[Node, set[int]] = {}
    for arm in sorted(arms, key=len):
        if not arm:
            return [arm]
        if len(arm) == 1 and next(iter(arm)) not in single:
            continue
        if any(_implied(part, single) for part in arm) and len(arm) > 1:
            continue
        # An arm absorbs this one if all of its conditions are here: count them for each arm.
        hits = Counter(index for part in arm for index in having.get(part, ()))
        if any(count == len(kept[index]) for index, count in hits.items()):
            continue
        for part in arm:
            having.setdefault(part, set()).add(len(kept))
        kept.append(arm)
    order = {arm: place for place, arm in enumerate(arms)}
    return sorted(kept, key=order.__getitem__)


def _implied(part: Node, single: dict[Node, list[Node]] | set[Node]) -> bool:
    """Whether a condition implies one of the arms that have a single condition."""
    test = _test(part)
    if not isinstance(single, dict):
        return part in single
    return part in single or (
        test is not None and any(implies(part, other) for other in single.get(test[0], ()))
    )


def _widest(parts: list[Node]) -> dict[Node, list[Node]]:
    """The arms of a single condition that no other such arm absorbs, also by operand."""
    result: dict[Node, list[Node]] = {}
    for part in parts:
        test = _test(part)
        beside = result.setdefault(test[0], []) if test is not None else []
        if any(implies(part, other) for other in beside):
            continue
        for other in [other for other in beside if implies(other, part)]:
            beside.remove(other)
            del result[other]
        beside.append(part)
        result[part] = []
    return result


def implies(left: Node, right: Node) -> bool:
    """Whether one test of an operand implies another one. False if that cannot be decided."""
    one, other = _test(left), _test(right)
    if left == right:
        return True
    if one is None or other is None or one[0] != other[0]:
        return False
    _, op, value = one
    _, wide, bound = other
    if op == "in" and wide == "in":
        return set(value) <= set(bound)
    if op in ("gt", "ge") and wide in ("gt", "ge"):
        return bool(value > bound or (value == bound and not (op == "ge" and wide == "gt")))
    if op in ("lt", "le") and wide in ("lt", "le"):
        return bool(value < bound or (value == bound and not (op == "le" and wide == "lt")))
    if op == "in" and wide in _HOLDS:
        return all(_HOLDS[wide](item, bound) for item in value)
    return op == wide == "starts_with" and value.startswith(bound)


_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "gt": lambda value, bound: value > bound,
    "ge": lambda value, bound: value >= bound,
    "lt": lambda value, bound: value < bound,
    "le": lambda value, bound: value <= bound,
    "starts_with": lambda value, bound: value.startswith(bound),
}
"""Whether a value passes a test."""


def _test(node: Node) -> tuple[Node, str, Any] | None:
    """The operand, the operator and the constant of a test of one operand; `eq` is an `in` with one value.

    None for other nodes, and for types whose values Python orders or equates differently.
    """
    if (
        not isinstance(node, Call)
        or len(node.args) != 2
        or node.op not in {*COMPARISONS, "in", "starts_with"}
    ):
        return None
    operand, constant = node.args
    if isinstance(operand, Literal) or operand.type in (JSON, DOUBLE):
        return None
    if isinstance(constant, Items) and all(_constant(item, operand) for item in constant.items):
        return operand, "in", tuple(item.value for item in constant.items if isinstance(item, Literal))
    if not isinstance(constant, Literal) or not _constant(constant, operand):
        return None
    return (operand, "in", (constant.value,)) if node.op == "eq" else (operand, node.op, constant.value)


def _constant(node: Node, operand: Node) -> bool:
    return isinstance(node, Literal) and node.value is not None and node.type == operand.type


def _merged(arms: list[Arm], order: _Order) -> list[Arm]:
    """Arms that differ in one condition become one arm; its condition is the OR of theirs."""
    while True:
        groups: dict[tuple[Arm, Node], list[tuple[Arm, Node]]] = {}
        for arm in arms:
            for part in order(arm):
                test = _test(part)
                if test is not None and test[1] == "in" and len(arm) > 1:
                    groups.setdefault((arm - {part}, test[0]), []).append((arm, part))
        taken: set[Arm] = set()
        made: list[Arm] = []
        for (rest, _), members in sorted(groups.items(), key=lambda item: -len(item[1])):
            free = [(arm, part) for arm, part in members if arm not in taken]
            if len(free) > 1:
                taken.update(arm for arm, _ in free)
                listed = _in_list([part for _, part in free])
                order.add([listed])
                made.append(rest | {listed})
        if not made:
            return arms
        arms = [arm for arm in arms if arm not in taken] + made


def _in_list(parts: list[Node]) -> Node:
    """One `IN` for equalities and lists of one operand."""
    return simplify(disjunction([equal for part in parts for equal in _equalities(part)]))


def _equalities(part: Node) -> list[Node]:
    if isinstance(part, Call) and part.op == "in" and isinstance(part.args[1], Items):
        return [Call(BOOLEAN, "eq", (part.args[0], item), part.span) for item in part.args[1].items]
    return [part]


def _factored(arms: list[Arm], order: _Order) -> Node:
    """The arms as a predicate. Conditions of several arms are factored out, the most common one first."""
    if len(arms) == 1:
        return conjunction(order(arms[0]))
    parts: list[Node] = []
    counts = Counter(part for arm in arms for part in order(arm))
    while arms:
        common, count = counts.most_common(1)[0] if counts else (TRUE, 0)
        if count < 2:
            parts += (conjunction(order(arm)) for arm in arms)
            break
        inside = [arm - {common} for arm in arms if common in arm]
        counts.subtract(part for arm in inside for part in (*arm, common))
        parts.append(conjunction([common, _factored(inside, order)]))
        arms = [arm for arm in arms if common not in arm]
    return disjunction(_with_joined_tests(parts))


def _with_joined_tests(parts: list[Node]) -> list[Node]:
    """The conditions with all IN lists of an operand merged into one."""
    groups: dict[Node, list[Node]] = {}
    others: list[Node] = []
    for part in parts:
        test = _test(part)
        if test is not None and test[1] == "in":
            groups.setdefault(test[0], []).append(part)
        else:
            others.append(part)
    return [_in_list(group) if len(group) > 1 else group[0] for group in groups.values()] + others
