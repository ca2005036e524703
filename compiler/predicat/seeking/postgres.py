"""Seeks in a PostgreSQL table: an index on the order is followed to the first accepted row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.api import Predicate
from predicat.backends.sql.shown import of_engine
from predicat.deploy.columns import check_fields
from predicat.deploy.relations import columns_of
from predicat.deploy.sessions import find_citext, guarded
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import FieldDecl
from predicat.seeking.found import KAFKA_COLUMNS, Found, first_offsets_query, order, starting_offsets

if TYPE_CHECKING:
    import psycopg


def seek(
    connection: psycopg.Connection,
    predicate: Predicate,
    relation: str,
    order_by: str | FieldDecl | None = None,
    *,
    sensitive: bool = False,
) -> Found:
    """The first accepted row of a table or view.

    Rows for which the filter is UNKNOWN are not accepted; NULL in `order_by` comes last. The query runs
    twice:
    the second time for the blocks that the server reads.

    Args:
        connection: A connection without an open transaction.
        predicate: The filter, without parameters.
        relation: The table or view.
        order_by: The column, or the field, whose least value is first. Default: any accepted row.
        sensitive: Whether errors are told without values.

    Raises:
        PredicatError: What the server reports.
    """
    from psycopg.rows import dict_row  # noqa: PLC0415  # optional

    ordered = f" ORDER BY {order(order_by, 'postgres')[0]}" if order_by is not None else ""
    query = f"SELECT * FROM {_table(relation)} WHERE {predicate.sql('postgres')}{ordered} LIMIT 1"
    _check(connection, predicate, relation)
    with guarded(connection), _telling(sensitive=sensitive):
        find_citext(connection, query)
        row = connection.cursor(row_factory=dict_row).execute(query.encode()).fetchone()
        explained = connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query}".encode()).fetchone()
        size = connection.execute("SELECT current_setting('block_size')::bigint").fetchone()
    plan: dict[str, Any] = explained[0][0]["Plan"] if explained is not None else {}
    blocks = plan.get("Shared Hit Blocks", 0) + plan.get("Shared Read Blocks", 0)
    return Found(row, {}, blocks * (size[0] if size is not None else 0))


@contextmanager
def _telling(*, sensitive: bool) -> Iterator[None]:
    """Turns errors into PredicatErrors without values if the data is `sensitive`."""
    import psycopg  # noqa: PLC0415  # optional

    try:
        yield
    except psycopg.Error as error:
        if not sensitive:
            raise
        text = of_engine(" ".join(str(error).split()), error.sqlstate, sensitive=True)
        raise PredicatError.of(msg.engine_error("PostgreSQL", text)) from None


def offsets(
    connection: psycopg.Connection, predicate: Predicate, relation: str, *, sensitive: bool = False
) -> str:
    """`startingOffsets` for records in a table with the columns `topic`, `partition` and `offset`."""
    names = [_name(name) for name in KAFKA_COLUMNS]
    _check(connection, predicate, relation)
    with guarded(connection), _telling(sensitive=sensitive):
        query = first_offsets_query(predicate.sql("postgres"), _table(relation), names)
        return starting_offsets(connection.execute(query.encode()).fetchall())


def _check(connection: psycopg.Connection, predicate: Predicate, relation: str) -> None:
    """Raise PredicatError for columns of another type than the fields declare."""
    known, composites = columns_of(connection, _table(relation), predicate.fields.values())
    if known:  # the server tells of a missing table
        check_fields("postgres", relation, known, predicate.fields.values(), composites)


def _table(relation: str) -> str:
    table = exp.to_table(relation, dialect="postgres")
    if not table.db:
        table.set("db", exp.to_identifier("public"))
    return table.sql(dialect="postgres", identify=True)


def _name(column: str) -> str:
    return exp.column(column, quoted=True).sql(dialect="postgres")
