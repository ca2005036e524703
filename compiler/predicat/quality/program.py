"""The predicates of a plan as a program for `fold`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from predicat.ir.nodes import Call, Literal, Node
from predicat.quality.classes import Classes, Leaf, chunks
from predicat.quality.fold import Part, Program


class _Steps:
    """Steps of predicates, each part once."""

    def __init__(self, classes: Classes) -> None:
        self.leaves = classes.leaves
        self.steps: list[tuple[str, tuple[Any, ...]]] = []
        self.known: dict[Node, int] = {}

    def step(self, node: Node) -> int:
        """The number of the step that works a predicate out."""
        known = self.known.get(node)
        if known is None:
            step = self.make(node)
            known = self.known[node] = len(self.steps)
            self.steps.append(step)
        return known

    def make(self, node: Node) -> tuple[str, tuple[Any, ...]]:
        if isinstance(node, Literal):
            return "const", (node.value,)
        if node in self.leaves:
            return "leaf", tuple(_part(leaf) for leaf in self.leaves[node])
        assert isinstance(node, Call)  # noqa: S101  # the classes know everything else
        return node.op, tuple(self.step(arg) for arg in node.args)


def _part(leaf: Leaf) -> Part:
    return leaf.key, _table(leaf.true), _table(leaf.unknown)


def _table(classes: frozenset[int]) -> bytes:
    return bytes(b"01"[code in classes] for code in range(256))


def program(
    classes: Classes,
    items: Iterable[Node],
    filters: Sequence[tuple[int, bool]] = (),
    groups: Sequence[Sequence[int]] = (),
    parts: Sequence[int] = (),
) -> Program:
    """The program that counts some predicates, whose conditions are those of the classes.

    `filters` are places in `items`, each with whether it accepts UNKNOWN; `groups` are places in `filters`.
    `parts` are the partitions behind each cut of the last keys (`Classes.with_cuts`).
    """
    steps = _Steps(classes)
    numbers = tuple(steps.step(item) for item in items)
    places = _places(len(classes.keys), len(parts)) if parts else ()
    return Program(
        len(classes.keys),
        tuple(steps.steps),
        numbers,
        tuple(filters),
        tuple(map(tuple, groups)),
        places,
        (OUTSIDE, *parts, MISSING) if parts else (),
    )


# Rows before or behind all partitions, and those without a value.
OUTSIDE, MISSING = -1, -2


def _places(keys: int, cuts: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Of each key of the cuts, how many cuts are not above a value of each of its classes, as far as it
    tells.
    """
    own = chunks(range(1, cuts + 1))
    return tuple((keys - len(own) + place, (0, *chunk, cuts + 1)) for place, chunk in enumerate(own))
