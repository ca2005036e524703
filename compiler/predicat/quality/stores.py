"""Where results are kept: JSON lines in a file, Parquet files in a folder, or rows of a PostgreSQL table."""

from __future__ import annotations

import fcntl
import importlib
import json
import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from predicat.diagnostics import PredicatError, Reporter, extras
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.writing import replacing
from predicat.quality.history import Entry

if TYPE_CHECKING:
    import psycopg

TABLE = "predicat_quality"
_PARQUET = ".parquet"
_KEYS = ("at", "dataset", "partition", "filter", "version", "rows", "accepted", "true", "false", "unknown")


def read(path: Path, reporter: Reporter | None = None) -> list[Entry]:
    """The results in a file, or in a folder (`NAME.parquet`); none if there is none.

    A line or file that is damaged, as a full disk leaves it, is skipped with a warning to the reporter.
    Without a
    reporter it raises PredicatError.
    """
    problems = Reporter()
    entries = _read_parquet(path, problems) if path.suffix == _PARQUET else _read_lines(path, problems)
    if reporter is None:
        if problems.diagnostics:
            raise PredicatError(list(problems.diagnostics))
    else:
        reporter.extend(problems.diagnostics)
    return entries


def append(path: Path, added: Sequence[Entry]) -> None:
    """Add results to a file, or a file of them to a folder whose name ends in `.parquet`. Writers wait for
    each other.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == _PARQUET:
        _append_parquet(path, added)
    elif added:
        _append_lines(path, "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in added))


def merged(*stores: Iterable[Entry]) -> list[Entry]:
    """The results of several stores, each once."""
    known: dict[tuple[object, ...], Entry] = {}
    for store in stores:
        for entry in store:
            known.setdefault((entry.get("run"), entry["at"], entry["filter"], entry["partition"]), entry)
    return list(known.values())


def _entry(data: Any) -> Entry:
    """A stored result. Raises KeyError or TypeError for other data."""
    return {**{key: data[key] for key in _KEYS}, "atoms": data.get("atoms") or [], **data}


def _read_lines(path: Path, problems: Reporter) -> list[Entry]:
    if not path.exists():
        return []
    entries: list[Entry] = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        try:
            entries.append(_entry(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            problems.add(say.damaged_line(number, path))
    return entries


def _append_lines(path: Path, lines: str) -> None:
    """One write under a lock; a torn last line is ended first, so that it spoils no other."""
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            lines = lines if file.read(1) == b"\n" else "\n" + lines
        file.write(lines.encode())
        file.flush()
        os.fsync(file.fileno())


def _pyarrow() -> Any:
    extras.require("pyarrow")
    importlib.import_module("pyarrow.parquet")
    return importlib.import_module("pyarrow")


def _read_parquet(folder: Path, problems: Reporter) -> list[Entry]:
    arrow = _pyarrow()
    if not folder.exists():
        return []
    if not folder.is_dir():
        raise PredicatError.of(say.results_file(folder))
    entries: list[Entry] = []
    for file in sorted(folder.glob(f"*{_PARQUET}")):
        try:
            entries += [_entry(data) for data in arrow.parquet.read_table(file).to_pylist()]
        except (arrow.ArrowException, OSError, KeyError, TypeError):
            problems.add(say_files.damaged_result(str(file)))
    return entries


def _append_parquet(folder: Path, added: Sequence[Entry]) -> None:
    """A file of its own, so that one that is there is never written again; it appears whole."""
    arrow = _pyarrow()
    folder.mkdir(exist_ok=True)
    if added:
        with replacing(
            folder / f"{datetime.now(tz=UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}{_PARQUET}"
        ) as beside:
            arrow.parquet.write_table(arrow.Table.from_pylist(list(added)), beside)


# The table, and what tables of an earlier predicat lack.
_CREATE = (
    (
        f"CREATE TABLE IF NOT EXISTS {TABLE} (at timestamptz, dataset text, partition text, filter text, "
        "entry jsonb)"
    ),
    f"ALTER TABLE {TABLE} ADD COLUMN IF NOT EXISTS run text",
    f"CREATE UNIQUE INDEX IF NOT EXISTS {TABLE}_key ON {TABLE} (run, filter)",
)


def append_postgres(connection: psycopg.Connection, added: Sequence[Entry]) -> None:
    """Add results to the table, which is created where there is none. A result that is there already is
    left as it is.
    """
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (TABLE,))
        for statement in _CREATE:
            cursor.execute(statement.encode())
        cursor.executemany(
            f"INSERT INTO {TABLE} (run, at, dataset, partition, filter, entry) VALUES (%s, %s, %s, %s, "
            "%s, %s)"
            " ON CONFLICT DO NOTHING".encode(),
            [
                (
                    entry.get("run"),
                    *(entry[key] for key in ("at", "dataset", "partition", "filter")),
                    json.dumps(entry),
                )
                for entry in added
            ],
        )


def read_postgres(connection: psycopg.Connection, dataset: str) -> list[Entry]:
    """The results of a dataset out of the table; none if there is no table."""
    if connection.execute("SELECT to_regclass(%s)", (TABLE,)).fetchone() == (None,):
        return []
    query = f"SELECT entry FROM {TABLE} WHERE dataset = %s ORDER BY at"
    return [_entry(row[0]) for row in connection.execute(query.encode(), (dataset,)).fetchall()]
