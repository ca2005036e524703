"""Tables of PostgreSQL as sinks: all tables of a run are filled in one transaction, by COPY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from predicat.deploy import failures
from predicat.diagnostics import Diagnostic, PredicatError, extras
from predicat.diagnostics.messages import deploy as say
from predicat_spark.names import quoted
from predicat_spark.pipeline.commit import Target
from predicat_spark.settings import settings

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

_TYPES = {
    "string": "text",
    "boolean": "boolean",
    "tinyint": "smallint",
    "smallint": "smallint",
    "int": "integer",
    "bigint": "bigint",
    "float": "real",
    "double": "double precision",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
    "date": "date",
    "binary": "bytea",
}
# The table, in the schema of the target, of the runs whose rows were appended: an append repeated after a
# kill adds nothing.
_MARKS = "predicat_runs"
_PATIENCE = 10


def _connection(url: str) -> Any:
    extras.require("psycopg")
    import psycopg  # noqa: PLC0415  # optional

    try:
        return psycopg.connect(url, connect_timeout=_PATIENCE)
    except psycopg.Error as error:
        raise PredicatError.of(failures.not_connected(url, error)) from None


def problems(targets: Sequence[tuple[Target, str]], schema: StructType) -> list[Diagnostic]:
    """What keeps rows of a schema from going into tables: no connection, columns that only one of the two
    has.
    """
    problems_: list[Diagnostic] = []
    for url in dict.fromkeys(url for _, url in targets):
        with _connection(url) as connection, failures.errors_reported(connection):
            for target, other in targets:
                known = _columns(connection, target.place) if other == url else []
                if known:
                    names = [field.name for field in schema]
                    missing = [name for name in names if name not in known]
                    left_over = [name for name in known if name not in names]
                    if missing or left_over:
                        problems_.append(say.rows_do_not_fit(target.place, missing, left_over))
    return problems_


def settle_tables(
    session: SparkSession, url: str, items: Sequence[tuple[Target, DataFrame]], run: str
) -> None:
    """Put staged rows into tables of one server, in one transaction: readers see the old rows of all, or
    the new ones.
    """
    from psycopg import sql  # noqa: PLC0415  # optional

    with _connection(url) as connection, failures.errors_reported(connection), connection.transaction():
        for target, frame in items:
            table = _table(target.place)
            if not _columns(connection, target.place):
                connection.execute(_create(table, frame.schema))
            if target.mode == "append" and not _mark(connection, target.place, run):
                continue
            if target.mode != "append":
                # DELETE and not TRUNCATE: readers go on with the rows of their snapshots.
                connection.execute(sql.SQL("DELETE FROM {}").format(table))
            names = sql.SQL(", ").join(sql.Identifier(field.name) for field in frame.schema)
            with (
                connection.cursor() as cursor,
                cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(table, names)) as copy,
            ):
                for row in _texts(session, frame):
                    copy.write_row(row)


def _table(name: str) -> sql.Identifier:
    from psycopg import sql  # noqa: PLC0415  # optional

    return sql.Identifier(*name.split("."))


def _columns(connection: psycopg.Connection, name: str) -> list[str]:
    """The columns of a table that can be inserted; empty where there is no such table."""
    query = (
        "SELECT attname FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 "
        "AND NOT attisdropped AND attgenerated = '' "
        "ORDER BY attnum"
    )
    return [
        str(row[0]) for row in connection.execute(query, (_table(name).as_string(connection),)).fetchall()
    ]


def _create(table: sql.Identifier, schema: StructType) -> sql.Composed:
    from psycopg import sql  # noqa: PLC0415  # optional

    columns = [sql.SQL("{} " + _type(field.dataType)).format(sql.Identifier(field.name)) for field in schema]  # pyright: ignore[reportArgumentType]  # a word of the table above
    return sql.SQL("CREATE TABLE {} ({})").format(table, sql.SQL(", ").join(columns))


def _type(kind: DataType) -> str:
    name = kind.simpleString()
    return name.replace("decimal", "numeric") if name.startswith("decimal") else _TYPES.get(name, "jsonb")


def _mark(connection: psycopg.Connection, place: str, run: str) -> bool:
    """Note that a run appends to a table; False if it has done so."""
    from psycopg import sql  # noqa: PLC0415  # optional

    schema = place.rpartition(".")[0]
    marks = _table(f"{schema}.{_MARKS}" if schema else _MARKS)
    columns = "(run text, target text, at timestamptz DEFAULT now(), PRIMARY KEY (run, target))"
    connection.execute(sql.SQL("CREATE TABLE IF NOT EXISTS {} " + columns).format(marks))
    done = connection.execute(
        sql.SQL("INSERT INTO {} (run, target) VALUES (%s, %s) ON CONFLICT DO NOTHING").format(marks),
        (run, place),
    )
    return done.rowcount == 1


def _texts(session: SparkSession, frame: DataFrame) -> Iterator[tuple[str | None, ...]]:
    """Rows as texts that PostgreSQL reads: times in UTC, bytes in hexadecimal, nested values as JSON."""
    with settings(session, {"spark.sql.session.timeZone": "UTC"}):
        shown = frame.selectExpr(*(_text(field.name, field.dataType) for field in frame.schema))
        for row in shown.toLocalIterator(prefetchPartitions=True):
            yield tuple(row)


def _text(name: str, kind: DataType) -> str:
    column = quoted(name)
    shown = kind.simpleString()
    if shown == "timestamp":
        return f"concat(CAST({column} AS STRING), '+00') AS {column}"
    if shown == "binary":
        return rf"concat('\\x', hex({column})) AS {column}"
    if shown in _TYPES or shown.startswith("decimal"):
        return f"CAST({column} AS STRING) AS {column}"
    return f"to_json({column}) AS {column}"
