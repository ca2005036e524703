"""Results that are kept: JSON lines in a file, Parquet files in a folder, or rows of a PostgreSQL table; each a filter and run."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from predicat.catalog.model import Catalog
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.ir.text import meaning_hash
from predicat.quality.measure import Measure

if TYPE_CHECKING:
    import psycopg

TABLE = "predicat_quality"
PARQUET = ".parquet"
Entry = dict[str, Any]
_KEYS = ("at", "dataset", "partition", "filter", "version", "rows", "accepted", "true", "false", "unknown")


def entries(catalog: Catalog, found: Measure, partition: str = "", at: datetime | None = None) -> list[Entry]:
    """What is kept of a run: a filter a line, with the version and meaning that was measured, and the partition of the data."""
    moment = (at or datetime.now(tz=UTC)).isoformat(timespec="seconds")
    out: list[Entry] = []
    for name, count in found.filters.items():
        row = catalog.known[name]
        out.append({
            "at": moment, "dataset": found.dataset, "engine": found.engine, "partition": partition, "filter": name, "version": row.latest,
            "hash": meaning_hash(row.current.predicate.node, row.on_unknown), "rows": found.rows, "sample": found.sample,
            "accepted": found.accepted[name], "true": count.true, "false": count.false, "unknown": count.unknown,
            "atoms": [{"text": text, "true": item.true, "false": item.false, "unknown": item.unknown} for text, item in found.atoms.get(name, ())],
        })  # fmt: skip
    return out


def by_filter(kept: Sequence[Entry], partition: str | None = None) -> dict[str, list[Entry]]:
    """The entries of each filter, the oldest first; of one partition if it is named."""
    found: dict[str, list[Entry]] = {}
    for item in sorted(kept, key=lambda item: str(item["at"])):
        if partition is None or item["partition"] == partition:
            found.setdefault(item["filter"], []).append(item)
    return found


def read(path: Path) -> list[Entry]:
    """The entries of a file, or of a folder (`NAME.parquet`); none if there is none. Raises PredicatError if one is damaged."""
    if path.suffix == PARQUET:
        return _read_parquet(path)
    if not path.exists():
        return []
    out: list[Entry] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            out.append(_entry(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            raise PredicatError.of(msg.usage(f"line {number} of {path} is no result of a run", "remove it, or the file")) from None
    return out


def append(path: Path, added: Sequence[Entry]) -> None:
    """Add entries to a file, or a file of them to a folder whose name ends in `.parquet`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == PARQUET:
        _append_parquet(path, added)
        return
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in added))


def _entry(item: Any) -> Entry:
    """A kept entry; KeyError or TypeError if it is none."""
    return {**{key: item[key] for key in _KEYS}, "atoms": item.get("atoms") or [], **item}


def _pyarrow() -> Any:
    extras.require("pyarrow")
    importlib.import_module("pyarrow.parquet")
    return importlib.import_module("pyarrow")


def _read_parquet(folder: Path) -> list[Entry]:
    arrow = _pyarrow()
    if not folder.exists():
        return []
    if not folder.is_dir():
        raise PredicatError.of(msg.usage(f"{folder} is a file; results are kept as Parquet in a folder", "give another name"))
    out: list[Entry] = []
    for file in sorted(folder.glob(f"*{PARQUET}")):
        try:
            out += [_entry(item) for item in arrow.parquet.read_table(file).to_pylist()]
        except (arrow.ArrowException, OSError, KeyError, TypeError):
            raise PredicatError.of(msg.usage(f"{file} holds no results of a run", "remove it")) from None
    return out


def _append_parquet(folder: Path, added: Sequence[Entry]) -> None:
    """A file of its own, so that one that is there is never written again; it appears whole."""
    arrow = _pyarrow()
    folder.mkdir(exist_ok=True)
    if added:
        beside = folder / f".{uuid4().hex}.part"
        arrow.parquet.write_table(arrow.Table.from_pylist(list(added)), beside)
        beside.rename(folder / f"{datetime.now(tz=UTC):%Y%m%dT%H%M%S}-{beside.name[1:9]}{PARQUET}")


def append_postgres(connection: psycopg.Connection, added: Sequence[Entry]) -> None:
    """Add entries to the table, which is made where there is none."""
    connection.execute(f"CREATE TABLE IF NOT EXISTS {TABLE} (at timestamptz, dataset text, partition text, filter text, entry jsonb)".encode())
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {TABLE} VALUES (%s, %s, %s, %s, %s)".encode(),
                           [(item["at"], item["dataset"], item["partition"], item["filter"], json.dumps(item)) for item in added])  # fmt: skip


def read_postgres(connection: psycopg.Connection, dataset: str) -> list[Entry]:
    """The entries of a dataset out of the table."""
    if connection.execute("SELECT to_regclass(%s)", (TABLE,)).fetchone() == (None,):
        return []
    return [row[0] for row in connection.execute(f"SELECT entry FROM {TABLE} WHERE dataset = %s ORDER BY at".encode(), (dataset,)).fetchall()]


