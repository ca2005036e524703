"""P401: two filters of an exclusive group that accept the same row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from predicat.diagnostics import Severity
from predicat.explain.show import row_text
from predicat.ir.canonical import proof_text
from predicat.ir.nodes import Node
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.trials import disjoint, required
from predicat.proof.compare import search
from predicat.proof.smt.terms import all_of


def check(context: Context) -> Iterator[Finding]:
    for group in context.groups():
        if not group.exclusive:
            continue
        needs = list(map(required, group.nodes))
        for (at, one), (other_at, other) in combinations(enumerate(group.members), 2):
            shown = (
                ""
                if disjoint(needs[at], needs[other_at])
                else _common(context, group.nodes[at], group.nodes[other_at])
            )
            if shown:
                yield Finding(
                    RULE.code,
                    group.name,
                    f"{one.name} and {other.name} both accept {shown}",
                    one.span,
                    "the group has exclusive: true; make the conditions exclude each other",
                    filters=(one.qualified, other.qualified),
                )


def _common(context: Context, one: Node, other: Node) -> str:
    """A row for which both are TRUE, as text; empty if none was found."""

    def answer() -> str:
        _, witness = search(
            one,
            other,
            lambda a, b: a is True and b is True,
            lambda a, b: all_of(a.true, b.true),
            context.effort,
        )
        return "" if witness is None else row_text(witness.row)

    return context.ask(("common", proof_text(one), proof_text(other)), answer)


RULE = Rule(
    "P401",
    "group-overlap",
    "Two filters of an exclusive group accept the same row, which is shown.",
    check,
    Severity.ERROR,
    ("P205",),
)
