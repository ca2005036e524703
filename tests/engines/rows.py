"""Puts rows of declared fields into a Spark view and a PostgreSQL table, and evaluates predicates on them in bulk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from predicat.ir.nodes import FieldDecl, Node
from predicat.ir.types import ArrayType, MapType, StructType, Type
from predicat.semantics.evaluate import compile_node

PG_TYPES = {"string": "text", "bigint": "bigint", "double": "double precision", "boolean": "boolean",
            "timestamp": "timestamptz", "date": "date", "json": "jsonb"}


def pg_type(kind: Type) -> str:
    if isinstance(kind, ArrayType):
        return f"{pg_type(kind.element)}[]"
    if isinstance(kind, MapType):
        return "jsonb"
    return PG_TYPES.get(str(kind), str(kind))


def spark_type(kind: Type) -> str:
    return "string" if str(kind) == "json" else str(kind).replace(": ", ":")


def duckdb_type(kind: Type) -> str:
    if isinstance(kind, ArrayType):
        return f"{duckdb_type(kind.element)}[]"
    if isinstance(kind, MapType):
        return f"map(varchar, {duckdb_type(kind.value)})"
    return {"string": "varchar", "timestamp": "timestamptz"}.get(str(kind), str(kind))


class Tables:
    """One table of rows on both engines."""

    def __init__(self, spark: Any, postgres: Any, fields: Mapping[str, FieldDecl], rows: Sequence[Mapping[str, Any]]) -> None:
        self.spark, self.postgres, self.rows = spark, postgres, rows
        self._spark_view(fields)
        self._postgres_table(fields)
        self.duckdb = duckdb.connect()
        self._duckdb_table(fields)

    def _spark_view(self, fields: Mapping[str, FieldDecl]) -> None:
        schema = ", ".join(["__id bigint", *(f"`{name}` {spark_type(decl.type)}" for name, decl in fields.items())])
        data = [(index, *(_plain(row.get(name), decl.type) for name, decl in fields.items())) for index, row in enumerate(self.rows)]
        frame = self.spark.createDataFrame(data, schema)
        for name, decl in fields.items():
            if str(decl.type) == "json":
                frame = frame.selectExpr("* EXCEPT (`%s`)" % name, "parse_json(`%s`) AS `%s`" % (name, name))
        frame.coalesce(1).createOrReplaceTempView("t_rows")

    def _postgres_table(self, fields: Mapping[str, FieldDecl]) -> None:
        columns = ", ".join(["__id bigint", *(f'"{name}" {pg_type(decl.type)}' for name, decl in fields.items())])
        marks = ", ".join(["%s", *(f"%s::{pg_type(decl.type)}" for decl in fields.values())])
        with self.postgres.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS t_rows")
            cursor.execute(f"CREATE TABLE t_rows ({columns})")
            values = [(index, *(_stored(row.get(name), decl.type) for name, decl in fields.items())) for index, row in enumerate(self.rows)]
            cursor.executemany(f"INSERT INTO t_rows VALUES ({marks})", values)

    def _duckdb_table(self, fields: Mapping[str, FieldDecl]) -> None:
        columns = ", ".join(["__id bigint", *(f'"{name}" {duckdb_type(decl.type)}' for name, decl in fields.items())])
        self.duckdb.execute("DROP TABLE IF EXISTS t_rows")
        self.duckdb.execute(f"CREATE TABLE t_rows ({columns})")
        marks = ", ".join("?" for _ in range(len(fields) + 1))
        for index, row in enumerate(self.rows):
            values = [_duckdb_value(row.get(name), decl.type) for name, decl in fields.items()]
            self.duckdb.execute(f"INSERT INTO t_rows VALUES ({marks})", [index, *values])

    def on_duckdb(self, expressions: Sequence[str]) -> list[list[Any]]:
        found = self.duckdb.execute(f"SELECT {', '.join(expressions)} FROM t_rows ORDER BY __id").fetchall()
        return [list(column) for column in zip(*found, strict=True)]

    def engines(self) -> list[tuple[str, Any]]:
        """Each engine's name, and how to evaluate expressions on it."""
        return [("spark", self.on_spark), ("postgres", self.on_postgres), ("duckdb", self.on_duckdb)]

    def on_spark(self, expressions: Sequence[str]) -> list[list[Any]]:
        found = self.spark.sql(f"SELECT {', '.join(expressions)} FROM t_rows ORDER BY __id").collect()
        return [list(column) for column in zip(*found, strict=True)]

    def on_postgres(self, expressions: Sequence[str]) -> list[list[Any]]:
        with self.postgres.cursor() as cursor:
            found = cursor.execute(f"SELECT {', '.join(expressions)} FROM t_rows ORDER BY __id").fetchall()
        return [list(column) for column in zip(*found, strict=True)]

    def reference(self, node: Node) -> list[Any]:
        run = compile_node(node)
        return [run(row) for row in self.rows]


def _plain(value: Any, kind: Type) -> Any:
    return json.dumps(value) if str(kind) == "json" and value is not None else value


def _stored(value: Any, kind: Type) -> Any:
    if value is not None and (isinstance(kind, MapType | StructType) or str(kind) == "json"):
        return json.dumps(value)
    return value


def _duckdb_value(value: Any, kind: Type) -> Any:
    if value is None:
        return None
    if isinstance(kind, MapType):
        return {"key": list(value), "value": list(value.values())}
    return json.dumps(value) if str(kind) == "json" else value
