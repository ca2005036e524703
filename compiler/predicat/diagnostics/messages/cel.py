"""Messages of the reader of CEL. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import NotInFilter, Problem, Text
from predicat.diagnostics.source import Span

name_without_backticks = Problem[str]("""syntax: a name in CEL has the letters a to z only
    hint: write the field in backticks: `{name}`""")
FIELD_OF_THE_ROW = "for a field of the row itself write: x != null"

as_method = Text[str, str]("it belongs to a value: write x.{name}({others})")
as_function = Text[str]("it stands before its argument: write {name}(x)")
count_of_numbers = Problem[str, int, int]("""(name, given, most) argument-count: {name} takes 1 to {most}
    numbers, not {given}""")
too_many_optional_macros = NotInFilter[int]("""more than {most} of optMap() and optFlatMap()
    hint: split it into several filters""")
optional_entries = NotInFilter[()]("""a map with optional entries
    hint: test the keys instead: has(m.key)""")
bytes_constant = NotInFilter[()]("""a bytes constant
    hint: write a string without the b""")
optional_value = NotInFilter[()]("""an optional value here
    hint: end it with orValue() or hasValue()""")
type_compared = NotInFilter[str]("""type() compared with this
    hint: compare it with one of {names}""")
macro = NotInFilter[()]("""this macro
    hint: all() and exists() are supported""")
message_constant = NotInFilter[()]("a message constant")
unsigned_arithmetic = NotInFilter[()]("""arithmetic with an unsigned integer
    hint: write it without the u""")
optional_beside_none = NotInFilter[()]("""an optional value together with one that is not optional
    hint: write optional.of(x), or end the other with orValue()""")
form_of_call = NotInFilter[str, str]("""this form of {name}()
    hint: write {forms}""")
optional_elements = NotInFilter[()]("a list with optional elements")
extract_pattern = NotInFilter[str]("""extract() with a pattern that is not a constant string with one name in
    braces
    hint: {hint}""")
limit_not_constant = NotInFilter[str, int]("""{name} with a limit that is not a constant of at most {most:,}
    hint: write the limit as a number""")
replace_with_limit = NotInFilter[()]("""replace with a limit, where the string to replace is empty or not a
    constant
    hint: write the string to replace as a constant, or leave the limit out""")
format_not_constant = NotInFilter[()]("""format() without a constant format string and a list of values
    hint: write "%s".format([x])""")
format_has_values = NotInFilter[()]("format() with more values than placeholders")
format_clause = NotInFilter[str]("""{clause} in format()
    hint: engines format such numbers differently; %s and %d are supported""")
format_needs_values = NotInFilter[()]("format() with more placeholders than values")


def invalid_cel(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return msg.syntax(span, f"this is not valid CEL: {reason}", hint)
