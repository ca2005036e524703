"""Entry filters in jobs: the same outcomes as in Python, rows that are put off and offered again."""

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import predicat
from predicat.entry_filters import Outcome, opened
from predicat_spark.pipeline import Following, Job, JobFilter, Options, Report, Sink, Source, run_job, stream
from predicat_spark.pipeline.events import prometheus
from predicat_spark.pipeline.report import table

pyspark = pytest.importorskip("pyspark")
ACCUMULATORS = pyspark.accumulators._accumulatorRegistry
NEEDED = pytest.mark.skipif(pyspark.__version__.startswith("4.0."), reason="Spark 4.0 has no Arrow functions")

CATALOG = """\
apiVersion: predicat/v1
dataset: events
key: id
fields: {id: bigint, kind: string, amount: double, note: json, at: timestamp}
filters:
  small: {sql: amount < 5}
  big: {sql: amount > 10}
  fragile: {python: tests.entry_classes.Fragile, after: big}
  lenient: {python: tests.entry_classes.Fragile, after: big, on_unknown: accept}
  tagged: {python: tests.entry_classes.Tagged, after: big}
  chain: {python: [tests.entry_classes.Fragile, tests.entry_classes.Tagged]}
  late: {python: tests.entry_classes.SecondTime, after: big}
  noted: {python: tests.entry_classes.Noted}
subscriptions:
  desk: {filter: tagged, properties: {tag: a}}
"""
NAMES = ("small", "desk", "fragile", "lenient", "chain")
SUBSCRIBED = {"desk": ("tagged", "desk")}


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "c.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path / "c.yml")


def add(spark: Any, tmp_path: Path, first: int, last: int, partition: int = 1) -> None:
    spark.sql(
        f"SELECT id, IF(id % 3 = 0, 'b', 'a') AS kind, double(id) AS amount, {partition} AS partition,"
        f" parse_json('{{\"n\": 1}}') AS note, current_timestamp() - INTERVAL 1 HOUR AS at"
        f" FROM range({first}, {last})"
    ).coalesce(1).write.mode("append").parquet(str(tmp_path / "in"))


def job(tmp_path: Path, names: Sequence[str], *sinks: Sink, **more: Any) -> Job:
    filters = tuple(JobFilter(name, name) for name in names)
    return Job("", "events", Source(paths=(str(tmp_path / "in"),)), filters, sinks, **more)


def outcomes(catalog: predicat.Catalog, name: str, rows: Sequence[dict[str, Any]]) -> dict[int, Outcome]:
    """The reference: each row in Python."""
    filter_, subscription = SUBSCRIBED.get(name, (name, ""))
    with opened(catalog, f"events.{filter_}", subscription=subscription) as run:
        return {row["id"]: run.outcome(row, {"partition": row["partition"]}) for row in rows}


def ids(spark: Any, path: Path) -> list[int]:
    return sorted(row.id for row in spark.read.parquet(str(path)).collect())


@NEEDED
@pytest.mark.parametrize("matched", [False, True])
def test_a_job_has_the_outcomes_of_python(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path, matched: bool
) -> None:
    """Each row is with each filter in the one place where the reference says."""
    add(spark, tmp_path, 0, 40)
    add(spark, tmp_path, 40, 60, partition=9)
    rows = [
        {"id": n, "kind": "b" if n % 3 == 0 else "a", "amount": float(n), "partition": 9 if n > 39 else 1}
        for n in range(60)
    ]
    said = {name: outcomes(catalog, name, rows) for name in NAMES[1:]}
    accepted = {
        name: {
            n
            for n, one in found.items()
            if one is Outcome.ACCEPT or (one is Outcome.UNKNOWN and name == "lenient")
        }
        for name, found in said.items()
    } | {"small": set(range(5))}
    later = {
        (name, n) for name, found in said.items() for n, one in found.items() if one is Outcome.RESCHEDULE
    }
    out = tmp_path / "out"
    common = (
        Sink("path", str(out / "none"), rows="unmatched"),
        Sink("path", str(out / "dead"), rows="dead_letter"),
    )
    each = tuple(
        Sink("path", str(out / f"{{filter}}__{kind}"), rows=kind)
        for kind in ("accepted", "rejected", "unknown")
    )
    sinks = (Sink("path", str(out / "all"), rows="matched"),) if matched else each
    report = run_job(catalog, job(tmp_path, NAMES, *sinks, *common), Options(master="local[2]"))
    if matched:
        pairs = {(row["filter"], row.id) for row in spark.read.parquet(str(out / "all")).collect()}
        assert pairs == {(name, n) for name, found in accepted.items() for n in found}
    else:
        for name, found in said.items():
            kinds = {kind: set(ids(spark, out / f"{name}__{kind}")) for kind in ("rejected", "unknown")}
            assert set(ids(spark, out / f"{name}__accepted")) == accepted[name]
            assert kinds["rejected"] == {n for n, one in found.items() if one is Outcome.REJECT}
            assert kinds["unknown"] == {n for n, one in found.items() if one is Outcome.UNKNOWN}
            counts = next(row.counts for row in report.filters if row.name == name)
            assert (counts["accepted"], counts["unknown"]) == (len(accepted[name]), len(kinds["unknown"]))
    assert {(row["filter"], row.id) for row in spark.read.parquet(str(out / "dead")).collect()} == later
    delivered = set().union(*accepted.values()) | {n for _, n in later}
    assert set(ids(spark, out / "none")) == set(range(60)) - delivered
    assert report.rows == report.rows_read == 60
    assert {row.name: row.dead_letter for row in report.filters if row.dead_letter} == Counter(
        name for name, _ in later
    )


