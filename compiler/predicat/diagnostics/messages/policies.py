"""Messages of the readers of data: policies of subscriptions, bindings, compositions.

Each row is one: see the package.
"""

from __future__ import annotations

from predicat.diagnostics.message import Problem, Text, Why

ATTRIBUTE_NAME = "an attribute's name"
BINDING_KEY = "a binding key"
CLOUDEVENTS_FILTER = "a CloudEvents filter"
EVENT_PATTERN = "an event pattern"
FILTER_POLICY = "a filter policy"
HEADER_FILTER = "a header filter"
HEADER_VALUE = "a header's value"
ICEBERG_EXPRESSION = "an expression of Iceberg"
KAFKA_PREDICATE = "a Kafka Connect predicate"
POLICY_WITH_SCOPE = "a filter policy with its scope"
TRIGGER_SPEC = "the spec of a Trigger"

empty_composition = Problem[()]("syntax: the composition is empty")
composition_parts = Problem[()]("""bad-value: a composition: each part must be the name of a filter, or
    all, any or not""")
composition_list = Problem[str]("bad-value: {key}: it must be a list of at least one filter")
one_key = Why[int, str]("""it must have one key, not {count}
    hint: keys: {names}""")
least_values = Why[int]("it must be a list of at least {least:count value}")
empty_text = Problem[str]("bad-value: {what}: it must not be empty")
no_event_pattern = Why[()]("it has no event pattern")
reject_or_accept = Why[()]("it must be reject or accept")
one_operator = Why[int, str]("""it must have one operator, not {count}
    hint: operators: {names}""")
one_header = Why[int]("""it must test one header, not {count}
    hint: combine several with and: [...]""")
bad_header_key = Problem[str]("""bad-value: a header key: {name!r} is not valid; a key has letters,
    digits, '_', '-' and '.'""")
no_json = Problem[str, object]("syntax: {what} is not valid JSON: {reason}")
no_double = Problem[str]("bad-value: {part}: this number does not fit in a double")
key_twice = Problem[object]("bad-value: {key}: duplicate key")
# `count` transformations of a connector have predicates.
not_one_predicate = Why[int]("""{count:if {count} of its transformations have predicates|none of its
    transformations has a predicate}
    hint: predicat import makes a filter of each""")
no_predicate = Why[str, str]("""{name!r} is not a predicate
    hint: predicates: {names}""")
true_or_false = Why[()]("it must be true or false")
attribute = Text[str]("the attribute {name!r}")
no_attribute = Why[()]("it must name an attribute")
value_of = Text[str]("the value of {name!r}")
no_key = Why[()]("it has no key")
operator_in_or = Problem[str]("bad-value: {name}: a key in $or cannot have the name of an operator")
keys_inside_attributes = Why[()]("""message attributes have no nested keys
    hint: write FilterPolicyScope: MessageBody""")
points_in_name = Problem[str, int]("""bad-value: {name}: a name has at most {most} dots
    hint: nest the keys instead""")
values_of = Text[str]("the values of {name!r}")
too_many_ways = Problem[int]("bad-value: $or: it has more than {most} combinations")
key_beside_or = Problem[str]("""bad-value: {name}: the same key is also beside $or
    hint: write its values in one place""")
null_or_absent = Why[()]("""the field is not JSON, so null cannot be distinguished from a missing key
    hint: write {{"exists": false}}, or declare json""")
no_value = Why[()]("it must have a value")
texts_or_numbers = Why[()]("it takes strings or numbers")
values_texts_or_numbers = Why[()]("its values must be all strings or all numbers")
two_wildcards = Why[()]("it has two wildcards in a row")
lone_backslash = Why[()]("a backslash is only allowed before * or \\")
numeric_form = Why[()]("""it must be a comparison and a number, or a range
    hint: write ["=", 5], or [">", 0, "<=", 100]""")
empty_range = Why[()]("the lower bound of the range must be below the upper bound")
no_number = Why[object]("""{value!r} is not a number
    hint: write a number without quotes""")
not_within = Why[float, float]("""{value!r} is not between -{limit:,.0f} and {limit:,.0f}, with at most
    five decimals""")
no_double_number = Why[float]("{value!r} does not fit in a double")
no_case_insensitive_suffix = Why[()]("SNS has no case-insensitive suffix")
no_network = Why[str]("""{text!r} is not a network
    hint: write a network such as 10.0.0.0/24""")
wildcard_with_text = Problem[str]("""bad-value: a binding key: {word!r} mixes a wildcard with other characters
    hint: a wildcard is a word of its own: a.*.c""")
no_policy = Why[()]("it has no filter policy and accepts every message")
too_many_keys = Why[int, int]("it has {count} keys; the limit is {most}")
too_many_combinations = Why[int]("its values have too many combinations; the limit is {most}")
no_scope = Why[str, str]("""{scope!r} is not a scope
    hint: scopes: {names}""")
needs_key = Why[str]("it needs the key {key!r}")
takes_no_key = Why[str]("it does not take the key {key!r}")
kind_without_filter = Why[str]("""{kind!r} has no filter
    hint: write the spec of a Trigger, which has one""")
no_expression = Why[object, str]("""{kind!r} is not a type of expression
    hint: types: {names}""")
no_literal = Problem[()]("bad-value: value: it must be a string, a number, true or false")
no_transforms = Why[()]("""predicat reads columns, not transforms of partitions
    hint: compare the column itself""")
