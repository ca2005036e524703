"""P206: two filters with the same meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from predicat.catalog.model import Filter
from predicat.ir.nodes import Node, fields_of
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.trials import accepted, classes
from predicat.proof.compare import compare_nodes
from predicat.proof.inputs import over_inputs
from predicat.proof.own_errors import with_own_errors


def check(context: Context) -> Iterator[Finding]:
    alike: dict[tuple[str, str, frozenset[str]], list[Filter]] = {}
    for row, node in context.filters():
        alike.setdefault((row.dataset, row.on_unknown, frozenset(fields_of(node))), []).append(row)
    for members in alike.values():
        for at, first in _duplicates(context, members) if len(members) > 1 else ():
            row, one = members[at], members[first]
            yield Finding(
                RULE.code,
                row.qualified,
                f"it accepts the same rows as {one.qualified}",
                row.span,
                f"refer to it instead: all: [{one.name}]",
                filters=(row.qualified, one.qualified),
            )


def _duplicates(context: Context, members: Sequence[Filter]) -> list[tuple[int, int]]:
    """The filters that accept the same rows as an earlier one, with the first such filter, by number. All
    have the same `on_unknown`.
    """
    on_unknown = members[0].on_unknown

    def answer() -> str:
        first_of: dict[int, int] = {}
        for same in classes([context.trial(filter_) for filter_ in members], accept=on_unknown == "accept"):
            chosen = sorted(same)
            versions = [members[number].current for number in chosen]
            pairs = _proved([version.predicate.node for version in versions], on_unknown, context.effort)
            own = [with_own_errors(version.language, version.predicate.node) for version in versions]
            first_of |= {
                chosen[at]: chosen[first]
                for at, first in pairs
                if (own[at], own[first]) == (versions[at].predicate.node, versions[first].predicate.node)
                or compare_nodes(own[first], own[at], (on_unknown, on_unknown), context.effort).same_rows
            }
        return json.dumps(sorted(first_of.items()))

    result = context.ask(("duplicates", on_unknown, *map(context.text, members)), answer)
    return [(at, first) for at, first in json.loads(result)]


def _proved(nodes: Sequence[Node], on_unknown: str, effort: float) -> list[tuple[int, int]]:
    """Pairs of a predicate and the first one that accepts the same rows. A row that shows a difference is
    tried on all remaining predicates.
    """
    functions, accept = [over_inputs(node) for node in nodes], on_unknown == "accept"
    pairs: list[tuple[int, int]] = []
    stack = [list(range(len(nodes)))]
    while stack:
        first, *others = stack.pop()
        undecided: list[int] = []
        while others:
            other = others.pop(0)
            verdict = compare_nodes(nodes[first], nodes[other], (on_unknown, on_unknown), effort)
            witness = verdict.lost or verdict.gained
            if verdict.same_rows:
                pairs.append((other, first))
            elif witness is None:
                undecided.append(other)
            else:
                row = {**witness.row, **{f":{name}": value for name, value in witness.params.items()}}
                outcomes = {
                    number: accepted(functions[number](row), accept=accept) for number in (first, *others)
                }
                stack.append(
                    [other, *(number for number in others if outcomes[number] is not outcomes[first])]
                )
                others = [number for number in others if outcomes[number] is outcomes[first]]
        if len(undecided) > 1:
            stack.append(undecided)
    return pairs


RULE = Rule("P206", "duplicate-meaning", "Two names for one meaning (proved).", check)
