"""SQL whose constants are parameters has the answers of the evaluator on every engine: generated predicates,
and the corpus in a WHERE. The corpus as values is in `test_corpus`, beside the SQL with its constants.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from predicat import backends
from predicat.diagnostics import Unsupported
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import FieldDecl, Node
from predicat.rewrite.simplify import simplify
from predicat.semantics.evaluate import compile_node
from tests.engines.predicates import FIELDS, predicates, rows
from tests.engines.rows import Case, Rows, check_values, with_values
from tests.engines.test_corpus import ENTRIES, cases_of
from tests.engines.test_generated import BATCH, EXAMPLES
from tests.fuzzing import REPEATABLE


@settings(REPEATABLE, max_examples=max(EXAMPLES // 4, 1), derandomize=True)
@given(nodes=st.lists(predicates(3), min_size=BATCH, max_size=BATCH))
def test_generated(spark: Any, postgres: Any, nodes: list[Node]) -> None:
    some = rows(20)
    cases = [
        (canonical_text(node), simplify(node), [compile_node(node)(row) for row in some]) for node in nodes
    ]
    check_values(cases, list(FIELDS.values()), some, spark, postgres)


@settings(REPEATABLE, max_examples=max(EXAMPLES // 16, 1), derandomize=True)
@given(nodes=st.lists(predicates(3), min_size=BATCH // 4, max_size=BATCH // 4))
def test_generated_conditions(postgres: Any, nodes: list[Node]) -> None:
    some = rows(20)
    check_conditions(
        [(canonical_text(node), simplify(node), [compile_node(node)(row) for row in some]) for node in nodes],
        list(FIELDS.values()),
        some,
        postgres,
    )


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_corpus_conditions(entry: dict[str, Any], postgres: Any) -> None:
    cases, fields, some = cases_of(entry)
    check_conditions(
        [(label, predicate.node, expected) for label, predicate, expected in cases],
        list(fields.values()),
        some,
        postgres,
    )


def check_conditions(cases: Iterable[Case], fields: list[FieldDecl], some: Rows, postgres: Any) -> None:
    """The condition of a WHERE is TRUE for the same rows."""
    asked: list[tuple[str, str, list[bool | None]]] = []
    values: list[Any] = []
    for label, node, expected in cases:
        try:
            sql, more = backends.dialect("postgres").parameterized(node, len(values) + 1, condition=True)
        except Unsupported:
            continue
        asked.append((label, sql, expected))
        values += more
    got = with_values("postgres", postgres, fields, some, [sql for _, sql, _ in asked], values)
    for (label, sql, expected), column in zip(asked, zip(*got, strict=True), strict=True):
        assert [value is True for value in column] == [value is True for value in expected], f"{label}\n{sql}"
