"""P206: two names for one meaning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from predicat.catalog.model import Filter
from predicat.ir.nodes import Node, fields_of
from predicat.review.compare import Row, compare_nodes, example
from predicat.review.lint.rule import Context, Finding, Rule
from predicat.review.probe import Probe
from predicat.semantics.evaluate import compile_node

_ROWS = 100


def check(context: Context) -> Iterator[Finding]:
    alike: dict[tuple[str, str, frozenset[str]], list[tuple[Filter, Node]]] = {}
    for row, node in context.filters():
        alike.setdefault((row.dataset, row.on_unknown, frozenset(fields_of(node))), []).append((row, node))
    for members in alike.values():
        for same in _same_outcomes(members):
            for (one, left), (other, right) in combinations(same, 2):
                if compare_nodes(left, right, (one.on_unknown, other.on_unknown), context.timeout).same_rows:
                    yield Finding(RULE.code, other.qualified, f"it accepts the same rows as {one.qualified}", other.span,
                                  f"refer to it instead: all: [{one.name}]")  # fmt: skip


def _same_outcomes(members: list[tuple[Filter, Node]]) -> list[list[tuple[Filter, Node]]]:
    """Filters that some rows do not tell apart; the others need no proof."""
    if len(members) < 2:
        return []
    rows: list[Row] = list(Probe(node for _, node in members).rows(_ROWS))
    rows += [seen.row for _, node in members if (seen := example(node, wanted=True)[1]) is not None]
    found: dict[tuple[bool, ...], list[tuple[Filter, Node]]] = {}
    for row, node in members:
        function = compile_node(node)
        found.setdefault(tuple(function(item) is True for item in rows), []).append((row, node))
    return [same for same in found.values() if len(same) > 1]


RULE = Rule("P206", "duplicate-meaning", "Two names for one meaning (proved).", check)
