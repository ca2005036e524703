"""The operators of the surface: what the check makes of a text, as its author wrote it, with types.

Surface nodes are the typed nodes of `predicat.ir.nodes`. Their operators are those of the table and those
below. Where elements of a JSON array are tested one by one, the last argument is the variable for one.

| surface | meaning |
|---|---|
| a comparison of two JSON values | by the kinds that they have |
| `eq`, `ne` of a JSON value and a typed one | the kind of the JSON value decides as well |
| `size` of a JSON value | its elements, keys or characters |
| `json_get` with a JSON value as the key | the member of that name, or the element at that index |
| `in` with a map or a JSON value on the right | whether it has the key, or the element |
| `to_int` and the other conversions of a JSON value | by the kind that it has |
| `array_max`, `array_min` of a JSON value | of its elements, or of itself if it is a number |
| `elements(json, variable)` | the elements of a JSON array as an array of a type |
| `math.greatest` and the other functions of CEL's math extension | as documented there |
| `engine_order` of a comparison | the same in the engines' order, in which NaN is above all numbers |
| `checked_mod`, `checked_to_int` | CEL's: UNKNOWN where it overflows there |

`predicat.lower` turns all of these into operators of the table.
"""

from __future__ import annotations

from predicat.ir.nodes import Call, Node
from predicat.ir.operators import LOOK_UPS
from predicat.ir.types import JSON

CHECKED_MOD = "checked_mod"
CHECKED_TO_INT = "checked_to_int"
ELEMENTS = "elements"
ENGINE_ORDER = "engine_order"
WORDS = {
    CHECKED_MOD: "({0} % {1})",
    CHECKED_TO_INT: "the whole number of {0}",
    ELEMENTS: "{0}",
    ENGINE_ORDER: "{0}",
}
"""Calls of these in plain words, as `Operator.words`."""
MATH_OF_NUMBERS = ("math.greatest", "math.least", "math.abs", "math.sign")
MATH_ROUNDING = ("math.ceil", "math.floor", "math.trunc", "math.round")
MATH_TESTS = ("math.isNaN", "math.isInf", "math.isFinite")
MATHEMATICS = (*MATH_OF_NUMBERS, *MATH_ROUNDING, *MATH_TESTS)
"""CEL's math extension."""
CASTS = ("to_int", "to_double", "to_boolean", "to_string", "to_timestamp", "to_duration", "to_date")
"""The conversions that JSON values have, by the kind that the row finds."""


def is_look_up(node: Node) -> bool:
    """Whether a node looks up one key or index, and so is absent only where that is."""
    return (
        isinstance(node, Call)
        and node.op in LOOK_UPS
        and not (node.op == "json_get" and node.args[1].type == JSON)
    )
