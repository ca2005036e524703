"""P502, P503: lists of IN that are empty or have duplicate items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from predicat.diagnostics import Severity, Span
from predicat.ir.syntax import Constant, ListLiteral, OperatorCall, Tree
from predicat.lint.rule import Context, Finding, Fix, Rule
from predicat.lint.written import bodies, walk

_BETWEEN_ITEMS = re.compile(r"\s*,\s*")


def _lists(tree: Tree) -> Iterator[tuple[OperatorCall, ListLiteral]]:
    for part in walk(tree):
        if isinstance(part, OperatorCall) and part.op == "in" and isinstance(part.args[1], ListLiteral):
            yield part, part.args[1]


def _empty(context: Context) -> Iterator[Finding]:
    for filter_, tree in bodies(context):
        for part, items in _lists(tree):
            if not items.items:
                yield Finding(
                    "P502",
                    filter_.qualified,
                    "no value is in an empty list: IN is never TRUE, NOT IN never FALSE",
                    part.span,
                    "list the values, or remove the condition",
                )


def _duplicates(context: Context) -> Iterator[Finding]:
    for filter_, tree in bodies(context):
        for _, items in _lists(tree):
            known: set[tuple[type, object]] = set()
            for before, item in zip((None, *items.items), items.items, strict=False):
                if not isinstance(item, Constant) or item.value is None:
                    continue
                key = (type(item.value), item.value)
                if key in known:
                    yield Finding(
                        "P503",
                        filter_.qualified,
                        f"the list has {item.span.text} twice",
                        item.span,
                        "remove it",
                        _fix(before, item),
                    )
                known.add(key)


def _fix(before: Tree | None, item: Tree) -> Fix | None:
    """A fix that removes the item and the comma before it."""
    if before is None or before.span.source is not item.span.source:
        return None
    gap = item.span.source.text[before.span.end : item.span.start]
    return (
        Fix(Span(item.span.source, before.span.end, item.span.end), "")
        if _BETWEEN_ITEMS.fullmatch(gap)
        else None
    )


RULES = (
    Rule(
        "P502",
        "empty-list",
        "IN with an empty list, which is never TRUE.",
        _empty,
        Severity.ERROR,
        ("P201", "P202", "P203", "P204", "P205", "P206", "P301"),
    ),
    Rule("P503", "duplicate-item", "A duplicate item in a list of IN.", _duplicates),
)
