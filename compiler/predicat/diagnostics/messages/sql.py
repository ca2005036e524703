"""Messages of the reader of SQL. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

CANNOT_BE_PARSED = "it cannot be parsed"
SOMETHING_MISSING = "something is missing here"
WRONG_ARGUMENTS = "the function does not have this number of arguments"


_USUAL: Mapping[str, str] = {
    SOMETHING_MISSING: "a value stands on both sides of an operator, and a condition on both sides of AND",
    "a parenthesis is not closed": "close the parenthesis that is open here",
    "unexpected ')'": "take it out, or open a parenthesis before it",
    "Expected AS after CAST": "write CAST(a AS BIGINT)",
    "CASE has no END": "write CASE WHEN test THEN a ELSE b END",
    "this is not a type": "write a type of SQL, such as string, bigint, double, boolean, date or timestamp",
}
"""What to do about what sqlglot's parser says, where the word itself has no hint."""
_PARSER_SAYS = {
    "Expecting )": "a parenthesis is not closed",
    "Expected END after CASE": "CASE has no END",
    "Expected TYPE after CAST": "this is not a type",
}
"""What sqlglot's parser says, in plain words."""


def invalid_sql(span: Span, reason: str, hint: str | None) -> Diagnostic:
    said = _PARSER_SAYS.get(reason, reason)
    return msg.syntax(span, f"this is not a valid SQL condition: {said}", hint or _USUAL.get(said))


def several_statements(span: Span) -> Diagnostic:
    return msg.syntax(span, "a filter is one condition; this has several statements", "join them with AND")


def semicolon(span: Span) -> Diagnostic:
    return msg.syntax(span, "a filter is a condition, without a semicolon at its end", "leave the ; out")


def number_of_digits(span: Span, most: int) -> Diagnostic:
    return msg.syntax(span, f"a number has at most {most} digits, each from 0 to 9")


def parameter_without_name(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a parameter without a name", "write :name and declare it under params:"
    )


def like_as_function(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "LIKE as a function",
        "engines disagree about the order of its arguments: write text LIKE pattern",
    )


def no_pattern(span: Span) -> Diagnostic:
    return msg.syntax(span, "ANY and ALL take at least one pattern", "write s LIKE ANY (ARRAY['a%', '%b'])")


def cast_to(span: Span, kind: str, *, single: bool) -> Diagnostic:
    """`single`: the type is one of single precision on some engine."""
    hint = "it has single precision on Spark and double on PostgreSQL: write double"
    return msg.unsupported_syntax(
        span,
        f"a cast to {kind}",
        hint
        if single
        else "a cast may be to string, boolean, int, bigint, double, decimal, date, time or timestamp",
    )


def trim_two_arguments(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "TRIM with two arguments",
        "engines disagree about the order of its arguments: write TRIM(BOTH 'x' FROM text)",
    )


def empty_row(span: Span) -> Diagnostic:
    return msg.syntax(span, "a row has at least one value")


def row_compared(span: Span, count: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a row of {count} values compared with something else than a row of {count}",
        "write as many values on both sides: (a, b) = (1, 2)",
    )


def place_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a position that is not a constant of at least 1", "write the number out: split_part(s, '@', 2)"
    )


def place_before_text(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a position before the start of the text",
        "positions start at 1: write right(s, 3) for the end, or a spark or duckdb filter",
    )


def no_words(span: Span, reason: str) -> Diagnostic:
    hint = "close the comment with */" if span.text.count("/*") > span.text.count("*/") else None
    return msg.syntax(span, f"the text cannot be split into words: {reason}", hint)


def operand_missing(span: Span) -> Diagnostic:
    return msg.syntax(
        span, "this is not a valid SQL condition: an operator lacks an operand", _USUAL[SOMETHING_MISSING]
    )


def missing_before(span: Span, text: str) -> Diagnostic:
    return msg.syntax(
        span,
        f"this is not a valid SQL condition: something is missing before {text!r}",
        f"write what is missing, or take {text!r} out",
    )


def operator(span: Span, text: str, hint: str) -> Diagnostic:
    return msg.unsupported_syntax(span, f"the operator {text}", hint)


