r"""PostgreSQL: JSON in strings.

A cast to jsonb raises an error for a string that is not JSON, and before PostgreSQL 16 no function tests
this. So the SQL splits the string at its double quotes. The parts inside quotes are tested with one pattern.
The parts between them are joined, with the character U+0001 in place of each JSON string, and each number or
word replaced by 0. A loop then replaces each innermost array or object by 0, until a single value is left.
The cast is around the CASE: PostgreSQL would evaluate a cast of a constant inside it at plan time, and fail.

jsonb keeps only the last of duplicate keys: the document then has fewer colons outside quotes than the
string.
"""

from predicat.backends.sql.common import json_texts

_HEX = "[0-9a-fA-F]"
_UNIT = (
    f"(?:[1-9a-cefA-CEF]{_HEX}{{3}}|0[1-9a-fA-F]{_HEX}{{2}}|00[1-9a-fA-F]{_HEX}|000[1-9a-fA-F]"
    f"|[dD][0-7]{_HEX}{{2}})"
)
_PAIR = rf"[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
_WITHIN = rf"^(?:[^\\\u0001-\u001f]|\\[/bfnrt]|\\u{_UNIT}|\\u{_PAIR})*$"
_SCALAR = r"-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][-+]?[0-9]{1,4})?|true|false|null"
_VALUE = r"[0\u0001]"
_MEMBER = rf"\u0001:{_VALUE}"
_NESTED = rf"\[(?:{_VALUE}(?:,{_VALUE})*)?\]|\{{(?:{_MEMBER}(?:,{_MEMBER})*)?\}}"
_SPLIT = r"""STRING_TO_ARRAY(REPLACE(REPLACE({}, '\\', '..'), '\"', '..'), '"')"""
_EVERY_OTHER = """
ARRAY_TO_STRING(ARRAY(SELECT __t FROM UNNEST({}) WITH ORDINALITY AS __k(__t, __n)
  WHERE __n % 2 = {} ORDER BY __n), {})
"""
_COLONS = "LENGTH({0}) - LENGTH(REPLACE({0}, ':', ''))"
HAS_SHORT_KEYS = r"""
(OCTET_LENGTH(__s) <= __key OR NOT EXISTS (
  SELECT 1
  FROM (SELECT STRING_TO_ARRAY(REPLACE(REPLACE(__s, '\\', '..'), '\"', '..'), '"') AS __p OFFSET 0) AS __q,
    UNNEST(__p) WITH ORDINALITY AS __k(__t, __n)
  WHERE __n % 2 = 0 AND LENGTH(__t) > __key AND __p[__n + 1] ~ '^[ \t\n\r]*:'))
"""
_IS_SHORT = rf"""
{HAS_SHORT_KEYS} AND (OCTET_LENGTH(__s) <= __digits OR NOT __s ~ '[0-9]{{250}}'
  OR NOT __o ~ '(?:[-+.0-9eE]{{200}}){{5}}[-+.0-9eE]')
"""
_IS_JSON = rf"""
(WITH RECURSIVE __r(__t, __n) AS (
  SELECT TRANSLATE(REGEXP_REPLACE(__o, '{_SCALAR}', '0', 'g'), ' ' || CHR(9) || CHR(10) || CHR(13), ''), 0
  UNION ALL
  SELECT REGEXP_REPLACE(__t, '{_NESTED}', '0', 'g'), __n + 1 FROM __r
  WHERE __n < __levels AND __t ~ '{_NESTED}')
SELECT __t ~ '^{_VALUE}$' FROM __r ORDER BY __n DESC LIMIT 1)
"""
_JSON = rf"""
(SELECT CASE WHEN {_COLONS.format("__o")} = (SELECT {_COLONS.format("__w")}
    FROM (SELECT {_EVERY_OTHER.format(_SPLIT.format("CAST(__j AS TEXT)"), 1, "''")} AS __w OFFSET 0) AS __y)
  THEN __j END
  FROM (SELECT __o, CAST(CASE WHEN __c % 2 = 1 AND STRPOS(__s, CHR(1)) = 0 AND __i ~ '{_WITHIN}'
      AND {_IS_SHORT} THEN CASE WHEN {_IS_JSON} THEN __s END END AS JSONB) AS __j
    FROM (SELECT {_EVERY_OTHER.format("__p", 1, "CHR(1)")} AS __o,
        {_EVERY_OTHER.format("__p", 0, "' '")} AS __i, CARDINALITY(__p) AS __c
      FROM (SELECT {_SPLIT.format("__s")} AS __p WHERE OCTET_LENGTH(__s) <= __bytes OFFSET 0) AS __a
      OFFSET 0) AS __b OFFSET 0) AS __x)
"""
parse_json = json_texts.parse("postgres", _JSON)
