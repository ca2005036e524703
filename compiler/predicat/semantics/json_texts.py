"""JSON in strings: which strings are valid JSON, and their values.

It is RFC 8259 without the documents that engines read differently or not at all. These are NULL: an object
with a duplicate key, the character NUL, a lone surrogate, and whatever exceeds the limits below.
"""

from __future__ import annotations

import json
import re
from typing import Any

# The bytes of the longest document: Spark's VARIANT holds 16 MB.
MOST_BYTES = 2_000_000
# The deepest nesting of arrays and objects.
MOST_LEVELS = 100
# The characters of the longest key, as it is written.
LONGEST_KEY = 50_000
# The characters of the longest number.
LONGEST_NUMBER = 1_000

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"([ \t\n\r]*:)?', re.DOTALL)
_LARGE_NUMBER = re.compile(rf"[eE][+-]?[0-9]{{5}}|[-+.0-9eE]{{{LONGEST_NUMBER + 1}}}")
_OTHER_ESCAPE = re.compile(r"\\[^u]", re.DOTALL)
_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_NO_CHARACTER = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def parse(text: str) -> Any:
    """The Python value of JSON in a string. None for JSON null, and for a string that is not JSON."""
    if not _is_within_limits(text) or not _has_characters(text):
        return None
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except ValueError:
        return None


def _is_within_limits(text: str) -> bool:
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        return False
    plain = _TEXT.sub("", text)
    if _LARGE_NUMBER.search(plain):
        return False
    if len(text) > LONGEST_KEY and any(
        match[2] and len(match[1]) > LONGEST_KEY for match in _KEY.finditer(text)
    ):
        return False
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", plain):
        depth += 1 if bracket in "[{" else -1
        if depth > MOST_LEVELS:
            return False
    return True


def _has_characters(text: str) -> bool:
    """Whether each escape is a character that all engines support."""
    return "\\u" not in text or not _NO_CHARACTER.search(_PAIR.sub("x", _OTHER_ESCAPE.sub("x", text)))


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(members)
    if len(result) < len(members):
        raise ValueError
    return result


def _no_constant(word: str) -> Any:
    """Refuse NaN and Infinity, which Python would read."""
    raise ValueError(word)
