"""Messages of the readers of data: policies of subscriptions, bindings, compositions.

Each function is one: see the package.
"""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.source import Span
from predicat.diagnostics.wording import quantity

ATTRIBUTE_NAME = "an attribute's name"
BINDING_KEY = "a binding key"
CLOUDEVENTS_FILTER = "a CloudEvents filter"
EVENT_PATTERN = "an event pattern"
FILTER_POLICY = "a filter policy"
HEADER_FILTER = "a header filter"
HEADER_VALUE = "a header's value"
KAFKA_PREDICATE = "a Kafka Connect predicate"
POLICY_WITH_SCOPE = "a filter policy with its scope"
TRIGGER_SPEC = "the spec of a Trigger"


def empty_composition(span: Span) -> Diagnostic:
    return msg.syntax(span, "the composition is empty")


def composition_parts(span: Span) -> Diagnostic:
    return msg.bad_value(span, "a composition", "each part must be the name of a filter, or all, any or not")


def composition_list(span: Span, key: str) -> Diagnostic:
    return msg.bad_value(span, key, "it must be a list of at least one filter")


def one_key(count: int, names: str) -> Reason:
    return Reason(f"it must have one key, not {count}", f"keys: {names}")


def least_values(least: int) -> Reason:
    return Reason(f"it must be a list of at least {quantity(least, 'value')}")


def empty_text(span: Span, what: str) -> Diagnostic:
    return msg.bad_value(span, what, "it must not be empty")


def no_event_pattern() -> Reason:
    return Reason("it has no event pattern")


def reject_or_accept() -> Reason:
    return Reason("it must be reject or accept")


def one_operator(count: int, names: str) -> Reason:
    return Reason(f"it must have one operator, not {count}", f"operators: {names}")


def one_header(count: int) -> Reason:
    return Reason(f"it must test one header, not {count}", "combine several with and: [...]")


def bad_header_key(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(
        span, "a header key", f"{name!r} is not valid; a key has letters, digits, '_', '-' and '.'"
    )


def no_json(span: Span, what: str, reason: object) -> Diagnostic:
    return msg.syntax(span, f"{what} is not valid JSON: {reason}")


def no_double(span: Span, part: str) -> Diagnostic:
    return msg.bad_value(span, part, "this number does not fit in a double")


def key_twice(span: Span, key: object) -> Diagnostic:
    return msg.bad_value(span, key, "duplicate key")


def not_one_predicate(count: int) -> Reason:
    """`count` transformations of a connector have predicates."""
    result = (
        f"{count} of its transformations have predicates"
        if count
        else "none of its transformations has a predicate"
    )
    return Reason(result, "predicat import makes a filter of each")


def no_predicate(name: str, names: str) -> Reason:
    return Reason(f"{name!r} is not a predicate", f"predicates: {names}")


def true_or_false() -> Reason:
    return Reason("it must be true or false")


def attribute(name: str) -> str:
    return f"the attribute {name!r}"


def no_attribute() -> Reason:
    return Reason("it must name an attribute")


def value_of(name: str) -> str:
    return f"the value of {name!r}"


def no_key() -> Reason:
    return Reason("it has no key")


def operator_in_or(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, name, "a key in $or cannot have the name of an operator")


def keys_inside_attributes() -> Reason:
    return Reason("message attributes have no nested keys", "write FilterPolicyScope: MessageBody")


def points_in_name(span: Span, name: str, most: int) -> Diagnostic:
    return msg.bad_value(span, name, f"a name has at most {most} dots", "nest the keys instead")


def values_of(name: str) -> str:
    return f"the values of {name!r}"


def too_many_ways(span: Span, most: int) -> Diagnostic:
    return msg.bad_value(span, "$or", f"it has more than {most} combinations")


def key_beside_or(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, name, "the same key is also beside $or", "write its values in one place")


def null_or_absent() -> Reason:
    return Reason(
        "the field is not JSON, so null cannot be distinguished from a missing key",
        'write {"exists": false}, or declare json',
    )


def no_value() -> Reason:
    return Reason("it must have a value")


def texts_or_numbers() -> Reason:
    return Reason("it takes strings or numbers")


def values_texts_or_numbers() -> Reason:
    return Reason("its values must be all strings or all numbers")


def two_wildcards() -> Reason:
    return Reason("it has two wildcards in a row")


def lone_backslash() -> Reason:
    return Reason("a backslash is only allowed before * or \\")


def numeric_form() -> Reason:
    return Reason(
        "it must be a comparison and a number, or a range", 'write ["=", 5], or [">", 0, "<=", 100]'
    )


def empty_range() -> Reason:
    return Reason("the lower bound of the range must be below the upper bound")


def no_number(value: object) -> Reason:
    return Reason(f"{value!r} is not a number", "write a number without quotes")


def not_within(value: float, limit: float) -> Reason:
    return Reason(f"{value!r} is not between -{limit:,.0f} and {limit:,.0f}, with at most five decimals")


def no_double_number(value: float) -> Reason:
    return Reason(f"{value!r} does not fit in a double")


def no_case_insensitive_suffix() -> Reason:
    return Reason("SNS has no case-insensitive suffix")


def no_network(text: str) -> Reason:
    return Reason(f"{text!r} is not a network", "write a network such as 10.0.0.0/24")


def wildcard_with_text(span: Span, word: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "a binding key",
        f"{word!r} mixes a wildcard with other characters",
        "a wildcard is a word of its own: a.*.c",
    )


def no_policy() -> Reason:
    return Reason("it has no filter policy and accepts every message")


def too_many_keys(count: int, most: int) -> Reason:
    return Reason(f"it has {count} keys; the limit is {most}")


def too_many_combinations(most: int) -> Reason:
    return Reason(f"its values have too many combinations; the limit is {most}")


def no_scope(scope: str, names: str) -> Reason:
    return Reason(f"{scope!r} is not a scope", f"scopes: {names}")


def needs_key(key: str) -> Reason:
    return Reason(f"it needs the key {key!r}")


def takes_no_key(key: str) -> Reason:
    return Reason(f"it does not take the key {key!r}")


def kind_without_filter(kind: str) -> Reason:
    return Reason(f"{kind!r} has no filter", "write the spec of a Trigger, which has one")
