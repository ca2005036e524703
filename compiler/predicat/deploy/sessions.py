"""Transactions in which names cannot resolve to objects that others created."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

from msgspec import Struct

from predicat.deploy import failures
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import deploy as say

if TYPE_CHECKING:
    import psycopg


class Limits(Struct, frozen=True):
    """The timeouts of a statement in seconds: for a lock, and in total."""

    lock: float = 5
    statement: float = 300


# Only pg_catalog is in scope, so functions and operators of other schemas are never used. PostgreSQL stores
# the resolved names of a view, so its readers need no such setting.
SETTINGS = {
    "search_path": "pg_catalog, pg_temp",
    "standard_conforming_strings": "on",
    # The settings that the text of a view depends on.
    "quote_all_identifiers": "off",
    "DateStyle": "'ISO, YMD'",
    "IntervalStyle": "'postgres'",
    "TimeZone": "'UTC'",
    "extra_float_digits": "1",
    "bytea_output": "'hex'",
}


def statements(limits: Limits) -> list[str]:
    """The settings of a transaction, as SQL."""
    return [*(f"SET LOCAL {key} = {value}" for key, value in SETTINGS.items()), *timeouts(limits)]


def timeouts(limits: Limits) -> list[str]:
    """The timeouts of the statements that follow in a transaction, as SQL."""
    return [
        f"SET LOCAL lock_timeout = {round(limits.lock * 1000)}",
        f"SET LOCAL statement_timeout = {round(limits.statement * 1000)}",
    ]


# The connections in such a transaction.
_GUARDED: WeakSet[psycopg.Connection] = WeakSet()


@contextmanager
def guarded(connection: psycopg.Connection, limits: Limits | None = None) -> Iterator[None]:
    """A transaction with these settings, or a part of one. Raises PredicatError for errors of the server, and
    if another transaction is already open.
    """
    outermost(connection)
    inner = connection in _GUARDED
    with failures.errors_reported(connection), connection.transaction():
        guard(connection, limits)
        _GUARDED.add(connection)
        try:
            yield
        finally:
            if not inner:
                _GUARDED.discard(connection)


def outermost(connection: psycopg.Connection) -> None:
    """Raise PredicatError if a transaction is open: the settings would hold for the rest of it."""
    from psycopg.pq import TransactionStatus  # noqa: PLC0415  # optional

    if connection.info.transaction_status == TransactionStatus.INTRANS and connection not in _GUARDED:
        raise PredicatError.of(say.open_transaction())


def guard(connection: psycopg.Connection, limits: Limits | None = None) -> None:
    """The settings for the rest of a transaction."""
    connection.execute("; ".join(statements(limits or Limits())).encode())


# The schema of citext, and whether somebody else than its owner may create objects in it.
_EXTENSION = b"""SELECT quote_ident(n.nspname), EXISTS (SELECT FROM aclexplode(n.nspacl) AS a
  LEFT JOIN pg_roles AS r ON r.oid = a.grantee
  WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner AND r.rolsuper IS NOT TRUE)
FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'citext'"""


def reads_citext(query: str) -> bool:
    """Whether a query that was generated compares in the type citext."""
    return "::citext" in query


def find_citext(connection: psycopg.Connection, query: str) -> None:
    """Let the rest of a transaction find the operators of citext, if a query reads them. Raises PredicatError
    if others may create operators in their schema.
    """
    for schema, is_open in connection.execute(_EXTENSION).fetchall() if reads_citext(query) else ():
        if is_open:
            raise PredicatError.of(say.open_extension("citext", schema))
        connection.execute(f"SET LOCAL search_path = pg_catalog, {schema}, pg_temp".encode())
