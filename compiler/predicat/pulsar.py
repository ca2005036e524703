"""The Pulsar message filter builder: MessageFilterExprBuilder of the proposal, in Python.

    from predicat import pulsar
    f = pulsar.property("region", "IN", "EU", "US").and_(pulsar.event_time("GREATER_THAN", 1735700400000)).build()
    f.predicate, f.serialize(), f.json(), f.text()

Texts make STRING values, integers LONG, floats DOUBLE. Source: Pulsar proposal "Message filtering expression".
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from msgspec import Struct

from predicat.api import Predicate, parse

FIELDS = {"properties": "map<string, string>", "event_time": "bigint", "publish_time": "bigint"}
Value = str | int | float


class Expr(Struct, frozen=True, dict=True):
    """A built expression; `data` is its body in a catalog, under `pip:`."""

    data: dict[str, Any]

    @cached_property
    def predicate(self) -> Predicate:
        """The expression as a predicate over `properties`, `event_time` and `publish_time`. Raises PredicatError."""
        return parse(self.data, "pip", FIELDS, on="properties", name="pulsar")

    def message(self) -> Any:
        """The protobuf Expr."""
        from predicat.backends.text.pulsar import expr_message  # noqa: PLC0415  # protobuf is loaded where it is used

        return expr_message(self.data)

    def serialize(self) -> bytes:
        """The bytes of the protobuf Expr."""
        found: bytes = self.message().SerializeToString()
        return found

    def json(self) -> str:
        """The JSON form of the Expr."""
        from google.protobuf import json_format  # noqa: PLC0415  # as above

        return str(json_format.MessageToJson(self.message(), indent=None))

    def text(self) -> str:
        """The text format of the Expr."""
        from google.protobuf import text_format  # noqa: PLC0415  # as above

        return str(text_format.MessageToString(self.message(), as_utf8=True)).strip()


class Builder(Struct, frozen=True, dict=True):
    """A predicate, or a combination of some; `build()` checks it."""

    data: dict[str, Any]

    def and_(self, *others: Builder) -> Builder:
        """All of them."""
        return Builder({"and": [self.data, *(row.data for row in others)]})

    def or_(self, *others: Builder) -> Builder:
        """At least one of them."""
        return Builder({"or": [self.data, *(row.data for row in others)]})

    def not_(self) -> Builder:
        """Its negation."""
        return Builder({"not": self.data})

    def build(self) -> Expr:
        """The expression. Raises PredicatError for an unknown operator, and for values that do not fit it."""
        found = Expr(self.data)
        _ = found.predicate
        return found


class MessageFilterRef(Struct, frozen=True):
    """What of a message is tested: a property, the event time or the publish time."""

    data: dict[str, str]

    @staticmethod
    def property(key: str) -> MessageFilterRef:
        """A property of the message."""
        return MessageFilterRef({"property": key})

    @staticmethod
    def event_time() -> MessageFilterRef:
        """The event time, in milliseconds since 1970."""
        return MessageFilterRef({"ref": "event_time"})

    @staticmethod
    def publish_time() -> MessageFilterRef:
        """The publish time, in milliseconds since 1970."""
        return MessageFilterRef({"ref": "publish_time"})


def of(ref: MessageFilterRef, op: str, *values: Value) -> Builder:
    """A test of what a reference names."""
    return Builder({**ref.data, "op": op, "values": list(values)})


def property(key: str, op: str, *values: Value) -> Builder:  # noqa: A001  # the name in the proposal
    """A test of a property."""
    return of(MessageFilterRef.property(key), op, *values)


def event_time(op: str, *values: int) -> Builder:
    """A test of the event time, in milliseconds since 1970."""
    return of(MessageFilterRef.event_time(), op, *values)


def publish_time(op: str, *values: int) -> Builder:
    """A test of the publish time, in milliseconds since 1970."""
    return of(MessageFilterRef.publish_time(), op, *values)
