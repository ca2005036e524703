"""The words of filter policies and event patterns, both ways."""

from predicat.ir.operators import COMPARISONS

NUMERIC = {op: row.sign for op, row in COMPARISONS.items() if row.sign != "<>"}
"""The signs in `numeric`."""
COMPARED = {sign: op for op, sign in NUMERIC.items()}
AFFIXES = {"starts_with": "prefix", "ends_with": "suffix"}
"""What a text begins or ends with."""
AFFIXED = {word: op for op, word in AFFIXES.items()}
EQUAL_IN_ANY_CASE = "equals-ignore-case"
