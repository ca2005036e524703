"""The rules of the `sql` language that differ from the shared rules of all SQL languages. Operators with
different results on Spark and PostgreSQL are ambiguous: the check decides by the types of their operands.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.language.sql import operators, times
from predicat.language.sql.node_reader import Key, Rule
from predicat.language.sql.shapes import BINARY, CAST

RULES: dict[Key, Rule | None] = {
    # `/` of integers is an integer division on PostgreSQL, and a division of doubles on Spark.
    exp.Div: (BINARY | {"typed", "safe"}, operators.binary("either_div")),
    # The cast of a double to an integer rounds on PostgreSQL, and truncates on Spark.
    exp.Cast: (CAST, times.either_cast),
    exp.TryCast: (CAST, times.either_cast),
    # Elements of an array count from 1 on PostgreSQL, from 0 on Spark.
    exp.Bracket: (frozenset({"this", "expressions"}), operators.bracket("either_bracket")),
    # A NULL part is skipped on PostgreSQL, and makes the result NULL on Spark.
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), operators.either_concat),
}
