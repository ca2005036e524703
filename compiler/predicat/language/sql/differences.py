"""What the `sql` language has instead of the rules that all SQL languages share: where Spark and PostgreSQL
give different values, the operators say so (`say.ambiguous`), and the check asks the types.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.language.sql import operators, times
from predicat.language.sql.node_reader import Key, Rule
from predicat.language.sql.shapes import BINARY, CAST

RULES: dict[Key, Rule | None] = {
    # Of whole numbers: without a rest on PostgreSQL, as doubles on Spark.
    exp.Div: (BINARY | {"typed", "safe"}, operators.binary("either_div")),
    # A double becomes a whole number: it is rounded on PostgreSQL, and cut on Spark.
    exp.Cast: (CAST, times.either_cast),
    exp.TryCast: (CAST, times.either_cast),
    # Elements of an array count from 1 on PostgreSQL, from 0 on Spark.
    exp.Bracket: (frozenset({"this", "expressions"}), operators.bracket("either_bracket")),
    # A part that is NULL is skipped on PostgreSQL, and makes the whole NULL on Spark.
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), operators.either_concat),
}
