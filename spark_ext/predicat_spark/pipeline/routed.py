"""The pass: every filter is evaluated once for a row, rows are counted, and those that a sink takes are
written to its files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.jobs import NAMED, WITH_NAME
from predicat.deploy.chosen import Chosen
from predicat_spark.names import quoted
from predicat_spark.pipeline.entries import EXPIRED, TRIES, WAITING
from predicat_spark.pipeline.source import Reading
from predicat_spark.settings import settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The bit of the outcome of a row: in the byte of the filter, or for rows of no one filter in the last one.
_BITS = {"accepted": 1, "rejected": 2, "unknown": 4, "unmatched": 1, "bad": 2, "matched": 4}
# The rows that entry filters put off, and the column that has these filters.
_LATER = {"waiting": WAITING, "dead_letter": EXPIRED}
# Files of partitioned sinks that a task has open at once; rows of further folders are sorted first.
_OPEN = 200
# What the JVM does not compile is slower than rows that Spark evaluates in several methods.
_METHOD = {"spark.sql.codegen.hugeMethodLimit": "8000"}
# Spark writes timestamps as texts without their microseconds.
_EXACT = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss[.SSSSSS]XXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss[.SSSSSS]",
}
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


class WrittenFile(Struct, frozen=True):
    """A file that counts: its path below the output's, its rows and bytes."""

    path: str
    rows: int
    bytes: int


class Counts(Struct):
    """What the pass counted: for each filter accepted, rejected, unknown and guarded rows, for each cell
    those that did not convert. `waiting` and `expired` rows are those that a filter put off, by its label;
    `retried` rows were offered to it again, by its name.
    `newest` is the newest time among the rows, in microseconds since 1970, where it was asked for.
    """

    rows: int
    bad_rows: int
    filters: list[tuple[int, int, int, int]]
    cells: list[int]
    samples: list[list[str]]
    waiting: list[int]
    expired: list[int]
    newest: int | None = None
    retried: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, more: Counts) -> None:
        """Add the outcomes of rows that were offered again, without counting them as read a second time."""
        pairs = zip(self.filters, more.filters, strict=True)
        self.filters = [(a + e, b + f, c + g, d + h) for (a, b, c, d), (e, f, g, h) in pairs]
        self.waiting = _summed(self.waiting, more.waiting)
        self.expired = _summed(self.expired, more.expired)


def _summed(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return [a + b for a, b in zip_longest(one, other, fillvalue=0)]


def routed(
    session: SparkSession,
    reading: Reading,
    chosen: Sequence[Chosen],
    outputs: Sequence[Output],
    run: str,
    *,
    apart: bool,
    matching: bool = False,
    labels: Sequence[str] = (),
) -> tuple[Counts, list[list[WrittenFile]]]:
    """Count all rows and write those that outputs take, reading the source once. `apart` keeps rows with
    bad cells from the filters. `matching` finds the filters that accept a row through an index; rows that
    a filter does not accept are not counted then. `labels` are the names that rows with a name have: those of
    the filters, and of others that rows wait for.
    """
    with settings(session, _METHOD):
        frame = _outcomes(session, reading, chosen, outputs, apart=apart, matching=matching)
        spec = _spec(session, reading, chosen, outputs, run, matching=matching, labels=labels)
        answer = json.loads(_scala(session).run(frame, json.dumps(spec)))
    tasks = answer["tasks"]
    files: list[list[WrittenFile]] = [[] for _ in outputs]
    for task in tasks:
        for file in task["files"]:
            output = outputs[file["sink"]]
            files[file["sink"]].append(
                WrittenFile(file["path"][len(output.path) + 1 :], file["rows"], file["bytes"])
            )
    counts = _counts(tasks, len(chosen), len(reading.cells))
    counts.newest = answer["newest"]
    return counts, files


def timed(reading: Reading, column: str | None) -> Reading:
    """A reading that also finds the newest time in a column, for the counts."""
    if column is None:
        return reading
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # its usual name; needs Java's home first

    newest = F.max(F.unix_micros(quoted(column))).alias("newest")
    return replace(reading, frame=reading.frame.observe("predicat_newest", newest))


def sink_frame(reading: Reading, rows: str) -> list[tuple[str, str]]:
    """The columns of an output and their names there: as they came for rows with bad cells, else as they
    were read.
    """
    if rows == "bad" and reading.raw:
        return list(reading.raw)
    columns = [(name, name) for name in reading.columns]
    if rows == "waiting":
        columns.append((TRIES, TRIES))
    return [*columns, (NAMED, NAMED)] if rows in WITH_NAME or rows == "waiting" else columns


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
        wanted[_place(output, chosen, matching=matching)] |= _BITS.get(output.rows, 0)
    scala = _scala(session)
    frame: DataFrame = reading.frame
    # Texts of JSON, since the gateway takes a call for every element of an array.
    filters = json.dumps([_filter(filter_, matching=matching) for filter_ in chosen])
    cells = json.dumps([cell.sql for cell in reading.cells])
    return (scala.matched if matching else scala.outcomes)(frame._jdf, filters, cells, bytes(wanted), apart)  # noqa: SLF001  # the frame of Java


def _filter(chosen: Chosen, *, matching: bool) -> dict[str, Any]:
    """A filter as the JVM reads it. The index analyses conditions, so it gets plain SQL."""
    return {
        "name": chosen.name,
        "dataset": chosen.filter.dataset,
        "filter": chosen.filter.qualified,
        "version": chosen.number,
        "sql": chosen.sql if matching else chosen.native_sql,
        "present": chosen.present,
        "columns": chosen.columns,
        "accepts_unknown": chosen.accepts_unknown,
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
    labels: Sequence[str],
) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = []
    sinks: list[dict[str, Any]] = []
    smaller = _row_group(session, len(outputs))
    for output in outputs:
        columns = [pair for pair in sink_frame(reading, output.rows) if pair[1] not in output.partition_by]
        kind = {
            "format": output.format,
            "options": {**(smaller if output.format == "parquet" else _EXACT), **output.options},
            "columns": [column for column, _ in columns],
            "names": [name for _, name in columns],
        }
        if kind not in kinds:
            kinds.append(kind)
        sinks.append(
            {
                "kind": kinds.index(kind),
                "said": _LATER.get(output.rows, ""),
                "place": 0 if output.rows in _LATER else _place(output, chosen, matching=matching),
                "mask": _BITS.get(output.rows, 1),
                "each": output.rows == "matched" or output.rows in _LATER,
                "open": output.rows == "unmatched",
                "path": output.path,
                "partitions": list(output.partition_by),
            }
        )
    return {
        "run": run,
        "filters": len(chosen),
        "labels": list(labels) or ([filter_.name for filter_ in chosen] if matching else []),
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
    later = [
        [sum(column) for column in zip(*(task["waiting"][which] for task in tasks), strict=True)]
        for which in (0, 1)
    ]
    return Counts(totals[0], totals[1], per_filter, totals[2 + 4 * filters :], samples, later[0], later[1])
