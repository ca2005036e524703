"""Data files for DuckDB."""

from pathlib import Path

from sqlglot import exp

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
