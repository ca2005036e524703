"""The messages of the proposal "Message filtering expression": Predicate, Expr and CommandSeek, declared as
in its .proto.

There are two numberings of the operators. `seed` is the numbering of the published text; `later` belongs to a
later draft with 14 operators. A message does not show its numbering, so it must always be chosen.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from predicat.language.pulsar import pip

SEED, TYPES = pip.OPERATORS, pip.TYPES
LATER = (*SEED[:8], "LIKE", "NOT_LIKE", "CONTAINS_ALL", "CONTAINS_ANY", "CONTAINS_NONE", "BETWEEN")
NUMBERINGS = {"seed": SEED, "later": LATER}
REFS = ("PROPERTY", "EVENT_TIME", "PUBLISH_TIME")
KINDS = ("PREDICATE", "AND", "OR", "NOT")
_F = descriptor_pb2.FieldDescriptorProto


@cache
def messages(numbering: str = "seed") -> dict[str, Any]:
    """The message classes Predicate, Expr, MessageIdData and CommandSeek, by name."""
    package = f"predicat.pulsar.{numbering}"
    file = descriptor_pb2.FileDescriptorProto(
        name=f"predicat/pulsar_{numbering}.proto", package=package, syntax="proto2"
    )

    def message(name: str) -> Any:
        return file.message_type.add(name=name)

    def enum(owner: Any, name: str, values: tuple[str, ...]) -> None:
        descriptor = owner.enum_type.add(name=name)
        for number, value in enumerate(values):
            descriptor.value.add(name=value, number=number)

    def field(
        owner: Any, number: int, name: str, kind: int, label: int = _F.LABEL_OPTIONAL, of: str = ""
    ) -> None:
        descriptor = owner.field.add(name=name, number=number, type=kind, label=label)
        if of:
            descriptor.type_name = f".{package}.{of}"

    predicate = message("Predicate")
    enum(predicate, "MessageRef", REFS)
    enum(predicate, "Operator", NUMBERINGS[numbering])
    enum(predicate, "ValueType", TYPES)
    field(predicate, 1, "ref", _F.TYPE_ENUM, _F.LABEL_REQUIRED, "Predicate.MessageRef")
    field(predicate, 2, "name", _F.TYPE_STRING)
    field(predicate, 3, "op", _F.TYPE_ENUM, _F.LABEL_REQUIRED, "Predicate.Operator")
    field(predicate, 4, "values", _F.TYPE_STRING, _F.LABEL_REPEATED)
    field(predicate, 5, "ty", _F.TYPE_ENUM, _F.LABEL_OPTIONAL, "Predicate.ValueType")
    expr = message("Expr")
    enum(expr, "ExprType", KINDS)
    field(expr, 1, "tp", _F.TYPE_ENUM, _F.LABEL_REQUIRED, "Expr.ExprType")
    field(expr, 2, "predicate", _F.TYPE_MESSAGE, of="Predicate")
    field(expr, 3, "op1", _F.TYPE_MESSAGE, of="Expr")
    field(expr, 4, "op2", _F.TYPE_MESSAGE, of="Expr")
    place = message("MessageIdData")
    field(place, 1, "ledgerId", _F.TYPE_UINT64, _F.LABEL_REQUIRED)
    field(place, 2, "entryId", _F.TYPE_UINT64, _F.LABEL_REQUIRED)
    field(place, 3, "partition", _F.TYPE_INT32)
    field(place, 4, "batch_index", _F.TYPE_INT32)
    field(place, 6, "batch_size", _F.TYPE_INT32)
    seek = message("CommandSeek")
    field(seek, 1, "consumer_id", _F.TYPE_UINT64, _F.LABEL_REQUIRED)
    field(seek, 2, "request_id", _F.TYPE_UINT64, _F.LABEL_REQUIRED)
    field(seek, 3, "message_id", _F.TYPE_MESSAGE, of="MessageIdData")
    field(seek, 4, "message_publish_time", _F.TYPE_UINT64)
    field(seek, 5, "expression", _F.TYPE_MESSAGE, of="Expr")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    names = ("Predicate", "Expr", "CommandSeek", "MessageIdData")
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
        for name in names
    }
