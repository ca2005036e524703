"""The operators of the Pulsar proposal "Message filtering expression", for reading and writing."""

COMPARISONS = {
    "eq": "EQUALS",
    "ne": "NOT_EQUALS",
    "gt": "GREATER_THAN",
    "ge": "GREATER_THAN_EQUALS",
    "lt": "LESS_THAN",
    "le": "LESS_THAN_EQUALS",
}
IN = {"in": "IN"}
# Tests of strings.
TEXTS = {
    "starts_with": "STARTS_WITH",
    "starts_with_ci": "STARTS_WITH_IGNORE_CASE",
    "contains": "CONTAINS",
    "contains_ci": "CONTAINS_IGNORE_CASE",
}
# Operators that are the negation of another.
NEGATIONS = {
    "EQUALS": "NOT_EQUALS",
    "IN": "NOT_IN",
    "CONTAINS": "DOES_NOT_CONTAIN",
    "CONTAINS_IGNORE_CASE": "DOES_NOT_CONTAIN_IGNORE_CASE",
    "CONTAINS_ANY": "CONTAINS_NONE",
}
# The type of the values that a property is converted to.
CONVERSIONS = {"to_int": "LONG", "to_double": "DOUBLE"}
REFS = ("event_time", "publish_time")

COMPARED = {word: op for op, word in COMPARISONS.items()}
# Operators of the later numbering only.
_LATER = {"LIKE": ("like", False), "NOT_LIKE": ("like", True)}
_TESTED = {**{word: op for op, word in TEXTS.items()}, "CONTAINS_ANY": "contains"}
# The operator of each test of strings, and whether it is negated.
TESTED = {
    **{word: (op, False) for word, op in _TESTED.items()},
    **{NEGATIONS[word]: (op, True) for word, op in _TESTED.items() if word in NEGATIONS},
    **_LATER,
}
