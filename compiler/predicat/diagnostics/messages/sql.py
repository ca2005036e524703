"""Messages of the reader of SQL. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.source import Span

CANNOT_BE_PARSED = "it cannot be parsed"
SOMETHING_MISSING = "something is missing here"


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


def zone_twice(span: Span, moment: str, zone: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "AT TIME ZONE 'UTC' and another zone",
        f"timestamps are moments, in UTC: write {moment} AT TIME ZONE {zone}",
    )


def part_of_clocks(span: Span, moment: str, zone: str) -> Diagnostic:
    """`moment`: what the timestamp without a zone was made of; its own text if that is a cast."""
    cast = moment == span.text
    return Diagnostic(
        "ambiguous-sql",
        f"{span.text} has no zone: on engines AT TIME ZONE {zone} makes a moment of it, not a time there",
        span,
        f"cast to TIMESTAMPTZ: s::timestamptz AT TIME ZONE {zone}"
        if cast
        else f"timestamps are moments, in UTC: write {moment} AT TIME ZONE {zone}",
    )


def moment_of_clocks(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "the moment of a time that clocks show in a zone",
        "an hour may come twice: compare what clocks show, t AT TIME ZONE 'Europe/Paris' >= '2026-02-01'",
    )


def no_one_moment(span: Span, zone: str) -> Diagnostic:
    return Diagnostic(
        "bad-constant",
        f"clocks of {zone} show this time never, or twice",
        span,
        "write the moment with its offset: TIMESTAMP '2026-10-25 02:30:00+01:00'",
    )


def start_in_zone(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a zone as the third argument",
        "compare what clocks show: date_trunc('day', t AT TIME ZONE 'Europe/Paris') = '2026-02-01'",
    )


def bad_time_of_day(span: Span, text: str) -> Diagnostic:
    return msg.bad_constant(span, "time of day", text, "08:30:00")


def time_of_day_shifted(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "arithmetic on a time of day",
        "behind midnight it begins again: shift the timestamp, (t + INTERVAL '2 hours')::time",
    )


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


def interval_of_parts(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "an interval of several parts", "write it as INTERVAL '3' HOUR")


def interval_unit(span: Span, unit: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"an interval in {unit}",
        "months and years have no fixed length: use weeks, days, hours, minutes or seconds",
    )


def months_as_length(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "an interval of months by itself",
        "months have no fixed length: compare times, end_ts > start_ts + INTERVAL '1 month', or use days",
    )


def no_unit(span: Span, units: Iterable[str]) -> Diagnostic:
    return msg.unsupported_syntax(span, "this unit of time", f"units: {', '.join(units).lower()}")


def computed_count(span: Span, unit: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"a computed number of {unit}s", "only days and months may be computed"
    )


def counted_boundaries(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "this form of DATE_DIFF",
        "engines disagree about it: write datediff(unit, start, end) for whole units",
    )


def months_between(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "MONTHS_BETWEEN", "it gives parts of months: write datediff(month, start, end) for whole months"
    )


def age(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "AGE", "it counts in months of any length: write end_ts - start_ts > INTERVAL '30 days'"
    )


def stride(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "this stride", "write an interval without months: '15 minutes'")


def format_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a format that is not a constant text", "write the format in single quotes"
    )


def format_letters(span: Span, known: str) -> Diagnostic:
    return msg.unsupported_syntax(span, "this format", f"formats have {known}")


def format_of_two_meanings(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a format that Spark and PostgreSQL read otherwise",
        "write a spark or a postgres filter: minutes are mm on Spark, MI on PostgreSQL",
    )


def format_not_read(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a time of this format",
        "write all digits, from the year on: no day without its month, no minute without its hour",
    )


def bad_interval(span: Span, text: str) -> Diagnostic:
    return msg.bad_constant(span, "interval", text, "INTERVAL '3' HOUR")


def part_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a part that is not a constant", "write date_part('hour', t)")


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


def _ambiguous(span: Span, message: str, hint: str) -> Diagnostic:
    return Diagnostic("ambiguous-sql", message, span, hint)


def ambiguous_division(span: Span, left: str, right: str) -> Diagnostic:
    return _ambiguous(
        span,
        "/ of two whole numbers is a whole number on PostgreSQL (7 / 2 = 3), and a double on Spark (3.5)",
        f"write div({left}, {right}) for a whole number, or {left} / CAST({right} AS DOUBLE) for a double",
    )


def ambiguous_whole(span: Span, number: str) -> Diagnostic:
    return _ambiguous(
        span,
        "the cast of a number with decimals to a whole number rounds on PostgreSQL (2.7 becomes 3), and "
        "truncates on Spark (2)",
        f"write CAST(floor({number}) AS BIGINT), or a postgres or spark body",
    )


def ambiguous_index(span: Span, array: str, index: str) -> Diagnostic:
    return _ambiguous(
        span,
        "the elements of an array count from 1 on PostgreSQL and from 0 on Spark",
        f"write element_at({array}, {_plus_one(index)}) for Spark's {array}[{index}], or "
        f"element_at({array}, {index}) for PostgreSQL's; or use a spark or postgres body",
    )


def _plus_one(index: str) -> str:
    return str(int(index) + 1) if index.isdigit() else f"{index} + 1"


def ambiguous_concat(span: Span, parts: list[str]) -> Diagnostic:
    return _ambiguous(
        span,
        "concat() skips parts that are NULL on PostgreSQL, and is NULL on Spark",
        f"write {' || '.join(parts)}, which is NULL, or coalesce(part, '') for each part that may be NULL",
    )


def released_ambiguity(doubt: Diagnostic, name: str) -> Diagnostic:
    """The same of a released version, which keeps its meaning."""
    return Diagnostic(
        doubt.code,
        f"{doubt.message}; {name} is released and keeps the meaning that it has",
        doubt.span,
        doubt.hint,
        Severity.WARNING,
    )


def released_casts(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "ambiguous-sql",
        f"{name} is released and keeps its casts of texts, which take neither blanks around them nor "
        "a moment without T and zone",
        span,
        "engines take these: in a new version the casts take them, too",
        Severity.WARNING,
    )


def released_decimals(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "ambiguous-sql",
        f"{name} is released and keeps its arithmetic of decimals, which is done with doubles",
        span,
        "engines are exact here: in a new version it is exact, too",
        Severity.WARNING,
    )


def released_order(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "ambiguous-sql",
        f"{name} is released and keeps its comparisons, in which NaN equals nothing and is in no order",
        span,
        "on engines NaN equals itself and is above all numbers: in a new version too; there `NOT isnan(x)` "
        "excludes it",
        Severity.WARNING,
    )


def released_fields(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "ambiguous-sql",
        f"{name} is released and keeps its parts of lengths of time, which are whole lengths",
        span,
        "on engines extract(minute FROM a - b) is 0 to 59: in a new version too; there write "
        "extract(epoch FROM a - b) / 60",
        Severity.WARNING,
    )


def field_of_interval(span: Span, unit: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"the {unit} of a length of time that is no difference of two timestamps",
        "engines carry hours over to days or not: compare extract(epoch FROM ...) / 3600",
    )


RELEASED_BY = {
    "casts_of_text": released_casts,
    "decimal_arithmetic": released_decimals,
    "engine_order": released_order,
    "interval_fields": released_fields,
}
"""What to say of a released version that keeps the meaning it had before a rule of its language was added."""


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
