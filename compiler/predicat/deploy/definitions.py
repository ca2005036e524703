"""The text of views' queries, compared so that the version of the server does not matter.

PostgreSQL writes a query from what it stores, and each version in its own way. So a text is compared without
the names of the relation before columns, which PostgreSQL 16 and later leave out. What still differs is
compared exactly: the server gets the query of the catalog once more, in a transaction that is rolled back.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

import psycopg
from msgspec.structs import replace

from predicat.deploy import failures, marks
from predicat.deploy.sessions import SETTINGS, find_citext, guarded, reads_citext
from predicat.deploy.views import View

_Part = TypeVar("_Part")
# The most views of which one transaction reads the text: each takes a lock.
BATCH = 500
_QUOTED = r'"(?:[^"]|"")+"'
_NAME = rf"(?:{_QUOTED}|[a-z_][\w$]*)"
_FROM = re.compile(rf"\bFROM (?:{_NAME}\.)?({_NAME})")
# Text whose text differs again: PostgreSQL drops parentheses of a BETWEEN, and moves a cast into an array.
_UNSETTLED = re.compile(r" BETWEEN |\)::\w+(?:\[\]|\()")


def fingerprint(text: str) -> str:
    """The fingerprint of a query as any version of PostgreSQL writes it."""
    source = _FROM.search(text)
    if source is not None:
        qualifier = re.compile(rf"'(?:[^']|'')*'|(?<![\w.$\"]){re.escape(source[1])}\.(?={_NAME})|{_QUOTED}")
        text = qualifier.sub(lambda part: "" if part[0].endswith(".") else part[0], text)
    return marks.digest(" ".join(text.split()))


def read(connection: psycopg.Connection, oids: Collection[int]) -> dict[int, str]:
    """The fingerprints of views, by OID. Reading a text locks the relations of its view, as a query does."""
    result: dict[int, str] = {}
    for part in _batched(list(oids)):
        with guarded(connection):
            result |= of_views(connection, part)
    return result


def of_views(connection: psycopg.Connection, oids: Sequence[int]) -> dict[int, str]:
    """The fingerprints of views, read in the open transaction."""
    rows = connection.execute(
        b"SELECT oid::bigint, pg_get_viewdef(oid) FROM unnest(%s::bigint[]::oid[]) AS oid", (list(oids),)
    ).fetchall()
    return {int(oid): fingerprint(str(text)) for oid, text in rows}


def made_here(connection: psycopg.Connection, views: Sequence[View]) -> dict[tuple[str, str], set[str]]:
    """The fingerprints that the queries of views have on this server: as they are created, and after a dump
    and restore. Without a view that it does not take.
    """
    result: dict[tuple[str, str], set[str]] = {}
    for part in _batched(views):
        with guarded(connection):
            first = stored(connection, {view.place: view.query for view in part})
            again = stored(connection, first)
        for place, text in (*first.items(), *again.items()):
            result.setdefault(place, set()).add(fingerprint(text))
    return result


def in_full(connection: psycopg.Connection, views: Sequence[View]) -> list[View]:
    """The views with the schema of citext before its operators, which only their transaction finds here.
    Raises PredicatError if the server does not take the query of such a view.
    """
    return [_in_full(connection, view) if reads_citext(view.query) else view for view in views]


def _in_full(connection: psycopg.Connection, view: View) -> View:
    with failures.errors_reported(connection):
        query, function = (
            made_of(connection, text).rstrip(";") if text else "" for text in (view.query, view.function)
        )
    return replace(view, query=query, function=function)


def settled(connection: psycopg.Connection, views: Sequence[View]) -> dict[tuple[str, str], str]:
    """The queries of views as they are after a dump and restore, where that may be another text."""
    asked = {view.place: view.query for view in views if _UNSETTLED.search(view.query)}
    return {place: text.rstrip(";") for place, text in stored(connection, asked).items()}


def stored(
    connection: psycopg.Connection, queries: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], str]:
    """The text that the server makes of queries, by the places of their views. Nothing stays."""
    result: dict[tuple[str, str], str] = {}
    for place, query in queries.items():
        try:
            result[place] = made_of(connection, query)
        except psycopg.Error:  # a role without TEMPORARY, a replica, a function that is gone
            continue
    return result


def made_of(connection: psycopg.Connection, query: str) -> str:
    """The text that the server makes of a query, with the schema of citext before its operators. Nothing
    stays.
    """
    with connection.transaction(force_rollback=True):
        find_citext(connection, query)
        connection.execute(f"CREATE TEMPORARY VIEW predicat_text AS {query.rstrip(';')}".encode())
        connection.execute(f"SET LOCAL search_path = {SETTINGS['search_path']}".encode())
        row = connection.execute(b"SELECT pg_get_viewdef('pg_temp.predicat_text'::regclass)").fetchone()
    return str((row or ("",))[0])


def _batched(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    for start in range(0, len(parts), BATCH):
        yield list(parts[start : start + BATCH])
