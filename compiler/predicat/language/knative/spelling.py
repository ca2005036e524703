"""How the Subscriptions API spells its tests of one attribute."""

TESTS = {"eq": "exact", "starts_with": "prefix", "ends_with": "suffix"}
"""The word of each operator."""
OPERATORS = {word: op for op, word in TESTS.items()}
