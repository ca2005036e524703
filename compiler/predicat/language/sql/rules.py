"""The rule table of SQL: how all SQL languages read each sqlglot node and each function.

A language of an engine lists only its differences, as `RULES` in its own folder
(`language/spark/differences.py`, `language/postgres/differences.py`).

To add a function: if it has the same spelling and meaning in all of them, add one row in `RULES` here. If
only one engine has it, or it has another meaning there, add one row in that engine's `RULES`; `None` there
removes a shared rule. The key is sqlglot's node class, or the name of the function in lower case.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from predicat.language.sql import (
    array_functions,
    calendars,
    functions,
    json_functions,
    lengths,
    now,
    number_functions,
    operators,
    pattern_functions,
    rows,
    text_functions,
    times,
)
from predicat.language.sql.node_reader import Key, Rule, RuleTable
from predicat.language.sql.shapes import BINARY, CAST, THIS

# The rule of each node, and of each function without one: the supported arguments of the node (None: any),
# and the function that reads it.
RULES: dict[Key, Rule] = {
    exp.And: (BINARY, operators.chain("and")),
    exp.Or: (BINARY, operators.chain("or")),
    exp.Not: (THIS, operators.unary("not")),
    exp.Paren: (THIS, operators.paren),
    exp.EQ: (BINARY, operators.equal),
    exp.NEQ: (BINARY, operators.unequal),
    exp.NullSafeEQ: (BINARY, rows.same),
    exp.NullSafeNEQ: (BINARY, rows.distinct),
    exp.Add: (BINARY, calendars.plus("add")),
    exp.Sub: (BINARY, calendars.plus("sub")),
    exp.Mul: (BINARY, lengths.alone(operators.binary("mul"))),
    exp.Div: (BINARY | {"typed", "safe"}, operators.binary("div")),
    exp.IntDiv: (BINARY, operators.binary("sql.div")),
    exp.Mod: (BINARY, operators.binary("mod")),
    exp.Neg: (THIS, operators.negative),
    exp.Abs: (THIS, operators.unary("abs")),
    exp.Floor: (THIS, operators.unary("floor")),
    exp.Ceil: (THIS, operators.unary("ceil")),
    exp.Literal: (frozenset({"this", "is_string"}), operators.literal),
    exp.Boolean: (THIS, operators.boolean),
    exp.Null: (frozenset(), operators.null),
    exp.Column: (frozenset({"this", "table", "db", "catalog"}), operators.column),
    exp.Identifier: (frozenset({"this", "quoted"}), operators.identifier),
    exp.Dot: (BINARY, operators.dot),
    exp.Placeholder: (THIS, operators.placeholder),
    exp.Between: (frozenset({"this", "low", "high", "symmetric"}), operators.between),
    exp.In: (frozenset({"this", "expressions", "field"}), operators.in_),
    exp.Is: (BINARY | {"negate"}, operators.is_),
    exp.Like: (BINARY | {"negate"}, operators.like("like")),
    exp.ILike: (BINARY | {"negate"}, operators.like("like_ci")),
    exp.Escape: (BINARY, operators.escape),
    exp.Case: (frozenset({"this", "ifs", "default"}), operators.case),
    exp.If: (frozenset({"this", "true", "false"}), operators.if_),
    exp.Coalesce: (frozenset({"this", "expressions"}), functions.function("coalesce")),
    exp.Nullif: (BINARY, functions.nullif),
    exp.Cast: (frozenset({"this", "to", "_type"}), times.cast),
    exp.TryCast: (CAST, times.cast),
    exp.Interval: (frozenset({"this", "unit"}), lengths.alone()),
    exp.CurrentTimestamp: (THIS, now.timestamp),
    exp.CurrentDate: (THIS, now.date),
    exp.Extract: (BINARY, times.extract),
    exp.AtTimeZone: (frozenset({"this", "zone"}), times.at_zone),
    exp.Trunc: (frozenset({"this", "decimals"}), calendars.trunc),
    exp.DateTrunc: (frozenset({"this", "unit"}), calendars.trunc),  # Spark's TRUNC
    exp.DayOfWeekIso: (THIS, times.named("ISODOW")),
    exp.YearOfWeek: (THIS, times.named("ISOYEAR")),
    exp.Hour: (THIS, times.part("hour")),
    exp.Minute: (THIS, times.part("minute")),
    exp.Second: (THIS, times.part("second")),
    exp.Lower: (THIS, operators.unary("lower")),
    exp.Upper: (THIS, operators.unary("upper")),
    exp.Length: (THIS, operators.unary("length")),
    exp.Trim: (frozenset({"this", "position", "expression"}), functions.trim),
    exp.Substring: (frozenset({"this", "start", "length"}), functions.substring),
    exp.Left: (BINARY, functions.left),
    exp.Right: (BINARY, functions.right),
    exp.StrPosition: (frozenset({"this", "substr"}), functions.position),
    exp.Replace: (frozenset({"this", "expression", "replacement"}), functions.function("replace", 3)),
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), operators.concat),
    exp.DPipe: (BINARY | {"safe"}, operators.concat),
    exp.StartsWith: (BINARY, operators.binary("starts_with")),
    exp.EndsWith: (BINARY, operators.binary("ends_with")),
    exp.Contains: (BINARY, operators.binary("contains")),
    exp.Bracket: (frozenset({"this", "expressions"}), operators.bracket("bracket")),
    exp.Exists: (BINARY, array_functions.quantified("any")),
    exp.ArrayContains: (BINARY, array_functions.contains),
    exp.ArraySize: (THIS, operators.unary("size")),
    exp.Array: (frozenset({"expressions"}), operators.array),
    "matches_filter": (None, operators.reference),
    **{name: (None, build) for name, build in calendars.AS_WRITTEN.items()},
    **{name: (None, build) for name, build in json_functions.AS_WRITTEN.items()},
    # By name: functions without a node in sqlglot, or with a node that differs between its versions.
    "div": (None, functions.function("sql.div", 2)),
    "size": (None, functions.function("size", 1)),
    "cardinality": (None, functions.function("size", 1)),
    "is_true": (None, functions.function("is_true", 1)),
    "contains": (None, functions.function("contains", 2)),
    "startswith": (None, functions.function("starts_with", 2)),
    "starts_with": (None, functions.function("starts_with", 2)),
    "endswith": (None, functions.function("ends_with", 2)),
    "ends_with": (None, functions.function("ends_with", 2)),
    "instr": (None, functions.function("position", 2)),
    "strpos": (None, functions.function("position", 2)),
    "octet_length": (None, functions.function("byte_count", 1)),
    "char_length": (None, functions.function("length", 1)),
    "isnull": (None, functions.is_null),
    "millisecond": (None, times.part("millisecond")),
    "now": (None, now.timestamp),
    "getdate": (None, now.timestamp),
    "transaction_timestamp": (None, now.timestamp),
    "statement_timestamp": (None, now.timestamp),
    "curdate": (None, now.date),
    "today": (None, now.date),
    "date_part": (None, times.date_part),
    "datepart": (None, times.date_part),
    "date": (None, times.conversion("date")),
    "btrim": (None, functions.btrim),
    "isnan": (None, functions.is_nan),
    "isnotnull": (None, functions.is_not_null),
    "nvl2": (None, functions.nvl2),
    "arrays_overlap": (None, functions.overlap),
    "split_part": (None, functions.split_part),
    "reverse": (None, functions.function("reverse", 1)),
    "greatest": (None, functions.function("greatest")),
    "least": (None, functions.function("least")),
    **text_functions.RULES,
    **array_functions.RULES,
    **pattern_functions.RULES,
    **number_functions.RULES,
    **json_functions.RULES,
}
# The names of the functions in RULES, in lower case, without predicat's own.
FUNCTIONS = [name for name in RULES if isinstance(name, str) and name not in ("is_true", "matches_filter")]
# Names that are suggested for a misspelt name.
KNOWN = [
    *FUNCTIONS,
    "coalesce",
    "nullif",
    "lower",
    "upper",
    "length",
    "substring",
    "trim",
    "replace",
    "abs",
    "concat",
    "left",
    "right",
    "quarter",
]


def rule_table(differences: Mapping[Key, Rule | None]) -> RuleTable:
    """The table of a language: the shared rules, extended and overridden by `differences`. None removes a
    shared rule.
    """
    own = {key: rule for key, rule in {**RULES, **differences}.items() if rule is not None}
    names = dict.fromkeys((*KNOWN, *(key for key in differences if isinstance(key, str))))
    gone = {key for key, rule in differences.items() if rule is None}
    return RuleTable(own, tuple(name for name in names if name not in gone))
