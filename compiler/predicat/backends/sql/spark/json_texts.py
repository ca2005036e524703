r"""Spark: JSON in strings.

`try_parse_json` ignores text after the first value. So the string is parsed both as an element of an array
and as a member of an object: no text can close both early. `try_parse_json` rejects duplicate keys, keys and
numbers that are too long, and unpaired surrogates, but accepts the character NUL.
"""

from predicat.backends.sql.common import json_texts

_PLAIN = r"""REGEXP_REPLACE(REGEXP_REPLACE(__s, '(?s)\\\\.', '..'), '"[^"]*"', '""')"""
_LEVELS = rf"""
AGGREGATE(REGEXP_EXTRACT_ALL({_PLAIN}, '[\\[\\]{{}}]', 0), 0,
  (`__a`, `__c`) -> CASE WHEN `__a` > __levels THEN `__a`
    WHEN `__c` IN ('[', '{{') THEN `__a` + 1 ELSE `__a` - 1 END)
"""
_KEYS = r"""
REGEXP_EXTRACT_ALL(REGEXP_REPLACE(__s, '(?s)\\\\.', '..'), '"[^"]*"(?:[ \\t\\n\\r]*:)?', 0)
"""
_JSON = rf"""
CASE WHEN OCTET_LENGTH(__s) <= __bytes
  AND (NOT CONTAINS(__s, '\\u0000') OR NOT __s RLIKE '(?<!\\\\)(?:\\\\\\\\)*\\\\u0000')
  AND (NOT __s RLIKE '[eE][-+]?[0-9]{{5}}' OR NOT {_PLAIN} RLIKE '[eE][-+]?[0-9]{{5}}')
  AND (OCTET_LENGTH(__s) <= 2 * __levels OR {json_texts.OPEN} <= __levels OR {_LEVELS} <= __levels)
  AND (OCTET_LENGTH(__s) <= __key OR NOT EXISTS({_KEYS},
    `__k` -> ENDSWITH(`__k`, ':') AND LENGTH(RTRIM(': \t\n\r', `__k`)) > __key + 2))
  AND NOT TRY_PARSE_JSON('{{"a":' || __s || '}}') IS NULL
  THEN TRY_VARIANT_GET(TRY_PARSE_JSON('[' || __s || ']'), '$[0]', 'variant') END
"""
parse_json = json_texts.parse("spark", _JSON)
