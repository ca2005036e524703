"""What PostgreSQL has instead of the rules that all SQL languages share (`language/sql/rules.py`).

To add a function that PostgreSQL alone has, or that means something else there: one row, by sqlglot's class
of its node or by its name in small letters. None takes a shared rule away.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.language.postgres import functions as own
from predicat.language.sql import (
    array_functions,
    documents,
    ends,
    functions,
    joined,
    json_functions,
    number_functions,
    operators,
    patterns,
    times,
)
from predicat.language.sql.rules import Key, Rule

_CAST = frozenset({"this", "to", "_type", "safe"})
_TEXT = frozenset({"this"})
_BINARY = frozenset({"this", "expression"})
_PATH = _BINARY | {"only_json_types", "json_type"}

RULES: dict[Key, Rule | None] = {
    # A double is rounded, half to even, and a whole number has the range of its type.
    exp.Cast: (_CAST, times.engine_cast("to_rounded_int")),
    exp.TryCast: None,
    exp.IntDiv: None,
    # Elements of an array count from 1.
    exp.Bracket: (frozenset({"this", "expressions"}), operators.bracket("bracket1")),
    # CONCAT skips NULL; || does not.
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), joined.concat_present),
    exp.DPipe: (_BINARY | {"safe"}, joined.concat),
    # The order of texts is that of "C".
    exp.Collate: (_BINARY, own.collate),
    "array_length": (None, own.array_length),
    exp.ArraySize: (_BINARY, own.array_length),
    "isnan": None,
    exp.SimilarTo: (_BINARY, patterns.similar_to),
    exp.JSONExtract: (_PATH, documents.arrow(text=False)),
    exp.JSONExtractScalar: (_PATH, documents.arrow(text=True)),
    exp.JSONBExtract: (_BINARY, documents.path_arrow(text=False)),
    exp.JSONBExtractScalar: (_BINARY | {"json_type"}, documents.path_arrow(text=True)),
    exp.JSONBContainsTopKey: (_BINARY, documents.has_key("or")),
    exp.JSONBContainsAnyTopKeys: (_BINARY, documents.has_key("or")),
    exp.JSONBContainsAllTopKeys: (_BINARY, documents.has_key("and")),
    exp.ArrayContainsAll: (_BINARY, documents.contains(turned=False)),
    exp.ArrayContainedBy: (_BINARY, documents.contains(turned=True)),
    exp.ArrayOverlaps: (_BINARY, documents.overlaps),
    exp.ByteString: (_TEXT, operators.text),
    exp.RawString: (_TEXT, operators.text),
    exp.BitwiseXor: (_BINARY, operators.binary("bit_xor")),
    exp.Lambda: (None, json_functions.arrow_as_lambda),
    "sign": (None, functions.function("postgres.sign", 1)),
    exp.Trim: (frozenset({"this", "position", "expression"}), functions.trim_characters),
    exp.Left: (_BINARY, ends.left),
    exp.Right: (_BINARY, ends.right),
    "round": (None, number_functions.rounded("postgres.round")),
    exp.Log: (_BINARY, number_functions.logarithm("log10")),
    # NULL where the value is in no place.
    "array_position": (None, array_functions.position_or(None)),
    "split": None,
}

FOREIGN = {
    "==": "write =",
    "<=>": "write IS NOT DISTINCT FROM",
    "RLIKE": "write ~",
    "REGEXP": "write ~",
    "`": "names with special signs stand in double quotes",
    "ISNAN": "write x = 'NaN'",
}
"""Operators of other engines, and what PostgreSQL has for them."""
