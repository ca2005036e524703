"""SQL whose constants are parameters has the answers of the evaluator on every engine: the corpus, and
generated predicates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import duckdb
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from predicat import backends
from predicat.deploy.rows import TABLE, fill_duckdb, fill_postgres
from predicat.diagnostics import Unsupported
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import FieldDecl, Node
from predicat.rewrite.simplify import simplify
from predicat.semantics.evaluate import compile_node
from predicat_spark.rows import frame_of
from tests.engines.predicates import FIELDS, predicates, rows
from tests.engines.test_corpus import ENTRIES, cases_of
from tests.engines.test_generated import BATCH, EXAMPLES
from tests.fuzzing import REPEATABLE

Rows = list[dict[str, Any]]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_corpus(entry: dict[str, Any], spark: Any, postgres: Any) -> None:
    cases, fields, some = cases_of(entry)
    check(
        [(label, predicate.node, expected) for label, predicate, expected in cases],
        list(fields.values()),
        some,
        spark,
        postgres,
    )


@settings(REPEATABLE, max_examples=max(EXAMPLES // 4, 1), derandomize=True)
@given(nodes=st.lists(predicates(3), min_size=BATCH, max_size=BATCH))
def test_generated(spark: Any, postgres: Any, nodes: list[Node]) -> None:
    some = rows(20)
    cases = [
        (canonical_text(node), simplify(node), [compile_node(node)(row) for row in some]) for node in nodes
    ]
    check(cases, list(FIELDS.values()), some, spark, postgres)


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


def check_conditions(
    cases: Iterable[tuple[str, Node, list[bool | None]]], fields: list[FieldDecl], some: Rows, postgres: Any
) -> None:
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
    got = on_postgres(postgres, fields, some, ", ".join(sql for _, sql, _ in asked), values)
    for (label, sql, expected), column in zip(asked, zip(*got, strict=True), strict=True):
        assert [value is True for value in column] == [value is True for value in expected], f"{label}\n{sql}"


def check(
    cases: Iterable[tuple[str, Node, list[bool | None]]],
    fields: list[FieldDecl],
    some: Rows,
    spark: Any,
    postgres: Any,
) -> None:
    for name, run, engine in (
        ("spark", on_spark, spark),
        ("postgres", on_postgres, postgres),
        ("duckdb", on_duckdb, None),
    ):
        asked: list[tuple[str, str, list[bool | None]]] = []
        values: list[Any] = []
        for label, node, expected in cases:
            try:
                sql, more = backends.dialect(name).parameterized(node, len(values) + 1)
            except Unsupported:
                continue
            asked.append((label, sql, expected))
            values += more
        got = run(engine, fields, some, ", ".join(sql for _, sql, _ in asked), values)
        for (label, sql, expected), column in zip(asked, zip(*got, strict=True), strict=True):
            assert list(column) == expected, f"{name} {label}\n{sql}"


def on_spark(
    spark: Any, fields: list[FieldDecl], some: Rows, asked: str, values: list[Any]
) -> list[tuple[Any, ...]]:
    frame_of(fields, some, spark).createOrReplaceTempView(TABLE)
    return [
        tuple(row) for row in spark.sql(f"SELECT {asked} FROM {TABLE} ORDER BY __id", args=values).collect()
    ]


def on_postgres(
    connection: Any, fields: list[FieldDecl], some: Rows, asked: str, values: list[Any]
) -> list[tuple[Any, ...]]:
    fill_postgres(connection, fields, some)
    return (
        psycopg.RawCursor(connection)
        .execute(f"SELECT {asked} FROM {TABLE} ORDER BY __id".encode(), values)
        .fetchall()
    )


def on_duckdb(
    _: None, fields: list[FieldDecl], some: Rows, asked: str, values: list[Any]
) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        fill_duckdb(connection, fields, some)
        return connection.execute(f"SELECT {asked} FROM {TABLE} ORDER BY __id", values).fetchall()
