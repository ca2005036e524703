"""Messages of the reader of Pulsar's predicates and their protobuf form.

Each row is one: see the package.
"""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Problem, Why
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.source import Span

PIP_PREDICATE = "a pip predicate"

operators_alone = Problem[()]("""bad-value: a pip predicate: and, or and not must be the only key of their
    mapping""")
combines_a_list = Problem[str]("bad-value: {key}: it needs a list of two or more predicates")
value_or_values = Problem[()]("bad-value: a pip predicate: it must have either value or values")
no_values = Problem[()]("bad-value: values: it must be a list of at least one value")
one_value = Problem[str, int]("bad-value: {op}: it takes one value, not {count}")
texts_or_numbers = Problem[()]("bad-value: values: they must be strings or numbers")
values_of_one_type = Problem[()]("""bad-value: values: they must have the same type
    hint: quote the numbers, or name the type""")
property_or_ref = Problem[()]("bad-value: a pip predicate: it must have either property or ref")
compares_texts = Problem[str]("""bad-value: {op}: it compares strings
    hint: put the value in quotes""")
no_value_type = Problem[str, str]("""bad-value: type: {name!r} is not a value type
    hint: types: {names}""")
no_reference = Problem[str, str]("""bad-value: ref: {name!r} is not a reference
    hint: references: {names}""")
reference_is_a_number = Problem[str, str]("bad-value: {op}: {ref} is a number of milliseconds, not a string")
expr_forms = Problem[str]("""wrong-kind: pulsar must be an Expr as JSON, text format, base64 or bytes, not
    {given}""")
bytes_no_expr = Problem[()]("syntax: these bytes are not an Expr, or it is nested too deeply")
no_numbering = Why[str, str]("""{numbering!r} is not a numbering
    hint: numberings: {names}""")
seek_without_expression = Problem[()]("""bad-value: seek.expression: it is missing: a CommandSeek filters
    by its expression""")
no_text = Problem[str, object]("bad-value: {what}: {value!r} is not a string")
no_value_of_known = Problem[str, object, str]("""bad-value: {what}: {value!r} is not one of its values
    hint: {hint}""")
required = Why[str]("""it is required, but missing or unknown
    hint: values: {names}""")
at_least_one_value = Why[()]("it needs at least one value")
no_value_of_type = Why[str, str]("{text!r} is not {kind:a}")
no_long = Why[str]("{text} does not fit in a LONG")
takes_one_value = Why[str, int]("{op} takes one value, not {count}")
between_takes_two = Why[int]("BETWEEN takes two values, not {count}")
text_no_expr = Problem[()]("syntax: this is not an Expr in base64, JSON or text format")
invalid_text_format = Problem[str]("syntax: this is not an Expr in text format: {reason}")
no_value_of = Problem[str, str]("bad-value: {what}: {value!r} is not one of its values")
needs = Why[str]("{kind} requires it")
does_not_take = Why[str]("{kind} does not support it")
no_operator = Problem[str, str | None]("""bad-value: op: {name!r} is not an operator
    hint: {hint:optional}""")


def unknown_pip_key(span: Span, key: str, known: Iterable[str]) -> Diagnostic:
    return say_keys.unknown_key(span, key, "a pip predicate", known)
