"""P205: a filter of a group whose rows are all accepted by another filter of the group."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.trials import accepted_bits


def check(context: Context) -> Iterator[Finding]:
    for group in context.groups():
        takes = [filter_.on_unknown == "accept" for filter_ in group.members]
        shown = accepted_bits(group.nodes, group.tried(), takes)
        for (at, one), (other_at, other) in permutations(enumerate(group.members), 2):
            if shown[at] & ~shown[other_at]:
                continue  # a row that the other one does not accept
            kind = context.compared(
                group.nodes[other_at],
                group.nodes[at],
                (other.on_unknown, one.on_unknown),
                (other.current.language, one.current.language),
            )
            if kind == "narrower":
                yield Finding(
                    RULE.code,
                    one.qualified,
                    f"in the group {group.name}, {other.name} accepts all of its rows",
                    one.span,
                    "order them, or exclude the rows of one from the other",
                    filters=(one.qualified, other.qualified),
                )


RULE = Rule(
    "P205",
    "subsumed-member",
    "A filter of a group whose rows another filter of the group accepts too (proved).",
    check,
)
