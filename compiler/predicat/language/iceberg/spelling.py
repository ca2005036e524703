"""The words of Iceberg's expressions."""

# The comparisons, and the word of each.
COMPARED = {
    "eq": "eq",
    "ne": "not-eq",
    "lt": "lt",
    "le": "lt-eq",
    "gt": "gt",
    "ge": "gt-eq",
    "starts_with": "starts-with",
}
# The tests without a value: the operator of each, and whether it is negated.
UNARY = {
    "is-null": ("is_null", False),
    "not-null": ("is_null", True),
    "is-nan": ("is_nan", False),
    "not-nan": ("is_nan", True),
}
# The tests of a value, or of several: the operator of each, and whether it is negated.
OF_VALUES = {
    **{word: (op, False) for op, word in COMPARED.items() if op != "ne"},
    "not-eq": ("eq", True),
    "not-starts-with": ("starts_with", True),
}
OF_LISTS = {"in": ("in", False), "not-in": ("in", True)}
