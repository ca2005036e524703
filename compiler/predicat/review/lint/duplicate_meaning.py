"""P206: two names for one meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from predicat.catalog.model import Filter
from predicat.ir.nodes import Node, fields_of
from predicat.ir.text import to_text
from predicat.review.compare import compare_nodes
from predicat.review.lint.rule import Context, Finding, Rule
from predicat.review.lint.trials import accepted, classes
from predicat.semantics.evaluate import compile_node


def check(context: Context) -> Iterator[Finding]:
    alike: dict[tuple[str, str, frozenset[str]], list[Filter]] = {}
    for row, node in context.filters():
        alike.setdefault((row.dataset, row.on_unknown, frozenset(fields_of(node))), []).append(row)
    for (_, on_unknown, _), members in alike.items():
        nodes = [row.current.predicate.node for row in members]
        first_of: dict[int, int] = {}
        for same in classes([context.trial(row) for row in members], accept=on_unknown == "accept"):
            first_of |= _duplicates(context, nodes, sorted(same), on_unknown)
        for at, first in sorted(first_of.items()):
            row, one = members[at], members[first]
            yield Finding(RULE.code, row.qualified, f"it accepts the same rows as {one.qualified}", row.span,
                          f"refer to it instead: all: [{one.name}]", filters=(row.qualified, one.qualified))  # fmt: skip


def _duplicates(context: Context, nodes: Sequence[Node], members: Sequence[int], on_unknown: str) -> dict[int, int]:
    """For the predicates that accept the same rows as an earlier one, the first such one. Members are given and returned by number."""
    chosen = [nodes[number] for number in members]

    def answer() -> str:
        return json.dumps(_proved(chosen, on_unknown, context.timeout))

    pairs: list[list[int]] = json.loads(context.ask(("duplicates", on_unknown, *map(to_text, chosen)), answer))
    return {members[at]: members[first] for at, first in pairs}


def _proved(nodes: Sequence[Node], on_unknown: str, timeout: float) -> list[tuple[int, int]]:
    """Pairs of a predicate and the first one that accepts the same rows. A row that shows a difference is tried on all that are left."""
    functions, accept = [compile_node(node) for node in nodes], on_unknown == "accept"
    pairs: list[tuple[int, int]] = []
    stack = [list(range(len(nodes)))]
    while stack:
        first, *others = stack.pop()
        undecided: list[int] = []
        while others:
            other = others.pop(0)
            verdict = compare_nodes(nodes[first], nodes[other], (on_unknown, on_unknown), timeout)
            witness = verdict.lost or verdict.gained
            if verdict.same_rows:
                pairs.append((other, first))
            elif witness is None:
                undecided.append(other)
            else:
                row = {**witness.row, **{f":{name}": value for name, value in witness.params.items()}}
                outcomes = {number: accepted(functions[number](row), accept=accept) for number in (first, *others)}
                stack.append([other, *(number for number in others if outcomes[number] is not outcomes[first])])
                others = [number for number in others if outcomes[number] is outcomes[first]]
        if len(undecided) > 1:
            stack.append(undecided)
    return pairs


RULE = Rule("P206", "duplicate-meaning", "Two names for one meaning (proved).", check)
