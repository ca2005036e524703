"""The rules of PostgreSQL that differ from the shared rules of all SQL languages (`language/sql/rules.py`).

To add a function that only PostgreSQL has, or that has another meaning there, add one row, by sqlglot's node
class or by its name in lower case. None removes a shared rule.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.language.postgres import functions as own
from predicat.language.postgres import periods
from predicat.language.sql import (
    array_functions,
    documents,
    functions,
    json_functions,
    number_functions,
    operators,
    patterns,
    postgres_family,
    times,
)
from predicat.language.sql.node_reader import Key, Rule
from predicat.language.sql.shapes import BINARY, CAST

RULES: dict[Key, Rule | None] = {
    **postgres_family.RULES,
    # A double is rounded half to even, and an integer has the range of its type.
    exp.Cast: (CAST, times.engine_cast("to_rounded_int")),
    exp.TryCast: None,
    exp.IntDiv: None,
    # Elements of an array count from 1.
    exp.Bracket: (frozenset({"this", "expressions"}), operators.bracket("bracket1")),
    # Strings have the order of collation "C".
    exp.Collate: (BINARY, own.collate),
    "array_length": (None, own.array_length),
    exp.ArraySize: (BINARY, own.array_length),
    "isnan": None,
    exp.SimilarTo: (BINARY, patterns.similar_to),
    exp.JSONBExtract: (BINARY, documents.path_arrow(text=False)),
    exp.JSONBExtractScalar: (BINARY | {"json_type"}, documents.path_arrow(text=True)),
    exp.Overlaps: (BINARY, periods.overlap),
    exp.JSONBExists: (frozenset({"this", "path"}), own.exists),
    exp.JSONBContainsTopKey: (BINARY, documents.has_key("or")),
    exp.JSONBContainsAnyTopKeys: (BINARY, documents.has_key("or")),
    exp.JSONBContainsAllTopKeys: (BINARY, documents.has_key("and")),
    exp.ArrayContainsAll: (BINARY, documents.contains(turned=False)),
    exp.ArrayContainedBy: (BINARY, documents.contains(turned=True)),
    "round": (None, number_functions.rounded("postgres.round")),
    exp.Log: (BINARY, number_functions.logarithm("log10")),
    # NULL if the value is not found.
    "array_position": (None, array_functions.position_or(None)),
    "split": None,
    exp.JSONBPathExists: (BINARY, json_functions.has_lax_path),
    "jsonb_path_exists": (None, json_functions.has_lax_path),
    "jsonb_typeof": (None, functions.function("jsonb.kind", 1)),
    "jsonb_extract_path": (None, json_functions.value_at_keys),
}

# Operators of other engines, and what to write instead.
FOREIGN = {
    "==": "write =",
    "<=>": "write IS NOT DISTINCT FROM",
    "RLIKE": "write ~",
    "REGEXP": "write ~",
    "`": "put names with special characters in double quotes",
    "ISNAN": "write x = 'NaN'",
}
