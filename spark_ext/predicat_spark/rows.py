"""Puts rows of declared fields into a DataFrame, and evaluates SQL on them in bulk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from predicat.ir.nodes import FieldDecl
from predicat.ir.types import Type
from predicat_spark.jobs import local_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def on_spark(
    fields: Sequence[FieldDecl], rows: Sequence[Mapping[str, Any]], expressions: Sequence[str], session: SparkSession | None = None
) -> list[list[Any]]:
    """The values of SQL expressions on rows, in the order of the rows."""
    frame = frame_of(fields, rows, session or local_session("local[1]", "predicat test"))
    found = frame.selectExpr("__id", *(f"{sql} AS c{place}" for place, sql in enumerate(expressions))).orderBy("__id").collect()
    return [list(column) for column in zip(*found, strict=True)][1:]


def frame_of(fields: Sequence[FieldDecl], rows: Sequence[Mapping[str, Any]], session: SparkSession) -> DataFrame:
    """The rows in one partition, and `__id` to keep their order."""
    names = [decl.column("spark").replace("`", "``") for decl in fields]
    schema = ", ".join(["__id bigint", *(f"`{name}` {_type(decl.type)}" for name, decl in zip(names, fields, strict=True))])
    data = [(index, *(_value(row.get(decl.name), decl.type) for decl in fields)) for index, row in enumerate(rows)]
    frame = session.createDataFrame(data, schema)
    for name, decl in zip(names, fields, strict=True):
        if str(decl.type) == "json":
            frame = frame.selectExpr(f"* EXCEPT (`{name}`)", f"parse_json(`{name}`) AS `{name}`")
    return frame.coalesce(1)


def _type(kind: Type) -> str:
    return "string" if str(kind) == "json" else str(kind).replace(": ", ":")


def _value(value: Any, kind: Type) -> Any:
    return json.dumps(value) if str(kind) == "json" and value is not None else value
