"""Locks of many views, taken at once or not at all.

A change of a view waits for its readers, and later readers wait for the change. So no lock is held while
another one is waited for, beyond a moment: what was locked is let go, and the whole is tried again.
"""

import time
from collections.abc import Callable, Mapping

import psycopg
from psycopg import errors

from predicat.deploy import failures
from predicat.deploy.dependents import literal
from predicat.deploy.sessions import Limits, timeouts
from predicat.diagnostics import PredicatError

# Errors of a lock that another session holds.
TRY_AGAIN = (errors.LockNotAvailable, errors.DeadlockDetected)
# Seconds: how long one lock is waited for, how long all of them and each of them may take, and how long the
# others have their turn then, at first and at most.
_FOR_ONE, _FOR_ALL, _FOR_EACH = 0.04, 0.06, 0.0005
_PAUSE, _LONGEST_PAUSE = 0.1, 0.8
_HOLDERS = """
SELECT c.relnamespace::regnamespace || '.' || c.relname, array_agg(DISTINCT l.pid) FROM pg_locks l
JOIN pg_class c ON c.oid = l.relation
WHERE l.relation = ANY (%s::bigint[]::oid[]) AND l.granted AND l.pid <> pg_backend_pid()
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY 1 ORDER BY 1
"""


def with_locks(
    connection: psycopg.Connection,
    views: Mapping[int, str],
    limits: Limits,
    role: str,
    change: Callable[[], None],
) -> None:
    """Make a change in a savepoint in which views are locked, again until no other session has a lock that it
    needs. `views` are kind, name and owner as SQL: `VIEW s.v OWNER TO r`.

    Raises PredicatError with the sessions that hold locks, after `limits.lock` seconds.
    """
    end, pause = time.monotonic() + limits.lock, _PAUSE
    while True:
        try:
            with connection.transaction():
                _lock(connection, views, limits, role)
                change()
                return
        except TRY_AGAIN:
            if time.monotonic() + pause > end:
                raise PredicatError.of(failures.locked(holders(connection, views))) from None
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _lock(connection: psycopg.Connection, views: Mapping[int, str], limits: Limits, role: str) -> None:
    if not views:
        return
    # LOCK TABLE would lock the tables of a view, too. A change to the same owner locks the view, and no more.
    body = "".join(f"ALTER {view}; " for _, view in sorted(views.items()))
    brief = Limits(min(_FOR_ONE, limits.lock), _FOR_ALL + _FOR_EACH * len(views))
    connection.execute("; ".join(timeouts(brief)).encode())
    try:
        connection.execute(f"DO {literal(connection, f'BEGIN {body}END')}".encode())
    except errors.QueryCanceled as error:
        raise errors.LockNotAvailable(str(error)) from None
    except TRY_AGAIN:
        raise
    except psycopg.Error as error:
        raise PredicatError.of(failures.diagnostic(error, role)) from None
    connection.execute("; ".join(timeouts(Limits(brief.lock, limits.statement))).encode())


def holders(connection: psycopg.Connection, views: Mapping[int, str]) -> list[str]:
    """The views that other sessions have locked, each with the processes of these sessions."""
    found = connection.execute(_HOLDERS.encode(), (list(views),)).fetchall()
    return [f"{name} (process {', '.join(map(str, pids))})" for name, pids in found]
