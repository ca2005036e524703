"""P205: a filter of a group all of whose rows another filter of the group accepts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from predicat.passes.substitute import with_defaults
from predicat.review.compare import compare_nodes
from predicat.review.lint.rule import Context, Finding, Rule


def check(context: Context) -> Iterator[Finding]:
    for name, dataset in context.datasets.items():
        for group, spec in dataset.groups.items():
            members = [dataset.filters[member] for member in spec["filters"] if member in dataset.filters]
            for one, other in permutations(members, 2):
                verdict = compare_nodes(with_defaults(other.current.predicate.node), with_defaults(one.current.predicate.node), (other.on_unknown, one.on_unknown), context.timeout)
                if verdict.kind == "narrower":
                    yield Finding(RULE.code, one.qualified, f"in the group {name}.{group}, {other.name} accepts all of its rows", one.span,
                                  "order them, or exclude the rows of one from the other")  # fmt: skip


RULE = Rule("P205", "subsumed-member", "A filter of a group whose rows another one of it accepts too (proved).", check)
