"""Messages of the reader of MongoDB's query documents.

Each row is one: see the package.
"""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import Problem, Why

QUERY = "the query"
# Operators that are refused: why, and what to do instead.
REFUSED = {
    "$expr": ("expressions of aggregations are not read", "write the operators of a query"),
    "$where": ("code in JavaScript is not read", "write the operators of a query"),
    "$jsonSchema": ("schemas are not read", "write $type, $exists and comparisons"),
    "$text": ("the search of a text index has no exact meaning here", "write $regex"),
    "$geoWithin": ("shapes are not compared here", "compare the coordinates"),
    "$geoIntersects": ("shapes are not compared here", "compare the coordinates"),
    "$near": ("it sorts, and is no condition", "compare the coordinates"),
    "$nearSphere": ("it sorts, and is no condition", "compare the coordinates"),
    "$bitsAllSet": ("bits are not read", "compare the number"),
    "$bitsAnySet": ("bits are not read", "compare the number"),
    "$bitsAllClear": ("bits are not read", "compare the number"),
    "$bitsAnyClear": ("bits are not read", "compare the number"),
    "$sampleRate": ("it is random", "leave it out"),
    "$rand": ("it is random", "leave it out"),
}
refused = Problem[str, str, str]("""unsupported: {operator!r}: {reason}
    hint: {hint}""")
unknown_operator = Problem[str, Iterable[str]]("""unknown-function: no operator is named {name!r} here
    hint: {known:near name}
    hint: operators: {known:list}""")
empty_part = Problem[str]("bad-value: the path {path!r} has an empty part")
no_members = Problem[str, str]("""(part, kind) unknown-member: a {kind} has no member {part!r}
    hint: declare the field as struct<...>, map<string, ...> or json""")
options_without_regex = Why[()]("it stands beside $regex")
order_of_booleans = Problem[()]("""unsupported: true and false are in no order here
    hint: compare with $eq""")
whole_number = Why[()]("it must be a whole number that is not negative")
divisor_and_remainder = Why[()]("it takes a divisor that is not 0 and a remainder, both whole numbers")
type_name = Problem[object, Iterable[str]]("""bad-value: $type: {name!r} is not a type here
    hint: types: {known:list}; numbers of JSON are not told apart""")
regex_options = Problem[str]("bad-value: $options: {flags!r}: the options i, m and s are read")
operators_wanted = Why[()]("""it takes operators
    hint: write $ne for a value""")
extended_value = Problem[str]("""bad-value: {name}: this is not a value of that type
    hint: write a string: {{"$date": "2026-01-31T00:00:00Z"}}, {{"$numberLong": "5"}}""")
whole_value = Problem[str]("""unsupported: equality with a whole {kind} is not read
    hint: write the path of each member (a.b), $all, $size or $elemMatch""")
