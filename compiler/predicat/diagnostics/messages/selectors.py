"""Messages of the readers of languages with a grammar of their own. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import NotInFilter, Problem, Text, Why
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

mixed_operators = Problem[str, str, str]("""syntax: {operator} and {first} are mixed without parentheses
    hint: {hint}""")
number_of_32_bits = Problem[str]("syntax: {text} does not fit in a 32-bit integer")
takes_a_number = Why[str]("{sign} takes a number")
sign_takes_numbers = Why[bool]("{plus:if + takes numbers or strings|- takes numbers}")
takes_numbers = Why[str]("{sign} takes numbers")
text_in_single_quotes = Why[str]("{what} must be a string in single quotes")
asks_about_a_property = Why[str]("{what} tests a property, not a value")
order_of_numbers = Why[()]("<, <=, > and >= compare numbers only; compare strings and booleans with = and <>")
does_not_fit = Why[str, str]("{text} does not fit in a {kind}")
octal_number = Why[str]("""{text} is not a number
    hint: a number that starts with 0 is octal, as in Java""")
does_not_fit_in_64_bits = Why[str]("{text} does not fit in a 64-bit integer")
doubtful_escape = Problem[str]("""bad-like: the LIKE pattern cannot be used: ESCAPE {escape!r} means
    different things to different brokers: use another character""")
no_selector = Why[()]("it has no selector")
no_operator = Why[str, str]("""{operator!r} is not an operator
    hint: {hint}""")
invalid_label_selector = Problem[str, str]("syntax: invalid label selector: {result}, expected {wanted}")
bad_label_key = Problem[str]("""bad-value: a label key: {name!r} is not valid
    hint: it is a name of at most 63 characters, after an optional prefix/""")
bad_label_value = Problem[str, str]("""bad-value: a label value: {value!r} is not valid
    hint: {hint}""")
label_not_whole = Problem[str]("bad-value: a label value: {value!r} is not an integer")
no_comparison = Why[str]("""{operator!r} is not a comparison
    hint: comparisons: =, !=""")
attribute_key_expected = Why[()]("expected the key of an attribute")
text_expected = Why[()]("""expected a string
    hint: write values in double quotes""")
and_or_mixed = Problem[()]("""syntax: AND and OR are mixed without parentheses
    hint: use parentheses: a AND (b OR c)""")
unknown_escape = Problem[str](r"syntax: unknown escape \{escape}")
no_property = Why[()]("""it must name a property
    hint: write the SQL filter 1 = 1 to accept every message""")
like_takes_a_text = Why[()]("LIKE needs a string")
empty_sql_filter = Problem[()]("""syntax: the SQL filter is empty
    hint: write 1 = 1 to accept every message""")
no_random_values = NotInFilter[()]("""newid()
    hint: a filter must give the same result for the same message""")
division_without_types = NotInFilter[()]("""a division of properties without a declared type
    hint: integers divide without a fraction, doubles with one: declare the properties as bigint or
    double, or write a number with a point (4.0)""")
correlation_value = Problem[str]("bad-value: {name}: it must be a string, a number or a boolean")
invalid_text = Problem[str, Reason]("""syntax: invalid {language}: {reason.text}
    hint: {reason.hint:optional}""")
open_quote = Why[()]("a string without its closing quote")
declared_as_texts = Text[str | None]("""declare {place} as json or as a struct: the values of a map are
    strings""")


def unexpected(word: str, wanted: str | None = None, hint: str | None = None) -> Reason:
    """A word, or the end where it is empty, that is not the one that should be there."""
    result = f"unexpected {word!r}" if word else "it ends too early"
    return Reason(result + (f", expected {wanted!r}" if wanted else ""), hint)


def count_of_label_values(span: Span, operator: str, wanted: int | None) -> Diagnostic:
    """`wanted` is None for one value or more."""
    count = "at least one value" if wanted is None else "one value" if wanted else "no values"
    return msg.bad_value(span, operator, f"it takes {count}")


def no_attribute_name(span: Span, name: str) -> Diagnostic:
    what = f"{name!r} is not a valid name of an attribute: names consist of the letters a to z and digits"
    return msg.syntax(span, what, f"did you mean '{name.lower()}'? Write a string in quotes")
