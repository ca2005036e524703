"""Messages of the reader of JsonLogic.

Each row is one: see the package.
"""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import Problem, Why

RULE = "the rule"
# Operators that are refused: why, and what to do instead.
REFUSED = {
    "map": ("lists are only tested here", "write some, all, none or in"),
    "reduce": ("lists are only tested here", "write some, all or none"),
    "merge": ("arrays are not joined here", "write the keys in one list"),
    "method": ("methods of JavaScript have no meaning here", "write the other operators"),
    "fractional": (
        "which part of the traffic a row is in depends on flagd's hash",
        "keep the distribution in flagd, and write the condition before it here",
    ),
}
LIST_OF_KEYS = ("its list of keys is only tested here", "write it as a condition of if, and, or or !")
refused = Problem[str, str, str]("""unsupported: {operator!r}: {reason}
    hint: {hint}""")
time_with_other = Problem[str, str]("""type-mismatch: {operator!r}: a date or a timestamp is compared only
    with another, or with a string such as "2026-01-31", not with a {kind}""")
container_compared = Problem[str]("""bad-value: {operator!r}: an array or an object equals nothing, not even
    an equal one
    hint: test its elements: write in, some, all or none""")
array_of_rule = Problem[str]("""bad-value: an {kind} is not a condition or a value to compare
    hint: an operator is the only key of its object""")
count_and_keys = Why[()]("it takes a number and a list of keys")
constant_keys = Why[()]("""a key must be a string
    hint: write the keys in one list""")
computed_name = Problem[()]("""unsupported: 'var': the name of a field must be a constant""")
whole_row = Problem[()]("""unsupported: 'var': the whole row is not a value
    hint: name a field""")
member_of_list = Problem[str]("""bad-value: 'var': a list has no member {part!r}
    hint: write its index, or some, all or none""")
no_text = Problem[()]("bad-value: an array or an object is not a string here")
as_text = Problem[str]("""unsupported: the {kind} has no exact string here: engines write numbers with a
    fraction differently
    hint: declare the field as a string or as bigint""")
constant_places = Problem[()]("unsupported: 'substr': its places must be integers")
whole_numbers = Problem[str]("""unsupported: {operator!r}: the remainder is only computed for integers
    hint: declare the field as bigint""")
no_values = Problem[str]("bad-value: {operator!r}: it has no arguments")
no_list = Problem[()]("bad-value: 'filter': its first argument must be a list")
version_form = Why[Iterable[str]]("""it takes a value, an operator and a constant release
    hint: write [{{"var": "version"}}, ">=", "1.2.3"]; operators: {known:list}""")
