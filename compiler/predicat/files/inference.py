"""The types that the cells of a file may be declared with: what `predicat init` writes."""

from __future__ import annotations

from msgspec import Struct

from predicat.catalog.file_formats import FileFormat
from predicat.files import cells
from predicat.files.duckdb_tables import FileTable
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import parse_type

# Records that are looked at.
_LOOKED_AT = 20_000
# The share of cells that need not be of the type: they are bad cells.
_BAD_SHARE = 0.01


class _Candidate(Struct, frozen=True):
    """A type, its name in DuckDB, and what its texts look like, beside being values of it."""

    type: str
    physical: str
    pattern: str = ".*"


# The first one that fits is the type of a column.
_CANDIDATES = (
    _Candidate("bigint", "BIGINT", "[+-]?[0-9]+"),
    _Candidate("double", "DOUBLE"),
    _Candidate("date", "DATE", "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    _Candidate("timestamp", "TIMESTAMP"),
    _Candidate("boolean", "BOOLEAN", "(?i)true|false"),
)
_COMMA = "[+-]?[0-9.]*[0-9],[0-9]+"
_DAY_FIRST = "[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}([ ,].*)?"


def types_of_cells(table: FileTable) -> dict[str, str]:
    """DuckDB's names of the types of a CSV file's columns."""
    return {name: _type(table, name, table.form) for name in table.columns}


def decimal_comma(table: FileTable) -> bool:
    """Whether there is a column of numbers with a decimal comma."""
    return any(
        _share(table, name, f"regexp_full_match({_column(name)}, '{_COMMA}')", table.form) == 1
        for name in table.columns
    )


def strange_dates(table: FileTable) -> list[str]:
    """The columns of dates that begin with the day or the month: nothing tells which. They are texts."""
    return [
        name
        for name in table.columns
        for test in [f"regexp_full_match({_column(name)}, '{_DAY_FIRST}')"]
        if _share(table, name, test, table.form) >= 1 - _BAD_SHARE
    ]


def _type(table: FileTable, name: str, form: FileFormat) -> str:
    column = _column(name)
    for row in _CANDIDATES:
        value = cells.sql("duckdb", name, FieldDecl(name, parse_type(row.type)), form)
        marked = f"replace({column}, '{form.thousands}', '')" if form.thousands else column
        test = f"regexp_full_match(trim({marked}), '{row.pattern}') AND ({value}) IS NOT NULL"
        if _share(table, name, test, form) >= 1 - _BAD_SHARE:
            return row.physical
    return "VARCHAR"


def _share(table: FileTable, name: str, test: str, form: FileFormat) -> float:
    """The share of the cells of a column that pass a test; 0 for a column without cells."""
    there = cells.present_sql("duckdb", name, form)
    query = (
        f"SELECT count(*) FILTER ({test}), count(*) FROM (SELECT * FROM {table.sql} LIMIT {_LOOKED_AT}) "
        f"WHERE ({there}) IS NOT NULL"
    )
    good, total = table.asked(lambda: table.connection.execute(query).fetchone()) or (0, 0)
    return good / total if total else 0.0


def _column(name: str) -> str:
    return cells.present_sql("duckdb", name, FileFormat())
