"""P402: a row that no filter of an exhaustive group accepts."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.ir.nodes import Call
from predicat.ir.types import BOOLEAN
from predicat.passes.substitute import with_defaults
from predicat.review.compare import search
from predicat.review.lint.rule import Context, Finding, Rule
from predicat.review.show import row_text
from predicat.review.smt.terms import negated


def check(context: Context) -> Iterator[Finding]:
    for name, dataset in context.datasets.items():
        for group, spec in dataset.groups.items():
            members = [dataset.filters[member] for member in spec["filters"] if member in dataset.filters]
            if not spec.get("exhaustive") or not members:
                continue
            nodes = tuple(with_defaults(member.current.predicate.node) for member in members)
            union = nodes[0] if len(nodes) == 1 else Call(BOOLEAN, "or", nodes)
            _, found = search(union, union, lambda a, _: a is not True, lambda a, _: negated(a.true), context.timeout)
            if found is not None:
                yield Finding(RULE.code, f"{name}.{group}", f"no filter of the group accepts {row_text(found.row)}", members[0].span,
                              "the group says exhaustive: true; add a filter for the rest, rows without a value included")  # fmt: skip


RULE = Rule("P402", "group-gap", "A row that no filter of an exhaustive group accepts, which is shown.", check)
