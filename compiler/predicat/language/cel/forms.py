"""Recognises forms in CEL's parsed message."""

from __future__ import annotations

from typing import Any

from predicat.language.cel import refused


def names_two(call: Any) -> bool:
    """Whether a macro names a key and a value: `m.all(k, v, condition)`; transformList() may have a
    condition before its value.
    """
    most = 4 if call.function == "transformList" else 3
    return 3 <= len(call.args) <= most and all(arg.HasField("ident_expr") for arg in call.args[:2])


def constructor(expr: Any) -> str:
    """`url` in `url(x)`."""
    call = expr.call_expr
    return (
        call.function
        if expr.HasField("call_expr") and not call.HasField("target") and len(call.args) == 1
        else ""
    )


def constructed(expr: Any) -> Any:
    """`x` in `ip(x)` and `cidr(x)`; any other argument unchanged."""
    return expr.call_expr.args[0] if constructor(expr) in ("ip", "ipaddress", "cidr") else expr


def flattened(expr: Any) -> Any:
    """`xs` in `xs.flatten()`, a list of lists; None for any other expression."""
    call = expr.call_expr
    return (
        call.target
        if expr.HasField("call_expr")
        and call.HasField("target")
        and call.function == "flatten"
        and not call.args
        else None
    )


def is_type(expr: Any) -> bool:
    """Whether an expression is a call of `type()`."""
    return constructor(expr) == "type"


def type_name(expr: Any) -> str | None:
    """The dotted name in an expression."""
    if expr.HasField("ident_expr"):
        return str(expr.ident_expr.name)
    base = type_name(expr.select_expr.operand) if expr.HasField("select_expr") else None
    return f"{base}.{expr.select_expr.field}" if base else None


def type_of(expr: Any) -> str | None:
    """The type of a constant in `type(...)`."""
    (value,) = expr.call_expr.args
    if value.HasField("list_expr"):
        return "list"
    return (
        "map"
        if value.HasField("struct_expr")
        else _CONSTANT_TYPES.get(value.const_expr.WhichOneof("constant_kind"))
    )


def refused_name(call: Any) -> str | None:
    """The name of a function that is not supported, with its namespace if it has one."""
    namespace = type_name(call.target) if call.HasField("target") else None
    return next(
        (name for name in (f"{namespace}.{call.function}", call.function) if name in refused.TABLE), None
    )


_CONSTANT_TYPES = {
    "string_value": "string",
    "int64_value": "int",
    "double_value": "double",
    "bool_value": "bool",
    "null_value": "null_type",
}
