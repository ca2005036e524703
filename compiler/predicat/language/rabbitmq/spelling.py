"""The field that a binding key tests, its maximum length and its wildcards."""

MAX_BYTES = 255
FIELD = "routing_key"
# Wildcards as regular expressions. Each word includes the dot before it, so that `#` can match no word. An
# empty key has no words.
PIECES = {"*": r"\.[^.]*", "#": r"(?:\.[^.]*)*"}
