"""The types of columns that a repository tells: CREATE and ALTER TABLE, dbt's catalog and schema files,
Parquet files, a server.

A type is one of predicat. One that predicat has no form of is its name in SQL behind `OTHER`, and "" is one
of which nothing is known.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from predicat.discover.read.relations import OTHER, SomeColumns
from predicat.discover.read.statements import statements
from predicat.ir.types import MAX_PRECISION

CREATES = re.compile(
    r"\bcreate\b[^;(]*\btable\b[^;]*\(|\balter\s+table\b[^;]*\b(?:add|alter|modify)\b", re.IGNORECASE
)
_MAX_PARQUET = 200
_KINDS: Mapping[str, tuple[str, ...]] = {
    "string": ("TEXT", "VARCHAR", "NVARCHAR"),
    "bigint": (
        *("BIGINT", "INT", "SMALLINT", "TINYINT", "MEDIUMINT", "SERIAL", "BIGSERIAL", "SMALLSERIAL"),
        *("UINT", "USMALLINT", "UTINYINT", "UMEDIUMINT"),
    ),
    "double": ("DOUBLE", "FLOAT"),
    "boolean": ("BOOLEAN",),
    "date": ("DATE",),
    "timestamp": (
        *(
            "TIMESTAMP",
            "TIMESTAMPTZ",
            "TIMESTAMPNTZ",
            "TIMESTAMPLTZ",
            "DATETIME",
            "DATETIME2",
            "SMALLDATETIME",
        ),
        *("DATETIME64", "TIMESTAMP_S", "TIMESTAMP_MS"),
    ),
}
# Digits of a decimal without sizes. That of PostgreSQL has no limit.
_UNSIZED: Mapping[str, str] = {
    "bigquery": "decimal(38,9)",
    "duckdb": "decimal(18,3)",
    **dict.fromkeys(("spark", "spark2", "databricks", "hive", "mysql"), "decimal(10,0)"),
    **dict.fromkeys(("redshift", "tsql"), "decimal(18,0)"),
    **dict.fromkeys(("snowflake", "trino", "presto", "athena"), "decimal(38,0)"),
}
_NAMES = {exp.DataType.Type[name]: kind for kind, names in _KINDS.items() for name in names}


_ARROW = {
    "string": "string",
    "large_string": "string",
    "double": "double",
    "int64": "bigint",
    "int32": "bigint",
    "date32[day]": "date",
    "bool": "boolean",
}


class TableTypes(Mapping[str, Mapping[str, str]]):
    """Types of columns by relation. A relation is found by the end of its name, if only one has that."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, str]] = {}
        self.ends: dict[str, list[str]] = {}

    def add(self, relation: str, columns: Mapping[str, str]) -> None:
        """Adds a relation; of two with the same name and other columns neither is known."""
        name = relation.lower()
        there = self.tables.get(name)
        if not name or (there is not None and not isinstance(there, SomeColumns) and there != columns):
            self.tables[name] = {}
            return
        self._put(name, dict(columns))

    def complete(self, relation: str, columns: Mapping[str, str]) -> None:
        """Adds columns to a relation, which may have others; what is told of a column later counts."""
        name = relation.lower()
        there = self.tables.get(name)
        if name and there is None:
            self._put(name, SomeColumns(columns))
        elif there:
            there.update(columns)

    def document(self, relation: str, columns: Mapping[str, str]) -> None:
        """Adds what a document says about columns: nothing where they are known, or where two disagree."""
        name = relation.lower()
        there = self.tables.get(name)
        if there is None:
            self._put(name, SomeColumns(columns))
        elif isinstance(there, SomeColumns):
            both = {key: kind if there.get(key, kind) == kind else "" for key, kind in columns.items()}
            there.update(both)

    def replace(self, relation: str, columns: Mapping[str, str]) -> None:
        """Sets the columns of a relation, whatever is known of them."""
        self._put(relation.lower(), dict(columns))

    def _put(self, name: str, columns: dict[str, str]) -> None:
        if name not in self.tables:
            self.ends.setdefault(name.rpartition(".")[2], []).append(name)
        self.tables[name] = columns

    def __getitem__(self, relation: str) -> Mapping[str, str]:
        name = relation.lower()
        if name in self.tables:
            columns = self.tables[name]
        else:
            like = [row for row in set(self.ends.get(name.rpartition(".")[2], ())) if _fits(row, name)]
            columns = self.tables[like[0]] if len(like) == 1 else {}
        if not columns:
            raise KeyError(relation)
        return columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)


