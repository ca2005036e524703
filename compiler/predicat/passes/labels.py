"""What messages call the operators: the words of those who write filters, not the names of the core."""

from __future__ import annotations

_LABELS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "fdiv": "/", "mod": "%", "neg": "-", "int32": "-", "is_null": "IS NULL",
    "same": "IS DISTINCT FROM", "index": "[]", "get": "[]", "member": "a part of a value", "like": "LIKE", "like_ci": "ILIKE",
    "equals_ci": "a comparison that ignores case", "starts_with_ci": "a prefix that ignores case", "contains_ci": "a search that ignores case",
    "to_int": "a conversion to a whole number", "to_double": "a conversion to a double", "to_string": "a conversion to a text",
    "to_boolean": "a conversion to a truth value", "to_timestamp": "a conversion to a timestamp", "to_date": "a conversion to a date",
    "to_duration": "a conversion to a duration", "replace_each": "replace", "in_units": "a part of a duration", "substr": "substring",
    "strip": "trim", "add_days": "date_add", "days_between": "datediff", "array_eq": "=", "array_concat": "+",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "any": "exists", "one": "exists_one", "json_get": "[]", "json_at": "[]", "json_items": "a macro over a list", "json_size": "size",
}  # fmt: skip
_OF_CEL = {
    "eq": "==", "ne": "!=", "coalesce": "orValue",
    "starts_with": "startsWith", "ends_with": "endsWith", "concat": "+", "and": "&&", "or": "||", "not": "!", "position": "indexOf", "length": "size",
    "lower": "lowerAscii", "upper": "upperAscii", "year": "getFullYear", "month": "getMonth", "day": "getDate", "day_of_week": "getDayOfWeek",
    "day_of_year": "getDayOfYear", "hour": "getHours", "minute": "getMinutes", "second": "getSeconds", "millisecond": "getMilliseconds",
}  # fmt: skip
_OF_SQL = {
    "eq": "=",
    "ne": "<>",
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
