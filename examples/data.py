"""Brings the example data to Parquet and to PostgreSQL, the same rows on both."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from examples.events import events, flights_folder

if TYPE_CHECKING:
    import psycopg

_ARROW = {
    "bigint": pa.int64(),
    "double": pa.float64(),
    "text": pa.string(),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "jsonb": pa.map_(pa.string(), pa.string()),
}
_WHOLE = "bigint"
SCHEMAS: dict[str, dict[str, str]] = {
    "flights": dict.fromkeys(
        (
            "year",
            "month",
            "day",
            "dep_time",
            "sched_dep_time",
            "dep_delay",
            "arr_time",
            "sched_arr_time",
            "arr_delay",
        ),
        _WHOLE,
    )
    | {
        "carrier": "text",
        "flight": _WHOLE,
        "tailnum": "text",
        "origin": "text",
        "dest": "text",
        "air_time": _WHOLE,
        "distance": _WHOLE,
        "hour": _WHOLE,
        "minute": _WHOLE,
        "time_hour": "timestamptz",
    },
    "weather": {"origin": "text"}
    | dict.fromkeys(
        ("temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib"),
        "double",
    )
    | {"time_hour": "timestamptz"},
    "events": {
        "ce_id": "text",
        "ce_type": "text",
        "ce_source": "text",
        "ce_subject": "text",
        "properties": "jsonb",
        "event_time": "timestamptz",
        "publish_time": "timestamptz",
        "latency": "double",
    },
}


def table(name: str) -> pa.Table:
    """One of the example datasets as an Arrow table with the types of its schema, and a number for each
    row.
    """
    found = _table(name)
    return found.append_column("row_id", pa.array(range(found.num_rows), pa.int64()))


def _table(name: str) -> pa.Table:
    schema = pa.schema([(column, _ARROW[kind]) for column, kind in SCHEMAS[name].items()])
    if name == "events":
        rows = [
            {**row, "properties": None if row["properties"] is None else list(row["properties"].items())}
            for row in events()
        ]
        return pa.Table.from_pylist(rows, schema=schema)
    file = flights_folder() / {"flights": "flights.csv.zip", "weather": "weather.csv"}[name]
    frame = pd.read_csv(file, keep_default_na=True)[list(SCHEMAS[name])]
    for column, kind in SCHEMAS[name].items():
        if kind == "bigint":
            frame[column] = frame[column].astype("Int64")
        if kind == "timestamptz":
            frame[column] = pd.to_datetime(frame[column], utc=True)
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False)


def to_parquet(folder: Path) -> dict[str, Path]:
    """Each dataset as a Parquet file, made once."""
    found: dict[str, Path] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMAS:
        found[name] = folder / f"{name}.parquet"
        if not found[name].exists():
            beside = found[name].with_suffix(".part")
            pq.write_table(table(name), beside)
            beside.replace(found[name])
    return found


def to_postgres(connection: psycopg.Connection, folder: Path) -> dict[str, int]:
    """The rows of the Parquet files as tables of the schema public; views on them are dropped with the old
    tables.
    """
    counts: dict[str, int] = {}
    for name, path in to_parquet(folder).items():
        kinds = {**SCHEMAS[name], "row_id": "bigint"}
        columns = ", ".join(
            f"{column} {kind.replace('double', 'double precision')}" for column, kind in kinds.items()
        )
        connection.execute(f"DROP TABLE IF EXISTS public.{name} CASCADE".encode())
        connection.execute(f"CREATE TABLE public.{name} ({columns})".encode())
        rows = pq.read_table(path)
        with connection.cursor() as cursor, cursor.copy(f"COPY public.{name} FROM STDIN".encode()) as copy:
            for row in _rows(rows, name):
                copy.write_row(row)
        counts[name] = rows.num_rows
    connection.commit()
    return counts


def _rows(rows: pa.Table, name: str) -> Iterable[tuple[Any, ...]]:
    """Rows as COPY takes them: maps as JSON."""
    kinds = list(SCHEMAS[name].values())
    for batch in rows.to_batches(max_chunksize=50_000):
        columns = [column.to_pylist() for column in batch.columns]
        for index, kind in enumerate(kinds):
            if kind == "jsonb":
                columns[index] = [
                    None if value is None else json.dumps(dict(value)) for value in columns[index]
                ]
        yield from zip(*columns, strict=True)
