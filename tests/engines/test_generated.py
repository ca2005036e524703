"""Generated predicates on generated rows: the evaluator, Spark and PostgreSQL agree, and no query fails."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import predicat
from predicat import backends
from predicat.api import declared
from predicat.diagnostics import PredicatError, Unsupported
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Node
from predicat.rewrite.simplify import simplify
from tests.engines.predicates import FIELDS, predicates, rows
from tests.engines.rows import Tables
from tests.fuzzing import REPEATABLE
from tests.language import cel_texts, sql_texts
from tests.rounds import rounds

BATCH = 30
EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "8"))
_tables: dict[str, Tables] = {}
generated = settings(REPEATABLE, max_examples=EXAMPLES)


def check_batch(nodes: list[Node], tables: Tables) -> None:
    simplified = [simplify(node) for node in nodes]
    expected = [tables.reference(node) for node in nodes]
    for name, run in tables.engines():
        asked: list[tuple[int, str, bool]] = []
        for index, node in enumerate(simplified):
            try:
                both = [backends.dialect(name).render(node, condition=where) for where in (False, True)]
            except Unsupported:
                continue
            # In a WHERE, FALSE and UNKNOWN are the same.
            asked += [(index, both[0], False)] + ([(index, both[1], True)] if both[1] != both[0] else [])
        got = run([sql for _, sql, _ in asked])
        for (index, sql, where), column in zip(asked, got, strict=True):
            differing = [
                (tables.rows[at], have, want)
                for at, (have, want) in enumerate(zip(column, expected[index], strict=True))
                if ((have is True) != (want is True) if where else have != want)
            ]
            assert not differing, (
                f"{name}: {canonical_text(nodes[index])}\n{sql}\n(row, got, expected): {differing[0]}"
            )


@generated
@given(nodes=st.lists(predicates(3), min_size=BATCH, max_size=BATCH))
def test_engines_agree(spark: Any, postgres: Any, nodes: list[Node]) -> None:
    tables = _tables.setdefault("rows", Tables(spark, postgres, FIELDS, rows(50)))
    check_batch(nodes, tables)


@settings(generated, max_examples=max(EXAMPLES // 4, 1))
@given(
    texts=st.lists(st.integers(1, 2).flatmap(cel_texts.booleans), min_size=BATCH, max_size=BATCH),
    rows=st.lists(cel_texts.rows, min_size=10, max_size=10),
)
def test_engines_agree_on_cel(
    spark: Any, postgres: Any, texts: list[str], rows: list[dict[str, Any]]
) -> None:
    check_batch(
        [node for text in texts if (node := parsed(text, "cel")) is not None],
        Tables(spark, postgres, declared(cel_texts.FIELDS), rows),
    )


@settings(generated, max_examples=max(EXAMPLES // 4, 1))
@given(
    texts=st.lists(st.integers(0, 2).flatmap(sql_texts.over_json), min_size=BATCH, max_size=BATCH),
    rows=st.lists(cel_texts.rows, min_size=10, max_size=10),
)
def test_engines_agree_on_sql_over_json(
    spark: Any, postgres: Any, texts: list[str], rows: list[dict[str, Any]]
) -> None:
    check_batch(
        [node for text in texts if (node := parsed(text, "sql")) is not None],
        Tables(spark, postgres, declared(cel_texts.FIELDS), rows),
    )


def parsed(text: str, language: str) -> Node | None:
    try:
        return predicat.parse(text, language, cel_texts.FIELDS).node
    except PredicatError:
        return None  # a comparison of two types


@pytest.mark.long
def test_simplification_keeps_the_meaning() -> None:
    @settings(
        max_examples=200,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(node=predicates(3))
    def check(node: Node) -> None:
        from predicat.semantics.evaluate import compile_node

        before, after = compile_node(node), compile_node(simplify(node))
        for row in rounds(rows(30), 1):
            assert before(row) == after(row)

    check()
