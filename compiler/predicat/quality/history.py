"""Results that are kept: a JSON line a run in a file, or a row a filter and run in a PostgreSQL table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from predicat.catalog.model import Catalog
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.ir.text import meaning_hash
from predicat.quality.measure import Measure

if TYPE_CHECKING:
    import psycopg

TABLE = "predicat_quality"
Entry = dict[str, Any]


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
    """The entries of a file; none if there is no file. Raises PredicatError if a line is damaged."""
    if not path.exists():
        return []
    out: list[Entry] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            item = json.loads(line)
            out.append({key: item[key] for key in ("at", "dataset", "partition", "filter", "version", "rows", "accepted", "true", "false", "unknown")}
                       | {"atoms": item.get("atoms", []), **item})  # fmt: skip
        except (ValueError, KeyError, TypeError):
            raise PredicatError.of(msg.usage(f"line {number} of {path} is no result of a run", "remove it, or the file")) from None
    return out


def append(path: Path, added: Sequence[Entry]) -> None:
    """Add entries to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in added))


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


