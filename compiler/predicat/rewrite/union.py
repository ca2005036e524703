"""The union of many row filters as one short predicate.

A row filter is a disjunction of arms, and an arm is a set of conditions that must all be TRUE. Three laws
make the union shorter: absorption (`a OR (a AND b)` is `a`), merging (arms that differ in what they accept of
one value keep the rest once), and factoring (a condition of several arms is written once). What the
conditions accept of a value is a set (see `predicat.values`), so `x BETWEEN 1 AND 9` absorbs `x = 3`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from predicat.forms.total_order import disjuncts
from predicat.ir.nodes import FALSE, TRUE, Call, Items, Literal, Node
from predicat.ir.types import BOOLEAN, DOUBLE, JSON, ArrayType
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.junctions import conjunction, disjunction
from predicat.rewrite.simplify import simplify
from predicat.rewrite.union_sets import merged

# The conditions that must all be TRUE.
Arm = frozenset[Node]

# With more arms than this only equal arms are joined.
_MAX_ARMS = 20_000


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
        arms = merged(_absorbed(arms), order)
        for arm in arms:
            order.add(arm)
    return simplify(_factored(arms, order))


def arms_of(node: Node) -> list[list[Node]]:
    """The conditions of each arm of a predicate, in order. An OR inside an AND stays one condition: expanding
    it would make the predicate longer.
    """
    parts = [dict.fromkeys(_flat(part, "and")) for part in disjuncts(_flat(node, "or"))]
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


def _flat(node: Node, op: str) -> list[Node]:
    if isinstance(node, Call) and node.op == op:
        return [part for arg in node.args for part in _flat(arg, op)]
    return [node]


def _absorbed(arms: list[Arm]) -> list[Arm]:
    """The arms without those that another arm absorbs: one whose conditions are a subset of theirs."""
    kept: list[Arm] = []
    having: dict[Node, set[int]] = {}
    for arm in sorted(arms, key=len):
        if not arm:
            return [arm]
        # An arm absorbs this one if all of its conditions are here: count them for each arm.
        hits = Counter(index for part in arm for index in having.get(part, ()))
        if any(count == len(kept[index]) for index, count in hits.items()):
            continue
        for part in arm:
            having.setdefault(part, set()).add(len(kept))
        kept.append(arm)
    order = {arm: place for place, arm in enumerate(arms)}
    return sorted(kept, key=order.__getitem__)


def _in_list(parts: Sequence[Call]) -> Node:
    """One `IN` for equalities and lists of one operand."""
    operand, span = parts[0].args[0], parts[0].span
    items = tuple(dict.fromkeys(item for part in parts for item in _items(part)))
    if len(items) == 1:
        return Call(BOOLEAN, "eq", (operand, *items), span)
    return Call(BOOLEAN, "in", (operand, Items(ArrayType(operand.type), items, span)), span)


def _items(part: Call) -> tuple[Node, ...]:
    """The constants of an equality or a list."""
    others = part.args[1]
    return others.items if isinstance(others, Items) else (others,)


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
    groups: dict[Node, list[Call]] = {}
    others: list[Node] = []
    for part in parts:
        if isinstance(part, Call) and _is_list(part):
            groups.setdefault(part.args[0], []).append(part)
        else:
            others.append(part)
    return [_in_list(group) if len(group) > 1 else group[0] for group in groups.values()] + others


def _is_list(part: Call) -> bool:
    """Whether a condition is an equality with a constant, or a list of constants, of a type whose values
    Python equates as SQL does.
    """
    if part.op not in ("eq", "in"):
        return False
    operand = part.args[0]
    return (
        not isinstance(operand, Literal)
        and operand.type not in (JSON, DOUBLE)
        and all(
            isinstance(item, Literal) and item.value is not None and item.type == operand.type
            for item in _items(part)
        )
    )
