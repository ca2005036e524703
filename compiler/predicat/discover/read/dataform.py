"""SQL of Dataform (`.sqlx`) without the JavaScript in it: a table that it names is a relation, other code a
parameter.
"""

import re

from predicat.diagnostics import Source
from predicat.discover.read.residues import parameter_of
from predicat.discover.read.written import replaced

_MOST_DEEP = 6
_INNER = "[^{}]*"
for _ in range(_MOST_DEEP):
    _INNER = rf"(?:[^{{}}]|\{{{_INNER}\}})*"
_SETTINGS = re.compile(rf"^[ \t]*(?:config|js)\s*\{{{_INNER}\}}", re.MULTILINE)
_OPERATIONS = re.compile(rf"^[ \t]*(?:pre|post)_operations\s*\{{(?P<sql>{_INNER})\}}", re.MULTILINE)
# What separates statements, and would be a comment.
_SEPARATOR = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_CODE = re.compile(rf"\$\{{({_INNER})\}}")
_REFERENCE = re.compile(r"\s*(?:ctx\.)?(?:ref|resolve)\((.*)\)\s*", re.DOTALL)
_SELF = re.compile(r"\s*(?:ctx\.)?self\(\)\s*")
_NAMED = re.compile(r"(database|schema|name)\s*:\s*[\"'`]([^\"'`]+)[\"'`]")
_TEXT = re.compile(r"[\"'`]([^\"'`]+)[\"'`]")
# SQL of a run that adds rows, as `is_incremental()` of dbt is true.
_WHEN = re.compile(r"\s*(?:ctx\.)?when\(\s*(?:ctx\.)?incremental\(\)\s*,\s*`([^`]*)`.*\)\s*", re.DOTALL)


def plain(source: Source, own: str) -> Source:
    """The SQL of a file, which knows its places. `own` is the relation that the file makes."""
    result = replaced(source, _SETTINGS, lambda _: " ")
    result = replaced(result, _OPERATIONS, lambda match: f";{match['sql']};")
    result = replaced(result, _SEPARATOR, lambda _: ";")
    for _ in range(_MOST_DEEP):
        if "${" not in result.text:
            break
        result = replaced(result, _CODE, lambda match: _sql(match[1], own))
    return result


def _sql(code: str, own: str) -> str:
    if match := _WHEN.fullmatch(code):
        return match[1]
    if _SELF.fullmatch(code):
        return own
    if match := _REFERENCE.fullmatch(code):
        named = dict(_NAMED.findall(match[1]))
        keys = (key for key in ("database", "schema", "name") if key in named)
        parts = [named[key] for key in keys] or _TEXT.findall(match[1])
        return ".".join(f"`{part}`" for part in parts) or parameter_of(code)
    return parameter_of(code)
