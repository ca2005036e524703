"""The pass: every filter is evaluated once for a row, rows are counted, and those that a sink takes are
written to its files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from predicat.catalog.jobs import NAMED
from predicat.deploy.chosen import Chosen
from predicat_spark.pipeline.source import Reading
from predicat_spark.settings import settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_BITS = {"accepted": 1, "rejected": 2, "unknown": 4, "unmatched": 1, "bad": 2, "matched": 4}
"""The bit of the outcome of a row: in the byte of the filter, or for rows of no one filter in the last one.
"""
_OPEN = 200
"""Files of partitioned sinks that a task has open at once; rows of further folders are sorted first."""
_METHOD = {"spark.sql.codegen.hugeMethodLimit": "8000"}
"""What the JVM does not compile is slower than rows that Spark evaluates in several methods."""
_ROW_GROUP = 128 * 1024 * 1024
_LEAST_ROW_GROUP = 8 * 1024 * 1024


class Output(Struct, frozen=True):
    """One place of the pass: which rows go there, and as what files. `filter` is the number of a filter,
    None for rows of no one filter.
    """

    rows: str
    filter: int | None
    path: str
    format: str = "parquet"
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    partition_by: tuple[str, ...] = ()


class Written(Struct, frozen=True):
    """A file that counts: its path below the output's, its rows and bytes."""

    path: str
    rows: int
    bytes: int


class Counts(Struct):
    """What the pass counted: for each filter accepted, rejected, unknown and guarded rows, for each cell
    those that did not convert.
    """

    rows: int
    bad_rows: int
    filters: list[tuple[int, int, int, int]]
    cells: list[int]
    samples: list[list[str]]


def routed(
    session: SparkSession,
    reading: Reading,
    chosen: Sequence[Chosen],
    outputs: Sequence[Output],
    run: str,
    *,
    apart: bool,
    matching: bool = False,
) -> tuple[Counts, list[list[Written]]]:
    """Count all rows and write those that outputs take, reading the source once. `apart` keeps rows with
    bad cells from the filters. `matching` finds the filters that accept a row through an index; rows that
    a filter does not accept are not counted then.
    """
    with settings(session, _METHOD):
        frame = _outcomes(session, reading, chosen, outputs, apart=apart, matching=matching)
        spec = _spec(session, reading, chosen, outputs, run, matching=matching)
        found = json.loads(_scala(session).run(frame, json.dumps(spec)))
    files: list[list[Written]] = [[] for _ in outputs]
    for task in found:
        for file in task["files"]:
            output = outputs[file["sink"]]
            files[file["sink"]].append(
                Written(file["path"][len(output.path) + 1 :], file["rows"], file["bytes"])
            )
    return _counts(found, len(chosen), len(reading.cells)), files


def sink_frame(reading: Reading, rows: str) -> list[tuple[str, str]]:
    """The columns of an output and their names there: as they came for rows with bad cells, else as they
    were read.
    """
    if rows == "bad" and reading.raw:
        return list(reading.raw)
    columns = [(name, name) for name in reading.columns]
    return [*columns, (NAMED, NAMED)] if rows == "matched" else columns


def _scala(session: SparkSession) -> Any:
    return session.sparkContext._jvm.org.apache.spark.sql.predicat.RoutedWrite  # type: ignore[union-attr]  # noqa: SLF001  # PySpark has no public way to the JVM


def _outcomes(
    session: SparkSession,
    reading: Reading,
    chosen: Sequence[Chosen],
    outputs: Sequence[Output],
    *,
    apart: bool,
    matching: bool,
) -> Any:
    """The frame of the rows that an output takes, as the JVM has it."""
    wanted = bytearray(1 if matching else len(chosen) + 1)
    for output in outputs:
        wanted[_place(output, chosen, matching=matching)] |= _BITS[output.rows]
    scala = _scala(session)
    frame: DataFrame = reading.frame
    # Texts of JSON, since the gateway takes a call for every element of an array.
    filters = json.dumps([_filter(row) for row in chosen])
    cells = json.dumps([cell.sql for cell in reading.cells])
    return (scala.matched if matching else scala.outcomes)(frame._jdf, filters, cells, bytes(wanted), apart)  # noqa: SLF001  # the frame of Java


def _filter(row: Chosen) -> dict[str, Any]:
    return {
        "name": row.name,
        "dataset": row.row.dataset,
        "filter": row.row.qualified,
        "version": row.number,
        "sql": row.sql,
        "present": row.present,
        "columns": row.columns,
        "accepts_unknown": row.accepts_unknown,
    }


def _place(output: Output, chosen: Sequence[Chosen], *, matching: bool) -> int:
    """The byte of the outcomes that an output asks."""
    if matching:
        return 0
    return len(chosen) if output.filter is None else output.filter


def _spec(
    session: SparkSession,
    reading: Reading,
    chosen: Sequence[Chosen],
    outputs: Sequence[Output],
    run: str,
    *,
    matching: bool,
) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = []
    sinks: list[dict[str, Any]] = []
    smaller = _row_group(session, len(outputs))
    for output in outputs:
        columns = [pair for pair in sink_frame(reading, output.rows) if pair[1] not in output.partition_by]
        kind = {
            "format": output.format,
            "options": {**(smaller if output.format == "parquet" else {}), **output.options},
            "columns": [column for column, _ in columns],
            "names": [name for _, name in columns],
        }
        if kind not in kinds:
            kinds.append(kind)
        sinks.append(
            {
                "kind": kinds.index(kind),
                "place": _place(output, chosen, matching=matching),
                "mask": _BITS[output.rows],
                "each": output.rows == "matched",
                "path": output.path,
                "partitions": list(output.partition_by),
            }
        )
    return {
        "run": run,
        "filters": len(chosen),
        "labels": [row.name for row in chosen] if matching else [],
        "cells": len(reading.cells),
        "max_open": _OPEN,
        "kinds": kinds,
        "sinks": sinks,
    }


def _row_group(session: SparkSession, files: int) -> dict[str, str]:
    """Row groups of Parquet are kept in memory until they are full: many files at once have smaller ones."""
    runtime: Any = session.sparkContext._jvm.java.lang.Runtime.getRuntime()  # type: ignore[union-attr]  # noqa: SLF001  # as above
    each = int(runtime.maxMemory()) // 4 // max(session.sparkContext.defaultParallelism, 1) // max(files, 1)
    return {} if each >= _ROW_GROUP else {"parquet.block.size": str(max(each, _LEAST_ROW_GROUP))}


def _counts(tasks: Sequence[Mapping[str, Any]], filters: int, cells: int) -> Counts:
    totals = [sum(column) for column in zip(*(task["counts"] for task in tasks), strict=True)]
    per_filter = [
        (totals[at], totals[at + 1], totals[at + 2], totals[at + 3]) for at in range(2, 2 + 4 * filters, 4)
    ]
    samples: list[list[str]] = [
        list(dict.fromkeys(value for task in tasks for value in task["samples"][cell]))[:5]
        for cell in range(cells)
    ]
    return Counts(totals[0], totals[1], per_filter, totals[2 + 4 * filters :], samples)
