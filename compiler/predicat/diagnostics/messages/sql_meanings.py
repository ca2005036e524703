"""Messages about SQL that engines read differently. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.message import Problem
from predicat.diagnostics.source import Span

_ambiguous = Problem[str, str]("""ambiguous-sql: {message}
    hint: {hint}""")
ambiguous_division = Problem[str, str]("""ambiguous-sql: / of two integers is an integer on PostgreSQL (7 / 2
    = 3), and a double on Spark (3.5)
    hint: write div({left}, {right}) for an integer, or {left} / CAST({right} AS DOUBLE) for a double""")
ambiguous_whole = Problem[str]("""ambiguous-sql: a cast of a number with decimals to an integer rounds on
    PostgreSQL (2.7 becomes 3), and truncates on Spark (2)
    hint: write CAST(floor({number}) AS BIGINT), or a postgres or spark body""")
ambiguous_concat = Problem[list[str]]("""ambiguous-sql: concat() skips parts that are NULL on PostgreSQL, and
    is NULL on Spark
    hint: write {parts:by ||}, which is NULL, or coalesce(part, '') for each part that may be NULL""")

# The rules that were added to a language after a release: what a released version keeps, and a hint.
RELEASED_BY = {
    "casts_of_text": (
        (
            "its casts of strings, which accept neither spaces around a value nor a timestamp without T and "
            "a time zone"
        ),
        "engines accept these, and so does a new version of the filter",
    ),
    "decimal_arithmetic": (
        "its decimal arithmetic, which is calculated in doubles",
        "engines calculate exactly, and so does a new version of the filter",
    ),
    "total_order": (
        "its comparisons, in which NaN is neither equal to, less than nor greater than a number",
        (
            "on engines, and in a new version of the filter, NaN equals itself and is greater than all "
            "numbers; write NOT isnan(x) there to exclude it"
        ),
    ),
    "absent_differs": (
        "its !=, which needs the attribute",
        (
            "at Google, and in a new version of the filter, != also matches a message without the attribute; "
            'write attributes:key AND attributes.key != "value" there to need it'
        ),
    ),
    "ends_at_errors": (
        "its AND and OR, which accept an event whose first condition reads a missing attribute",
        (
            "in CESQL, and in a new version of the filter, an error rejects the event; write EXISTS key AND "
            "... there around such a condition"
        ),
    ),
    "not_binds_first": (
        "its NOT before LIKE and IN, which negates the test",
        (
            "in CESQL it negates the operand of the test; write x NOT LIKE ... or NOT (x LIKE ...) in a new "
            "version of the filter"
        ),
    ),
    "json_null_is_value": (
        "its reading of JSON null inside of a document as a missing value",
        (
            "in a new version of the filter, JSON null in a field with nulls: value is CEL's null: has(x) is "
            'TRUE, and so is x != "a"'
        ),
    ),
    "interval_fields": (
        "its parts of intervals, which count the whole interval",
        (
            "on engines, and in a new version of the filter, extract(minute FROM a - b) is 0 to 59; write "
            "extract(epoch FROM a - b) / 60 there"
        ),
    ),
    "json_scalars": (
        "its reading of JSON values, in which a string constant is a string and JSON null is missing",
        (
            "DuckDB reads the constant as JSON, and casts JSON to the type beside it; so does a new version "
            "of the filter"
        ),
    ),
    "json_constants": (
        "its comparisons of JSON values, in which a string constant is a string and JSON null is missing",
        "PostgreSQL reads the constant as JSON, and so does a new version of the filter",
    ),
}
_OF_OTHER_LANGUAGES = ("absent_differs", "ends_at_errors", "json_null_is_value", "not_binds_first")


def ambiguous_index(span: Span, array: str, index: str) -> Diagnostic:
    return _ambiguous(
        span,
        "the elements of an array count from 1 on PostgreSQL and from 0 on Spark",
        f"write element_at({array}, {_plus_one(index)}) for Spark's {array}[{index}], or "
        f"element_at({array}, {index}) for PostgreSQL's; or use a spark or postgres body",
    )


def _plus_one(index: str) -> str:
    return str(int(index) + 1) if index.isdigit() else f"{index} + 1"


def released_ambiguity(doubt: Diagnostic, name: str) -> Diagnostic:
    """The same of a released version, which keeps its meaning."""
    return Diagnostic(
        doubt.code,
        f"{doubt.message}; {name} is released and keeps the meaning that it has",
        doubt.span,
        doubt.hint,
        Severity.WARNING,
    )


def released(span: Span, name: str, rule: str) -> Diagnostic:
    """A released version keeps the meaning that it had before a rule of RELEASED_BY was added."""
    kept, hint = RELEASED_BY[rule]
    message = f"{name} is released and keeps {kept}"
    code = "earlier-meaning" if rule in _OF_OTHER_LANGUAGES else "ambiguous-sql"
    return Diagnostic(code, message, span, hint, Severity.WARNING)
