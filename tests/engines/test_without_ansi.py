"""Spark without ANSI mode, as Spark 3 was and many clusters still are: the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import predicat
from predicat import backends
from predicat.diagnostics import Unsupported
from predicat.ir.nodes import Node
from predicat.ir.text import to_text
from predicat.ir.values import to_value
from predicat.passes.simplify import simplify
from tests.engines.predicates import FIELDS, predicates, rows
from tests.engines.rows import Tables
from tests.engines.test_corpus import CORPUS, field_value, parsed
from tests.engines.test_generated import BATCH, EXAMPLES


TRAPS = yaml.safe_load((CORPUS / "traps.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def lenient(spark: Any) -> Iterator[Any]:
    spark.conf.set("spark.sql.ansi.enabled", "false")
    yield spark
    spark.conf.unset("spark.sql.ansi.enabled")


@pytest.mark.parametrize("entry", TRAPS, ids=lambda entry: entry["name"])
def test_traps(entry: dict[str, Any], lenient: Any) -> None:
    declared = {key: spec for key, spec in predicat.api.declared(entry["fields"]).items() if not str(spec.type).startswith("struct")}
    cases = [case for case in parsed(entry) if set(case[1].fields) <= set(declared)]
    values = [{name: to_value(field_value(row, name), spec.type) for name, spec in declared.items()} for row in entry["rows"]]
    got = Tables(lenient, None, declared, values).on_spark([case[1].sql("spark") for case in cases])
    for (label, predicate, expected), column in zip(cases, got, strict=True):
        assert column == expected, f"{label}\n{predicate.sql('spark')}"


@settings(max_examples=max(EXAMPLES // 8, 1), deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
@given(nodes=st.lists(predicates(3), min_size=BATCH, max_size=BATCH))
def test_generated(lenient: Any, nodes: list[Node]) -> None:
    tables = Tables(lenient, None, FIELDS, rows(50))
    said: list[tuple[Node, str]] = []
    for node in nodes:
        try:
            said.append((node, backends.dialect("spark").render(simplify(node))))
        except Unsupported:
            continue
    for (node, sql), column in zip(said, tables.on_spark([sql for _, sql in said]), strict=True):
        assert column == tables.reference(node), f"{to_text(node)}\n{sql}"
