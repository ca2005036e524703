"""Messages about types and operators. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

DECLARE_OR_CONVERT_ONE_SIDE = "declare the type of the field, or convert one side"
INTEGER_WITH_A_POINT = "write the integer with a point (2.0), or convert it with double()"
NUMBER_WITHOUT_QUOTES = "write the number without quotes"
ASK_FOR_AN_ELEMENT = "ask for an element: array_contains(xs, 'a'), or exists(xs, x -> x LIKE 'a%')"
JOIN_OR_CONVERT = "write a || b to join texts, or convert them: CAST(a AS DOUBLE) + CAST(b AS DOUBLE)"
BOOLEAN_ALONE = "write the boolean alone, or negate it"
NUMBER_OF_DAYS = "say of what the number is: INTERVAL '1' DAY"
QUOTE_OR_CONVERT = "put the text in quotes, or convert one side"


_SHORT = 40
"""The longest text that a hint repeats."""


def convert_it(text: str, kind: str) -> str:
    return f"convert it: CAST({text if len(text) <= _SHORT else '...'} AS {kind})"


def text_beside_a_time(text: str, time: str, kind: str) -> str:
    """CEL has no constant of a date: its text has the same order."""
    short = [part if len(part) <= _SHORT else "..." for part in (text, time)]
    return (
        f"compare the text of the date: string({short[1]})"
        if kind == "date"
        else f"convert it: timestamp({short[0]})"
    )


def declare_or_convert(name: str, kind: object) -> str:
    return f"declare the field ({name}: {kind}), or convert its text: {kind}({name})"


def sum_of_unknown_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "+ of two values of unknown type here",
        "say what they are: string(x) + string(y), or double(x) + double(y)",
    )


def choice_of_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a choice between values of several types here", "choose between conditions instead"
    )


def joined_list(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a concatenation of lists whose type depends on the row, here",
        "use it with a macro, with size(), or with the operator in",
    )


def too_many_values(span: Span, size: int, limit: int) -> Diagnostic:
    return msg.too_large(span, size, limit, "values to choose between")


def empty_separator(span: Span) -> Diagnostic:
    return msg.bad_constant(span, "text to split by", "", ",")


def bad_unit(span: Span, text: str) -> Diagnostic:
    return msg.bad_constant(span, "unit of time", text, "day")


def bad_zone(span: Span, text: str, known: Iterable[str]) -> Diagnostic:
    return msg.bad_constant(span, "time zone", text, msg.nearest(text, known) or "Europe/Paris")


def list_here(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a list or map of values here")


def name_like_a_variable(span: Span, variable: str) -> Diagnostic:
    what = f"a name that differs from the variable {variable!r} by capital letters alone"
    return msg.unsupported_syntax(span, what, "engines treat them as one: give the variable another name")


def items_of_types(span: Span, left: str, right: str) -> Diagnostic:
    return msg.not_comparable(span, left, right, "the items of a list must have one type")


def key_twice(span: Span, key: object) -> Diagnostic:
    return msg.bad_value(span, "a map", f"the key {key!r} appears twice")


def bad_map_key(span: Span, kinds: Iterable[str]) -> Diagnostic:
    return msg.type_mismatch(span, "a map", kinds, "texts, whole numbers and truth values as keys")


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
    return msg.not_comparable(span, "string", kind, "the keys of a map in a column are texts")


def no_order(span: Span, left: str, right: str) -> Diagnostic:
    return msg.not_comparable(span, left, right, "these have no order; convert them, as in CAST(x AS DOUBLE)")


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
    return msg.unsupported_syntax(span, "an optional part of what is computed")


def cast_to_text(span: Span, kind: object) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a cast of a {kind} to text",
        "every engine writes it differently: compare the value itself, or write date_format or to_char"
        if str(kind) == "timestamp"
        else "every engine writes it differently: compare the value itself",
    )


def int_of_truth(span: Span, kinds: Iterable[str]) -> Diagnostic:
    return msg.type_mismatch(span, "int", kinds, "a number, a text or a timestamp", "write x ? 1 : 0")


def brackets(span: Span, kinds: Iterable[str]) -> Diagnostic:
    return msg.type_mismatch(span, "[]", kinds, "a whole number in the brackets")


def look_up_among_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a look-up with a key from the row in values of several types")


def list_of_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a list of values of several types, or an empty list, here")
