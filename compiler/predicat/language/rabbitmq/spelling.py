"""What a binding key reads, how long it may be, and its wildcards."""

MAX_BYTES = 255
FIELD = "routing_key"
PIECES = {"*": r"\.[^.]*", "#": r"(?:\.[^.]*)*"}
"""Wildcards as patterns. Each word carries the dot before it, so that `#` may match no word at all; an
empty key has no words.
"""
