r"""PostgreSQL: the documents of a `json` column, which is the text of them.

Its cast to jsonb raises an error for what only jsonb lacks: `\u0000`, half a surrogate pair, and numbers
beyond its range. Such documents are NULL. Most texts have nothing that looks so; of others the escapes are
tested without those before them, and the numbers without the strings.
"""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp, parse_one

from predicat.backends.sql.builders import Sql

_HALF = r"\\u(?:0000|[dD][89a-fA-F])"
_ESCAPED = r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]"
_STRING = r'"(?:[^"\\]|\\.)*"'
_EXPONENT = "[eE][-+]?[0-9]{5}"
_LONG = "(?:[-+.0-9eE]{250}){4}"
_MOST_BYTES = 16_777_216
_READ = rf"""
CASE WHEN OCTET_LENGTH(x::text) <= {_MOST_BYTES}
  AND (STRPOS(x::text, '\u') = 0 OR NOT REGEXP_REPLACE(x::text, '{_ESCAPED}', ' ', 'g') ~ '{_HALF}')
  AND (NOT x::text ~ '{_EXPONENT}' OR NOT REGEXP_REPLACE(x::text, '{_STRING}', '', 'g') ~ '{_EXPONENT}')
  AND (OCTET_LENGTH(x::text) < 1000 OR NOT x::text ~ '[0-9]{{250}}'
    OR NOT REGEXP_REPLACE(x::text, '{_STRING}', '', 'g') ~ '{_LONG}') THEN x::jsonb END
"""


@lru_cache(1)
def _read() -> Sql:
    return parse_one(_READ, dialect="postgres")


def documents(column: Sql) -> Sql:
    """The jsonb of a `json` column; NULL for a document that jsonb cannot have."""
    result = _read().copy()
    for part in list(result.find_all(exp.Column)):
        part.replace(column.copy())
    return result
