"""Messages of the reader of CEL. Each function is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

EQUALS_IN_CEL = "CEL compares with =="
FIELD_OF_THE_ROW = "for a field of the row itself write: x != null"
LOGIC_IN_CEL = "CEL writes && for and, || for or, ! for not"


def count_of_numbers(span: Span, name: str, given: int, most: int) -> Diagnostic:
    return msg.wrong_argument_count(span, name, given, f"1 to {most} numbers")


def too_many_optional_macros(span: Span, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"more than {most} of optMap() and optFlatMap()", "split it into several filters"
    )


def invalid_cel(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return msg.syntax(span, f"this is not valid CEL: {reason}", hint)


def optional_entries(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a map with optional entries", "test the keys instead: has(m.key)")


def bytes_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a bytes constant", "write a string without the b")


def optional_value(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "an optional value here", "end it with orValue() or hasValue()")


def type_compared(span: Span, names: str) -> Diagnostic:
    return msg.unsupported_syntax(span, "type() compared with this", f"compare it with one of {names}")


def macro(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "this macro", "all() and exists() are supported")


def message_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a message constant")


def unsigned_arithmetic(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "arithmetic with an unsigned integer", "write it without the u")


def optional_beside_none(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "an optional value together with one that is not optional",
        "write optional.of(x), or end the other with orValue()",
    )


def form_of_call(span: Span, name: str, forms: str) -> Diagnostic:
    return msg.unsupported_syntax(span, f"this form of {name}()", f"write {forms}")


def optional_elements(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "a list with optional elements")


def extract_pattern(span: Span, hint: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "extract() with a pattern that is not a constant string with one name in braces", hint
    )


def limit_not_constant(span: Span, name: str, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} with a limit that is not a constant of at most {most:,}", "write the limit as a number"
    )


def replace_with_limit(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "replace with a limit, where the string to replace is empty or not a constant",
        "write the string to replace as a constant, or leave the limit out",
    )


def format_not_constant(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "format() without a constant format string and a list of values",
        'write "%s".format([x])',
    )


def format_has_values(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "format() with more values than placeholders")


def format_clause(span: Span, clause: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{clause} in format()", "engines format such numbers differently; %s and %d are supported"
    )


def format_needs_values(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "format() with more placeholders than values")
