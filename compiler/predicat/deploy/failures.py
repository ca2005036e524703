"""What PostgreSQL and its client library report, as one sentence each, without passwords."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from predicat.backends.sql import shown
from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import deploy as say

if TYPE_CHECKING:
    import psycopg

_SECRETS = ("password", "sslpassword", "oauth_client_secret")
_PORTS = re.compile(r"[0-9,]*\Z")
_ELSEWHERE = "the server of the PG* variables"

# The message and the hint for an SQLSTATE.
_SENTENCES = {
    **dict.fromkeys(
        ("21000", "23505"),
        ("{message}", "if it is a materialized view: the key of its dataset does not identify a row"),
    ),
    "25006": (
        "the server is read-only",
        "it is a replica, or default_transaction_read_only is on: connect to the primary server",
    ),
    "40P01": ("the server ended a deadlock with another session", "run the command again"),
    "42501": (
        "the role {role!r} lacks a privilege: {message}",
        "connect as the owner of the object, or have the privilege granted",
    ),
    "53200": ("the server has no room for more locks: {message}", "raise max_locks_per_transaction"),
    "53300": ("the server has no free connection: {message}", None),
    "55P03": (
        "another session holds a lock for too long: {message}",
        "run the command again, or give it more time with --lock-timeout",
    ),
    "57014": ("a statement took too long: {message}", "give it more time with --statement-timeout"),
    "57P01": ("the server was shut down or ended the session: {message}", None),
}


def dsn_parts(dsn: str) -> Mapping[str, str] | None:
    """The parameters of a DSN; None if it cannot be parsed, or if a part of the password may have been parsed
    as another parameter.
    """
    import psycopg  # noqa: PLC0415  # optional
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415  # as above

    try:
        result = {key: str(value) for key, value in conninfo_to_dict(dsn).items() if value is not None}
    except psycopg.Error:
        return None
    mangled = any("@" in result.get(key, "") for key in ("host", "dbname")) or not _PORTS.match(
        result.get("port", "")
    )
    return None if mangled else result


def without_password(dsn: str) -> str:
    """A DSN to show: user, host, port and database, never a password."""
    known = dsn_parts(dsn)
    if known is None:
        return "the given DSN"
    if "service" in known and "host" not in known:
        return f"the service {known['service']!r}"
    host, port, database = known.get("host", ""), known.get("port", ""), known.get("dbname", "")
    if not (host or database):
        return _ELSEWHERE
    user = f"{known['user']}@" if "user" in known else ""
    return f"{user}{host or 'localhost'}{f':{port}' if port else ''}{f'/{database}' if database else ''}"


def not_connected(dsn: str, error: psycopg.Error) -> Diagnostic:
    """The message for a failed connection."""
    known = dsn_parts(dsn)
    if known is None:
        return say.unreadable_dsn()
    text = str(error).partition("Multiple connection attempts failed")[0]
    text = " ".join(re.sub(r"\s*Is the server running.*", "", text, flags=re.DOTALL).split())
    reason = re.split(r"(?:FATAL|ERROR): |failed: (?!FATAL)", text)[-1].strip()
    return say.connection(without_password(dsn), _without(reason, known) or say.CONNECTION_FAILED)


def _without(text: str, known: Mapping[str, str]) -> str:
    """A string without the passwords of a DSN or of the environment."""
    secrets = [*(known.get(key, "") for key in _SECRETS), os.environ.get("PGPASSWORD", "")]
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return text


def diagnostic(
    error: psycopg.Error, role: str = "", where: str = "", *, sensitive: bool = False
) -> Diagnostic:
    """The server's error as one sentence, with its subject; without values if the data is `sensitive`."""
    message = error.diag.message_primary or " ".join(str(error).split()) or type(error).__name__
    message = shown.of_engine(message, error.sqlstate, sensitive=sensitive)
    own_hint = error.diag.message_hint if not sensitive else None
    sentence, hint = _SENTENCES.get(error.sqlstate or "", ("{message}", own_hint))
    explained = sentence.format(message=message, role=role)
    return msg.engine_error("PostgreSQL", f"{where}: {explained}" if where else explained, hint)


def locked(holders: Iterable[str]) -> Diagnostic:
    """The message for views that other sessions have locked."""
    sentence, hint = _SENTENCES["55P03"]
    return msg.engine_error("PostgreSQL", sentence.format(message=msg.listed(holders)), hint)


@contextmanager
def errors_reported(connection: psycopg.Connection, *, sensitive: bool = False) -> Iterator[None]:
    """A context in which errors of the server are raised as PredicatErrors, without values if the data is
    `sensitive`.
    """
    import psycopg  # noqa: PLC0415  # optional

    role = connection.info.user  # a connection that is lost no longer knows it
    try:
        yield
    except psycopg.Error as error:
        raise PredicatError.of(diagnostic(error, role, sensitive=sensitive)) from None
