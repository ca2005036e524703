"""What a seek finds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from sqlglot import exp

from predicat.backends.sql.expressions import of_field
from predicat.files.bad_cells import BadCells
from predicat.ir.nodes import FieldDecl

# Spark's offset for "the end of the partition".
_LATEST = -1
# The columns of a record, as Spark's Kafka source calls them.
KAFKA_COLUMNS = ("topic", "partition", "offset")


class Found(Struct, frozen=True):
    """The first accepted row.

    Attributes:
        row: Its columns; None if no row is accepted.
        position: Where it is: `file` and `row_number` (from 0) in a file. Empty for a table.
        bytes_read: Bytes that the engine read; None if it does not report them.
        rows_read: Rows that the engine read; None if it does not report them.
        bad: Cells of files that are no values of their fields, and count as NULL.
    """

    row: Mapping[str, Any] | None
    position: Mapping[str, Any]
    bytes_read: int | None = None
    rows_read: int | None = None
    bad: BadCells = field(default_factory=BadCells)


def order(order_by: str | FieldDecl, engine: str) -> tuple[str, Sequence[str]]:
    """What rows are ordered by, a column or a field, as SQL of an engine, and the columns that it reads."""
    if isinstance(order_by, FieldDecl) and (found := of_field(order_by, engine)) is not None:
        return found.sql.sql(dialect=engine), found.columns
    name = order_by.column(engine) if isinstance(order_by, FieldDecl) else order_by
    return exp.column(name, quoted=True).sql(dialect=engine), [name]


def starting_offsets(rows: Iterable[Sequence[Any]]) -> str:
    """`startingOffsets` of Spark's Kafka source, as JSON.

    Args:
        rows: Topic, partition and first accepted offset (None: no record is accepted) of each partition. A
            partition without an accepted record is read from its end.
    """
    topics: dict[str, dict[str, int]] = {}
    for topic, partition, offset in sorted(rows, key=lambda row: (row[0], row[1])):
        topics.setdefault(str(topic), {})[str(partition)] = _LATEST if offset is None else int(offset)
    return json.dumps(topics)


def first_offsets_query(condition: str, source: str, quoted: Sequence[str]) -> str:
    """The first accepted offset of each partition, as SQL; `quoted` are the columns of `KAFKA_COLUMNS`."""
    topic, partition, offset = quoted
    first = f"MIN(CASE WHEN {condition} THEN {offset} END)"
    return f"SELECT {topic}, {partition}, {first} FROM {source} GROUP BY {topic}, {partition}"
