"""P401: two filters of an exclusive group that accept one row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from predicat.passes.substitute import with_defaults
from predicat.review.compare import search
from predicat.review.lint.rule import Context, Finding, Rule
from predicat.review.show import row_text
from predicat.review.smt.terms import all_of


def check(context: Context) -> Iterator[Finding]:
    for name, dataset in context.datasets.items():
        for group, spec in dataset.groups.items():
            if not spec.get("exclusive"):
                continue
            members = [dataset.filters[member] for member in spec["filters"] if member in dataset.filters]
            for one, other in combinations(members, 2):
                _, found = search(with_defaults(one.current.predicate.node), with_defaults(other.current.predicate.node), lambda a, b: a is True and b is True,
                                  lambda a, b: all_of(a.true, b.true), context.timeout)  # fmt: skip
                if found is not None:
                    yield Finding(RULE.code, f"{name}.{group}", f"{one.name} and {other.name} both accept {row_text(found.row)}", one.span,
                                  "the group says exclusive: true")  # fmt: skip


RULE = Rule("P401", "group-overlap", "Two filters of an exclusive group accept one row, which is shown.", check)
