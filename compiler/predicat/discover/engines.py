"""The engines that count rows: a PostgreSQL server, and DuckDB over files."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.deploy import relations, sessions
from predicat.deploy.describe import Column, columns_of, from_file
from predicat.deploy.server import connect
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import discover as say
from predicat.discover.counts import Engine, Name
from predicat.files import duckdb_tables
from predicat.ir.nodes import FieldDecl
from predicat.ir.widths import field_type

if TYPE_CHECKING:
    import duckdb
    import psycopg

# For the query of a relation, at most.
SECONDS = 30.0
_LOCK_SECONDS = 2.0
_FILES = (".parquet", ".csv", ".tsv")
_RELATIONS = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema'
  AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY 1, 2
"""


@contextmanager
def engine(place: str, seconds: float = SECONDS) -> Iterator[Engine]:
    """The engine at a place, while it is open.

    Args:
        place: A folder, or the DSN of a PostgreSQL server.
        seconds: How long the query of a relation may take.

    Raises PredicatError if it cannot be opened.
    """
    if Path(place).is_dir():
        extras.require("duckdb")
        import duckdb  # noqa: PLC0415  # optional

        with duckdb.connect() as files, ExitStack() as opened:
            files.execute("SET TimeZone = 'UTC'")
            yield _DuckDB(files, Path(place), seconds, opened)
        return
    with connect(place, Path("target/postgres")) as connection:
        connection.read_only = True
        yield _Postgres(connection, seconds)


class _Postgres:
    """A server. Every transaction is read-only and has a time limit."""

    dialect = "postgres"

    def __init__(self, connection: psycopg.Connection, seconds: float) -> None:
        self.connection = connection
        self.limits = sessions.Limits(_LOCK_SECONDS, seconds)
        self.sources: dict[Name, str] = {}

    def relations(self) -> Sequence[Name]:
        with sessions.guarded(self.connection, self.limits):
            return [
                (str(schema), str(name)) for schema, name in self.connection.execute(_RELATIONS).fetchall()
            ]

    def columns(self, relation: Name) -> Sequence[Column]:
        with sessions.guarded(self.connection, self.limits):
            result = relations.find(self.connection, _table(relation))
        columns = [(column.name, column.kind) for column in result.columns] if result is not None else []
        self.sources[relation] = _source(relation, columns)
        return [
            Column(column.name, column.physical, "timestamp") if _is_local(column.physical) else column
            for column in columns_of("postgres", columns)
        ]

    def numbers(self, relation: Name, expressions: Sequence[str]) -> Sequence[int]:
        return self._row(f"SELECT {', '.join(expressions)} FROM {self._from(relation)}")

    def row(self, relation: Name, columns: Sequence[str], condition: str) -> Sequence[Any]:
        chosen = f"SELECT {', '.join(columns)} FROM {self._from(relation)}"
        return self._row(f"{chosen} WHERE {condition} LIMIT 1")

    def refuses(self, relation: Name, expression: str) -> str:
        try:
            self._row(f"SELECT {expression} FROM {self._from(relation)} LIMIT 0")
        except PredicatError as error:
            return error.diagnostics[0].message
        return ""

    def _from(self, relation: Name) -> str:
        return self.sources.get(relation) or _table(relation)

    def _row(self, query: str) -> Sequence[Any]:
        with sessions.guarded(self.connection, self.limits):
            return self.connection.execute(query.encode()).fetchone() or ()


class _DuckDB:
    """Files in a folder: a Parquet or CSV file is a relation, and so is a folder of Parquet files."""

    dialect = "duckdb"

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, folder: Path, seconds: float, opened: ExitStack
    ) -> None:
        self.connection = connection
        self.seconds = seconds
        self.paths = dict(_relations(folder))
        self.tables: dict[Name, duckdb_tables.FileTable] = {}
        self.opened = opened

    def relations(self) -> Sequence[Name]:
        return list(self.paths)

    def columns(self, relation: Name) -> Sequence[Column]:
        path = self.paths[relation]
        described = from_file(path)
        typed = [(row.name, field_type(row.type)) for row in described.columns if row.type]
        fields = [FieldDecl(name, kind, stored=stored) for name, (kind, stored) in typed]
        table = self.opened.enter_context(duckdb_tables.opened(self.connection, path, described.form, fields))
        table.check()
        self.tables[relation] = table
        return described.columns

    def numbers(self, relation: Name, expressions: Sequence[str]) -> Sequence[int]:
        return self._row(f"SELECT {', '.join(expressions)} FROM {self._files(relation)}")

    def row(self, relation: Name, columns: Sequence[str], condition: str) -> Sequence[Any]:
        chosen = f"SELECT {', '.join(columns)} FROM {self._files(relation)}"
        return self._row(f"{chosen} WHERE {condition} LIMIT 1")

    def refuses(self, relation: Name, expression: str) -> str:
        try:
            self._row(f"SELECT {expression} FROM {self._files(relation)} LIMIT 0")
        except PredicatError as error:
            return error.diagnostics[0].message
        return ""

    def _files(self, relation: Name) -> str:
        if relation not in self.tables:
            self.columns(relation)
        return self.tables[relation].sql

    def _row(self, query: str) -> Sequence[Any]:
        """The first row of a query, which is interrupted after its time."""
        import duckdb  # noqa: PLC0415  # optional

        clock = threading.Timer(self.seconds, self.connection.interrupt)
        clock.start()
        try:
            return self.connection.execute(query).fetchone() or ()
        except duckdb.InterruptException:
            raise PredicatError.of(say.too_slow(self.seconds)) from None
        except duckdb.Error as error:
            raise PredicatError.of(msg.engine_error("DuckDB", " ".join(str(error).split()))) from None
        finally:
            clock.cancel()


def _relations(folder: Path) -> Iterator[tuple[Name, str]]:
    """The relations of a folder. Of several with one name the last one counts."""
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in _FILES and path.is_file():
            yield (path.stem,), str(path)
        elif path.is_dir() and next(path.rglob("*.parquet"), None) is not None:
            yield (path.name,), str(path)


def _table(relation: Name) -> str:
    schema, name = relation
    return exp.table_(name, db=schema, quoted=True).sql(dialect="postgres")


def _is_local(physical: str) -> bool:
    """Whether a type of PostgreSQL is a timestamp without a time zone."""
    return physical.startswith("timestamp") and physical.endswith("without time zone")


def _source(relation: Name, columns: Sequence[tuple[str, str]]) -> str:
    """A relation whose timestamps have a time zone: those without one are times of UTC, as in DuckDB."""
    table = _table(relation)
    if not any(_is_local(kind) for _, kind in columns):
        return table
    names = [(exp.column(name, quoted=True).sql(dialect="postgres"), kind) for name, kind in columns]
    parts = (f"{name} AT TIME ZONE 'UTC' AS {name}" if _is_local(kind) else name for name, kind in names)
    return f"(SELECT {', '.join(parts)} FROM {table}) AS predicat_rows"
