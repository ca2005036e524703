"""Messages of the reader of AIP-160's filters.

Each row is one: see the package.
"""

from __future__ import annotations

from predicat.diagnostics.message import Problem

A_NUMBER = "a number"
FILTER = "the filter"
NAME_OF_FIELD = "the name of a field"
TRUE_OR_FALSE = "true or false"
VALUE = "a value"
WRITE_AND = "write AND between conditions"
function = Problem[str]("""unsupported: the function {name!r}: AIP-160 defines none
    hint: write a comparison""")
bare_value = Problem[str]("""unsupported: {word!r} alone is searched in fields that each service chooses
    hint: write a field and a comparison, such as name = "x\"""")
list_traversed = Problem[str]("""bad-value: {part!r} of a list: only ':' looks into the elements
    hint: write r.foo:42""")
whole_compared = Problem[str]("""bad-value: {sign!r} does not compare lists, maps and messages
    hint: write ':' for an element or a key""")
no_order = Problem[()]("bad-value: booleans and null have no order")
value_of_type = Problem[str, str]("bad-value: {word!r} is not {kind}")
undeclared_time = Problem[()]("""unsupported: a time beside a field without a type
    hint: declare the field as timestamp or date""")
