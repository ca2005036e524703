"""The Pulsar message filter expression as protobuf: binary, JSON or text format, alone or in a CommandSeek.

A body is the Expr as JSON data, as JSON text, as protobuf text format, as base64 of its bytes, or (in Python)
as bytes; or a mapping `{numbering: later, expr: ...}` that selects the later numbering of the operators.
Properties are strings, converted to the type of the values; a string that is not a LONG is UNKNOWN. A missing
property is UNKNOWN, and so is its negation (Kleene): the proposal does not specify it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import pulsar as say
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH
from predicat.ir.values import parse_double, parse_whole
from predicat.language.common import jsontext
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader, Stop
from predicat.language.pulsar import proto
from predicat.language.pulsar.pip import PredicateReader

MAX_BYTES = 1_000_000
# The fields with which the text format of a CommandSeek may begin.
_SEEK = re.compile(r"(?:consumer_id|request_id|message_id|message_publish_time|expression)\b")


def parse(body: Body) -> t.Tree:
    """The untyped tree of an Expr. Raises PredicatError with the path of each bad field."""
    reader = PredicateReader(body)
    reader.more = ("LIKE", "NOT_LIKE")
    return reader.tree(lambda: _read(reader, body.value))


def _read(reader: PredicateReader, value: Any) -> t.Tree:
    numbering = "seed"
    if isinstance(value, Mapping) and ("numbering" in value or "expr" in value):
        entries = reader.mapping(value, "pulsar", ("numbering", "expr"))
        numbering = str(entries.get("numbering", "seed"))
        if numbering not in proto.NUMBERINGS:
            raise reader.bad(
                entries["numbering"], "numbering", say.no_numbering(numbering, ", ".join(proto.NUMBERINGS))
            )
        value = entries.get("expr")
    expr = _message(reader, value, numbering)
    return reader.read(_Converter(reader, numbering).expr(expr, "expr", 0), 0)


# --- the message


def _message(reader: PredicateReader, value: Any, numbering: str) -> Any:
    """The Expr in a value of any format. If the value is a CommandSeek, its expression."""
    classes = proto.messages(numbering)
    if isinstance(value, bytes):
        return _decoded(reader, value, classes)
    from google.protobuf.message import Message  # noqa: PLC0415  # only for this language

    if isinstance(value, Message):
        return _decoded(reader, value.SerializePartialToString(), classes)
    if isinstance(value, str):
        value = _text(reader, value, classes)
        if isinstance(value, bytes):
            return _decoded(reader, value, classes)
    if isinstance(value, Mapping):
        _shallow(reader, value)
        return _from_json(reader, value, classes)
    if isinstance(value, Message):
        return value
    raise reader.fail(say.expr_forms(reader.whole, repr(value)))


def _decoded(reader: DataReader, data: bytes, classes: dict[str, Any]) -> Any:
    from google.protobuf.message import DecodeError  # noqa: PLC0415  # only for this language

    if len(data) > MAX_BYTES:
        raise reader.fail(msg.too_large(reader.whole, len(data), MAX_BYTES, "bytes"))
    for name in ("CommandSeek", "Expr"):  # a CommandSeek has a fifth field, and an integer as its second
        message = classes[name]()
        try:
            message.MergeFromString(data)
        except (DecodeError, RecursionError):
            continue
        if name == "Expr":
            return message
        if message.HasField("expression") or message.HasField("request_id"):
            return _expression(reader, message)
    raise reader.fail(say.bytes_no_expr(reader.whole))


def _text(reader: PredicateReader, text: str, classes: dict[str, Any]) -> Any:
    """Reads a string in JSON, base64 or text format, which is recognized by its characters."""
    if len(text) > MAX_BYTES:
        raise reader.fail(msg.too_large(reader.whole, len(text), MAX_BYTES))
    clean = text.strip()
    if clean.startswith("{"):
        return jsontext.read(text, reader.source, reader.whole, "the Expr")
    if ":" not in clean and "{" not in clean:
        try:
            return base64.b64decode("".join(clean.split()), validate=True)
        except (binascii.Error, ValueError):
            raise reader.fail(say.text_no_expr(reader.whole)) from None
    if clean.count("{") - clean.count("\\{") > MAX_DEPTH * 3:
        raise reader.fail(msg.too_deep(reader.whole, MAX_DEPTH))
    from google.protobuf import text_format  # noqa: PLC0415  # only for this format

    message = classes["CommandSeek" if _SEEK.match(clean) else "Expr"]()
    try:
        text_format.Parse(clean, message)
    except (text_format.ParseError, RecursionError, UnicodeError) as error:
        if "missing required" not in str(error).lower() and "required field" not in str(error).lower():
            raise reader.fail(say.invalid_text_format(reader.whole, str(error)[:200])) from None
    return _expression(reader, message)


def _expression(reader: DataReader, message: Any) -> Any:
    """The Expr itself, or the Expr of a CommandSeek. Raises Stop if a CommandSeek has none."""
    if message.DESCRIPTOR.name != "CommandSeek":
        return message
    if not message.HasField("expression"):
        raise reader.fail(say.seek_without_expression(reader.whole))
    return message.expression


def _shallow(reader: DataReader, value: Any) -> None:
    """Raises Stop for data that is nested too deeply."""
    stack = [(value, 0)]
    while stack:
        part, depth = stack.pop()
        reader.deep(part, 0)  # counts the parts
        if depth > MAX_DEPTH * 2:
            raise reader.fail(msg.too_deep(reader.span(part), MAX_DEPTH))
        if isinstance(part, Mapping):
            stack.extend((inner, depth + 1) for inner in part.values())
        elif isinstance(part, list):
            stack.extend((inner, depth + 1) for inner in part)


def _from_json(reader: PredicateReader, value: Mapping[str, Any], classes: dict[str, Any]) -> Any:
    seek = "expression" in value or "consumerId" in value or "consumer_id" in value
    message = classes["CommandSeek" if seek else "Expr"]()
    _fill(reader, message, value, "seek" if seek else "expr")
    return _expression(reader, message)


def _fill(reader: PredicateReader, message: Any, value: Any, path: str) -> None:
    """Fills a message from JSON data. Raises Stop for a bad field, with its path; a missing required field is
    reported later.
    """
    names = {field.name: field for field in message.DESCRIPTOR.fields}
    names |= {field.json_name: field for field in message.DESCRIPTOR.fields}
    for key, inner in reader.mapping(value, path).items():
        field = names.get(key)
        where = f"{path}.{key}"
        place = reader.value_span(value, key)
        if field is None:
            raise reader.fail(
                say_keys.unknown_key(
                    reader.key_span(value, key),
                    str(key),
                    path,
                    [declared.name for declared in message.DESCRIPTOR.fields],
                )
            )
        reader.members[f"{path}.{field.name}".replace("seek.expression", "expr", 1)] = place
        if field.message_type is not None:
            child = getattr(message, field.name)
            child.SetInParent()
            _fill(reader, child, inner, where)
        elif _is_repeated(field):
            getattr(message, field.name).extend(
                _scalar(reader, one, f"{where}[{index}]", place)
                for index, one in enumerate(reader.listed(inner, where, 0))
            )
        elif field.enum_type is not None:
            _enum(reader, message, field, inner, where, place)
        else:
            try:
                setattr(
                    message,
                    field.name,
                    int(inner) if field.name != "name" else _scalar(reader, inner, where, place),
                )
            except (TypeError, ValueError):
                raise reader.fail(say.no_value_of(place, where, inner)) from None


def _scalar(reader: DataReader, value: Any, where: str, place: Span) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise reader.fail(say.no_text(place, where, value))
    text = str(value)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):  # protobuf has none
        raise reader.fail(msg.half_a_pair(place))
    return text


def _enum(reader: PredicateReader, message: Any, field: Any, value: Any, where: str, place: Span) -> None:
    names = {known.name: known.number for known in field.enum_type.values}
    number = (
        names.get(value)
        if isinstance(value, str)
        else value
        if value in names.values() and not isinstance(value, bool)
        else None
    )
    if number is None:
        hint = msg.did_you_mean(str(value), names) or f"values: {', '.join(names)}"
        raise reader.fail(say.no_value_of_known(place, where, value, hint))
    setattr(message, field.name, number)


# --- from the message to predicates


_WANTED = {"PREDICATE": ("predicate",), "NOT": ("op1",)}
_BOTH = ("op1", "op2")
_LATER = ("BETWEEN", "CONTAINS_ALL", "LIKE", "NOT_LIKE")
_NUMBERS: dict[str, Callable[[str], int | float | None]] = {"LONG": parse_whole, "DOUBLE": parse_double}


class _Placed(dict[str, Any]):
    """The data of a predicate, with its span."""

    span: Span


class _Converter:
    """Converts an Expr to the data of a `pip` predicate, and checks it."""

    def __init__(self, reader: PredicateReader, numbering: str) -> None:
        self.reader = reader
        self.operators = proto.NUMBERINGS[numbering]

    def fail(self, path: str, reason: Reason) -> Stop:
        return self.reader.fail(msg.bad_value(self.place(path), path, reason.text, reason.hint))

    def place(self, path: str) -> Span:
        """The span of a member, or of the nearest member that contains it."""
        while path not in self.reader.members and ("." in path or "[" in path):
            path = path[: max(path.rfind("."), path.rfind("["))]
        return self.reader.members.get(path, self.reader.whole)

    def expr(self, expr: Any, path: str, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            raise self.reader.fail(msg.too_deep(self.reader.whole, MAX_DEPTH))
        if not expr.HasField("tp"):
            raise self.fail(f"{path}.tp", say.required(", ".join(proto.KINDS)))
        kind = proto.KINDS[expr.tp]
        wanted = _WANTED.get(kind, _BOTH)
        for name in ("predicate", "op1", "op2"):
            if expr.HasField(name) != (name in wanted):
                raise self.fail(
                    f"{path}.{name}", say.needs(kind) if name in wanted else say.does_not_take(kind)
                )
        if kind == "PREDICATE":
            tree = _Placed(self.predicate(expr.predicate, f"{path}.predicate"))
            tree.span = self.place(f"{path}.predicate")
            return tree
        parts = [self.expr(getattr(expr, name), f"{path}.{name}", depth + 1) for name in wanted]
        return {"not": parts[0]} if kind == "NOT" else {kind.lower(): parts}

    def predicate(self, leaf: Any, path: str) -> dict[str, Any]:
        for name, known in (("ref", proto.REFS), ("op", self.operators)):
            if not leaf.HasField(name):
                raise self.fail(f"{path}.{name}", say.required(", ".join(known)))
        ref, op = proto.REFS[leaf.ref], self.operators[leaf.op]
        if (ref == "PROPERTY") != leaf.HasField("name"):
            raise self.fail(f"{path}.name", say.needs(ref) if ref == "PROPERTY" else say.does_not_take(ref))
        if not leaf.values:
            raise self.fail(f"{path}.values", say.at_least_one_value())
        kind = proto.TYPES[leaf.ty] if leaf.HasField("ty") else "LONG" if ref != "PROPERTY" else "STRING"
        target = {"property": leaf.name} if ref == "PROPERTY" else {"ref": ref.lower()}
        values = (
            list(leaf.values)
            if kind == "STRING"
            else [self.number(text, kind, path, index) for index, text in enumerate(leaf.values)]
        )
        if op in _LATER:
            return self.later(target, op, values, kind, path)
        return {**target, "op": op, "values": values, "type": kind}

    def number(self, text: str, kind: str, path: str, index: int) -> int | float:
        number = _NUMBERS[kind](text)
        if number is None:
            raise self.fail(f"{path}.values[{index}]", say.no_value_of_type(text, kind))
        if kind == "LONG" and not -(2**63) <= number < 2**63:
            raise self.fail(f"{path}.values[{index}]", say.no_long(text))
        return number

    def later(
        self, target: dict[str, Any], op: str, values: list[Any], kind: str, path: str
    ) -> dict[str, Any]:
        """An operator that only the later numbering has, expressed by operators of the first numbering."""
        if op == "BETWEEN":
            if len(values) != 2:
                raise self.fail(f"{path}.values", say.between_takes_two(len(values)))
            low, high = (
                {**target, "op": name, "value": value, "type": kind}
                for name, value in zip(("GREATER_THAN_EQUALS", "LESS_THAN_EQUALS"), values, strict=True)
            )
            return {"and": [low, high]}
        if op == "CONTAINS_ALL":
            parts = [{**target, "op": "CONTAINS", "value": value, "type": kind} for value in values]
            return parts[0] if len(parts) == 1 else {"and": parts}
        if len(values) != 1:
            raise self.fail(f"{path}.values", say.takes_one_value(op, len(values)))
        return {**target, "op": op, "value": values[0], "type": kind}


def _is_repeated(field: Any) -> bool:
    """Whether a field of the message is a list. Older releases of protobuf only have its label."""
    repeated = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if repeated is None else repeated)
