"""What messages call the operators: the words of those who write filters, not the names of the core."""

from __future__ import annotations

import re

from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier
from predicat.ir.ops import ARITHMETIC, COMPARISONS

_LABELS = {
    **ARITHMETIC,
    **{op: row.sign for op, row in COMPARISONS.items()},
    "neg": "-",
    "checked_mod": "%",
    "int32": "-",
    "is_null": "IS NULL",
    "same": "IS DISTINCT FROM",
    "index": "[]",
    "get": "[]",
    "member": "a part of a value",
    "like": "LIKE",
    "like_ci": "ILIKE",
    "equals_ci": "a comparison that ignores case",
    "starts_with_ci": "a prefix that ignores case",
    "contains_ci": "a search that ignores case",
    "to_int": "a conversion to a whole number",
    "checked_to_int": "a conversion to a whole number",
    "to_whole": "a conversion to a whole number",
    "to_decimal": "a conversion to a decimal",
    "to_double": "a conversion to a double",
    "to_string": "a conversion to a text",
    "to_boolean": "a conversion to a truth value",
    "to_timestamp": "a conversion to a timestamp",
    "to_date": "a conversion to a date",
    "to_duration": "a conversion to a duration",
    "regex_extract": "regexp_extract",
    "regex_replace": "regexp_replace",
    "replace_each": "replace",
    "in_units": "a part of a duration",
    "substr": "substring",
    "strip": "trim",
    "add_days": "date_add",
    "days_between": "datediff",
    "add_months": "an interval of months",
    "to_micros": "unix_micros",
    "from_micros": "timestamp_micros",
    "format_time": "a time as text",
    "array_eq": "=",
    "array_concat": "+",
    "array_max": "math.greatest",
    "array_min": "math.least",
    "any": "exists",
    "one": "exists_one",
    "json_get": "[]",
    "json_at": "[]",
    "json_items": "a macro over a list",
    "json_size": "size",
    "json_values": "a key with one value or several",
    "range": "a function of lists",
    "to_quantity": "quantity",
    "entry_filter": "Python code",
    "places": "a function of lists",
}
_OF_CEL = {
    "eq": "==",
    "ne": "!=",
    "coalesce": "orValue",
    "starts_with": "startsWith",
    "ends_with": "endsWith",
    "concat": "+",
    "and": "&&",
    "or": "||",
    "not": "!",
    "position": "indexOf",
    "length": "size",
    "lower": "lowerAscii",
    "upper": "upperAscii",
    "year": "getFullYear",
    "month": "getMonth",
    "day": "getDate",
    "day_of_week": "getDayOfWeek",
    "day_of_year": "getDayOfYear",
    "hour": "getHours",
    "minute": "getMinutes",
    "second": "getSeconds",
    "millisecond": "getMilliseconds",
}
_OF_SQL = {
    "concat": "||",
    "and": "AND",
    "or": "OR",
    "not": "NOT",
    "day_of_week": "dayofweek",
    "day_of_year": "dayofyear",
}


def label(op: str, *, sql: bool) -> str:
    """An operator as the author of a filter knows it. `sql`: in SQL, otherwise in CEL."""
    return (_OF_SQL if sql else _OF_CEL).get(op) or _LABELS.get(op, op)


_IN_WORDS = {
    "is_true": "a test that is never UNKNOWN",
    "cond": "a choice",
    "coalesce": "a default for an absent value",
    "starts_with": "a prefix",
    "ends_with": "a suffix",
    "matches": "a regular expression",
    "position": "a search in a text",
    "date_trunc": "a rounded time",
    "array": "a list of fields",
    "keys": "a macro over a map",
    "json_is": "the kind of a JSON value",
    "json_eq": "an equality of JSON values",
    "json_string": "a JSON value",
    "json_number": "a JSON value",
    "json_boolean": "a JSON value",
    "json_text": "a JSON value",
    "json_equals": "an equality of JSON values",
    "json_in": "an equality of JSON values",
    "json_element": "a look-up in a JSON value",
    "dyn": "a value without a type",
    "day_of_week": "the day of a week",
    "day_of_year": "the day of a year",
    "is_null": "a test for an absent value",
    "get": "a look-up",
    "index": "a look-up",
    "json_get": "a look-up",
    "json_at": "a look-up",
}
"""What an operator is called that its author has written in none of its spellings."""
_SPELLINGS = {
    "matches": ("RLIKE", "=~", "match"),
    "cond": ("CASE", "IF", "?"),
    "coalesce": ("COALESCE", "IFNULL", "NVL", "orValue"),
    "position": ("POSITION", "strpos", "instr"),
    "in": ("IN", "array_contains"),
    "in_list": ("IN", "in"),
    "json_at": ("[",),
    "json_get": ("[",),
    "get": ("[",),
    "index": ("[",),
    "mod": ("%", "mod"),
    "same": ("<=>", "IS NOT DISTINCT FROM", "IS DISTINCT FROM"),
    "json_is": ("==", "!=", "<>", "=", "type"),
    "is_true": ("IS TRUE",),
    "is_null": ("IS NULL", "IS NOT NULL", "EXISTS", "has", "null"),
    "date_trunc": ("date_trunc",),
    "add_days": ("date_add", "date_sub", "+", "-"),
    "substr": ("substring", "left", "right", "charAt"),
    "to_string": ("string", "CAST"),
    "to_int": ("int", "CAST"),
    "checked_to_int": ("int",),
    "to_double": ("double", "CAST"),
    "strip": ("btrim", "trim"),
    "like": ("LIKE",),
    "like_ci": ("ILIKE",),
}
"""Other spellings of operators, as the languages have them."""


def written(node: Node) -> str:
    """What a node is called in a message to its author: the operator as its text has it, or else what it
    does, in words.
    """
    match node:
        case Call(op="is_true", args=(inner,)) if not re.search(
            r"\bIS (NOT )?TRUE\b", node.span.text, re.IGNORECASE
        ):
            return written(inner)  # the language of the text decides its tests by itself
        case Call():
            return _spelled(node.op, node.span.text)
        case Quantifier():
            return _spelled(node.kind, node.span.text)
        case Literal():
            return "a constant"
        case Field():
            return f"the field {node.decl.name!r}"
        case Parameter():
            return "a parameter"
        case Items():
            return "a list"
        case _:
            return "the variable of a macro"


def _spelled(op: str, text: str) -> str:
    known = (*_SPELLINGS.get(op, ()), _OF_CEL.get(op), _OF_SQL.get(op), _LABELS.get(op), op)
    for spelling in filter(None, known):
        pattern = re.escape(spelling) if not spelling[0].isalpha() else rf"\b{re.escape(spelling)}\b"
        if (found := re.search(pattern, text, re.IGNORECASE)) is not None:
            return "[]" if spelling == "[" else found[0]
    return _IN_WORDS.get(op) or _OF_SQL.get(op) or _LABELS.get(op) or op.replace("_", " ")
