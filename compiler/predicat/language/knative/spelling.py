"""How the Subscriptions API spells its tests of one attribute."""

# The word of each operator.
TESTS = {"eq": "exact", "starts_with": "prefix", "ends_with": "suffix"}
OPERATORS = {word: op for op, word in TESTS.items()}
