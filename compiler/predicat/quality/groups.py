"""Groups of rows of one class each, as sets of bits: bit n of a number stands for group n.

AND, OR and NOT of predicates are the operators of Python's whole numbers, and the rows of a set of groups are counted by the bits of
their numbers of rows: forty thousand groups take some microseconds each time.
"""

from __future__ import annotations

from collections.abc import Sequence

from predicat.ir.nodes import Call, Literal, Node
from predicat.quality.classes import Classes

Outcome = tuple[int, int]
"""Where a predicate is TRUE, and where FALSE; UNKNOWN elsewhere."""


class Groups:
    """Some groups of rows: the numbers of `Classes.words` and, last, how many rows they are."""

    def __init__(self, classes: Classes, rows: Sequence[Sequence[int]]) -> None:
        *words, counts = zip(*rows, strict=True)
        self.all = (1 << len(rows)) - 1
        self._leaves = classes.leaves
        masks = [(1 << key.width) - 1 for key in classes.keys]
        self._codes = [bytes([number >> bit & mask for number in words[word]]) for (word, bit), mask in zip(classes.places(), masks, strict=True)]
        self._counts = [_set(bytes(48 + (count >> bit & 1) for count in counts)) for bit in range(max(counts).bit_length())]
        self._outcomes: dict[Node, Outcome] = {}

    def count(self, groups: int) -> int:
        """The rows of a set of groups."""
        return sum((groups & plane).bit_count() << bit for bit, plane in enumerate(self._counts)) if groups else 0

    def outcome(self, node: Node) -> Outcome:
        """Where a predicate is TRUE and where FALSE, by Kleene logic."""
        found = self._outcomes.get(node)
        if found is None:
            found = self._outcomes[node] = self._work_out(node)
        return found

    def _work_out(self, node: Node) -> Outcome:
        if isinstance(node, Literal):
            return (self.all if node.value is True else 0, self.all if node.value is False else 0)
        if node in self._leaves:
            return self._leaf(node)
        assert isinstance(node, Call)  # noqa: S101  # the classes know everything else
        args = [self.outcome(arg) for arg in node.args]
        true, false = args[0]
        if node.op == "not":
            return false, true
        if node.op == "is_true":
            return true, self.all & ~true
        for more, less in args[1:]:
            true, false = (true & more, false | less) if node.op == "and" else (true | more, false & less)
        return true, false

    def _leaf(self, node: Node) -> Outcome:
        true = unknown = 0
        for leaf in self._leaves[node]:
            true |= self._of(leaf.key, leaf.true)
            unknown |= self._of(leaf.key, leaf.unknown)
        return true, self.all & ~(true | unknown)

    def _of(self, key: int, classes: frozenset[int]) -> int:
        """The groups that lie in some classes of a key."""
        return _set(self._codes[key].translate(bytes(b"01"[code in classes] for code in range(256))))


def _set(digits: bytes) -> int:
    """The set of the places of the ones in a text of zeros and ones."""
    return int(digits[::-1], 2)
