"""The rules of DuckDB that differ from the shared rules of all SQL languages (`language/sql/rules.py`).

To add a function that only DuckDB has, or that has another meaning there, add one row, by sqlglot's node
class or by its name in lower case. None removes a shared rule. Source: DuckDB documentation, functions and
data types.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.language.duckdb import functions as own
from predicat.language.sql import (
    array_functions,
    calendars,
    documents,
    functions,
    json_functions,
    number_functions,
    operators,
    postgres_family,
    times,
)
from predicat.language.sql.node_reader import Key, Rule
from predicat.language.sql.shapes import BINARY, CAST, PATH, THIS

RULES: dict[Key, Rule | None] = {
    **postgres_family.RULES,
    # Numbers are divided as doubles, and by zero as in IEEE 754. `//` is the integer division.
    exp.Div: (BINARY | {"typed", "safe"}, own.quotient),
    exp.IntDiv: (BINARY, operators.binary("duckdb.div")),
    "div": None,
    # A double is rounded half to even; a string may have decimals, which are rounded.
    exp.Cast: (CAST, times.engine_cast("to_duckdb_int")),
    exp.TryCast: (CAST, times.engine_cast("to_duckdb_int")),
    exp.JSONExtract: (PATH, own.arrow(text=False)),
    exp.JSONExtractScalar: (PATH, own.arrow(text=True)),
    # Elements of an array count from 1, or from the end.
    exp.Bracket: (frozenset({"this", "expressions"}), own.bracket),
    # LIKE has no escape character without ESCAPE.
    exp.Like: (BINARY | {"negate"}, own.like("like")),
    exp.ILike: (BINARY | {"negate"}, own.like("like_ci")),
    exp.Glob: (BINARY, own.glob),
    exp.SimilarTo: (BINARY, own.full_match),
    "regexp_full_match": (None, own.full_match),
    "regexp_extract": (None, own.extract),
    exp.In: (frozenset({"this", "expressions", "field"}), own.in_),
    # For a NULL array, a comparison with ANY is FALSE, and with ALL TRUE.
    exp.EQ: (BINARY, own.quantified(operators.equal)),
    exp.NEQ: (BINARY, own.quantified(operators.unequal)),
    exp.LT: (BINARY, own.quantified(number_functions.ordered("lt"))),
    exp.LTE: (BINARY, own.quantified(number_functions.ordered("le"))),
    exp.GT: (BINARY, own.quantified(number_functions.ordered("gt"))),
    exp.GTE: (BINARY, own.quantified(number_functions.ordered("ge"))),
    "json_exists": (None, json_functions.has_path),
    "json_extract_string": (None, json_functions.at_path),
    # It is JSON there, and a string elsewhere.
    "json_value": None,
    # Its second argument is a path, not a key.
    "json_extract_path_text": None,
    # Strings.
    exp.Length: (THIS, operators.unary("size")),
    "len": (None, functions.function("size", 1)),
    exp.Substring: (frozenset({"this", "start", "length"}), own.substring),
    "strlen": (None, functions.function("byte_count", 1)),
    "prefix": (None, functions.function("starts_with", 2)),
    "suffix": (None, functions.function("ends_with", 2)),
    # Numbers.
    "sqrt": (None, number_functions.square_root),
    "round": (None, number_functions.rounded("spark.round")),
    "round_even": (None, number_functions.rounded("sql.bround")),
    "isfinite": (None, functions.function("math.isFinite", 1)),
    "isinf": (None, functions.function("math.isInf", 1)),
    exp.IsInf: (THIS, operators.unary("math.isInf")),
    exp.Log: (None, own.no_logarithm),
    **dict.fromkeys(("ln", "log10", "log"), (None, own.no_logarithm)),
    # Lists.
    **dict.fromkeys(("list_contains", "list_has", "array_contains", "array_has"), (None, own.contains)),
    exp.ArrayContains: (None, own.contains),
    exp.ArrayContainsAll: (BINARY, own.contains_all(turned=False)),
    exp.ArrayContainedBy: (BINARY, own.contains_all(turned=True)),
    "list_has_any": (None, own.of_two(exp.ArrayOverlaps, documents.overlaps)),
    "list_has_all": (None, own.contains_all(turned=False)),
    "array_has_any": (None, own.of_two(exp.ArrayOverlaps, documents.overlaps)),
    "array_has_all": (None, own.contains_all(turned=False)),
    "json_array_length": (None, json_functions.length_or(0)),
    "array_length": (None, functions.function("size", 1)),
    **dict.fromkeys(
        ("list_position", "list_indexof", "array_position", "array_indexof"),
        (None, array_functions.position_or(None)),
    ),
    "array_max": None,
    "array_min": None,
    "list_max": (None, array_functions.extreme("array_max", "greatest")),
    "list_min": (None, array_functions.extreme("array_min", "least")),
    **dict.fromkeys(("list_extract", "list_element", "array_extract"), (None, array_functions.extract)),
    "list_sum": (None, array_functions.total),
    "list_filter": (None, array_functions.filter_),
    "array_filter": (None, array_functions.filter_),
    "list_transform": (None, array_functions.transform),
    "list_value": (None, operators.array),
    "string_split": (None, own.split),
    "str_split": (None, own.split),
    "split": (None, own.split),
    "string_to_array": (None, own.split),
    # Dates and times.
    exp.Extract: (BINARY, own.extracted),
    "date_diff": (None, own.days_between),
    "datediff": (None, own.days_between),
    "date_sub": None,
    "datesub": None,
    "dayofweek": (None, times.named("DOW")),
    "weekday": (None, times.named("DOW")),
    "strptime": (None, calendars.read("timestamp", "strftime")),
    "epoch": (None, times.named("EPOCH")),
    "epoch_ms": (None, calendars.unix(1000)),
    "to_timestamp": (None, calendars.moment(1_000_000)),
    # DuckDB writes and reads times by strftime and strptime only.
    "to_char": None,
    "to_date": (None, calendars.read("date", most=1)),
    "try_to_date": (None, calendars.read("date", most=1)),
    "try_to_timestamp": (None, calendars.read("timestamp", most=1)),
}

# Operators of other engines, and what to write instead.
FOREIGN = {
    "<=>": "write IS NOT DISTINCT FROM",
    "RLIKE": "write regexp_matches(s, 'pattern')",
    "REGEXP": "write regexp_matches(s, 'pattern')",
    "~*": "write regexp_matches(s, 'pattern', 'i')",
    "!~*": "write NOT regexp_matches(s, 'pattern', 'i')",
    "#>": "write j -> 'a' -> 'b'",
    "#>>": "write j -> 'a' ->> 'b'",
    "`": "put names with special characters in double quotes",
}
