"""PostgreSQL: the function of the runtime that parses a string as JSON.

From PostgreSQL 16 on, `pg_input_is_valid` and `IS JSON` test whether a string is JSON. Only a function may
use them: SQL without functions is the same for all servers. They need more stack for deeper nesting.
"""

from __future__ import annotations

from collections.abc import Iterator

from predicat.backends.sql.common import json_texts
from predicat.backends.sql.functions import PARSE_JSON
from predicat.backends.sql.postgres import POSTGRES
from predicat.backends.sql.postgres.definition import Definition
from predicat.backends.sql.postgres.json_texts import HAS_SHORT_KEYS

# The most opening brackets in a string that the engine parses: its stack is enough for about 10,000.
_MOST_OPEN = 2000
_OPEN = json_texts.OPEN.replace("__s", "s")
_HAS_USUAL_NUMBERS = "s !~ '[0-9][eE][-+]?[0-9]{5}|[0-9]{250}'"
_IS_USUAL = f"""
OCTET_LENGTH(s) <= __key AND {_HAS_USUAL_NUMBERS} AND (OCTET_LENGTH(s) <= 2 * __levels OR {_OPEN} <= __levels)
"""
_IS_WIDE = f"OCTET_LENGTH(s) <= __bytes AND {_HAS_USUAL_NUMBERS} AND {_OPEN} <= {_MOST_OPEN}"
_IS_VALID = "pg_input_is_valid(s, 'jsonb') AND s IS JSON WITH UNIQUE KEYS"
_DEEP = """'strict $.**{__levels} ? (@.type() == "array" || @.type() == "object")'"""
_WIDE = f"""
SELECT CASE WHEN NOT jsonb_path_exists(j, {_DEEP}) THEN j END
FROM (SELECT CAST(CASE WHEN {_IS_VALID} THEN s END AS jsonb) AS j OFFSET 0) AS x
"""


def definitions() -> Iterator[Definition]:
    """The functions for PostgreSQL 16. Ordinary strings need no loop, only the engine's own test."""
    loop = POSTGRES.text(POSTGRES.tree(PARSE_JSON))
    keys = POSTGRES.text(json_texts.tree("postgres", HAS_SHORT_KEYS.replace("__s", "s")).copy())
    exact = json_texts.limited(f"CASE WHEN {_IS_WIDE} AND {keys} THEN ({_WIDE}) ELSE {loop} END")
    usual = f"CASE WHEN {_IS_USUAL} THEN CASE WHEN {_IS_VALID} THEN s END END"
    other = f"CASE WHEN NOT ({_IS_USUAL}) THEN predicat.exact_parse_json(s) END"
    body = json_texts.limited(f"COALESCE(CAST({usual} AS jsonb), {other})")
    note = "the JSON in s, NULL if s is no JSON"
    for name, sql in (("exact_parse_json", exact), ("parse_json", body)):
        yield Definition(name, "s text", "jsonb", sql.replace("\n", " "), note, stable=True)
