"""The declared partitions of a dataset as batches of Great Expectations on PostgreSQL.

They are those of a query whose rows have their partition, or their local time, in another column.
"""

from __future__ import annotations

from msgspec import Struct
from sqlglot import exp

from predicat import backends
from predicat.catalog.model import Dataset
from predicat.ir.nodes import Call, Literal
from predicat.ir.types import DATE, STRING, TIMESTAMP
from predicat.quality.plan import time_of


class Batches(Struct, frozen=True):
    """How a partitioned dataset is split.

    Attributes:
        name: The name of the batch definition.
        query: The rows that have a partition.
        column: The column that is split on.
        kind: `daily` and `monthly` as Great Expectations splits times, `value` by the values of the column.
    """

    name: str
    query: str
    column: str
    kind: str


_HOUR = (
    "TO_CHAR({local}, 'YYYY-MM-DD\"T\"HH24') || CASE WHEN {local} < {utc} THEN '-' ELSE '+' END"
    " || TO_CHAR(GREATEST({local} - {utc}, {utc} - {local}), 'HH24:MI')"
)
# Of each length of partitions: the kind of batches, and the column as SQL of a local time and a time in UTC.
# Its values are the names of partitions where Great Expectations knows no such batches.
_COLUMNS = {
    "hour": ("value", _HOUR),
    "day": ("daily", "{local}"),
    "week": ("value", "TO_CHAR({local}, 'IYYY\"-W\"IW')"),
    "month": ("monthly", "{local}"),
}


def batches(dataset: Dataset) -> Batches | None:
    """The batches of a dataset on PostgreSQL; None if it declares no partitions."""
    spec = dataset.partition
    if spec is None:
        return None
    kind, column = _COLUMNS[spec.by]
    local, utc = _times(dataset)
    name = "predicat_partition" if kind == "value" else "predicat_time"
    value = column.format(local=local, utc=utc)
    source = exp.to_table(dataset.relation["postgres"], dialect="postgres").sql(dialect="postgres")
    query = f"SELECT *, {value} AS {name} FROM {source} WHERE {local} IS NOT NULL"
    return Batches(f"by_{spec.by}", query, name, kind)


def _times(dataset: Dataset) -> tuple[str, str]:
    """The time by which a dataset is partitioned: by the clocks of its zone, and in UTC."""
    assert dataset.partition is not None  # noqa: S101  # who asks has one
    dialect, moment = backends.dialect("postgres"), time_of(dataset, dataset.partition.field)
    if moment.type == DATE:
        day = dialect.render(moment)
        local = f"CASE WHEN ISFINITE({day}) THEN CAST({day} AS TIMESTAMP) END"
        return local, local
    zones = (Literal(STRING, dataset.partition.zone or "UTC"), Literal(STRING, "UTC"))
    local, utc = (dialect.render(Call(TIMESTAMP, "in_zone", (moment, zone))) for zone in zones)
    return f"(({local}) AT TIME ZONE 'UTC')", f"(({utc}) AT TIME ZONE 'UTC')"
