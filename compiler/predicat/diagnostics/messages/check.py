"""Messages about types and operators. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

DECLARE_OR_CONVERT_ONE_SIDE = "declare the type of the field, or convert one side"
INTEGER_WITH_A_POINT = "write the integer with a point (2.0), or convert it with double()"
NUMBER_WITHOUT_QUOTES = "write the number without quotes"
ASK_FOR_AN_ELEMENT = "test an element: array_contains(xs, 'a'), or exists(xs, x -> x LIKE 'a%')"
JOIN_OR_CONVERT = (
    "write a || b to concatenate strings, or convert them: CAST(a AS DOUBLE) + CAST(b AS DOUBLE)"
)
BOOLEAN_ALONE = "write the boolean alone, or negate it"
NUMBER_OF_DAYS = "write the unit of the number: INTERVAL '1' DAY"
QUOTE_OR_CONVERT = "put the constant in quotes, or convert one side"


_SHORT = 40
"""The longest text that a hint repeats."""


def convert_it(text: str, kind: str) -> str:
    return f"convert it: CAST({text if len(text) <= _SHORT else '...'} AS {kind})"


def text_beside_a_time(text: str, time: str, kind: str) -> str:
    """CEL has no constant of a date: its text has the same order."""
    short = [part if len(part) <= _SHORT else "..." for part in (text, time)]
    return (
        f"convert the date to a string: string({short[1]})"
        if kind == "date"
        else f"convert it: timestamp({short[0]})"
    )


def declare_or_convert(name: str, kind: object) -> str:
    return f"declare the field ({name}: {kind}), or convert it: {kind}({name})"


def sum_of_unknown_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "+ of two values of unknown type",
        "convert them: string(x) + string(y), or double(x) + double(y)",
    )


def choice_of_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a choice between values of different types", 'choose between conditions: b ? x == 1 : y == "a"'
    )


def joined_list(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "this use of concatenated lists whose type depends on the row",
        "use them with a macro, with size(), or with the operator in",
    )


def too_many_values(span: Span, size: int, limit: int) -> Diagnostic:
    return msg.too_large(span, size, limit, "alternative values")


def empty_separator(span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-constant", "the string to split by must not be empty", span, "write a string such as ','"
    )


def bad_unit(span: Span, text: str) -> Diagnostic:
    return msg.bad_constant(span, "unit of time", text, "day")


def bad_zone(span: Span, text: str, known: Iterable[str]) -> Diagnostic:
    hint = msg.did_you_mean(text, known) or "write the name of a time zone, such as 'Europe/Paris'"
    return Diagnostic("bad-constant", f"{text!r} is not a time zone", span, hint)


def list_here(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a list or a map as a value here")


def name_like_a_variable(span: Span, variable: str) -> Diagnostic:
    what = f"a name that differs from the variable {variable!r} only by case"
    return msg.unsupported_syntax(span, what, "engines treat them as the same name: rename the variable")


def items_of_types(span: Span, left: str, right: str) -> Diagnostic:
    return msg.not_comparable(span, left, right, "the elements of a list must have the same type")


def key_twice(span: Span, key: object) -> Diagnostic:
    return msg.bad_value(span, "a map", f"duplicate key {key!r}")


def bad_map_key(span: Span, kinds: Iterable[str]) -> Diagnostic:
    return msg.type_mismatch(span, "a map", kinds, "strings, integers and booleans as keys")


def exists_one_of_unknown(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "exists_one() of concatenated lists of unknown types",
        "write xs.filter(x, condition).size() == 1",
    )


def in_without_list(span: Span, op: str, kinds: Iterable[str]) -> Diagnostic:
    return msg.type_mismatch(span, op, kinds, "a list or an array on the right")


def arrays_of_types(span: Span, left: str, right: str) -> Diagnostic:
    return msg.not_comparable(
        span, left, right, "arrays are compared element by element; their elements must have the same type"
    )


def map_key_not_text(span: Span, kind: str) -> Diagnostic:
    return msg.not_comparable(span, "string", kind, "the keys of a map in a column are strings")


def not_binds_first(span: Span) -> Diagnostic:
    return msg.syntax(
        span,
        "NOT binds tighter than LIKE and IN in CESQL, so it negates the operand here",
        "write x NOT LIKE ... or x NOT IN (...), or NOT (x LIKE ...)",
    )


def no_order(span: Span, left: str, right: str) -> Diagnostic:
    return msg.not_comparable(
        span, left, right, "these types have no order; convert them, as in CAST(x AS DOUBLE)"
    )


def parameter_beside_now(span: Span) -> Diagnostic:
    return Diagnostic(
        "parameter-now",
        "a filter that reads the current time has no parameter named 'now'",
        span,
        "give the parameter another name; evaluate(row, now=...) gives the current time",
    )


def no_list(span: Span, kinds: Iterable[str]) -> Diagnostic:
    return msg.type_mismatch(span, "a function of lists", kinds, "a list")


def optional_part(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "an optional part of a computed value")


def cast_to_text(span: Span, kind: object) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a cast of a {kind} to a string",
        "engines format it differently: compare the value itself, or write date_format or to_char"
        if str(kind) == "timestamp"
        else "engines format it differently: compare the value itself",
    )


def int_of_truth(span: Span, kinds: Iterable[str]) -> Diagnostic:
    return msg.type_mismatch(span, "int", kinds, "a number, a string or a timestamp", "write x ? 1 : 0")


def brackets(span: Span, kinds: Iterable[str]) -> Diagnostic:
    return msg.type_mismatch(span, "[]", kinds, "an integer in the brackets")


def look_up_among_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a look-up by a key from the row among values of different types")


def list_of_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a list of values of different types, or an empty list, here")


def other_table(span: Span, table: str, field: str) -> Diagnostic:
    return Diagnostic(
        "unknown-field",
        f"{table!r} is not the table of this filter: it is neither the dataset nor its relation",
        span,
        f"for the field of this dataset write {field}; a filter reads one relation",
    )
