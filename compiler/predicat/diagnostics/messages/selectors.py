"""Messages of the readers of languages with a grammar of their own. Each function is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.source import Span

ASK_WITH_IS_NULL = "test it with IS NULL"
ATTRIBUTE_NAME = "the name of an attribute"
CESQL_EXPRESSION = "a CESQL expression"
CORRELATION_FILTER = "a correlation filter"
ENDS_TOO_EARLY = "it ends too early"
ESCAPE_CHARACTER = "the escape character"
IN_VALUE = "a value of IN"
LABEL_KEY = "a label key"
LABEL_SELECTOR = "a label selector"
LABEL_VALUE_LETTERS = (
    "it has at most 63 letters, digits, '-', '_' and '.', and starts and ends with a letter or digit"
)
LIKE_PATTERN = "the pattern of LIKE"
PROPERTY_NAME = "the name of a property"
PUBSUB_FILTER = "a Pub/Sub filter"
REST_OF_KEY = "the rest of a key"
SQL_FILTER = "a SQL filter"
THE_CORRELATION_FILTER = "the correlation filter"
WRITE_IN_CAPITALS = "write AND, OR and NOT in capitals"


def mixed_operators(span: Span, operator: str, first: str, hint: str) -> Diagnostic:
    return msg.syntax(span, f"{operator} and {first} are mixed without parentheses", hint)


def number_of_32_bits(span: Span, text: str) -> Diagnostic:
    return msg.syntax(span, f"{text} does not fit in a 32-bit integer")


def takes_a_number(sign: str) -> Reason:
    return Reason(f"{sign} takes a number")


def sign_takes_numbers(*, plus: bool) -> Reason:
    return Reason("+ takes numbers or strings" if plus else "- takes numbers")


def takes_numbers(sign: str) -> Reason:
    return Reason(f"{sign} takes numbers")


def text_in_single_quotes(what: str) -> Reason:
    return Reason(f"{what} must be a string in single quotes")


def asks_about_a_property(what: str) -> Reason:
    return Reason(f"{what} tests a property, not a value")


def order_of_numbers() -> Reason:
    return Reason("<, <=, > and >= compare numbers only; compare strings and booleans with = and <>")


def does_not_fit(text: str, kind: str) -> Reason:
    return Reason(f"{text} does not fit in a {kind}")


def octal_number(text: str) -> Reason:
    return Reason(f"{text} is not a number", "a number that starts with 0 is octal, as in Java")


def does_not_fit_in_64_bits(text: str) -> Reason:
    return Reason(f"{text} does not fit in a 64-bit integer")


def doubtful_escape(span: Span, escape: str) -> Diagnostic:
    return msg.bad_like(
        span,
        (f"ESCAPE {escape!r} means different things to different brokers: use another character"),
    )


def no_selector() -> Reason:
    return Reason("it has no selector")


def no_operator(operator: str, hint: str) -> Reason:
    return Reason(f"{operator!r} is not an operator", hint)


def invalid_label_selector(span: Span, result: str, wanted: str) -> Diagnostic:
    return msg.syntax(span, f"invalid label selector: {result}, expected {wanted}")


def bad_label_key(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "a label key",
        f"{name!r} is not valid",
        "it is a name of at most 63 characters, after an optional prefix/",
    )


def bad_label_value(span: Span, value: str, hint: str) -> Diagnostic:
    return msg.bad_value(span, "a label value", f"{value!r} is not valid", hint)


def label_not_whole(span: Span, value: str) -> Diagnostic:
    return msg.bad_value(span, "a label value", f"{value!r} is not an integer")


def no_comparison(operator: str) -> Reason:
    return Reason(f"{operator!r} is not a comparison", "comparisons: =, !=")


def attribute_key_expected() -> Reason:
    return Reason("expected the key of an attribute")


def text_expected() -> Reason:
    return Reason("expected a string", "write values in double quotes")


def and_or_mixed(span: Span) -> Diagnostic:
    return msg.syntax(span, "AND and OR are mixed without parentheses", "use parentheses: a AND (b OR c)")


def unknown_escape(span: Span, escape: str) -> Diagnostic:
    return msg.syntax(span, f"unknown escape \\{escape}")


def no_property() -> Reason:
    return Reason("it must name a property", "write the SQL filter 1 = 1 to accept every message")


def like_takes_a_text() -> Reason:
    return Reason("LIKE needs a string")


def empty_sql_filter(span: Span) -> Diagnostic:
    return msg.syntax(span, "the SQL filter is empty", "write 1 = 1 to accept every message")


def no_random_values(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "newid()", "a filter must give the same result for the same message")


def division_without_types(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a division of properties without a declared type",
        (
            "integers divide without a fraction, doubles with one: declare the properties as bigint or "
            "double, or write a number with a point (4.0)"
        ),
    )


def correlation_value(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, name, "it must be a string, a number or a boolean")


def invalid_text(span: Span, language: str, reason: Reason) -> Diagnostic:
    return msg.syntax(span, f"invalid {language}: {reason.text}", reason.hint)


def open_quote() -> Reason:
    return Reason("a string without its closing quote")


def unexpected(word: str, wanted: str | None = None, hint: str | None = None) -> Reason:
    """A word, or the end where it is empty, that is not the one that should be there."""
    result = f"unexpected {word!r}" if word else "it ends too early"
    return Reason(result + (f", expected {wanted!r}" if wanted else ""), hint)


def declared_as_texts(place: str | None) -> str:
    return f"declare {place} as json or as a struct: the values of a map are strings"


def count_of_label_values(span: Span, operator: str, wanted: int | None) -> Diagnostic:
    """`wanted` is None for one value or more."""
    count = "at least one value" if wanted is None else "one value" if wanted else "no values"
    return msg.bad_value(span, operator, f"it takes {count}")


def no_attribute_name(span: Span, name: str) -> Diagnostic:
    what = f"{name!r} is not a valid name of an attribute: names consist of the letters a to z and digits"
    return msg.syntax(span, what, f"did you mean '{name.lower()}'? Write a string in quotes")
