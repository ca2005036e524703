"""The words of filter policies and event patterns, both ways."""

from predicat.ir.operators import COMPARISONS

# The signs in `numeric`.
NUMERIC = {op: row.sign for op, row in COMPARISONS.items() if row.sign != "<>"}
COMPARED = {sign: op for op, sign in NUMERIC.items()}
# What a text begins or ends with.
AFFIXES = {"starts_with": "prefix", "ends_with": "suffix"}
AFFIXED = {word: op for op, word in AFFIXES.items()}
EQUAL_IN_ANY_CASE = "equals-ignore-case"
