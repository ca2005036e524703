"""Data files for DuckDB."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp

from predicat.backends.column_types import REFUSED, ColumnType, column_type, holds
from predicat.deploy.rows import duckdb_type
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import DecimalType, Scalar

ENDINGS = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".ndjson")
"""The endings of files that DuckDB reads, also with `.gz` behind them."""


def source(path: str) -> str:
    """The source at a path as a SQL literal for DuckDB: a file, or a pattern for the files of a folder with
    the first supported extension that occurs.
    """
    folder = Path(path)
    if folder.is_dir():
        patterns = [f"**/*{ending}{packed}" for ending in ENDINGS for packed in ("", ".gz")]
        there = (pattern for pattern in patterns if any(folder.glob(pattern)))
        path = f"{path.rstrip('/')}/{next(there, patterns[0])}"
    return exp.Literal.string(path).sql(dialect="duckdb")


def is_parquet(source: str) -> bool:
    """Whether a literal of `source` names Parquet files."""
    return source.lower().endswith((".parquet'", ".parquet.gz'"))


def columns(connection: Any, source: str) -> dict[str, str]:
    """The columns of a source, and DuckDB's names of their types."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    return {str(row[0]): str(row[1]) for row in described}


def typed(source: str, known: Mapping[str, str], fields: Iterable[FieldDecl]) -> str:
    """A source whose columns have the declared types. Only files without types are converted: CSV and JSON,
    in which DuckDB finds types that fit the values. What does not convert is NULL, and so is a number with
    more digits than its field.

    `known` has the columns of the source, with DuckDB's names of their types.
    """
    if ".parquet" in source.lower():
        return source
    columns = {name.lower(): (name, column_type("duckdb", text)) for name, text in known.items()}
    converted: dict[str, str] = {}
    for decl in fields:
        name, kind = columns.get(decl.column("duckdb").lower(), ("", None))
        if kind is not None and holds("duckdb", decl, kind).kind == REFUSED:
            converted[name] = _conversion(exp.column(name, quoted=True).sql(dialect="duckdb"), kind, decl)
    if not converted:
        return source
    replaced = ", ".join(
        f"{sql} AS {exp.to_identifier(name, quoted=True).sql(dialect='duckdb')}"
        for name, sql in converted.items()
    )
    return f"(SELECT * REPLACE ({replaced}) FROM {source})"


def _conversion(column: str, kind: ColumnType, decl: FieldDecl) -> str:
    wanted = decl.stored or duckdb_type(decl.type)
    if not isinstance(decl.type, Scalar | DecimalType):
        value = column if kind.kind in ("string", "json") else f"to_json({column})"
        return f"TRY_CAST(CAST({value} AS JSON) AS {wanted})"
    value = f"TRY_CAST({column} AS {wanted})"
    exact = isinstance(decl.type, DecimalType)
    return f"CASE WHEN {value} = TRY_CAST({column} AS DOUBLE) THEN {value} END" if exact else value
