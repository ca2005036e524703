"""What the system catalogs say of the tables and indexes that are there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import psycopg
from msgspec import Struct

from predicat.diagnostics import Diagnostic
from predicat.diagnostics.messages import advice as say

_TABLES = """
SELECT c.oid::bigint, c.relkind::text, c.reltuples::float8, COALESCE(
  (SELECT sum(pg_table_size(p.relid)) FROM pg_partition_tree(c.oid) p), pg_table_size(c.oid))::bigint
FROM pg_class c WHERE c.oid = ANY (%s::bigint[]::oid[])
"""
_INDEXES = """
SELECT i.indrelid::bigint, i.indexrelid::bigint, n.nspname || '.' || c.relname, a.amname, i.indisunique
  OR i.indisprimary OR i.indisexclusion OR i.indisreplident OR i.indisclustered
  OR EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid),
  ARRAY(SELECT concat_ws(' ', pg_get_indexdef(i.indexrelid, k, true), (i.indclass::oid[])[k - 1],
    (i.indcollation::oid[])[k - 1], (i.indoption::smallint[])[k - 1])
    FROM generate_series(1, i.indnkeyatts) AS k ORDER BY k),
  COALESCE(pg_get_expr(i.indpred, i.indrelid), ''), i.indnatts > i.indnkeyatts, pg_relation_size(c.oid),
  s.idx_scan, c.relname
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_am a ON a.oid = c.relam LEFT JOIN pg_stat_all_indexes s ON s.indexrelid = i.indexrelid
WHERE i.indrelid = ANY (%s::bigint[]::oid[]) AND i.indisvalid ORDER BY 1, 2
"""
_SINCE = "SELECT stats_reset::text FROM pg_stat_database WHERE datname = current_database()"
# Tables, materialized views and partitioned tables can have indexes.
_WITH_INDEXES = "rmp"


class Table(Struct, frozen=True):
    """A table: its kind as in pg_class, its rows as the server knows them, and its bytes."""

    kind: str
    rows: float
    size: int

    @property
    def can_have_indexes(self) -> bool:
        """Whether an index can be made on it."""
        return self.kind in _WITH_INDEXES

    @property
    def way(self) -> str:
        """How to create an index while others write. A partitioned table has no such way."""
        return "" if self.kind == "p" else "CONCURRENTLY "


class Known(Struct, frozen=True):
    """An index that is there. `needed`: it is more than a help for queries."""

    table: int
    oid: int
    shown: str
    method: str
    needed: bool
    keys: tuple[str, ...]
    where: str
    includes: bool
    size: int
    scans: int | None
    name: str


def tables(connection: psycopg.Connection, oids: Collection[int]) -> dict[int, Table]:
    """The tables, by OID."""
    rows = connection.execute(_TABLES.encode(), (list(oids),)).fetchall()
    return {int(oid): Table(str(kind), float(count), int(size)) for oid, kind, count, size in rows}


def indexes(connection: psycopg.Connection, oids: Collection[int]) -> list[Known]:
    """The indexes of tables."""
    rows = connection.execute(_INDEXES.encode(), (list(oids),)).fetchall()
    return [
        Known(table, oid, shown, method, needed, tuple(keys), where, includes, size, scans, name)
        for table, oid, shown, method, needed, keys, where, includes, size, scans, name in rows
    ]


def since(connection: psycopg.Connection) -> str:
    """Since when the server counts the scans of indexes; empty if nobody has reset the counts."""
    row = connection.execute(_SINCE.encode()).fetchone()
    return "" if row is None or row[0] is None else str(row[0])


def problems(found: Sequence[Known], used: Collection[str], counted: str) -> Iterator[tuple[str, Diagnostic]]:
    """Indexes that another one can stand for, and those without a scan that no query here uses, by name."""
    for index in found:
        if index.needed:
            continue
        wider = next((other for other in found if _stands_for(other, index)), None)
        if wider is not None:
            yield index.shown, say.redundant(index.shown, wider.shown, index.size)
        elif index.scans == 0 and index.name not in used:
            yield index.shown, say.unused(index.shown, counted, index.size)


def _stands_for(other: Known, index: Known) -> bool:
    if other.oid == index.oid or (other.table, other.method, other.where) != (
        index.table,
        index.method,
        index.where,
    ):
        return False
    if index.includes or (index.method != "btree" and other.keys != index.keys):
        return False
    same = other.keys == index.keys
    return other.keys[: len(index.keys)] == index.keys and (not same or other.needed or other.oid < index.oid)
