"""P303: a condition on lower() or upper() of a field, which reads every row, though nothing else says the same."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.diagnostics import Severity
from predicat.ir.tree import Apply, Const, ListOf, Member, Name
from predicat.review.lint.rule import Context, Finding, Rule
from predicat.review.lint.written import bodies, walk


def check(context: Context) -> Iterator[Finding]:
    for row, tree in bodies(context):
        for part in walk(tree):
            match part:
                case Apply(op="eq" | "in" | "starts_with" | "like", args=(Apply(op="lower" | "upper", args=(Name() | Member(),)) as folded, Const() | ListOf())):
                    yield Finding(RULE.code, row.qualified, f"no plain index and no pushdown helps {folded.span.text}", part.span,
                                  f"keep the field in one case, or make an index on {folded.span.text}")  # fmt: skip
                case _:
                    pass


RULE = Rule("P303", "case-folded", "A condition on lower() or upper() of a field, for which no plain index helps.", check, Severity.NOTE)
