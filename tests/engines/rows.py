"""Evaluates predicates on rows of declared fields in bulk, on every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
