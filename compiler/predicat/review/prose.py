"""Typed nodes in plain words."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import assert_never

from predicat.ir.nodes import NOW, Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable
from predicat.ir.ops import ARITHMETIC
from predicat.ir.surface import CHECKED_MOD, CHECKED_TO_INT
from predicat.ir.types import JSON, ArrayType, Type
from predicat.ir.value_sets import ValueSet
from predicat.review.show import plain

_BINARY = {
    "eq": "is",
    "ne": "is not",
    "lt": "is less than",
    "le": "is at most",
    "gt": "is more than",
    "ge": "is at least",
    "same": "is the same as",
    "in": "is one of",
    "in_list": "is one of",
    "starts_with": "starts with",
    "ends_with": "ends with",
    "contains": "contains",
    "like": "is like",
    "matches": "matches",
    "equals_ci": "is (ignoring case)",
    "starts_with_ci": "starts (ignoring case) with",
    "contains_ci": "contains (ignoring case)",
    "like_ci": "is like (ignoring case)",
    "array_eq": "has the elements of",
}
_SIGNS = {**ARITHMETIC, "concat": "||", CHECKED_MOD: "%"}
_UNARY = {
    "length": "length",
    "lower": "lower case",
    "upper": "upper case",
    "trim": "trimmed text",
    "year": "year",
    "month": "month",
    "day": "day",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
    "millisecond": "millisecond",
    "day_of_week": "day of the week",
    "day_of_year": "day of the year",
    "size": "size",
    "json_size": "size",
    "abs": "absolute value",
    "to_int": "whole number",
    CHECKED_TO_INT: "whole number",
    "to_whole": "whole number",
    "to_decimal": "decimal",
    "to_double": "number",
    "to_string": "text",
    "to_boolean": "truth",
    "to_timestamp": "timestamp",
    "to_duration": "duration",
    "to_date": "date",
    "keys": "keys",
    "range": "numbers up to",
    "to_quantity": "quantity",
    "sum": "sum",
    "array_max": "largest",
    "array_min": "smallest",
    "floor": "floor",
    "sqrt": "square root",
    "exp": "exponential",
    "ln": "natural logarithm",
    "log10": "decimal logarithm",
    "ascii": "first code point",
    "md5": "MD5 hash",
    "sha256": "SHA-256 hash",
    "ceil": "ceiling",
}

SHOWN_AS_CALLS = frozenset(
    {
        "add_days",
        "add_months",
        "array",
        "array_concat",
        "array_position",
        "bit_and",
        "bit_or",
        "bit_xor",
        "bround",
        "date_trunc",
        "format_time",
        "from_micros",
        "last_day",
        "to_micros",
        "days_between",
        "greatest",
        "in_units",
        "int32",
        "join",
        "json_eq",
        "json_is",
        "least",
        "lpad",
        "ltrim",
        "position",
        "regex_extract",
        "regex_replace",
        "replace",
        "replace_each",
        "reverse",
        "round",
        "rpad",
        "shift_left",
        "shift_right",
        "rtrim",
        "split",
        "strip",
        "substr",
    }
)
"""Operators without words of their own: a call is shorter than a sentence about each argument, and as
clear.
"""


def describe(node: Node, depth: int = 0) -> str:
    """A node in plain words, in one line."""
    match node:
        case Literal():
            return _constant(node)
        case Field():
            return node.decl.name
        case Parameter():
            return "the current time" if node.decl == NOW else f":{node.decl.name}"
        case Variable(_, name):
            return "it" if name.startswith("$") else name
        case Items():
            return f"({', '.join(describe(item, depth + 1) for item in node.items)})"
        case Quantifier():
            return _describe_macro(node, depth)
        case Call():
            return _describe_call(node, depth)
        case _:
            assert_never(node)


def _constant(node: Literal) -> str:
    value = node.value
    if value is None:
        return "nothing"
    if isinstance(value, ValueSet):
        return f"the {value.count:,} values of the list {value.name}".rstrip()
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return (
        value.isoformat()
        if isinstance(value, date)
        else str(plain(value) if isinstance(value, Decimal) else value)
    )


def _describe_macro(node: Quantifier, depth: int) -> str:
    source, body = describe(node.source, depth + 1), describe(node.body, depth + 1)
    kinds = {"any": "some", "all": "every", "one": "just one"}
    if node.kind in kinds:
        return f"{kinds[node.kind]} {node.variable} of {source} has: {body}"
    return (
        f"the elements {node.variable} of {source} with {body}"
        if node.kind == "filter"
        else f"{body} of each {node.variable} of {source}"
    )


def _describe_call(node: Call, depth: int) -> str:
    args = [describe(arg, depth + 1) for arg in node.args]
    match node.op:
        case "and" | "or":
            joined = f" {node.op} ".join(args)
            return f"({joined})" if depth else joined
        case "not":
            return f"not ({args[0]})"
        case "is_true":
            return args[0]
        case "is_null":
            return f"{args[0]} has no value"
        case "cond":
            return f"({args[1]} if {args[0]}, else {args[2]})"
        case "coalesce":
            return f"{args[0]}, or {' or '.join(args[1:])} if there is none"
        case "json_values" if len(args) == 1:
            return args[0]
        case "get" | "member" | "json_get" | "json_values":
            key = node.args[1]
            return f"{args[0]}.{key.value}" if isinstance(key, Literal) else f"{args[0]}[{args[1]}]"
        case "index" | "json_at":
            return f"{args[0]}[{args[1]}]"
        case "json_string" | "json_number" | "json_boolean" | "json_items" | "dyn" | "elements":
            return args[0]
        case "entry_filter":
            return f"the Python class {node.args[0].value if isinstance(node.args[0], Literal) else args[0]}"
        case "in" if not isinstance(node.args[1].type, ArrayType):
            return f"{args[0]} is a key of {args[1]}" + _or_element(node.args[1].type)
        case "neg":
            return f"-{args[0]}"
        case op if op in _BINARY:
            return f"{args[0]} {_BINARY[op]} {args[1]}"
        case op if op in _SIGNS:
            return f"({args[0]} {_SIGNS[op]} {args[1]})"
        case op if op in _UNARY:
            zone = (
                f" in {node.args[1].value}"
                if len(node.args) > 1 and isinstance(node.args[1], Literal)
                else ""
            )
            return f"the {_UNARY[op]} of {args[0]}{zone}"
        case _:
            return f"{node.op}({', '.join(args)})"


def _or_element(kind: Type) -> str:
    return " or one of its elements" if kind == JSON else ""