def again(tmp_path: Path, **more: Any) -> Job:
    sinks = (
        Sink("path", str(tmp_path / "out" / "all"), rows="matched"),
        Sink("path", str(tmp_path / "out" / "dead"), rows="dead_letter"),
    )
    more = {"mode": "append", "checkpoint": str(tmp_path / "checkpoint"), "tries": 3, **more}
    return replace(job(tmp_path, ("late", "fragile"), *sinks), **more)


def counts(report: Report) -> list[tuple[int, int | None, int | None]]:
    return [(row.accepted, row.rescheduled, row.dead_letter) for row in report.filters]


def pairs(spark: Any, path: Path) -> Counter[tuple[str, int]]:
    return Counter((row["filter"], row.id) for row in spark.read.parquet(str(path)).collect())


@NEEDED
def test_rows_that_are_put_off_are_offered_again(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path
) -> None:
    """`late` accepts the second time, `fragile` never does: each row is delivered once or a dead letter."""
    add(spark, tmp_path, 20, 30, partition=9)
    asked = again(tmp_path)
    assert counts(run_job(catalog, asked)) == [(0, 10, 0), (0, 5, 0)]
    add(spark, tmp_path, 30, 32)
    assert counts(run_job(catalog, asked)) == [(10, 2, 0), (1, 5, 0)]
    assert counts(run_job(catalog, asked)) == [(2, 0, 0), (0, 0, 5)]  # without new rows
    assert run_job(catalog, asked).batches == 0
    late = {("late", n) for n in range(20, 32)}
    assert pairs(spark, tmp_path / "out" / "all") == Counter({*late, ("fragile", 30)})
    assert pairs(spark, tmp_path / "out" / "dead") == Counter(("fragile", n) for n in range(20, 30, 2))


