"""A builder of Pulsar message filters: MessageFilterExprBuilder of the proposal, in Python.

    from predicat import pulsar
    f = pulsar.property("region", "IN", "EU", "US").and_(pulsar.event_time("GREATER_THAN", 1735700400000))
    f.build().predicate, f.build().serialize(), f.build().json(), f.build().text()

Python strings become STRING values, integers LONG, floats DOUBLE. A test of a missing property is UNKNOWN, so
the message is not accepted. Source: Pulsar proposal "Message filtering expression".
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from msgspec import Struct

from predicat.api import Predicate, parse

FIELDS = {"properties": "map<string, string>", "event_time": "bigint", "publish_time": "bigint"}
Value = str | int | float


class Expr(Struct, frozen=True, dict=True):
    """A built expression.

    Attributes:
        data: Its body in a catalog, under `pip:`.
    """

    data: dict[str, Any]

    @cached_property
    def predicate(self) -> Predicate:
        """The expression as a predicate over `properties`, `event_time` and `publish_time` (both in
        milliseconds since 1970). Raises PredicatError.
        """
        return parse(self.data, "pip", FIELDS, on="properties", name="pulsar")

    def message(self) -> Any:
        """The expression as the protobuf message Expr."""
        from predicat.language.pulsar.writer import expr_message  # noqa: PLC0415  # protobuf is loaded where it is used

        return expr_message(self.data)

    def serialize(self) -> bytes:
        """The Expr as bytes, as a consumer sends it."""
        result: bytes = self.message().SerializeToString()
        return result

    def json(self) -> str:
        """The Expr in the JSON format of protobuf."""
        from google.protobuf import json_format  # noqa: PLC0415  # as above

        return str(json_format.MessageToJson(self.message(), indent=None))

    def text(self) -> str:
        """The Expr in the text format of protobuf."""
        from google.protobuf import text_format  # noqa: PLC0415  # as above

        return str(text_format.MessageToString(self.message(), as_utf8=True)).strip()


class Builder(Struct, frozen=True, dict=True):
    """A test, or several joined by AND, OR and NOT. `build()` checks it."""

    data: dict[str, Any]

    def and_(self, *others: Builder) -> Builder:
        """AND: this and all others."""
        return Builder({"and": [self.data, *(row.data for row in others)]})

    def or_(self, *others: Builder) -> Builder:
        """OR: this or at least one of the others."""
        return Builder({"or": [self.data, *(row.data for row in others)]})

    def not_(self) -> Builder:
        """NOT. The negation of UNKNOWN is UNKNOWN."""
        return Builder({"not": self.data})

    def build(self) -> Expr:
        """Check the expression and return it.

        Raises:
            PredicatError: An operator is unknown, or its values have the wrong type or number.
        """
        result = Expr(self.data)
        _ = result.predicate
        return result


class MessageFilterRef(Struct, frozen=True):
    """The part of a message that is tested: a property, the event time or the publish time."""

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
    """A test of a part of a message.

    Args:
        ref: The part.
        op: An operator of the proposal, such as `EQUAL`, `IN` or `GREATER_THAN`.
        *values: The values to compare with.
    """
    return Builder({**ref.data, "op": op, "values": list(values)})


def property(key: str, op: str, *values: Value) -> Builder:  # noqa: A001  # the name in the proposal
    """A test of a property. It is UNKNOWN if the message does not have it. `op` and `values` are as in
    `of`.
    """
    return of(MessageFilterRef.property(key), op, *values)


def event_time(op: str, *values: int) -> Builder:
    """A test of the event time. `values` are in milliseconds since 1970."""
    return of(MessageFilterRef.event_time(), op, *values)


def publish_time(op: str, *values: int) -> Builder:
    """A test of the publish time. `values` are in milliseconds since 1970."""
    return of(MessageFilterRef.publish_time(), op, *values)
