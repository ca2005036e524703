"""Generated rules of JsonLogic and queries of MongoDB: the engines have the evaluator's outcomes."""

import os
from types import ModuleType
from typing import Any

import pytest
from hypothesis.strategies import SearchStrategy

import predicat
from predicat.diagnostics import PredicatError
from tests.engines.rows import Tables
from tests.oracles import json_rules, mongo_queries
from tests.oracles.rules import generated

pytestmark = pytest.mark.slow
COUNT = 100 * int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1"))


@pytest.mark.parametrize(
    ("language", "oracle", "rules"),
    [("jsonlogic", json_rules, json_rules.RULES), ("mongodb", mongo_queries, mongo_queries.QUERIES)],
)
def test_engines_agree(
    language: str, oracle: ModuleType, rules: SearchStrategy[Any], spark: Any, postgres: Any
) -> None:
    tables = Tables(spark, postgres, predicat.api.declared(oracle.FIELDS), oracle.ROWS)
    found: list[tuple[Any, predicat.Predicate]] = []
    for body in generated(rules, COUNT):
        try:
            found.append((body, predicat.parse(body, language, oracle.FIELDS)))
        except PredicatError:
            continue
    assert len(found) > COUNT / 2
    for engine, run in tables.engines():
        for start in range(0, len(found), 20):
            part = found[start : start + 20]
            got = run([predicate.sql(engine) for _, predicate in part])
            for (body, predicate), values in zip(part, got, strict=True):
                assert values == [predicate.evaluate(row) for row in oracle.ROWS], f"{engine}: {body}"