def of_session(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, name, "a filter has the same result for every user: compare a field, or declare a parameter"
    )


def values_in_parentheses(span: Span, operator: str) -> Diagnostic:
    return msg.syntax(span, f"{operator} takes its values in parentheses", f"write {operator} (...)")


def if_as_function(span: Span) -> Diagnostic:
    return msg.syntax(
        span,
        "IF takes its arguments in parentheses",
        "write CASE WHEN test THEN a ELSE b END; a field of that name stands in double quotes",
    )


def missing_operand(span: Span) -> Diagnostic:
    return msg.syntax(
        span, "this is not a valid SQL condition: an operand is missing", _USUAL[SOMETHING_MISSING]
    )


def no_rows_in(span: Span) -> Diagnostic:
    return msg.syntax(span, "IN takes at least one row of values", "write (a, b) IN ((1, 2), (3, 4))")


def exists_form(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "this form of EXISTS", "write exists(array, x -> condition)")


def negative_length(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a negative length",
        "Spark and PostgreSQL disagree about it: write a spark or a postgres filter",
    )


def argument_without_name(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a parameter without a name", "write name => value")


def second_comparison(span: Span, operator: str, joined: tuple[str, str] | None) -> Diagnostic:
    """`joined`: the sign between the comparisons, and the word that is meant."""
    hint = "join two comparisons with AND, as in 1 < a AND a < 3, or use parentheses"
    if joined is not None:
        hint = f"write {joined[1]} for {joined[0]} between two conditions"
    return msg.syntax(span, f"{operator} follows a comparison", hint)


def unknown_function(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    hint = msg.did_you_mean(name, known)
    return Diagnostic(
        "unknown-function",
        f"no function is named {name!r}",
        span,
        hint or "docs/functions.md lists the functions; a view can have what they do not compute as a column",
    )


def curled_quotes(span: Span) -> Diagnostic:
    return msg.syntax(span, "these quotes are none of SQL", "texts stand between straight quotes: 'abc'")


def behind_comparison(span: Span, operator: str) -> Diagnostic:
    return msg.syntax(
        span, f"{operator} follows a comparison", "use parentheses to show what belongs together"
    )


def name_in_double_quotes(name: str) -> str:
    return f'{name} is a word of SQL; write a field of that name in double quotes: "{name}"'


def place_from_the_end(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a place that counts from the end of a JSON array", "count from the start: the first one is 0"
    )


def json_path(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "this path into a JSON value", "write keys and places that are constants: doc -> 'a' -> 0"
    )


def no_json(span: Span, text: str) -> Diagnostic:
    return msg.bad_constant(span, "JSON value", text, '{"a": 1}')


def json_null(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a JSON null in a constant", "JSON null counts as absent: write doc -> 'a' IS NULL"
    )


def pattern_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a pattern that is not a constant", "write the pattern in single quotes"
    )


def ends_in_escape(span: Span) -> Diagnostic:
    return msg.syntax(span, "the pattern ends with a backslash, which escapes the sign behind it")


def unclosed_quote(span: Span) -> Diagnostic:
    if span.text == "$":
        return msg.syntax(
            span, "the text between dollars that opens here is not closed", "close it with the same $$"
        )
    return msg.syntax(
        span,
        f"the quote {span.text} that opens here is not closed",
        f"close it; a quote within a text or a name is doubled: {span.text * 2}",
    )


def clause(span: Span) -> Diagnostic:
    return msg.syntax(
        span,
        f"a filter is a condition alone, and this begins with {span.text.upper()}",
        "write what stands behind WHERE, without that word",
    )


def aggregate(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"the aggregate {name}()",
        "a filter is asked of one row: count rows with coverage, or filter what a query has counted",
    )


def not_of_dialect(span: Span, engine: str) -> Diagnostic:
    return msg.syntax(span, f"this is not read as a condition of {engine}")


def engine_not_asked(engine: str) -> str:
    return (
        f"read as {engine} by sqlglot; {engine} itself was not asked: compare both on some of your rows "
        "(predicat test)"
    )
