"""Evaluates predicates on rows of declared fields in bulk, on every engine."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import predicat
from predicat import backends
from predicat.deploy.rows import on_duckdb, on_postgres
from predicat.ir.nodes import FieldDecl, Node
from predicat.semantics.evaluate import compile_node
from predicat_spark.rows import on_spark

ENGINES = ("spark", "postgres", "duckdb")


class Tables:
    """Some rows on every engine."""

    def __init__(
        self,
        spark: Any,
        postgres: Any,
        fields: Mapping[str, FieldDecl],
        rows: Sequence[Mapping[str, Any]],
        only: Sequence[str] = ENGINES,
    ) -> None:
        self.spark, self.postgres, self.fields, self.rows, self.only = (
            spark,
            postgres,
            list(fields.values()),
            rows,
            only,
        )

    def engines(self) -> list[tuple[str, Any]]:
        """Each engine's name, and how to evaluate expressions on it."""
        return [(name, getattr(self, f"on_{name}")) for name in self.only]

    def on_spark(self, expressions: Sequence[str]) -> list[list[Any]]:
        return on_spark(self.fields, self.rows, expressions, self.spark)

    def on_postgres(self, expressions: Sequence[str]) -> list[list[Any]]:
        return on_postgres(self.postgres, self.fields, self.rows, expressions)

    def on_duckdb(self, expressions: Sequence[str]) -> list[list[Any]]:
        return on_duckdb(self.fields, self.rows, expressions)

    def reference(self, node: Node) -> list[Any]:
        run = compile_node(node)
        return [run(row) for row in self.rows]


def check_outcomes(tables: Tables, texts: Sequence[tuple[str, str]], *, where: bool = False) -> None:
    """Conditions, each with its language, have the evaluator's outcomes on engines; with `where` they accept
    the same rows in a WHERE.
    """
    fields = {decl.name: decl for decl in tables.fields}
    found = [predicat.parse(text, language, fields) for language, text in texts]
    now = datetime.now(UTC)
    expected = [[predicate.evaluate(row, now=now) for row in tables.rows] for predicate in found]
    for engine, run in tables.engines():
        sql = [one.sql(engine) for one in found]
        wrong = [
            f"{language} {text}: {row} {value} not {want}\n{rendered}"
            for (language, text), rendered, column, wanted in zip(texts, sql, run(sql), expected, strict=True)
            for row, value, want in zip(tables.rows, column, wanted, strict=True)
            if value != want
        ]
        assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:10])
        if not where:
            continue
        conditions = [backends.dialect(engine).render(one.node, condition=True) for one in found]
        wrong = [
            f"{rendered}: {row} {value} in a WHERE"
            for rendered, column, wanted in zip(conditions, run(conditions), expected, strict=True)
            for row, value, want in zip(tables.rows, column, wanted, strict=True)
            if (value is True) != (want is True)
        ]
        assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:10])
