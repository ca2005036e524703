"""Compares two rules: what the second accepts, proved for the widest types of their fields, with rows of the
narrowest.
"""

import json
from typing import Any

from msgspec import Struct

from predicat.discover.infer import Unclear
from predicat.discover.typed import Subject, together
from predicat.discover.verdicts import Relationship
from predicat.explain.show import plain
from predicat.ir.nodes import Node
from predicat.proof.compare import PROVED, SHOWN, Outcome, Witness, compare_nodes, search
from predicat.proof.own_errors import with_own_errors
from predicat.proof.smt.terms import all_of

# Seconds for all questions about a pair, on each of the two assignments of types.
_PAIR = 1.0
_KINDS: dict[str, Relationship] = {"narrower": "narrower", "wider": "wider", "changed": "overlapping"}


class RulePair(Struct, frozen=True):
    """Two conditions to compare."""

    left: Subject
    right: Subject

    @property
    def key(self) -> str:
        """The question as a text."""
        return json.dumps([self.left.key, self.right.key])


class ComparedPair(Struct, frozen=True):
    """What the second is to the first. `kind` is None where nothing is proved, or where they have no row in
    common.
    """

    kind: Relationship | None = None
    lost: dict[str, Any] | None = None
    gained: dict[str, Any] | None = None
    inferred: dict[str, str] = {}
    undecided: bool = False


def compare_pair(question: RulePair) -> ComparedPair:
    """Compare two conditions, each field with one type in both."""
    try:
        left, right = together([question.left, question.right])
    except Unclear:
        return ComparedPair()
    rules = _rule(question.left), _rule(question.right)
    narrow = compare_nodes(left.narrow, right.narrow, rules, _PAIR)
    inferred = {**left.inferred, **right.inferred}
    if narrow.kind.startswith("equivalent"):
        own = (
            with_own_errors(question.left.language, left.wide),
            with_own_errors(question.right.language, right.wide),
        )
        pairs = dict.fromkeys(((left.wide, right.wide), own))
        verdicts = [compare_nodes(*pair, rules, _PAIR) for pair in pairs]
        same = all(verdict.same_rows for verdict in verdicts)
        undecided = not all(verdict.proof for verdict in verdicts)
        return ComparedPair("same" if same else None, inferred=inferred, undecided=undecided)
    kind = _KINDS.get(narrow.kind)
    if kind is None or narrow.proof not in (PROVED, SHOWN):
        return ComparedPair(undecided=not narrow.proof)
    if kind == "overlapping":
        shared = _meet(left.narrow, right.narrow)
    else:
        shared = compare_nodes(left.wide, right.wide, rules, _PAIR).kind == narrow.kind
    return ComparedPair(kind, _row(narrow.lost), _row(narrow.gained), inferred) if shared else ComparedPair()


def _rule(item: Subject) -> str:
    return "accept" if item.accepts else "reject"


def _meet(left: Node, right: Node) -> bool:
    """Whether a row is accepted by both."""

    def both(one: Outcome, other: Outcome) -> bool:
        return one is True and other is True

    answer, _ = search(left, right, both, lambda one, other: all_of(one.true, other.true), _PAIR)
    return answer == "found"


def _row(witness: Witness | None) -> dict[str, Any] | None:
    return None if witness is None else plain({**witness.row})
