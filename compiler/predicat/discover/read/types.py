"""The types of columns that a repository tells: CREATE TABLE, dbt's catalog, Parquet files, a server."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from predicat.discover.read.statements import statements

CREATES = re.compile(r"\bcreate\b[^;(]*\btable\b[^;]*\(", re.IGNORECASE)
_MAX_PARQUET = 200
_KINDS: Mapping[str, tuple[str, ...]] = {
    "string": ("TEXT", "VARCHAR", "NVARCHAR"),
    "bigint": ("BIGINT", "INT", "SMALLINT", "TINYINT", "MEDIUMINT", "SERIAL", "BIGSERIAL", "SMALLSERIAL"),
    "double": ("DOUBLE", "FLOAT"),
    "boolean": ("BOOLEAN",),
    "date": ("DATE",),
    "timestamp": ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ", "DATETIME", "TIMESTAMP_S"),
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
        if not name or (name in self.tables and self.tables[name] != columns):
            self.tables[name] = {}
            return
        self.tables[name] = dict(columns)
        self.ends.setdefault(name.rpartition(".")[2], []).append(name)

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
    """The type of predicat for one of SQL; "" for a type that predicat does not have."""
    try:
        kind = exp.DataType.build(written, dialect=dialect or None) if isinstance(written, str) else written
    except (SqlglotError, ValueError):
        return ""
    if not isinstance(kind, exp.DataType):
        return ""
    if kind.this is exp.DataType.Type.DECIMAL:
        sizes = [part.name for part in kind.expressions]
        return f"decimal({sizes[0]},{sizes[1] if len(sizes) > 1 else 0})" if sizes else ""
    return _NAMES.get(kind.this, "")


def created(text: str, dialect: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The tables that a text creates, with the types of their columns; "" for a type that is not known."""
    read = statements(text, dialect) if CREATES.search(text) else None
    for statement in read or ():
        node = statement.node
        if isinstance(node, exp.Create) and node.kind == "TABLE" and isinstance(node.this, exp.Schema):
            columns = {
                part.name.lower(): kind_of(part.kind) if part.kind is not None else ""
                for part in node.this.expressions
                if isinstance(part, exp.ColumnDef)
            }
            if columns and isinstance(node.this.this, exp.Table):
                yield ".".join(part.name for part in node.this.this.parts), columns


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
    return f"decimal({match[1]},{match[2]})" if match else ""
