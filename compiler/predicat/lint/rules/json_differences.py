"""P515: conditions over JSON in `postgres` and `duckdb` bodies whose rows may differ from the engine's own.

The points are those of "JSON in PostgreSQL" and "DuckDB" in `docs/languages_sql.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from predicat.diagnostics import Severity
from predicat.forms.json_values import is_text
from predicat.ir.nodes import Call, Literal, children, walk
from predicat.ir.surface import TEXT_CASTS
from predicat.lint.rule import Context, Finding, Rule

_EXACT = frozenset({*TEXT_CASTS.values(), "strip", "is_null", "coalesce", "cond"})
"""Operators that mean the same for the string of any JSON value."""


def check(context: Context) -> Iterator[Finding]:
    for filter_, _ in context.filters():
        differs = _DIFFERENCES.get(filter_.current.language)
        if differs is None:
            continue
        for part in walk(filter_.current.predicate.surface):
            if isinstance(part, Call) and (found := differs(part)) is not None:
                yield Finding(RULE.code, filter_.qualified, found[0], part.span, found[1])


def _of_postgres(part: Call) -> tuple[str, str] | None:
    if part.op not in _EXACT and any(map(is_text, children(part))):
        message = "->> of an array, an object or a number with decimals is UNKNOWN here, a text on PostgreSQL"
        return message, "cast it to numeric, or test jsonb_typeof(doc -> 'a') = 'string' too"
    if part.op == "json_at" and isinstance(part.args[1], Literal) and part.args[1].value == 0:
        message = "-> 0 of a number, a string or a boolean is UNKNOWN here, the value itself on PostgreSQL"
        return message, "test jsonb_typeof(doc -> 'a') = 'array' too"
    return None


def _of_duckdb(part: Call) -> tuple[str, str] | None:
    if part.op not in _EXACT and any(map(is_text, children(part))):
        message = "->> of an array, an object or a number with decimals is UNKNOWN here, a text on DuckDB"
        return message, "cast it to DOUBLE, or compare it with = or IN"
    return None


_DIFFERENCES: dict[str, Callable[[Call], tuple[str, str] | None]] = {
    "postgres": _of_postgres,
    "duckdb": _of_duckdb,
}

RULE = Rule(
    "P515",
    "json-difference",
    "A condition over JSON that PostgreSQL or DuckDB itself may answer otherwise.",
    check,
    Severity.NOTE,
)