@NEEDED
def test_a_quiet_stream_offers_rows_again(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    add(spark, tmp_path, 20, 24, partition=9)
    batches: list[Report] = []

    def told(report: Report) -> bool:
        batches.append(report)
        return len(batches) < 3

    total = stream(catalog, again(tmp_path), following=Following(0, told))
    assert [report.rows for report in batches] == [4, 0, 0]
    assert counts(total) == [(4, 0, 0), (0, 0, 2)]
    assert pairs(spark, tmp_path / "out" / "dead") == Counter([("fragile", 20), ("fragile", 22)])


@NEEDED
def test_what_monitors_see_of_a_stream(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    """The progress of the query and Prometheus have the counts of every filter."""
    add(spark, tmp_path, 0, 30)
    sink = Sink("path", str(tmp_path / "out" / "{filter}"))
    asked = job(
        tmp_path, ("late", "small"), sink, mode="append", checkpoint=str(tmp_path / "checkpoint"), range="at"
    )
    progress: dict[str, Any] = {}

    def told(report: Report) -> bool:
        if report.rows:
            return True
        (query,) = spark.streams.active
        progress.update(query.lastProgress["observedMetrics"]["predicat"].asDict(recursive=True))
        return False

    total = stream(catalog, asked, following=Following(0, told))
    (late, small) = total.filters
    assert (late.accepted, late.rejected, late.retried, total.hit_rate(late)) == (19, 11, 19, 19 / 49)
    assert progress["rows"] == 30
    assert progress["filters"]["late"]["rescheduled"] == 19
    assert progress["filters"]["small"]["hit_rate"] == small.accepted / 30 == 5 / 30
    assert progress["lag_seconds"] == pytest.approx(3600, abs=300)
    text = prometheus(total, {("small", "accepted"): 5})
    assert 'predicat_filter_rows_total{job_name="events",filter="small",outcome="accepted"} 5' in text
    assert 'predicat_filter_hit_ratio{job_name="events",filter="small",version="1"} 0.166667' in text
    assert "predicat_run_lag_seconds{" in text


@NEEDED
def test_a_filter_that_is_gone_leaves_dead_letters(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path
) -> None:
    add(spark, tmp_path, 20, 24, partition=9)
    asked = again(tmp_path)
    run_job(catalog, asked)
    run_job(catalog, replace(asked, filters=(JobFilter("small", "small"),)))
    gone = [("late", n) for n in range(20, 24)] + [("fragile", 20), ("fragile", 22)]
    assert pairs(spark, tmp_path / "out" / "dead") == Counter(gone)


@NEEDED
def test_documents_and_the_consumer(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    add(spark, tmp_path, 0, 3)
    assert run_job(catalog, job(tmp_path, ("noted",))).filters[0].accepted == 3


@NEEDED
def test_errors_are_told_once(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    add(spark, tmp_path, 20, 30)
    with caplog.at_level(logging.WARNING, "predicat.entry_filters"):
        report = run_job(catalog, job(tmp_path, ("fragile",)), Options(master="local[2]"))
    (line,) = [one.getMessage() for one in caplog.records if one.name == "predicat.entry_filters"]
    assert line.startswith(
        "entry filter tests.entry_classes.Fragile of fragile raised ValueError for the row {'id': 2"
    )
    assert line.endswith("5 rows of this batch count as UNKNOWN")
    (error,) = report.errors
    assert (error.filter, error.error, error.rows) == ("fragile", "ValueError", 5)
    assert "rescheduled" in table(report)


@NEEDED
def test_the_batches_of_a_stream_have_their_own_errors(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each kind is logged once, and PySpark keeps one accumulator for all batches."""
    add(spark, tmp_path, 20, 30)
    batches: list[Report] = []

    def told(report: Report) -> bool:
        batches.append(report)
        if len(batches) < 3:
            add(spark, tmp_path, 30, 32 + 2 * len(batches))
        return len(batches) < 3

    before = set(ACCUMULATORS)
    asked = again(tmp_path, filters=(JobFilter("fragile", "fragile"),), tries=1)
    with caplog.at_level(logging.WARNING, "predicat.entry_filters"):
        total = stream(catalog, asked, following=Following(0, told))
    assert [[error.rows for error in batch.errors] for batch in batches[1:]] == [[2], [3]]
    assert [error.rows for error in total.errors] == [10]
    assert len([one for one in caplog.records if one.name == "predicat.entry_filters"]) == 1
    assert len(set(ACCUMULATORS) - before) == 1


@NEEDED
def test_what_is_refused(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    add(spark, tmp_path, 0, 3)
    sink = Sink("path", str(tmp_path / "{filter}"))
    with pytest.raises(predicat.PredicatError, match="passes: many reads rows several times"):
        run_job(catalog, job(tmp_path, ("fragile",), sink, passes="many"))
    text = CATALOG.replace("tests.entry_classes.SecondTime", "tests.absent.Class")
    (tmp_path / "other.yml").write_text(text)
    other = predicat.load_catalog(tmp_path / "other.yml")
    with pytest.raises(predicat.PredicatError, match=r"tests\.absent\.Class cannot be loaded"):
        run_job(other, job(tmp_path, ("late",), sink))
    spark.sql("SELECT 1L AS id, 'x' AS filter, 'a' AS kind, 1D AS amount").write.parquet(
        str(tmp_path / "named")
    )
    named = replace(job(tmp_path, ("desk",), sink), source=Source(paths=(str(tmp_path / "named"),)))
    with pytest.raises(predicat.PredicatError, match="a column 'filter', but the source already has one"):
        run_job(catalog, named)


@pytest.mark.skipif(not pyspark.__version__.startswith("4.0."), reason="what Spark 4.0 lacks")
def test_spark_4_0_is_refused(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    add(spark, tmp_path, 0, 3)
    with pytest.raises(predicat.PredicatError, match=r"needs Spark 4\.1 or later"):
        run_job(catalog, job(tmp_path, ("fragile",)))
