"""Typed nodes survive the way through JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

import predicat
from predicat.ir.canonical import canonical_text
from predicat.ir.codec import from_data, to_data
from predicat.ir.nodes import Node
from tests.engines.predicates import predicates
from tests.rounds import rounds


@pytest.mark.long
@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)
@given(node=predicates(3))
def test_there_and_back(node: Node) -> None:
    found = from_data(json.loads(json.dumps(to_data(node))))
    assert canonical_text(found) == canonical_text(node)


def test_the_reference_catalog() -> None:
    catalog = predicat.load_catalog("catalog")
    for row in rounds(catalog.filters(), 1):
        for version in rounds(row.versions.values(), 1):
            node = version.predicate.node
            assert canonical_text(from_data(json.loads(json.dumps(to_data(node))))) == canonical_text(node)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        ["drop", "table"],
        ["const", "text"],
        ["const", "bigint", ["x", 1]],
        ["field", "a", "no type", "absent"],
    ],
)
def test_other_data_is_refused(data: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # of the reader, or of Python for a wrong form
        from_data(data)
