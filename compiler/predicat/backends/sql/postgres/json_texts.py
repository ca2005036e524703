r"""PostgreSQL: the JSON in a text.

A cast to jsonb raises an error for a text that is no JSON, and before PostgreSQL 16 no function says which
texts these are. So the test is a loop of regular expressions: texts become the character 1, numbers and words
0; then arrays and objects of such values become 0, from the inside out, until nothing is left but one value.
The cast is around the CASE. One inside would be worked out, and fail, where the text is a constant.

jsonb keeps the last of two equal keys, so the document then has fewer colons between its texts than the text.
"""

from __future__ import annotations

from predicat.backends.sql import json_texts

_HEX = "[0-9a-fA-F]"
_UNIT = (
    f"(?:[1-9a-cefA-CEF]{_HEX}{{3}}|0[1-9a-fA-F]{_HEX}{{2}}|00[1-9a-fA-F]{_HEX}|000[1-9a-fA-F]"
    f"|[dD][0-7]{_HEX}{{2}})"
)
_PAIR = rf"[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
_STRING = rf'"(?:[^"\\\u0001-\u001f]|\\["\\/bfnrt]|\\u{_UNIT}|\\u{_PAIR})*"'
_ANY_STRING = r'"(?:[^"\\]|\\.)*"'
_SCALAR = r"-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][-+]?[0-9]{1,4})?|true|false|null"
_VALUE = r"[0\u0001]"
_NESTED = rf"\[(?:{_VALUE}(?:,{_VALUE})*)?\]|\{{(?:\u0001:{_VALUE}(?:,\u0001:{_VALUE})*)?\}}"
_WITHOUT_TEXTS = f"REGEXP_REPLACE({{}}, '{_ANY_STRING}', '', 'g')"
_COLONS = "LENGTH({0}) - LENGTH(REPLACE({0}, ':', ''))"
HAS_SHORT_KEYS = r"""
(OCTET_LENGTH(__s) <= __key OR NOT EXISTS (
  SELECT 1
  FROM (SELECT STRING_TO_ARRAY(REPLACE(REPLACE(__s, '\\', '..'), '\"', '..'), '"') AS __p OFFSET 0) AS __q,
    UNNEST(__p) WITH ORDINALITY AS __k(__t, __n)
  WHERE __n % 2 = 0 AND LENGTH(__t) > __key AND __p[__n + 1] ~ '^[ \t\n\r]*:'))
"""
_IS_SHORT = rf"""
OCTET_LENGTH(__s) <= __bytes AND {HAS_SHORT_KEYS}
  AND (OCTET_LENGTH(__s) <= __digits OR NOT __s ~ '[0-9]{{250}}'
    OR NOT {_WITHOUT_TEXTS.format("__s")} ~ '(?:[-+.0-9eE]{{200}}){{5}}[-+.0-9eE]')
"""
_IS_JSON = rf"""
(WITH RECURSIVE __r(__t, __n) AS (
  SELECT REGEXP_REPLACE(REGEXP_REPLACE(REGEXP_REPLACE(__s, '{_STRING}', CHR(1), 'g'),
    '{_SCALAR}', '0', 'g'), '[ \t\n\r]+', '', 'g'), 0
  UNION ALL
  SELECT REGEXP_REPLACE(__t, '{_NESTED}', '0', 'g'), __n + 1 FROM __r
  WHERE __n < __levels AND __t ~ '{_NESTED}')
SELECT __t ~ '^{_VALUE}$' FROM __r ORDER BY __n DESC LIMIT 1)
"""
_JSON = rf"""
(SELECT CASE WHEN {_COLONS.format(_WITHOUT_TEXTS.format("__s"))}
    = {_COLONS.format(_WITHOUT_TEXTS.format("CAST(__j AS TEXT)"))} THEN __j END
  FROM (SELECT CAST(CASE WHEN {_IS_SHORT} THEN CASE WHEN STRPOS(__s, CHR(1)) = 0 THEN
    CASE WHEN {_IS_JSON} THEN __s END END END AS JSONB) AS __j OFFSET 0) AS __x)
"""
parse_json = json_texts.parse("postgres", _JSON)
