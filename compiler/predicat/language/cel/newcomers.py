"""What CEL writes for what other languages write: hints for texts that are not CEL, and for functions that
CEL does not have. Source: the CEL language definition; functions of cel-go's libraries.
"""

from __future__ import annotations

import re

from predicat.language.cel.tokens import TEXT

_LIKE = "write x.startsWith('a'), x.endsWith('a'), x.contains('a') or x.matches('a.*')"
_CONVERT = "write string(x), int(x) or double(x)"
_TIME = "write timestamp('2026-01-31T00:00:00Z')"
# Names of functions elsewhere, with what CEL writes.
FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("has",), "write 'a' in list; has() takes a field selection, such as has(x.key)"),
    **dict.fromkeys(("len", "length", "count", "char_length"), "write size(x)"),
    **dict.fromkeys(("lower", "toLowerCase", "toLower", "lcase"), "write x.lowerAscii()"),
    **dict.fromkeys(("upper", "toUpperCase", "toUpper", "ucase"), "write x.upperAscii()"),
    **dict.fromkeys(("isEmpty", "empty", "is_empty"), "write size(x) == 0"),
    **dict.fromkeys(("equals", "eq"), "write x == y"),
    **dict.fromkeys(("any", "some"), "write list.exists(x, condition)"),
    **dict.fromkeys(("every",), "write list.all(x, condition)"),
    **dict.fromkeys(("coalesce", "ifnull", "nvl", "default"), "write x != null ? x : other"),
    **dict.fromkeys(("isNull", "is_null", "isnull"), "write x == null"),
    **dict.fromkeys(("defined", "exists", "isDefined", "notNull"), "write x != null"),
    **dict.fromkeys(("min", "least"), "write math.least(x, y)"),
    **dict.fromkeys(("max", "greatest"), "write math.greatest(x, y)"),
    **{name: f"write math.{name}(x)" for name in ("abs", "round", "ceil", "floor", "trunc", "sign")},
    **dict.fromkeys(("date", "datetime", "to_date", "to_timestamp"), _TIME),
    **dict.fromkeys(("year", "getYear"), "write x.getFullYear()"),
    **dict.fromkeys(("month",), "write x.getMonth(), which begins with 0"),
    **dict.fromkeys(("day", "dayofmonth", "getDay"), "write x.getDate()"),
    **dict.fromkeys(("hour",), "write x.getHours()"),
    **dict.fromkeys(
        ("regex_match", "regexMatch", "regex", "regexp_like", "rlike", "match", "test"),
        "write x.matches('pattern')",
    ),
    **dict.fromkeys(("equalsIgnoreCase",), "write x.lowerAscii() == 'a'"),
    **dict.fromkeys(("get",), "write map['key']"),
    **dict.fromkeys(("range",), "write x >= 1 && x < 5"),
    **dict.fromkeys(("like", "ilike"), _LIKE),
    **dict.fromkeys(("xor",), "write x != y"),
    **dict.fromkeys(("not",), "write !(condition)"),
    **dict.fromkeys(("substr",), "write x.substring(start, end)"),
    **dict.fromkeys(("concat",), "write x + y"),
    **dict.fromkeys(("mod",), "write x % y"),
    **dict.fromkeys(("cast", "toString", "str", "toInt", "parseInt", "toNumber", "parseFloat"), _CONVERT),
}

# What stands in texts of other languages, lower case, outside of strings.
_TEXTS: list[tuple[str, str]] = [
    (r"\bis\s+not\s+null\b", "write x != null"),
    (r"\bis\s+null\b", "write x == null"),
    (r"\bis\s+(?:not\s+)?(?:true|false)\b", "write x == true"),
    (r"\bnot\s+in\b", "write !(x in ['a', 'b'])"),
    (r"\bin\s*[({]", "a list has brackets: x in ['a', 'b']"),
    (r"\b(?:i?like|similar\s+to)\b", _LIKE),
    (r"\bbetween\b|\d\.\.\d", "write x >= 1 && x <= 5"),
    (r"(?:&&|\|\|)\s*[<>=!]=?\s*[\d'\"]", "name the field again: x >= 1 && x <= 5"),
    (r"<>", "write x != y"),
    (r"===|!==", "write == or !="),
    (r"~", "write x.matches('pattern')"),
    (r"=<|=>\s*(?:\d|'')", "write <= or >="),
    (r"=>|->", "a macro names its variable first: list.exists(x, x > 3)"),
    (r"\?\?|\?:", "write x != null ? x : other"),
    (r"\bif\s*\(|\bcase\s+when\b", "write condition ? this : that"),
    (r"\*\*|\^", "write x * x"),
    (r"\bcast\s*\(", _CONVERT),
    (r"\blet\b", "write the value where it is used"),
    (r"\b(?:and|or|not)\b", "write && for and, || for or, ! for not"),
    (r"(?<![=!<>])=(?!=)", "write == to compare"),
    (r"(?<!&)&(?!&)|(?<!\|)\|(?!\|)", "write && for and, || for or"),
    (r"\A\s*select\b", "write the condition alone, such as x > 3"),
    (r"\d[\d]*,\d{3}\b|\d_\d", "write a number without separators: 1000"),
    (r"\d\s*%\s*(?:\Z|\)|&&|\|\|)", "write the share as a number: 0.1 for 10 %"),
    (r";\s*\Z", "leave out the semicolon"),
    (r";", "a filter is one condition: join two with &&"),
    (r"[$@]\w|[=<>]\s*:\w|\{\{", "write the name of a field or parameter without a mark"),
    (r"#|--", "a comment begins with //"),
]
_STRING = re.compile(TEXT, re.DOTALL)
_PATTERNS = [(re.compile(pattern), hint) for pattern, hint in _TEXTS]
_ESCAPE = "a backslash begins an escape: write r'\\d+', or '\\\\d+'"


def hint_for(text: str, reason: str) -> str | None:
    """A hint for a text that the parser does not take, and its reason; None if nothing is known."""
    plain = _STRING.sub("''", text)
    if "token recognition error" in reason and re.search(r"['\"]\\|\\[dswbDSWB.]", reason + text):
        return _ESCAPE
    if plain.count("'") % 2 or plain.count('"') % 2:
        return "end the string with a quote; a quote in it has a backslash before it: 'it\\'s'"
    found = next((hint for pattern, hint in _PATTERNS if pattern.search(plain.lower())), None)
    if found is None and "'<EOF>'" in reason:
        return "something is missing at the end, such as ) or ]"
    return found
