"""Whole manifests as bodies: what is no filter is told. What they mean is in the corpus."""

from typing import Any

import pytest

import predicat
from predicat.language import default_fields

FILTER = "org.apache.kafka.connect.transforms.Filter"
ONE = {"transforms.a.predicate": "p", "predicates.p.type": "RecordIsTombstone"}


@pytest.mark.parametrize(
    ("language", "body", "reason"),
    [
        ("knative", {"kind": "Broker", "spec": {}}, "knative: 'Broker' has no filter"),
        ("knative", {"spec": {"filter": {"attribute": {}}}}, "filter has no key 'attribute'"),
        ("knative", {"spec": {"filtrs": []}}, "the spec of a Trigger has no key 'filtrs'"),
        ("kafka", {"connector.class": "x"}, "none of its transformations has a predicate"),
        (
            "kafka",
            {**ONE, "transforms": "a, b", "transforms.b.predicate": "p"},
            "2 of its transformations have predicates",
        ),
        ("kafka", {**ONE, "transforms": "a", "predicates.p.type": "x.Other"}, "'x.Other' is not a predicate"),
        (
            "sns",
            {"Type": "AWS::SNS::Subscription", "Properties": {"Protocol": "sqs"}},
            "the subscription: it has no filter policy",
        ),
        (
            "eventbridge",
            {"Type": "AWS::Events::Rule", "Properties": {"ScheduleExpression": "rate(1 day)"}},
            "the rule: it has no event pattern",
        ),
        ("labels", {"kind": "Service", "spec": {"type": "ExternalName"}}, "Service: it has no selector"),
    ],
)
def test_what_is_no_filter(language: str, body: dict[str, Any], reason: str) -> None:
    with pytest.raises(predicat.PredicatError, match=reason):
        predicat.parse(body, language)


def test_columns_are_found_only_where_nothing_else_is_declared() -> None:
    fields = {"ce": "map<string, string>", "type": "string"}
    found = predicat.parse({"type": "a"}, "attributes", fields, on="ce")
    assert found.evaluate({"ce": {"type": "a"}, "type": "b"}) is True
    with pytest.raises(predicat.PredicatError, match=r"no field is named 'ce', from which the keys"):
        predicat.parse({"tpe": "a"}, "attributes", {"type": "string"}, on="ce")


def test_fields_that_languages_read_by_default() -> None:
    assert default_fields("rabbitmq") == {"routing_key": "string"}
    assert default_fields("kafka")["topic"] == "string"
    assert default_fields("knative") == {"ce": "map<string, string>"}