def _fits(one: str, other: str) -> bool:
    """Whether one name is the end of the other."""
    return one.endswith("." + other) or other.endswith("." + one)


def kind_of(written: exp.Expr | str, dialect: str = "") -> str:
    """The type of predicat for one of SQL; its name behind `OTHER` if predicat has no form of it."""
    try:
        kind = (
            exp.DataType.build(written, dialect=dialect or None, udt=True)
            if isinstance(written, str)
            else written
        )
    except (SqlglotError, ValueError):
        return ""
    if not isinstance(kind, exp.DataType):
        return ""
    if kind.this is exp.DataType.Type.LOWCARDINALITY and kind.expressions:
        return kind_of(kind.expressions[0], dialect)
    name = _NAMES.get(kind.this, "")
    if kind.this is exp.DataType.Type.DECIMAL:
        name = _decimal([part.name for part in kind.expressions], dialect)
    shown = kind.sql(dialect or None)
    return name or (f"{OTHER}{shown}" if re.match(r'[\w"`]', shown) else "")


def _decimal(sizes: list[str], dialect: str) -> str:
    """The type of a decimal; "" for more digits than predicat has."""
    if not sizes:
        return _UNSIZED.get(dialect, "")
    precision, scale = sizes[0], sizes[1] if len(sizes) > 1 else "0"
    fits = precision.isdigit() and scale.isdigit() and int(scale) <= int(precision) <= MAX_PRECISION
    return f"decimal({precision},{scale})" if fits else ""


def tell(text: str, dialect: str, types: TableTypes) -> None:
    """Adds the tables that a text creates, with the types of their columns, and columns that it changes."""
    for statement in (statements(text, dialect) or ()) if CREATES.search(text) else ():
        match statement.node:
            case exp.Create(kind="TABLE", this=exp.Schema(this=exp.Table() as table, expressions=parts)):
                columns = dict(_columns(parts, dialect))
                if columns:
                    types.add(_name(table), columns)
            case exp.Alter(this=exp.Table() as table):
                columns = dict(_columns(statement.node.args.get("actions") or (), dialect))
                if columns:
                    types.complete(_name(table), columns)
            case _:
                pass


def _name(table: exp.Table) -> str:
    return ".".join(part.name for part in table.parts)


def _columns(parts: Iterable[exp.Expr], dialect: str) -> Iterator[tuple[str, str]]:
    """The columns that are defined, or get another type."""
    for part in parts:
        if isinstance(part, exp.ColumnDef):
            yield part.name.lower(), kind_of(part.kind, dialect) if part.kind is not None else ""
        elif isinstance(part, exp.AlterColumn) and part.args.get("dtype") is not None:
            yield part.name.lower(), kind_of(part.args["dtype"], dialect)


def of_dbt(catalog: Path, dialect: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The relations of dbt's `target/catalog.json`. Source: https://schemas.getdbt.com/dbt/catalog/v1.json."""
    try:
        data: Any = json.loads(catalog.read_bytes())
    except (OSError, ValueError, RecursionError):
        return
    for part in ("nodes", "sources"):
        rows = data.get(part) if isinstance(data, dict) else None
        for node in rows.values() if isinstance(rows, dict) else ():
            try:
                columns = {
                    name.lower(): kind_of(str(one["type"]), dialect) for name, one in node["columns"].items()
                }
                yield f"{node['metadata']['schema']}.{node['metadata']['name']}", columns
            except (KeyError, TypeError, AttributeError):
                continue


def of_parquet(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The Parquet files of a folder; each is a relation with the name of the file."""
    files = [file for file in sorted(folder.rglob("*.parquet"))[:_MAX_PARQUET] if not file.is_symlink()]
    if not files:
        return
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415  # an optional package
    except ModuleNotFoundError:
        return
    for file in files:
        try:
            schema = parquet.read_schema(file)
        except (ArrowException, OSError, ValueError):
            continue
        types = {field.name.lower(): str(field.type) for field in schema}
        yield file.stem, {name: _of_arrow(kind) for name, kind in types.items()}


def _of_arrow(kind: str) -> str:
    if kind in _ARROW:
        return _ARROW[kind]
    if kind.startswith("timestamp["):
        return "timestamp"
    match = re.fullmatch(r"decimal128\((\d+), (\d+)\)", kind)
    return f"decimal({match[1]},{match[2]})" if match else f"{OTHER}{kind}"
