"""What PostgreSQL has instead of the rules that all SQL languages share (`language/sql/rules.py`).

To add a function that PostgreSQL alone has, or that means something else there: one row, by sqlglot's class
of its node or by its name in small letters. None takes a shared rule away.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.language.sql import operators, times
from predicat.language.sql.rules import Key, Rule

_CAST = frozenset({"this", "to", "_type", "safe"})
_TEXT = frozenset({"this"})

RULES: dict[Key, Rule | None] = {
    # A double is rounded, half to even, and a whole number has the range of its type.
    exp.Cast: (_CAST, times.engine_cast("to_rounded_int")),
    exp.TryCast: None,
    # Elements of an array count from 1.
    exp.Bracket: (frozenset({"this", "expressions"}), operators.bracket("bracket1")),
    # CONCAT skips NULL; || does not.
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), operators.concat_present),
    exp.ByteString: (_TEXT, operators.text),
    exp.RawString: (_TEXT, operators.text),
}
