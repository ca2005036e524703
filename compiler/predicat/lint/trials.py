"""Cheap answers before any proof: rows that distinguish predicates, and values that a predicate requires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.proof.candidate_rows import CandidateRows
from predicat.proof.inputs import over_inputs

Row = Mapping[str, Any]
Required = Mapping[str, frozenset[Any]]
_ROWS = 60
# How many predicates of a class give rows that may split it.
_CHOSEN = 16


class Trial:
    """A predicate's outcomes on rows around its constants. Rows are created lazily and only once.

    Parameters have values in these rows like fields, but are never NULL.
    """

    def __init__(self, node: Node, count: int = _ROWS) -> None:
        self.node = node
        self.function = over_inputs(node)
        self._untried = rows([node], count)
        self._tried: list[tuple[Row, bool | None]] = []

    def __iter__(self) -> Iterator[tuple[Row, bool | None]]:
        yield from self._tried
        for row in self._untried:
            tried = row, self.function(row)
            self._tried.append(tried)
            yield tried

    def shows(self, wanted: bool | None) -> bool:
        """Whether a tried row has this outcome. If not, other rows still may."""
        return any(outcome is wanted for _, outcome in self)

    @cached_property
    def examples(self) -> Sequence[Row]:
        """A row for which it is TRUE and one for which it is FALSE, if found. Rows with values are preferred,
        because they distinguish more.
        """
        result: dict[bool, Row] = {}
        for row, outcome in self:
            if outcome is not None and not result.get(outcome):
                result[outcome] = row
                if all(result.get(wanted) for wanted in (True, False)):
                    break
        return [result[outcome] for outcome in (True, False) if outcome in result]

    def differs(self, other: Node, *, accept: bool) -> bool:
        """Whether some row is accepted by this predicate or the other, and not by both; `accept` says whether
        UNKNOWN is accepted.
        """
        function = over_inputs(other)
        return any(
            accepted(outcome, accept=accept) is not accepted(function(row), accept=accept)
            for row, outcome in self
        )


def accepted(outcome: bool | None, *, accept: bool) -> bool:
    """Whether a row with this outcome is accepted; `accept` decides for UNKNOWN."""
    return accept if outcome is None else outcome


def rows(nodes: Sequence[Node], count: int) -> Iterator[Row]:
    """At most `count` rows worth trying on predicates, with a value for each of their parameters."""
    yield from CandidateRows(nodes).rows(count)


def required(node: Node) -> Required:
    """The values that paths and other expressions, by their canonical text, must have if a predicate is TRUE,
    as far as `=`, IN, AND and OR show it.
    """
    match node:
        case Call(op="eq", args=(place, Literal() as constant)) if place.type == constant.type:
            return {canonical_text(place): frozenset({constant.value})}
        case Call(op="in", args=(place, Items(items=items))):
            constants = [item for item in items if isinstance(item, Literal) and item.type == place.type]
            return (
                {canonical_text(place): frozenset(item.value for item in constants)}
                if len(constants) == len(items)
                else {}
            )
        case Call(op="is_true", args=(inner,)):
            return required(inner)
        case Call(op="and"):
            every: dict[str, frozenset[Any]] = {}
            for part in map(required, node.args):
                for name, values in part.items():
                    every[name] = every[name] & values if name in every else values
            return every
        case Call(op="or"):
            first, *others = map(required, node.args)
            shared = [name for name in first if all(name in part for part in others)]
            return {name: first[name].union(*(part[name] for part in others)) for name in shared}
        case _:
            return {}


def disjoint(one: Required, other: Required) -> bool:
    """Whether two predicates require different values of a path, so that no row makes both TRUE."""
    return any(place in other and not values & other[place] for place, values in one.items())


def accepted_bits(nodes: Sequence[Node], tried: Iterable[Row], accept: Sequence[bool]) -> list[int]:
    """The rows that each predicate accepts, as the bits of an integer; `accept` tells for each whether it
    accepts UNKNOWN.
    """
    functions = [over_inputs(node) for node in nodes]
    result = [0] * len(nodes)
    for bit, row in enumerate(tried):
        for number, function in enumerate(functions):
            if accepted(function(row), accept=accept[number]):
                result[number] |= 1 << bit
    return result


def classes(trials: Sequence[Trial], *, accept: bool) -> Iterator[list[int]]:
    """The numbers of predicates that no candidate row distinguishes, in classes of two or more. A class is a
    guess; all other pairs differ.

    Predicates that require different values at one path, such as `s = 'x1'` and `s = 'x2'`, are never
    compared with each other.
    """
    apart, others = (
        ({}, list(range(len(trials)))) if accept else _by_value([required(trial.node) for trial in trials])
    )
    yield from (same for same in _split(trials, others, accept=accept) if len(same) > 1)
    for members in apart.values():
        tried = _examples(trials, members) if others else []
        fitting = [number for number in others if any(trials[number].function(row) is True for row in tried)]
        for same in _split(trials, [*members, *fitting], accept=accept):
            if len(same) > 1 and not set(same) <= set(fitting):
                yield same


def _by_value(needs: Sequence[Required]) -> tuple[dict[Any, list[int]], list[int]]:
    """Predicates by the single value that they require of a path (the path with the most values), and
    predicates that require none.
    """
    values: dict[str, dict[Any, list[int]]] = {}
    for number, need in enumerate(needs):
        for place, allowed in need.items():
            if len(allowed) == 1:
                values.setdefault(place, {}).setdefault(next(iter(allowed)), []).append(number)
    apart = max(values.values(), key=len, default={})
    named = {number for members in apart.values() for number in members}
    return apart, [number for number in range(len(needs)) if number not in named]


def _split(trials: Sequence[Trial], members: list[int], *, accept: bool) -> Iterator[list[int]]:
    """Classes of predicates: examples split classes into parts until no further split occurs; then more rows
    are tried once.
    """
    stack = [(members, False)]
    while stack:
        same, tried_more = stack.pop()
        parts = [same]
        for tried in _choices(trials, same):
            parts = _parts(trials, same, tried, accept=accept)
            if len(parts) > 1:
                break
        if len(parts) == 1 and not tried_more:
            spread = [trials[number].node for number in same[:: max(len(same) // _CHOSEN, 1)][:_CHOSEN]]
            parts, tried_more = _parts(trials, same, list(rows(spread, _ROWS)), accept=accept), True
        if len(parts) == 1:
            yield same
        else:
            stack += [(part, tried_more) for part in parts if len(part) > 1]


def _parts(
    trials: Sequence[Trial], members: list[int], tried: Sequence[Row], *, accept: bool
) -> list[list[int]]:
    """A class, split by which rows its members accept."""
    parts: dict[tuple[bool, ...], list[int]] = {}
    for number in members:
        outcomes = tuple(accepted(trials[number].function(row), accept=accept) for row in tried)
        parts.setdefault(outcomes, []).append(number)
    return list(parts.values())


def _choices(trials: Sequence[Trial], members: list[int]) -> Iterator[list[Row]]:
    """Rows that may split a class: examples of few of its members, spread over the class, then of all
    members, few at a time.
    """
    yield _examples(trials, members[:: max(len(members) // _CHOSEN, 1)][:_CHOSEN])
    every = _examples(trials, members)
    for start in range(0, len(every), _CHOSEN):
        yield every[start : start + _CHOSEN]


def _examples(trials: Sequence[Trial], members: Iterable[int]) -> list[Row]:
    """The examples of some predicates, each row once."""
    return list({repr(row): row for number in members for row in trials[number].examples}.values())
