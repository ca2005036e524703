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
    SOMETHING_MISSING: "an operator needs a value on both sides, AND and OR need a condition on both sides",
    "a parenthesis is not closed": "add the missing )",
    "unexpected ')'": "remove it, or add the missing (",
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
    return msg.syntax(span, "a filter is a condition without a semicolon at the end", "remove the semicolon")


def number_of_digits(span: Span, most: int) -> Diagnostic:
    return msg.syntax(span, f"a number has at most {most} digits, each from 0 to 9")


def unfinished_number(span: Span) -> Diagnostic:
    return msg.syntax(span, f"{span.text[:40]} is no number", "write digits after the E, as in 1.5E6")


def parameter_without_name(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a parameter without a name", "write :name and declare it under params:"
    )


def like_as_function(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "LIKE as a function",
        "engines disagree about the order of its arguments: write s LIKE 'a%'",
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
        "engines disagree about the order of its arguments: write TRIM(BOTH 'x' FROM s)",
    )


def empty_row(span: Span) -> Diagnostic:
    return msg.syntax(span, "a row has at least one value")


def row_compared(span: Span, count: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"comparing a row of {count} values with anything but a row of {count} values",
        "write the same number of values on both sides: (a, b) = (1, 2)",
    )


def place_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a position that is not a constant of at least 1", "write a number: split_part(s, '@', 2)"
    )


def place_before_text(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a position before the start of the string",
        "positions start at 1: write right(s, 3) for the end, or a spark or duckdb filter",
    )


def no_words(span: Span, reason: str) -> Diagnostic:
    hint = "close the comment with */" if span.text.count("/*") > span.text.count("*/") else None
    return msg.syntax(span, f"this is not a valid SQL condition: {reason}", hint)


def missing_before(span: Span, text: str) -> Diagnostic:
    return msg.syntax(
        span,
        f"this is not a valid SQL condition: something is missing before {text!r}",
        f"write what is missing, or remove {text!r}",
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
        "write CASE WHEN test THEN a ELSE b END; put a field of that name in double quotes",
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
        hint or "docs/functions.md lists the functions; compute anything else as a column of a view",
    )


def curled_quotes(span: Span) -> Diagnostic:
    return msg.syntax(
        span, "SQL does not know these quotation marks", "put strings in straight quotes: 'abc'"
    )


def behind_comparison(span: Span, operator: str) -> Diagnostic:
    return msg.syntax(
        span, f"{operator} follows a comparison", "use parentheses to show what belongs together"
    )


def name_in_double_quotes(name: str) -> str:
    return f'{name} is a keyword of SQL; write a field of that name in double quotes: "{name}"'


def place_from_the_end(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a negative index into a JSON array", "count from the start: the first element is 0"
    )


def json_path(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "this path into a JSON value", "write constant keys and indexes: doc -> 'a' -> 0"
    )


def pattern_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a pattern that is not a constant", "write the pattern in single quotes"
    )


def ends_in_escape(span: Span) -> Diagnostic:
    return msg.syntax(span, "the pattern ends with a backslash, which must escape a character after it")


def unclosed_quote(span: Span) -> Diagnostic:
    if span.text == "$":
        return msg.syntax(
            span, "the dollar-quoted string that opens here is not closed", "close it with the same $$"
        )
    return msg.syntax(
        span,
        f"the quote {span.text} that opens here is not closed",
        f"close it; inside of the quotes, write {span.text * 2} for a quote",
    )


def clause(span: Span) -> Diagnostic:
    return msg.syntax(
        span,
        f"a filter is only a condition, but this begins with {span.text.upper()}",
        "write only what follows WHERE",
    )


def aggregate(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"the aggregate {name}()",
        "a filter tests one row: aggregate in a query first, and filter its result",
    )


def not_of_dialect(span: Span, engine: str) -> Diagnostic:
    return msg.syntax(span, f"this cannot be read as a condition of {engine}")


def engine_not_asked(engine: str) -> str:
    return (
        f"read by sqlglot as {engine}, and not checked on {engine} itself: compare both on some of your rows "
        "(predicat test)"
    )
