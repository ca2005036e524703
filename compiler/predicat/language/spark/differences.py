"""The rules of Spark SQL that differ from the shared rules of all SQL languages (`language/sql/rules.py`).

To add a function that only Spark has, or that has another meaning there, add one row, by sqlglot's node class
or by its name in lower case. None removes a shared rule.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.language.spark import arrays, numbers, texts
from predicat.language.spark import functions as own
from predicat.language.sql import (
    array_functions,
    calendars,
    functions,
    joined,
    json_functions,
    number_functions,
    operators,
    pattern_functions,
    times,
)
from predicat.language.sql.node_reader import Key, Rule
from predicat.language.sql.refusals import JSON_ARROWS
from predicat.language.sql.shapes import BINARY, CAST, THIS

# The functions that are casts, besides those that sqlglot parses as casts.
_CONVERSIONS = {"bigint": "bigint", "double": "double", "string": "string", "boolean": "boolean"}

RULES: dict[Key, Rule | None] = {
    # Two integers are divided as doubles. `div` is the integer division.
    exp.Div: (BINARY | {"typed", "safe"}, operators.double_division),
    # A double is truncated toward zero, and an integer has the range of its type.
    exp.Cast: (CAST, times.engine_cast("to_int")),
    exp.TryCast: (CAST, times.engine_cast("to_int")),
    **{name: (None, times.conversion(kind)) for name, kind in _CONVERSIONS.items()},
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), joined.concat),
    exp.DPipe: (BINARY | {"safe"}, joined.concat),
    "isnan": (None, functions.is_nan_or_false),
    exp.RawString: (THIS, operators.text),
    # sqlglot parses element_at(xs, 1) as an index that counts from 1.
    exp.Bracket: (frozenset({"this", "expressions", "offset", "safe"}), arrays.bracket),
    exp.BitwiseXor: (BINARY, operators.binary("bit_xor")),
    exp.JSONExtractScalar: (None, json_functions.at_path),
    exp.JSONExtract: (None, json_functions.json_at_colon),
    "variant_get": (None, json_functions.typed_at_path),
    "try_variant_get": (None, json_functions.typed_at_path),
    "bigint": (None, times.conversion("bigint")),
    "long": (None, times.conversion("bigint")),
    "round": (None, number_functions.rounded("spark.round")),
    "sqrt": (None, number_functions.square_root),
    exp.Floor: (THIS, numbers.whole("floor")),
    exp.Ceil: (THIS, numbers.whole("ceil")),
    # Positions below 1 count from the end, and a negative length is 0.
    exp.Substring: (frozenset({"this", "start", "length"}), texts.substring),
    exp.Left: (BINARY, texts.left),
    exp.Right: (BINARY, texts.right),
    exp.Log: (BINARY, number_functions.logarithm("ln")),
    "log": (None, number_functions.of_double("ln")),
    # 0 if the value is not found.
    "array_position": (None, array_functions.position_or(0)),
    # All matches, with Java's $1 for a group.
    "regexp_replace": (None, pattern_functions.replace_all),
    "sequence": (None, arrays.sequence),
    "width_bucket": (None, own.width_bucket),
    "typeof": (None, own.typeof),
    "nanvl": (None, numbers.nanvl),
    "next_day": (None, calendars.next_day),
    "get": (None, functions.function("bracket", 2)),
    "equal_null": (None, functions.function("same", 2)),
}

# Operators of other engines, and what to write instead.
FOREIGN = {
    **JSON_ARROWS,
    "~": "write RLIKE for a regular expression",
    "~*": "write RLIKE '(?i)...' for a regular expression that ignores case",
    "!~": "write NOT ... RLIKE",
    "!~*": "write NOT ... RLIKE '(?i)...'",
    "~~": "write LIKE",
    "~~*": "write ILIKE",
    "@>": "write array_contains(array, x) or arrays_overlap(array, array('x'))",
    "<@": "write array_contains(array, x)",
    "^@": "write startswith(s, prefix)",
}
