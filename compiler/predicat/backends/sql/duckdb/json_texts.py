r"""DuckDB: JSON in strings.

`json_valid` also accepts NaN, infinity, a trailing comma, and the character NUL. So the letters outside
quotes are tested as well: only those of `true`, `false`, `null` and exponents are allowed.
"""

from predicat.backends.sql.builders import string_literal
from predicat.backends.sql.common import json_texts

_PLAIN = r"""REGEXP_REPLACE(__s, '"(?:[^"\\]|\\.)*"', '""', 'gs')"""
_ODD = r"[iI]|[nN][aA]|,[ \t\n\r]*[]}]|[eE][-+]?[0-9]{5}|[-+.0-9eE]{__digits}[-+.0-9eE]"
# What is odd between texts has one of these forms, which are rare within texts.
_PERHAPS_ODD = (
    r"(?:^|[[,:\s])-?(?i:nan|inf|infinity)\s*(?:[],}]|$)|,\s*[]}]|[0-9][eE][-+]?[0-9]{5}|[0-9]{250}"
)
_LEVELS = rf"""
LIST_REDUCE(LIST_PREPEND(0, LIST_TRANSFORM(REGEXP_EXTRACT_ALL({_PLAIN}, '[][{{}}]', 0, 's'),
    LAMBDA "__c" : CASE WHEN "__c" IN ('[', '{{') THEN 1 ELSE -1 END)),
  LAMBDA "__a", "__b" : CASE WHEN "__a" > __levels THEN "__a" ELSE "__a" + "__b" END)
"""
_OPEN = json_texts.OPEN.replace("OCTET_LENGTH", "STRLEN")
_KEYS = r"""REGEXP_EXTRACT_ALL(__s, '"(?:[^"\\]|\\.)*"(?:[ \t\n\r]*:)?', 0, 's')"""
_JSON = rf"""
CASE WHEN STRLEN(__s) <= __bytes THEN CASE WHEN JSON_VALID(__s) THEN
  CASE WHEN CASE WHEN REGEXP_MATCHES(__s, '{_PERHAPS_ODD}')
      THEN NOT REGEXP_MATCHES({_PLAIN}, '{_ODD}') ELSE TRUE END
    AND CASE WHEN CONTAINS(__s, '\u0000')
      THEN NOT REGEXP_MATCHES(__s, '(?:^|[^\\])(?:\\\\)*\\u0000') ELSE TRUE END
    AND NOT LIST_BOOL_OR(LIST_TRANSFORM(JSON_KEYS('[' || __s || ']', __all),
      LAMBDA "__k" : LEN("__k") > LEN(LIST_DISTINCT("__k"))))
    AND CASE WHEN STRLEN(__s) > 2 * __levels AND {_OPEN} > __levels
      THEN {_LEVELS} <= __levels ELSE TRUE END
    AND CASE WHEN STRLEN(__s) > __key THEN NOT LIST_BOOL_OR(LIST_TRANSFORM({_KEYS},
      LAMBDA "__k" : RIGHT("__k", 1) = ':' AND LENGTH(RTRIM("__k", E': \t\n\r')) > __key + 2)) ELSE TRUE END
  THEN JSON_EXTRACT(CAST(__s AS JSON), '$') END END END
"""
parse_json = json_texts.parse("duckdb", _JSON, __all=string_literal("$..*"))
