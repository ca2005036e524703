"""Pulsar's CommandSeek in every form that an Expr has, and the builder's references."""

import base64
from typing import Any

import pytest
from google.protobuf import json_format, text_format

import predicat
from predicat import pulsar
from predicat.language.pulsar import proto

FIELDS = {"properties": "map<string, string>", "event_time": "bigint", "publish_time": "bigint"}
region = pulsar.property("region", "IN", "EU", "US")
EXPRS = [
    region.build(),
    region.and_(pulsar.event_time("GREATER_THAN", 5)).build(),
    region.or_(pulsar.property("consumer_id", "EQUALS", 7)).not_().build(),
]
FORMS = {
    "bytes": lambda seek: seek.SerializeToString(),
    "message": lambda seek: seek,
    "base64": lambda seek: base64.b64encode(seek.SerializeToString()).decode(),
    "base64 in lines": lambda seek: base64.encodebytes(seek.SerializeToString()).decode(),
    "text format": text_format.MessageToString,
    "JSON": json_format.MessageToJson,
    "data": json_format.MessageToDict,
}


def seek(expr: pulsar.Expr, *, place: bool) -> Any:
    found = proto.messages()["CommandSeek"](consumer_id=1, request_id=2)
    found.expression.MergeFromString(expr.serialize())
    if place:
        found.message_id.ledgerId, found.message_id.entryId, found.message_id.partition = 3, 4, 5
        found.message_publish_time = 6
    return found


@pytest.mark.parametrize("place", [False, True], ids=["consumer", "message"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("expr", EXPRS, ids=["predicate", "and", "not"])
def test_a_seek_is_its_expression(expr: pulsar.Expr, form: str, *, place: bool) -> None:
    predicate = predicat.parse(FORMS[form](seek(expr, place=place)), "pulsar", FIELDS, on="properties")
    assert predicate.sql("spark") == expr.predicate.sql("spark")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("expr", EXPRS, ids=["predicate", "and", "not"])
def test_an_expression_alone(expr: pulsar.Expr, form: str) -> None:
    predicate = predicat.parse(FORMS[form](expr.message()), "pulsar", FIELDS, on="properties")
    assert predicate.sql("spark") == expr.predicate.sql("spark")


@pytest.mark.parametrize("form", FORMS)
def test_a_seek_without_an_expression_is_refused(form: str) -> None:
    with pytest.raises(predicat.PredicatError, match="it is missing"):
        predicat.parse(
            FORMS[form](proto.messages()["CommandSeek"](consumer_id=1, request_id=2)),
            "pulsar",
            FIELDS,
            on="properties",
        )


def test_references() -> None:
    ref = pulsar.MessageFilterRef
    assert pulsar.of(ref.property("region"), "IN", "EU", "US") == region
    assert pulsar.of(ref.event_time(), "LESS_THAN", 5) == pulsar.event_time("LESS_THAN", 5)
    assert pulsar.of(ref.publish_time(), "LESS_THAN", 5) == pulsar.publish_time("LESS_THAN", 5)
    assert pulsar.of(ref.event_time(), "LESS_THAN", 5).build().predicate.evaluate({"event_time": 4}) is True
