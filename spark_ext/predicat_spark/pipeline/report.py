"""What a run did: as data, as a table of plain text, and in words for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from predicat.diagnostics.wording import quantity

_HEADS = {"unknown": "UNKNOWN", "dead_letter": "dead letter"}
# Filters that the table shows; of more, those that accept the most rows.
_MOST = 200
# What is counted of a filter: the fields of its report that are numbers of rows.
COUNTS = ("accepted", "rejected", "unknown", "guarded", "rescheduled", "dead_letter")


class FilterReport(Struct):
    """The counts of one filter. `guarded` rows have all fields, and are UNKNOWN because of an error. If an
    index finds the filters, only accepted rows are counted, and the other numbers are None.

    `rescheduled` and `dead_letter` count the rows that an entry filter rescheduled, and those whose tries are
    used up; None for other filters. `retried` rows were offered again.
    """

    name: str
    filter: str
    version: int
    language: str
    accepted: int
    rejected: int | None
    unknown: int | None
    guarded: int | None
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    hash: str = ""
    rescheduled: int | None = None
    dead_letter: int | None = None
    retried: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """What was counted, by outcome."""
        known = ((key, getattr(self, key)) for key in COUNTS)
        return {key: value for key, value in known if value is not None}

    def add(self, more: FilterReport) -> None:
        """Add a later batch. Waiting rows are not summed: the newest batch counts all of them."""
        for key, value in more.counts.items():
            setattr(self, key, value if key == "rescheduled" else (getattr(self, key) or 0) + value)
        self.retried += more.retried


class SinkReport(Struct):
    """One place that was filled, with its rows, files and bytes, and the seconds that it took to put them
    there.
    """

    kind: str
    place: str
    rows: str
    filter: str | None
    written: int
    files: int
    bytes: int
    seconds: float

    def add(self, more: SinkReport) -> None:
        """Add a later batch."""
        _sum(self, more, "written", "files", "bytes", "seconds")


class BadCells(Struct):
    """The cells of a column that did not convert, some of their texts, and the file and line of each if they
    are known.
    """

    column: str
    cells: int
    samples: list[str]
    places: list[str] = field(default_factory=list[str])

    def shown(self) -> str:
        """The texts with their places."""
        places = [f" ({place})" for place in self.places] or [""] * len(self.samples)
        return ", ".join(f"{text!r}{place}" for text, place in zip(self.samples, places, strict=False))

    def add(self, more: BadCells) -> None:
        """Add a later batch."""
        self.cells += more.cells


class EntryError(Struct):
    """An error of a class of an entry filter: how many rows count as UNKNOWN for it, and one of them."""

    filter: str
    name: str
    error: str
    rows: int
    key: str
    message: str

    def add(self, more: EntryError) -> None:
        """Add a later batch."""
        self.rows += more.rows


class Report(Struct):
    """The report of a run.

    Attributes:
        run: The id of the run.
        dataset: The name of the dataset.
        job: The name of the job, or None.
        input: The source.
        mode: `overwrite`, `append` or `overwrite_partitions`.
        rows: The rows of the source.
        rows_read: The rows that Spark's tasks read, by Spark's own count.
        bytes_read: The bytes that Spark's tasks read.
        passes: `one` if one reading filled all sinks, otherwise `many`.
        seconds: The duration.
        filters: The counts of each filter.
        sinks: The rows and bytes of each sink.
        bad_rows: The rows with cells that could not be converted.
        bad_cells: The numbers of these cells by column, with samples.
        changes: The filters whose meaning has changed since the last run.
        recovered: The killed runs that this run completed or undid.
        record: The file of the record.
        started: The start, as a timestamp in UTC.
        batches: The number of batches.
        errors: The errors that classes of entry filters raised.
        lag_seconds: The age of the newest row at the end, if the `range` of the job is a timestamp.
    """

    run: str
    dataset: str
    job: str | None
    input: str
    mode: str
    rows: int
    rows_read: int
    bytes_read: int
    passes: str
    seconds: float
    filters: list[FilterReport]
    sinks: list[SinkReport] = field(default_factory=list[SinkReport])
    bad_rows: int = 0
    bad_cells: list[BadCells] = field(default_factory=list[BadCells])
    changes: list[str] = field(default_factory=list[str])
    recovered: list[str] = field(default_factory=list[str])
    record: str | None = None
    started: str = ""
    batches: int = 1
    errors: list[EntryError] = field(default_factory=list[EntryError])
    lag_seconds: float | None = None

    def hit_rate(self, filter_report: FilterReport) -> float | None:
        """The share that a filter accepts of the rows that it was offered; None without any."""
        offered = self.rows + filter_report.retried
        return filter_report.accepted / offered if offered else None

    def add(self, more: Report) -> None:
        """Add a later batch, which is not changed. Values without a sum, such as the lag, are those of it."""
        _add(self.filters, more.filters, lambda report: (report.name, report.hash))
        _add(self.sinks, more.sinks, lambda report: (report.kind, report.place))
        _add(self.bad_cells, more.bad_cells, lambda report: report.column)
        _add(self.errors, more.errors, lambda report: (report.filter, report.name, report.error))
        _sum(self, more, "rows", "rows_read", "bytes_read", "seconds", "bad_rows", "batches")
        self.seconds = round(self.seconds, 3)
        self.changes = [*self.changes, *more.changes]
        self.recovered = [*self.recovered, *more.recovered]
        self.started = self.started or more.started
        self.lag_seconds = more.lag_seconds if more.rows else self.lag_seconds
        self.run, self.mode, self.passes, self.record = more.run, more.mode, more.passes, more.record

    def data(self) -> dict[str, Any]:
        """The report as data for JSON."""
        return msgspec.to_builtins(self)  # type: ignore[no-any-return]  # a struct is a mapping


_Part = TypeVar("_Part", FilterReport, SinkReport, BadCells, EntryError)


def _add(total: list[_Part], more: Sequence[_Part], key: Callable[[_Part], object]) -> None:
    """Add the parts of a batch to those with the same key; other ones are new."""
    known = {key(part): part for part in total}
    for part in more:
        if (old := known.get(key(part))) is None:
            total.append(replace(part))
        else:
            old.add(part)


def _sum(total: Struct, more: Struct, *names: str) -> None:
    for name in names:
        setattr(total, name, getattr(total, name) + getattr(more, name))


def table(report: Report) -> str:
    """The report as a table of plain text."""
    shown_counts = [
        key for key in COUNTS if key in COUNTS[:4] or any(key in cells.counts for cells in report.filters)
    ]
    head = ["filter", "language", *(_HEADS.get(key, key) for key in shown_counts)]
    most = sorted(report.filters, key=lambda cells: -cells.accepted)[:_MOST]
    shown = report.filters if len(report.filters) <= _MOST else most
    body = [
        [
            cells.name,
            cells.language,
            *(f"{cells.counts[key]:,}" if key in cells.counts else "-" for key in shown_counts),
        ]
        for cells in shown
    ]
    lines = aligned([head, *body], 2)
    if len(shown) < len(report.filters):
        lines.append(f"... and {len(report.filters) - _MOST:,} more, which accept fewer rows")
    places = [[sink.place, sink.rows, f"{sink.written:,}", f"{sink.files:,}"] for sink in report.sinks]
    if places:
        lines += ["", *aligned([["sink", "rows", "written", "files"], *places], 2)]
    bad = [[cells.column, f"{cells.cells:,}", cells.shown()] for cells in report.bad_cells if cells.cells]
    if bad:
        lines += ["", *aligned([["column", "bad cells", "such as"], *bad], 1, left=(2,))]
    lines += [f"changed: {change}" for change in report.changes] + [
        f"recovered: {text}" for text in report.recovered
    ]
    return "\n".join([*lines, "", summary(report)])


def summary(report: Report) -> str:
    """One line: what was read, and how."""
    line = f"{quantity(report.rows, 'row')} of {report.dataset} in {report.seconds:.1f} s"
    if report.sinks:
        readings = "many readings" if report.passes == "many" else "one reading"
        line += f"; {readings} for {quantity(len(report.sinks), 'sink')}"
        line += f", {quantity(report.rows_read, 'row')} read"
    if report.bad_rows:
        line += f"; {quantity(report.bad_rows, 'row')} with cells that cannot be converted"
    return line


def aligned(lines: Sequence[Sequence[str]], words: int, left: Sequence[int] = ()) -> list[str]:
    """Lines in columns with a rule below the first: the first `words` columns and those of `left` begin,
    the others end, below each other.
    """
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    shown = [
        "  ".join(
            cell.ljust(width) if at < words or at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return [shown[0], "  ".join("-" * width for width in widths), *shown[1:]]
