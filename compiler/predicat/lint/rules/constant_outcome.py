"""P201, P202, P203: a filter with the same outcome on every row."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.catalog.model import Filter
from predicat.diagnostics import Severity
from predicat.ir.syntax import Constant
from predicat.lint.rule import Context, Finding, Rule


def _is_constant(filter_: Filter) -> bool:
    """Whether the body is just TRUE or FALSE: the author means every row, or none."""
    return isinstance(filter_.current.tree, Constant) and filter_.current.tree.value is not None


def _tautology(context: Context) -> Iterator[Finding]:
    for filter_, _ in context.filters():
        if _is_constant(filter_):
            continue
        if context.never(filter_, outcome=False) and not context.never(filter_, outcome=True):
            yield Finding(
                "P201",
                filter_.qualified,
                "it is TRUE or UNKNOWN for every row",
                filter_.current.span,
                "if it is about missing values, write IS NOT NULL",
            )


def _contradiction(context: Context) -> Iterator[Finding]:
    for filter_, _ in context.filters():
        if _is_constant(filter_):
            continue
        if context.never(filter_, outcome=True) and not context.never(filter_, outcome=False):
            yield Finding(
                "P202",
                filter_.qualified,
                "it is never TRUE",
                filter_.current.span,
                "its conditions contradict each other, or no value meets them",
            )


def _undecided(context: Context) -> Iterator[Finding]:
    for filter_, _ in context.filters():
        if context.never(filter_, outcome=True) and context.never(filter_, outcome=False):
            yield Finding(
                "P203",
                filter_.qualified,
                "it is UNKNOWN for every row",
                filter_.current.span,
                "compare values of the right type, or write IS NULL",
            )


# What else is found of a condition that decides nothing.
_GENERAL = ("P204", "P205", "P206", "P301", "P302", "P303")

RULES = (
    Rule("P201", "tautology", "A filter that is never FALSE.", _tautology, Severity.WARNING, _GENERAL),
    Rule("P202", "contradiction", "A filter that is never TRUE.", _contradiction, Severity.ERROR, _GENERAL),
    Rule(
        "P203",
        "never-decided",
        "A filter that is UNKNOWN for every row.",
        _undecided,
        Severity.ERROR,
        _GENERAL,
    ),
)
