"""Names of columns, tables and views in the SQL of Spark, in quotes."""

from __future__ import annotations

from sqlglot import exp


def quoted(name: str) -> str:
    """A name of one part."""
    return exp.to_identifier(name, quoted=True).sql(dialect="spark")


def quoted_table(name: str) -> str:
    """A possibly qualified name, each part in quotes."""
    return exp.to_table(name, dialect="spark").sql(dialect="spark", identify=True)
