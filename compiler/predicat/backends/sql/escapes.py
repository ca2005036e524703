r"""String literals of PostgreSQL and DuckDB with control characters, written as escapes: `E' \t\n'`.

A raw tab, carriage return or line feed may get lost in editors, terminals and version control.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# A quoted name, a string literal with escapes, or a plain string literal.
_QUOTED = re.compile(r"""(?:"[^"]*")|(?<![\w"])E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'""", re.DOTALL)
_CONTROL = re.compile(r"[\x01-\x1f\x7f]")
_NAMES = {"\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r"}


def with_escapes(*, of_backslashes: bool) -> Callable[[str], str]:
    """A function that writes string literals with control characters in SQL with escapes. With
    `of_backslashes` also those with a backslash: settings of a PostgreSQL session may make it an escape.
    """

    def escaped(match: re.Match[str]) -> str:
        quoted = match[0]
        special = _CONTROL.search(quoted) is not None or (of_backslashes and "\\" in quoted)
        if quoted[0] != "'" or not special:
            return quoted
        return "E" + _CONTROL.sub(_escape, quoted.replace("\\", "\\\\"))

    def result(sql: str) -> str:
        needed = (of_backslashes and "\\" in sql) or _CONTROL.search(sql) is not None
        return _QUOTED.sub(escaped, sql) if needed else sql

    return result


def _escape(match: re.Match[str]) -> str:
    return _NAMES.get(match[0]) or f"\\x{ord(match[0]):02x}"
