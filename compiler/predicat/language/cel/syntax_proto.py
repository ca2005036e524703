"""The messages of cel.expr.ParsedExpr, from the published syntax.proto, which the parser's wheel does not
contain.

Source: google/cel-spec, proto/cel/expr/syntax.proto (field numbers).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_F = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "bool": _F.TYPE_BOOL,
    "int64": _F.TYPE_INT64,
    "uint64": _F.TYPE_UINT64,
    "double": _F.TYPE_DOUBLE,
    "string": _F.TYPE_STRING,
    "bytes": _F.TYPE_BYTES,
    "int32": _F.TYPE_INT32,
}

# message -> (field number, name, type, repeated); "PositionsEntry" is the type of a map, as protobuf writes
# it.
_MESSAGES: dict[str, list[tuple[int, str, str, bool]]] = {
    "Constant": [
        (1, "null_value", "int32", False),
        (2, "bool_value", "bool", False),
        (3, "int64_value", "int64", False),
        (4, "uint64_value", "uint64", False),
        (5, "double_value", "double", False),
        (6, "string_value", "string", False),
        (7, "bytes_value", "bytes", False),
    ],
    "Ident": [(1, "name", "string", False)],
    "Select": [(1, "operand", "Expr", False), (2, "field", "string", False), (3, "test_only", "bool", False)],
    "Call": [(1, "target", "Expr", False), (2, "function", "string", False), (3, "args", "Expr", True)],
    "CreateList": [(1, "elements", "Expr", True), (2, "optional_indices", "int32", True)],
    "Entry": [
        (3, "map_key", "Expr", False),
        (4, "value", "Expr", False),
        (5, "optional_entry", "bool", False),
    ],
    "CreateStruct": [(1, "message_name", "string", False), (2, "entries", "Entry", True)],
    "Comprehension": [
        (1, "iter_var", "string", False),
        (2, "iter_range", "Expr", False),
        (3, "accu_var", "string", False),
        (4, "accu_init", "Expr", False),
        (5, "loop_condition", "Expr", False),
        (6, "loop_step", "Expr", False),
        (7, "result", "Expr", False),
        (8, "iter_var2", "string", False),
    ],
    "Expr": [
        (2, "id", "int64", False),
        (3, "const_expr", "Constant", False),
        (4, "ident_expr", "Ident", False),
        (5, "select_expr", "Select", False),
        (6, "call_expr", "Call", False),
        (7, "list_expr", "CreateList", False),
        (8, "struct_expr", "CreateStruct", False),
        (9, "comprehension_expr", "Comprehension", False),
    ],
    "SourceInfo": [(4, "positions", "SourceInfo.PositionsEntry", True)],
    "ParsedExpr": [(2, "expr", "Expr", False), (3, "source_info", "SourceInfo", False)],
    "Any": [(1, "type_url", "string", False), (2, "value", "bytes", False)],
}


# The messages whose fields, but for an id, are the members of a oneof, and its name.
_KINDS = {"Constant": "constant_kind", "Expr": "expr_kind"}


def _declare(message: Any, fields: list[tuple[int, str, str, bool]], oneof: str | None) -> None:
    if oneof:
        message.oneof_decl.add(name=oneof)
    for number, field, kind, repeated in fields:
        descriptor = message.field.add(name=field, number=number, type=_SCALARS.get(kind, _F.TYPE_MESSAGE))
        descriptor.label = _F.LABEL_REPEATED if repeated else _F.LABEL_OPTIONAL
        if kind not in _SCALARS:
            descriptor.type_name = f".predicat.cel.{kind}"
        if oneof and field != "id":
            descriptor.oneof_index = 0


@cache
def _classes() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="predicat/cel_syntax.proto", package="predicat.cel", syntax="proto2"
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        _declare(message, fields, _KINDS.get(name))
        if name == "SourceInfo":
            entry = message.nested_type.add(name="PositionsEntry")
            entry.options.map_entry = True
            _declare(entry, [(1, "key", "int64", False), (2, "value", "int32", False)], None)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"predicat.cel.{name}"))
        for name in ("Any", "ParsedExpr")
    }


def decode(serialized: bytes) -> Any:
    """The ParsedExpr message in what the parser serializes (a google.protobuf.Any)."""
    classes = _classes()
    return classes["ParsedExpr"].FromString(classes["Any"].FromString(serialized).value)
