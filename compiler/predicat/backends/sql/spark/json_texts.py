r"""Spark: the JSON in a text.

`try_parse_json` takes what follows the first value of a text. The text is one value if it is JSON as an
element of an array and as a member of an object: nothing ends both. It refuses one key twice, longer keys and
numbers than those of the limits, and half of a surrogate pair, but not the character NUL.
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
