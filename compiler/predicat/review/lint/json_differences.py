"""P515: conditions over JSON in `postgres` bodies whose rows may differ from those of PostgreSQL.

The points are those of "JSON in PostgreSQL" in `docs/languages_sql.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from predicat.diagnostics import Severity
from predicat.forms.json_values import is_text
from predicat.ir.nodes import Call, Literal, Node, children, walk
from predicat.ir.surface import TEXT_CASTS
from predicat.review.lint.rule import Context, Finding, Rule

_EXACT = frozenset({*TEXT_CASTS.values(), "strip", "is_null", "coalesce", "cond"})
"""Operators that mean the same for the string of any JSON value."""


def check(context: Context) -> Iterator[Finding]:
    for filter_, _ in context.filters():
        if filter_.current.language != "postgres":
            continue
        for part in walk(filter_.current.predicate.surface):
            if (found := _difference(part)) is not None:
                yield Finding(RULE.code, filter_.qualified, found[0], part.span, found[1])


def _difference(part: Node) -> tuple[str, str] | None:
    if not isinstance(part, Call):
        return None
    if part.op not in _EXACT and any(map(is_text, children(part))):
        message = "->> of an array, an object or a number with decimals is UNKNOWN here, a text on PostgreSQL"
        return message, "cast it to numeric, or test jsonb_typeof(doc -> 'a') = 'string' too"
    if part.op == "json_at" and isinstance(part.args[1], Literal) and part.args[1].value == 0:
        message = "-> 0 of a number, a string or a boolean is UNKNOWN here, the value itself on PostgreSQL"
        return message, "test jsonb_typeof(doc -> 'a') = 'array' too"
    return None


RULE = Rule(
    "P515",
    "json-difference",
    "A condition over JSON that PostgreSQL itself may answer otherwise.",
    check,
    Severity.NOTE,
)
