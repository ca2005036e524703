"""Messages of the reader of SQL. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import NotInFilter, Problem, Text
from predicat.diagnostics.source import Span

CANNOT_BE_PARSED = "it cannot be parsed"
SOMETHING_MISSING = "something is missing here"
WRONG_ARGUMENTS = "the function does not have this number of arguments"
# What to do about what sqlglot's parser says, where the word itself has no hint.
_USUAL: Mapping[str, str] = {
    SOMETHING_MISSING: "an operator needs a value on both sides, AND and OR need a condition on both sides",
    "a parenthesis is not closed": "add the missing )",
    "unexpected ')'": "remove it, or add the missing (",
    "Expected AS after CAST": "write CAST(a AS BIGINT)",
    "CASE has no END": "write CASE WHEN test THEN a ELSE b END",
    "this is not a type": "write a type of SQL, such as string, bigint, double, boolean, date or timestamp",
}
# What sqlglot's parser says, in plain words.
_PARSER_SAYS = {
    "Expecting )": "a parenthesis is not closed",
    "Expected END after CASE": "CASE has no END",
    "Expected TYPE after CAST": "this is not a type",
}

several_statements = Problem[()]("""syntax: a filter is one condition; this has several statements
    hint: join them with AND""")
semicolon = Problem[()]("""syntax: a filter is a condition without a semicolon at the end
    hint: remove the semicolon""")
number_of_digits = Problem[int]("syntax: a number has at most {most} digits, each from 0 to 9")
parameter_without_name = NotInFilter[()]("""a parameter without a name
    hint: write :name and declare it under params:""")
like_as_function = NotInFilter[()]("""LIKE as a function
    hint: engines disagree about the order of its arguments: write s LIKE 'a%'""")
no_pattern = Problem[()]("""syntax: ANY and ALL take at least one pattern
    hint: write s LIKE ANY (ARRAY['a%', '%b'])""")
# `single`: the type is one of single precision on some engine.
cast_to = NotInFilter[str, bool]("""a cast to {kind}
    hint: {single:if it has single precision on Spark and double on PostgreSQL: write double|a cast may be
    to string, boolean, int, bigint, double, decimal, date, time or timestamp}""")
trim_two_arguments = NotInFilter[()]("""TRIM with two arguments
    hint: engines disagree about the order of its arguments: write TRIM(BOTH 'x' FROM s)""")
empty_row = Problem[()]("syntax: a row has at least one value")
row_compared = NotInFilter[int]("""comparing a row of {count} values with anything but a row of {count} values
    hint: write the same number of values on both sides: (a, b) = (1, 2)""")
place_not_constant = NotInFilter[()]("""a position that is not a constant of at least 1
    hint: write a number: split_part(s, '@', 2)""")
place_before_text = NotInFilter[()]("""a position before the start of the string
    hint: positions start at 1: write right(s, 3) for the end, or a spark or duckdb filter""")
missing_before = Problem[str]("""syntax: this is not a valid SQL condition: something is missing before
    {text!r}
    hint: write what is missing, or remove {text!r}""")
operator = NotInFilter[str, str]("""the operator {text}
    hint: {hint}""")
of_session = NotInFilter[str]("""{name}
    hint: a filter has the same result for every user: compare a field, or declare a parameter""")
values_in_parentheses = Problem[str]("""syntax: {operator} takes its values in parentheses
    hint: write {operator} (...)""")
if_as_function = Problem[()]("""syntax: IF takes its arguments in parentheses
    hint: write CASE WHEN test THEN a ELSE b END; put a field of that name in double quotes""")
two_periods = NotInFilter[()]("""OVERLAPS of anything but two pairs of a start and an end
    hint: write (a, b) OVERLAPS (c, d), with a moment in place of a length: a + interval '1 day'""")
key_not_plain = NotInFilter[()]("""jsonb_exists with this key
    hint: write j ? 'key'""")
no_rows_in = Problem[()]("""syntax: IN takes at least one row of values
    hint: write (a, b) IN ((1, 2), (3, 4))""")
exists_form = NotInFilter[()]("""this form of EXISTS
    hint: write exists(array, x -> condition)""")
negative_length = NotInFilter[()]("""a negative length
    hint: Spark and PostgreSQL disagree about it: write a spark or a postgres filter""")
argument_without_name = NotInFilter[()]("""a parameter without a name
    hint: write name => value""")
unknown_function = Problem[str, Iterable[str]]("""unknown-function: no function is named {name!r}
    hint: {known:near name}
    hint: docs/functions.md lists the functions; compute anything else as a column of a view""")
curled_quotes = Problem[()]("""syntax: SQL does not know these quotation marks
    hint: put strings in straight quotes: 'abc'""")
behind_comparison = Problem[str]("""syntax: {operator} follows a comparison
    hint: use parentheses to show what belongs together""")
name_in_double_quotes = Text[str]("""{name} is a keyword of SQL; write a field of that name in double
    quotes: "{name}"
""")
place_from_the_end = NotInFilter[()]("""a negative index into a JSON array
    hint: count from the start: the first element is 0""")
json_path = NotInFilter[()]("""this path into a JSON value
    hint: write constant keys and indexes: doc -> 'a' -> 0""")
pattern_not_constant = NotInFilter[()]("""a pattern that is not a constant
    hint: write the pattern in single quotes""")
ends_in_escape = Problem[()]("""syntax: the pattern ends with a backslash, which must escape a character
    after it""")
clause = Problem[()]("""syntax: a filter is only a condition, but this begins with {span.text:upper}
    hint: write only what follows WHERE""")
aggregate = NotInFilter[str]("""the aggregate {name}()
    hint: a filter tests one row: aggregate in a query first, and filter its result""")
not_of_dialect = Problem[str]("syntax: this cannot be read as a condition of {engine}")
engine_not_asked = Text[str]("""read by sqlglot as {engine}, and not checked on {engine} itself: compare
    both on some of your rows (predicat test)""")
unfinished_number = Problem[()]("""syntax: {span.text:.40} is no number
    hint: write digits after the E, as in 1.5E6""")
# `joined`: the sign between the comparisons, and the word that is meant.
second_comparison = Problem[str, tuple[str, str] | None]("""syntax: {operator} follows a comparison
    hint: {joined:if write {joined[1]} for {joined[0]} between two conditions|join two comparisons with AND,
    as in 1 < a AND a < 3, or use parentheses}""")
unclosed_quote = Problem[()]("""syntax: {span.text:is $ the dollar-quoted string|the quote {span.text}} that
    opens here is not closed
    hint: close it{span.text:is $ with the same $$|; inside of the quotes, write {span.text}{span.text} for a
    quote}""")


def invalid_sql(span: Span, reason: str, hint: str | None) -> Diagnostic:
    said = _PARSER_SAYS.get(reason, reason)
    return msg.syntax(span, f"this is not a valid SQL condition: {said}", hint or _USUAL.get(said))


def no_words(span: Span, reason: str) -> Diagnostic:
    hint = "close the comment with */" if span.text.count("/*") > span.text.count("*/") else None
    return msg.syntax(span, f"this is not a valid SQL condition: {reason}", hint)


def missing_operand(span: Span) -> Diagnostic:
    return msg.syntax(
        span, "this is not a valid SQL condition: an operand is missing", _USUAL[SOMETHING_MISSING]
    )
