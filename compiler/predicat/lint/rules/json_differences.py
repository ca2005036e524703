"""P515: conditions over JSON in `postgres` and `duckdb` bodies whose rows may differ from the engine's own.

The points are those of "JSON in PostgreSQL" and "DuckDB" in `docs/languages_sql.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from predicat.diagnostics import Severity
from predicat.forms.json_values import is_text
from predicat.ir.nodes import Call, Literal, children, walk
from predicat.ir.surface import TEXT_CASTS
from predicat.ir.types import JSON
from predicat.lint.rule import Context, Finding, Rule

# Operators that mean the same for the string of any JSON value.
_EXACT = frozenset({*TEXT_CASTS.values(), "strip", "is_null", "coalesce", "cond"})

_ORDERS = frozenset({"lt", "le", "gt", "ge"})
_CONVERSIONS = frozenset({"to_double", "to_int", "to_date", "to_boolean", "json_boolean"})


def check(context: Context) -> Iterator[Finding]:
    for filter_, _ in context.filters():
        differs = _DIFFERENCES.get(filter_.current.language)
        if differs is None:
            continue
        for part in walk(filter_.current.predicate.surface):
            if isinstance(part, Call) and (found := differs(part)) is not None:
                yield Finding(RULE.code, filter_.qualified, found[0], part.span, found[1])


def _of_postgres(part: Call) -> tuple[str, str] | None:
    if found := _of_text(part, "PostgreSQL", "numeric, or test jsonb_typeof(doc -> 'a') = 'string' too"):
        return found
    if part.op == "json_at" and isinstance(part.args[1], Literal) and part.args[1].value == 0:
        message = "-> 0 of a number, a string or a boolean is UNKNOWN here, the value itself on PostgreSQL"
        return message, "test jsonb_typeof(doc -> 'a') = 'array' too"
    return None


def of_duckdb(part: Call) -> tuple[str, str] | None:
    if found := _of_text(part, "DuckDB", "DOUBLE, or compare it with = or IN"):
        return found
    if _is_length(part):
        message = "json_array_length of JSON null is UNKNOWN here, 0 on DuckDB"
        return message, "write coalesce(json_array_length(doc -> 'a'), 0) to take it as 0"
    if _converts(part):
        message = "JSON of another kind is UNKNOWN here, and converted on DuckDB"
        return message, "for whole numbers write (doc ->> 'a')::INT, which means the same"
    return None


def _of_text(part: Call, engine: str, cast: str) -> tuple[str, str] | None:
    if part.op in _EXACT or not any(map(is_text, children(part))):
        return None
    message = f"->> of an array, an object or a number with decimals is UNKNOWN here, a text on {engine}"
    return message, f"cast it to {cast}"


def _converts(part: Call) -> bool:
    """Whether a JSON value is converted to another type, or an order reads it as a number."""
    if part.op in _ORDERS:
        return any(isinstance(arg, Call) and arg.op == "json_number" for arg in part.args)
    return part.op in _CONVERSIONS and part.args[0].type == JSON


def _is_length(part: Call) -> bool:
    match part:
        case Call(op="cond", args=(Call(op="json_is"), Call(op="size" | "json_size"), Call(op="cond"))):
            return True
        case _:
            return False


_DIFFERENCES: dict[str, Callable[[Call], tuple[str, str] | None]] = {
    "postgres": _of_postgres,
    "duckdb": of_duckdb,
}

RULE = Rule(
    "P515",
    "json-difference",
    "A condition over JSON that PostgreSQL or DuckDB itself may answer otherwise.",
    check,
    Severity.NOTE,
)
