"""Puts rows of declared fields into a DataFrame, and evaluates SQL on them in bulk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from predicat.backends.sql.column_forms import stored_type, stored_value
from predicat.ir.nodes import FieldDecl, Node
from predicat.ir.types import JSON, ArrayType, MapType, StructType, Type
from predicat_spark.lists import provide
from predicat_spark.sessions import local_session

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def on_spark(
    fields: Sequence[FieldDecl],
    rows: Sequence[Mapping[str, Any]],
    expressions: Sequence[str],
    session: SparkSession | None = None,
    nodes: Iterable[Node] = (),
) -> list[list[Any]]:
    """The values of SQL expressions on rows, in the order of the rows. `nodes` are their predicates, where
    these may use long lists.
    """
    session = session or local_session("local[1]", "predicat test")
    provide(session, nodes)
    frame = frame_of(fields, rows, session)
    found = frame.selectExpr("__id", *(f"{sql} AS c{index}" for index, sql in enumerate(expressions)))
    # Spark would compile an ORDER BY together with all expressions, into one method that is often too long.
    result = sorted(found.collect(), key=itemgetter(0))
    return [list(column) for column in zip(*result, strict=True)][1:]


def frame_of(
    fields: Sequence[FieldDecl], rows: Sequence[Mapping[str, Any]], session: SparkSession
) -> DataFrame:
    """The rows in one partition, and `__id` to keep their order."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # its usual name; Spark is slow to load

    names = [_name(decl.column("spark")) for decl in fields]
    schema = ", ".join(
        [
            "__id bigint",
            *(
                f"`{name}` {stored_type('spark', decl, _type)}"
                for name, decl in zip(names, fields, strict=True)
            ),
        ]
    )
    data = [
        (index, *(_value(stored_value("spark", decl, row.get(decl.name)), decl.type) for decl in fields))
        for index, row in enumerate(rows)
    ]
    frame = session.createDataFrame(data, schema)
    parsed = {
        decl.column("spark"): _parsed(F.col(f"`{name}`"), decl.type)
        for name, decl in zip(names, fields, strict=True)
        if _has_json(decl.type)
    }
    return frame.withColumns(parsed).coalesce(1) if parsed else frame.coalesce(1)


def _has_json(kind: Type) -> bool:
    return "json" in str(kind)


def _type(kind: Type) -> str:
    """The type of a column. A DataFrame has no CHAR."""
    match kind:
        case ArrayType(element):
            return f"array<{_type(element)}>"
        case MapType(value):
            return f"map<string,{_type(value)}>"
        case StructType(members):
            return f"struct<{','.join(f'`{_name(name)}`:{_type(inner)}' for name, inner in members)}>"
        case _:
            return "string" if kind == JSON or str(kind).startswith("char(") else str(kind)


def _name(name: str) -> str:
    return name.replace("`", "``")


def _value(value: Any, kind: Type) -> Any:
    if value is None or not _has_json(kind):
        return value
    match kind:
        case ArrayType(element):
            return [_value(item, element) for item in value]
        case MapType(inner):
            return {key: _value(item, inner) for key, item in value.items()}
        case StructType(members):
            return {name: _value(value.get(name), inner) for name, inner in members}
        case _:
            return json.dumps(value)


def _parsed(column: Column, kind: Type) -> Column:
    """A column with its JSON texts as VARIANT."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # its usual name; Spark is slow to load

    if not _has_json(kind):
        return column
    match kind:
        case ArrayType(element):
            return F.transform(column, lambda item: _parsed(item, element))
        case MapType(value):
            return F.transform_values(column, lambda _, item: _parsed(item, value))
        case StructType(members):
            parts = [_parsed(column.getField(name), inner).alias(name) for name, inner in members]
            return F.when(column.isNotNull(), F.struct(*parts))
        case _:
            return F.parse_json(column)
