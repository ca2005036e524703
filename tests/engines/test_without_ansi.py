"""Spark without ANSI mode, as Spark 3 was and many clusters still are: the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat_spark.settings
from predicat.ir.nodes import Node
from tests.engines.predicates import FIELDS, predicates, rows
from tests.engines.rows import Tables
from tests.engines.test_corpus import check
from tests.engines.test_generated import BATCH, EXAMPLES, check_batch
from tests.fuzzing import REPEATABLE
from tests.texts import CORPUS, read_yaml

TRAPS = read_yaml(CORPUS / "traps.yml")


@pytest.fixture(scope="module")
def lenient(spark: Any) -> Iterator[Any]:
    with predicat_spark.settings.settings(spark, {"spark.sql.ansi.enabled": "false"}):
        yield spark


@pytest.mark.parametrize("entry", TRAPS, ids=lambda entry: entry["name"])
def test_traps(entry: dict[str, Any], lenient: Any) -> None:
    check(entry, lenient, None, only=["spark"])


@settings(REPEATABLE, max_examples=max(EXAMPLES // 8, 1), derandomize=True)
@given(nodes=st.lists(predicates(3), min_size=BATCH, max_size=BATCH))
def test_generated(lenient: Any, nodes: list[Node]) -> None:
    check_batch(nodes, Tables(lenient, None, FIELDS, rows(50), only=["spark"]))
