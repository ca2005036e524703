"""The operators of the surface: the typed form of a filter as its author wrote it, the output of the check.

Surface nodes are the typed nodes of `predicat.ir.nodes`. Their operators are those of the operator table and
those below. If elements of a JSON array are tested one by one, the last argument is the element variable.

| surface | meaning |
|---|---|
| a comparison of two JSON values | by their kinds |
| `eq`, `ne` of a JSON value and a typed one | the JSON value must also be of the same kind |
| `size` of a JSON value | its elements, keys or characters |
| `json_get` with a JSON value as the key | the member of that name, or the element at that index |
| `in` with a map or a JSON value on the right | whether it has the key, or the element |
| `to_int` and the other conversions of a JSON value | by its kind |
| `array_max`, `array_min` of a JSON value | of its elements, or the value itself if it is a number |
| `elements(json, variable)` | the elements of a JSON array as an array of a type |
| `math.greatest` and the other functions of CEL's math extension | as documented there |
| `total_order` of a comparison | the comparison in the total order, where NaN is above all numbers |
| `null_is_value(comparison, test, ...)` | the comparison if NULL is a value; the tests find missing values |
| `null_cases(comparison, test, outcome, ...)` | the outcome of the first test for JSON null that is TRUE |
| `unknown_if(value, test, ...)` | the value, or UNKNOWN unless all of the tests are FALSE |
| `text_to_int` and the other casts of a string | SQL's casts; they accept what all engines accept |
| `is_nan` of a double | whether it is NaN |
| `seconds`, `seconds_of_length` | SQL's EXTRACT(SECOND) with fraction; of a duration with its sign |
| `hour_of_length` and the like | a field of a duration, with its sign, as SQL's EXTRACT |
| `round_half_even`, `round_half_up` | the nearest integer; a half to the even one, or away from zero |
| `in_int(x, low, high)` and the like | a number from `low` to `high`, wrapped to the range of the type |
| `wrapping_add(x, y, low, high)` and the like | a BIGINT sum from `low` to `high`, wrapped around |
| `checked_mod`, `checked_to_int` | CEL's: UNKNOWN for an overflow |

`predicat.lower` turns all of these into operators of the table.
"""

from __future__ import annotations

from predicat.ir.nodes import Call, Node
from predicat.ir.operators import ARITHMETIC, LOOK_UPS, OPS
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, DURATION, JSON, TIMESTAMP, Type
from predicat.ir.values import UNITS_OF_NEXT

CHECKED_MOD = "checked_mod"
CHECKED_TO_INT = "checked_to_int"
ELEMENTS = "elements"
TOTAL_ORDER = "total_order"
NULL_IS_VALUE = "null_is_value"
NULL_CASES = "null_cases"
UNKNOWN_IF = "unknown_if"
IS_NAN = "is_nan"
SECONDS, SECONDS_OF_LENGTH = "seconds", "seconds_of_length"
LENGTH_FIELDS = {unit: f"{unit}_of_length" for unit in ("day", *UNITS_OF_NEXT)}
MATH_OF_NUMBERS = ("math.greatest", "math.least", "math.abs", "math.sign")
_MATH_ROUNDING = ("math.ceil", "math.floor", "math.trunc", "math.round")
MATH_TESTS = ("math.isNaN", "math.isInf", "math.isFinite")
# CEL's math extension.
MATHEMATICS = (*MATH_OF_NUMBERS, *_MATH_ROUNDING, *MATH_TESTS)
# The operators for the same functions of one array.
EXTREMES = {"math.greatest": "array_max", "math.least": "array_min"}
WRAPPED = {8: "in_tinyint", 16: "in_smallint", 32: "in_int"}
WIDTHS_OF_WRAPPED = {op: bits for bits, op in WRAPPED.items()}
# Spark's arithmetic without ANSI mode.
WRAPPING = {op: f"wrapping_{op}" for op in ("add", "sub", "mul", "neg", "abs")}
HALF_EVEN, HALF_UP = "round_half_even", "round_half_up"
# The types to which strings are cast, each with the operator of the table, which accepts only one format.
CONVERSIONS: dict[Type, str] = {
    BIGINT: "to_int",
    DOUBLE: "to_double",
    BOOLEAN: "to_boolean",
    TIMESTAMP: "to_timestamp",
    DATE: "to_date",
    DURATION: "to_duration",
}
TEXT_CASTS = {kind: f"text_{op}" for kind, op in CONVERSIONS.items()}
# The conversions of JSON values, by the kind of the value in the row.
CASTS = (*CONVERSIONS.values(), "to_string")
# The number of arguments that the author wrote; the check adds the others.
WRITTEN = {
    **dict.fromkeys(
        (NULL_IS_VALUE, NULL_CASES, UNKNOWN_IF, *WRAPPED.values(), WRAPPING["neg"], WRAPPING["abs"]), 1
    ),
    **dict.fromkeys((WRAPPING["add"], WRAPPING["sub"], WRAPPING["mul"]), 2),
}
# Calls of surface operators in plain words, as in `Operator.words`.
WORDS = {
    CHECKED_MOD: "({0} % {1})",
    CHECKED_TO_INT: "the integer value of {0}",
    ELEMENTS: "{0}",
    TOTAL_ORDER: "{0}",
    NULL_IS_VALUE: "{0}",
    NULL_CASES: "{0}",
    UNKNOWN_IF: "{0}",
    IS_NAN: "{0} is NaN",
    **dict.fromkeys(WRAPPED.values(), "{0}"),
    **{
        name: f"({{0}} {ARITHMETIC[op]} {{1}})" if op in ARITHMETIC else OPS[op].words
        for op, name in WRAPPING.items()
    },
    **dict.fromkeys((SECONDS, SECONDS_OF_LENGTH), "the seconds of {0}"),
    **{op: f"the {unit}s of {{0}}" for unit, op in LENGTH_FIELDS.items()},
    **dict.fromkeys((HALF_EVEN, HALF_UP), "{0} rounded to an integer"),
    **{TEXT_CASTS[kind]: OPS[op].words for kind, op in CONVERSIONS.items()},
}


def is_look_up(node: Node) -> bool:
    """Whether a node looks up a single key or index, so it is missing only if the key or index is."""
    return (
        isinstance(node, Call)
        and node.op in LOOK_UPS
        and not (node.op == "json_get" and node.args[1].type == JSON)
    )
