"""The spelling of PeeGeeQ's tests of one header, and the valid names of headers."""

import re

# The word of each operator.
TESTS = {"eq": "headerEquals", "ne": "headerNotEquals", "in": "headerIn", "like": "headerLike"}
OPERATORS = {word: op for op, word in TESTS.items()}
KEY = re.compile(r"[A-Za-z0-9_.-]{1,255}\Z")
