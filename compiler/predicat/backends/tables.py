"""Predicates over tables in memory: DuckDB evaluates a predicate for all rows of a table in one pass.

The table is not copied to DuckDB and keeps its types: only the outcomes come back. The columns are checked
as those of a relation are (`column_types`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from predicat.backends import dialect
from predicat.backends.column_types import REFUSED, column_type, declared_type, holds
from predicat.backends.sql import expressions
from predicat.backends.sql.names import quoted
from predicat.diagnostics import Diagnostic, PredicatError, extras
from predicat.diagnostics.messages import tables as say
from predicat.ir.members import read_by
from predicat.ir.nodes import FieldDecl, Node

if TYPE_CHECKING:
    import duckdb

Decls = Mapping[str, FieldDecl]
_NAME = "predicat_rows"


def accepted(node: Node, table: Any) -> Any:
    """The rows for which a predicate without parameters is TRUE, in their order, as a table of the same kind.

    Args:
        node: The core of the predicate.
        table: A pandas DataFrame, a pyarrow Table or RecordBatch.

    Raises:
        PredicatError: It is no such table, or a column is missing or does not hold the declared type.
    """
    kind = type(table).__module__.partition(".")[0]
    if kind not in ("pandas", "pyarrow") or not hasattr(table, "columns"):
        raise PredicatError.of(say.no_table(type(table).__name__))
    names = [str(name) for name in (table.columns if kind == "pandas" else table.schema.names)]
    mask = _mask(node, table, names)
    if kind == "pandas":
        return table[mask]
    import pyarrow as pa  # noqa: PLC0415  # the caller has it

    return table.filter(pa.array(mask))


def _mask(node: Node, table: Any, names: list[str]) -> Any:
    """For each row, as an array of NumPy, whether the predicate is TRUE."""
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    with duckdb.connect(config={"enable_external_access": "false"}) as connection:
        connection.execute("SET TimeZone = 'UTC'; SET preserve_insertion_order = true")
        try:
            connection.register(_NAME, table)
            described = connection.execute(f"DESCRIBE SELECT * FROM {_NAME}").fetchall()
            columns = {str(row[0]): str(row[1]) for row in described}
            decls = read_by([node])
            source = _source(connection, decls, columns)
            columns |= _of_expressions(connection, decls, source)
            _check(decls, columns, names)
            query = f"SELECT ({dialect('duckdb').render(node)}) IS TRUE AS accepted FROM {source}"
            mask: Any = connection.execute(query).fetchnumpy()["accepted"]
        except duckdb.Error as error:
            raise PredicatError.of(say.unreadable_table(" ".join(str(error).split()))) from None
    return mask


def _source(connection: duckdb.DuckDBPyConnection, decls: Decls, columns: dict[str, str]) -> str:
    """The table as a part of FROM, without what is only an encoding of values: categories, and nanoseconds of
    which none is used. `columns` gets the types.
    """
    read = {decl.column("duckdb").lower(): decl for decl in decls.values()}
    casts: list[str] = []
    for name, text in columns.items():
        decl, column = read.get(name.lower()), quoted(name, "duckdb")
        kind = ""
        if decl is not None and text.startswith("ENUM(") and decl.shown_type == "string":
            kind = "VARCHAR"
        elif decl is not None and text == "TIMESTAMP_NS" and not _uses_nanoseconds(connection, column):
            kind = "TIMESTAMP"
        if kind:
            columns[name] = kind
            casts.append(f"CAST({column} AS {kind}) AS {column}")
    return f"(SELECT * REPLACE ({', '.join(casts)}) FROM {_NAME})" if casts else _NAME


def _uses_nanoseconds(connection: duckdb.DuckDBPyConnection, column: str) -> bool:
    query = f"SELECT count(*) FROM {_NAME} WHERE epoch_ns({column}) % 1000 <> 0"
    return bool((connection.execute(query).fetchone() or (0,))[0])


def _of_expressions(connection: duckdb.DuckDBPyConnection, decls: Decls, source: str) -> dict[str, str]:
    """The types of the expressions that fields are read from, by their texts."""
    types: dict[str, str] = {}
    for decl in decls.values():
        if (found := expressions.of_field(decl, "duckdb")) is not None:
            text = dialect("duckdb").text(found.sql)
            query = f"DESCRIBE SELECT {text} AS expression FROM {source}"
            types[decl.expression("duckdb")] = str((connection.execute(query).fetchone() or ("", ""))[1])
    return types


def _check(decls: Decls, columns: Mapping[str, str], names: list[str]) -> None:
    """Raise PredicatError with the columns that are missing or of another type."""
    known = {name.lower(): text for name, text in columns.items()}
    wrong: list[Diagnostic] = []
    for decl in decls.values():
        column = decl.column("duckdb")
        text = known.get(column.lower())
        alike = [name for name in names if name.lower() == column.lower()]
        if len(alike) > 1:
            wrong.append(say.columns_alike(column, alike))
            continue
        if text is None:
            wrong.append(say.no_column(column, list(columns)))
            continue
        kind = column_type("duckdb", text)
        verdict = holds("duckdb", decl, kind)
        if verdict.kind == REFUSED:
            why = verdict.words.replace("{declared}", decl.shown_type)
            natural = declared_type("duckdb", kind)
            wrong.append(say.column_of_table((column, text, decl.shown_type), why, natural))
    if wrong:
        raise PredicatError(wrong)
