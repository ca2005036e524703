"""The rules of the `sql` language that differ from the shared rules of all SQL languages. If Spark and
PostgreSQL have different results, the operators tell so (`say.ambiguous`), and the check looks at the types.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.language.sql import operators, times
from predicat.language.sql.node_reader import Key, Rule
from predicat.language.sql.shapes import BINARY, CAST

RULES: dict[Key, Rule | None] = {
    # Of integers: an integer division on PostgreSQL, a division of doubles on Spark.
    exp.Div: (BINARY | {"typed", "safe"}, operators.binary("either_div")),
    # A double becomes an integer: it is rounded on PostgreSQL, and truncated on Spark.
    exp.Cast: (CAST, times.either_cast),
    exp.TryCast: (CAST, times.either_cast),
    # Elements of an array count from 1 on PostgreSQL, from 0 on Spark.
    exp.Bracket: (frozenset({"this", "expressions"}), operators.bracket("either_bracket")),
    # A NULL part is skipped on PostgreSQL, and makes the result NULL on Spark.
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), operators.either_concat),
}
