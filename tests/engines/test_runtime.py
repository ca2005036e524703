"""The functions of the schema `predicat` mean what the SQL without them means, and the planner puts what they
do in the place of their calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import predicat
from predicat.api import declared
from predicat.backends.sql.postgres import POSTGRES, runtime
from predicat.deploy.rows import on_postgres
from predicat.semantics.evaluate import compile_node
from tests.engines.test_conversions import FIELDS, NEAR, texts


@pytest.fixture
def installed(postgres: Any) -> Iterator[Any]:
    postgres.execute("CREATE SCHEMA predicat")
    for row in runtime.definitions(postgres.info.server_version):
        postgres.execute(row.sql)
    yield postgres
    postgres.execute("DROP SCHEMA predicat CASCADE")


CALLED = {"bigint": "predicat.to_bigint(s)"}


@pytest.mark.parametrize("kind", CALLED)
def test_near_texts(kind: str, installed: Any) -> None:
    value, limit, bases = NEAR[kind]
    fields = declared({"s": "string"})
    rows = [{"s": text} for text in dict.fromkeys([*texts(bases, 4000), *FIELDS.get(kind, [])])]
    for rest in ("IS NOT NULL", f"> {limit}"):
        node = predicat.parse(f"{value} {rest}", "sql", fields).node
        sql = POSTGRES.render(node, runtime=POSTGRES.runtime)
        assert CALLED[kind] in sql
        (given,) = on_postgres(installed, list(fields.values()), rows, [sql])
        run = compile_node(node)
        wrong = [(row["s"], got) for row, got in zip(rows, given, strict=True) if got is not run(row)]
        assert wrong == []


@pytest.mark.parametrize("sql", CALLED.values())
def test_calls_are_inlined(sql: str, installed: Any) -> None:
    installed.execute("CREATE TEMPORARY TABLE given (s text)")
    try:
        shown = installed.execute(f"EXPLAIN (VERBOSE) SELECT * FROM given WHERE {sql} IS NOT NULL").fetchall()
        assert "predicat." not in "\n".join(row[0] for row in shown)
    finally:
        installed.execute("DROP TABLE given")
