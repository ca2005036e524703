"""The report of a stream: the sum of its batches, which keep their own numbers."""

import pytest
from msgspec import to_builtins

from predicat_spark.pipeline.events import prometheus
from predicat_spark.pipeline.report import BadCells, EntryError, FilterReport, Report, SinkReport


def batch(number: int, *, matched: bool = False) -> Report:
    """Ten rows, of which `number` are accepted."""
    others = None if matched else 10 - number
    rows = FilterReport("even", "d.even", 1, "sql", number, others, 0, 0, hash="h", rescheduled=number)
    return Report(
        f"run-{number}",
        "d",
        None,
        "in",
        "append",
        rows=10,
        rows_read=10,
        bytes_read=100,
        passes="one",
        seconds=0.5,
        filters=[rows],
        sinks=[SinkReport("path", "out", "accepted", "even", number, 1, 10, 0.1)],
        bad_rows=1,
        bad_cells=[BadCells("n", 1, ["x"])],
        changes=[f"change {number}"],
        started=f"at {number}",
        errors=[EntryError("even", "Class", "ValueError", 1, "{}", "text")],
        lag_seconds=float(number),
    )


def test_batches_are_added() -> None:
    total = Report("", "d", None, "in", "append", 0, 0, 0, "one", 0.0, [], batches=0)
    batches = [batch(3), batch(4), batch(5)]
    before = to_builtins(batches)
    for one in batches:
        total.add(one)
    assert to_builtins(batches) == before
    (row,), (sink,), (cell,), (error,) = total.filters, total.sinks, total.bad_cells, total.errors
    assert (row.accepted, row.rejected, row.rescheduled, total.batches) == (12, 18, 5, 3)
    assert (sink.written, sink.files, sink.bytes) == (12, 3, 30)
    assert sink.seconds == pytest.approx(0.3)
    assert (cell.cells, error.rows, total.rows, total.bad_rows, total.seconds) == (3, 3, 30, 3, 1.5)
    assert (total.run, total.started, total.lag_seconds) == ("run-5", "at 3", 5.0)
    assert total.changes == ["change 3", "change 4", "change 5"]


def test_a_stream_may_begin_to_count_rejected_rows() -> None:
    """A new catalog may have a job without a sink of matched rows."""
    total = batch(3, matched=True)
    total.add(batch(4))
    assert (total.filters[0].accepted, total.filters[0].rejected) == (7, 6)
    total.add(batch(2, matched=True))
    assert (total.filters[0].accepted, total.filters[0].rejected) == (9, 6)


def test_a_filter_that_changes_without_a_version_has_one_series() -> None:
    """An exporter refuses a file that has the same labels twice."""
    total = batch(3)
    changed = batch(4)
    changed.filters[0].hash = "other"
    total.add(changed)
    assert len(total.filters) == 2
    lines = [line for line in prometheus(total).splitlines() if not line.startswith("#")]
    series = [line.rpartition(" ")[0] for line in lines]
    assert len(series) == len(set(series))
    assert [line.rpartition(" ")[2] for line in lines if 'outcome="accepted"' in line] == ["7"]
    assert [line.rpartition(" ")[2] for line in lines if "hit_ratio" in line] == ["0.35"]
