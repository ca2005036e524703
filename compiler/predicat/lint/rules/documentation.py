"""P102, P103, P104: a filter without description, owner or test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from predicat.catalog.model import Filter
from predicat.diagnostics import Severity
from predicat.lint.rule import Context, Finding, Rule


def _missing(code: str, what: str, has: Callable[[Filter], object], hint: str) -> Rule:
    def check(context: Context) -> Iterator[Finding]:
        for filter_, _ in context.filters():
            if not has(filter_):
                yield Finding(code, filter_.qualified, f"it has no {what}", filter_.span, hint)

    return Rule(code, f"no-{what}", f"A filter without {what}.", check, Severity.NOTE)


RULES = (
    _missing("P102", "description", lambda row: row.description, "say in one sentence which rows it is for"),
    _missing("P103", "owner", lambda row: row.owner, "name its owner: owner: team@example.com"),
    _missing("P104", "test", lambda row: row.tests, "predicat test --generate writes rows"),
)
