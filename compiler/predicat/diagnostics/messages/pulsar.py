"""Messages of the reader of Pulsar's predicates and their protobuf form.

Each function is one: see the package.
"""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.source import Span

PIP_PREDICATE = "a pip predicate"


def operators_alone(span: Span) -> Diagnostic:
    return msg.bad_value(span, "a pip predicate", "and, or and not must be the only key of their mapping")


def combines_a_list(span: Span, key: str) -> Diagnostic:
    return msg.bad_value(span, key, "it needs a list of two or more predicates")


def value_or_values(span: Span) -> Diagnostic:
    return msg.bad_value(span, "a pip predicate", "it must have either value or values")


def no_values(span: Span) -> Diagnostic:
    return msg.bad_value(span, "values", "it must be a list of at least one value")


def one_value(span: Span, op: str, count: int) -> Diagnostic:
    return msg.bad_value(span, op, f"it takes one value, not {count}")


def texts_or_numbers(span: Span) -> Diagnostic:
    return msg.bad_value(span, "values", "they must be strings or numbers")


def values_of_one_type(span: Span) -> Diagnostic:
    return msg.bad_value(
        span, "values", "they must have the same type", "quote the numbers, or name the type"
    )


def property_or_ref(span: Span) -> Diagnostic:
    return msg.bad_value(span, "a pip predicate", "it must have either property or ref")


def compares_texts(span: Span, op: str) -> Diagnostic:
    return msg.bad_value(span, op, "it compares strings", "put the value in quotes")


def unknown_pip_key(span: Span, key: str, known: Iterable[str]) -> Diagnostic:
    return say_keys.unknown_key(span, key, "a pip predicate", known)


def no_value_type(span: Span, name: str, names: str) -> Diagnostic:
    return msg.bad_value(span, "type", f"{name!r} is not a value type", f"types: {names}")


def no_reference(span: Span, name: str, names: str) -> Diagnostic:
    return msg.bad_value(span, "ref", f"{name!r} is not a reference", f"references: {names}")


def reference_is_a_number(span: Span, op: str, ref: str) -> Diagnostic:
    return msg.bad_value(span, op, f"{ref} is a number of milliseconds, not a string")


def expr_forms(span: Span, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, "pulsar", "an Expr as JSON, text format, base64 or bytes", given)


def bytes_no_expr(span: Span) -> Diagnostic:
    return msg.syntax(span, "these bytes are not an Expr, or it is nested too deeply")


def no_numbering(numbering: str, names: str) -> Reason:
    return Reason(f"{numbering!r} is not a numbering", f"numberings: {names}")


def seek_without_expression(span: Span) -> Diagnostic:
    return msg.bad_value(span, "seek.expression", "it is missing: a CommandSeek filters by its expression")


def no_text(span: Span, what: str, value: object) -> Diagnostic:
    return msg.bad_value(span, what, f"{value!r} is not a string")


def no_value_of_known(span: Span, what: str, value: object, hint: str) -> Diagnostic:
    return msg.bad_value(span, what, f"{value!r} is not one of its values", hint)


def required(names: str) -> Reason:
    return Reason("it is required, but missing or unknown", f"values: {names}")


def at_least_one_value() -> Reason:
    return Reason("it needs at least one value")


def no_value_of_type(text: str, kind: str) -> Reason:
    return Reason(f"{text!r} is not {msg.article(kind)}")


def no_long(text: str) -> Reason:
    return Reason(f"{text} does not fit in a LONG")


def takes_one_value(op: str, count: int) -> Reason:
    return Reason(f"{op} takes one value, not {count}")


def between_takes_two(count: int) -> Reason:
    return Reason(f"BETWEEN takes two values, not {count}")


def text_no_expr(span: Span) -> Diagnostic:
    return msg.syntax(span, "this is not an Expr in base64, JSON or text format")


def invalid_text_format(span: Span, reason: str) -> Diagnostic:
    return msg.syntax(span, f"this is not an Expr in text format: {reason}")


def no_value_of(span: Span, what: str, value: str) -> Diagnostic:
    return msg.bad_value(span, what, f"{value!r} is not one of its values")


def needs(kind: str) -> Reason:
    return Reason(f"{kind} requires it")


def does_not_take(kind: str) -> Reason:
    return Reason(f"{kind} does not support it")


def no_operator(span: Span, name: str, hint: str | None) -> Diagnostic:
    return msg.bad_value(span, "op", f"{name!r} is not an operator", hint)
