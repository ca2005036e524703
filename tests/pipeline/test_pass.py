"""One reading: the rows of all sinks and all counts, as the reference evaluator has them, and no more rows
read than there are.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat_spark.pipeline import Job, JobFilter, Options, Sink, Source, run_job

FIELDS = "row bigint, carrier string, dep_delay bigint, distance bigint, time_hour timestamp"
CATALOG = """\
apiVersion: predicat/v1
dataset: flights
fields: {row: bigint, carrier: string, dep_delay: bigint, distance: bigint, time_hour: timestamp}
filters:
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    """Filters of all kinds: shared parts, UNKNOWN that accepts, errors that are absorbed, parameters, and
    many that look alike.
    """
    folder = tmp_path_factory.mktemp("catalog")
    rows = [
        "  late: {sql: dep_delay > 15}",
        "  ratio: {sql: 'div(distance, dep_delay) > 10'}",
        "  open: {sql: dep_delay > 15, on_unknown: accept}",
        "  ua: {cel: 'carrier == \"UA\" && dep_delay > 15'}",
        "  known: {sql: carrier IS NOT NULL}",
        "  coded: {sql: 'CAST(substring(carrier, 2, 1) AS bigint) > 5', on_unknown: accept}",
        "  least: {sql: 'dep_delay >= :minutes', params: {minutes: {type: bigint, default: 60}}}",
        *(
            f"  f{number}: {{sql: 'dep_delay > {number} AND distance < {2000 - number * 13}'}}"
            for number in range(30)
        ),
    ]
    (folder / "c.yml").write_text(CATALOG + "\n".join(rows) + "\n")
    return predicat.load_catalog(folder)


def some_rows(count: int = 900, seed: int = 3) -> list[tuple[Any, ...]]:
    rng = random.Random(seed)
    return [
        (
            index,
            rng.choice(["UA", "AA", "B6", None]),
            rng.choice([None, 0, *range(-20, 200, 7)]),
            rng.randrange(0, 2500, 50),
            None,
        )
        for index in range(count)
    ]


@pytest.fixture(scope="module")
def source(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source") / "in"
    spark.createDataFrame(some_rows(), FIELDS).repartition(3).write.parquet(str(folder))
    return folder


def as_dicts(rows: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    names = [part.split()[0] for part in FIELDS.split(", ")]
    return [dict(zip(names, row, strict=True)) for row in rows]


def written(spark: Any, path: Path, form: str = "parquet") -> set[int]:
    return {
        int(row.row)
        for row in spark.read.format(form).option("header", True).load(str(path)).select("row").collect()
    }


@pytest.mark.parametrize("passes", ["one", "many"])
@pytest.mark.parametrize("count", [1, 6, 36])
def test_rows_and_counts_are_those_of_the_evaluator(
    spark: Any, catalog: predicat.Catalog, source: Path, tmp_path: Path, passes: str, count: int
) -> None:
    if passes == "many" and count == 36:
        pytest.skip("a reading for each of 36 sinks says no more than for six")
    names = list(catalog.datasets["flights"].filters)[:count]
    sinks = (Sink("path", str(tmp_path / "out" / "{filter}")),)
    if count == 6:
        sinks += (
            Sink("path", str(tmp_path / "unknown" / "{filter}"), rows="unknown"),
            Sink("path", str(tmp_path / "rejected" / "{filter}"), "csv", {"header": "true"}, rows="rejected"),
            Sink("path", str(tmp_path / "none"), "orc", rows="unmatched"),
        )
    job = Job(
        "",
        "flights",
        Source(paths=(str(source),)),
        tuple(JobFilter(name, name) for name in names),
        sinks,
        passes=passes,
    )
    report = run_job(catalog, job)
    rows = as_dicts(some_rows())
    assert (report.rows, report.passes) == (len(rows), passes)
    if passes == "one":
        assert report.rows_read <= 1.05 * len(rows), "by Spark's own count of the rows that its tasks read"
    matched: set[int] = set()
    for name, told in zip(names, report.filters, strict=True):
        filter_ = catalog.datasets["flights"].filters[name]
        outcomes = {row["row"]: catalog[f"flights.{name}"].evaluate(row) for row in rows}
        unknown = {row for row, outcome in outcomes.items() if outcome is None}
        accepted = {row for row, outcome in outcomes.items() if outcome} | (
            unknown if filter_.on_unknown == "accept" else set()
        )
        matched |= accepted
        assert (told.accepted, told.unknown) == (len(accepted), len(unknown)), name
        assert told.rejected == sum(outcome is False for outcome in outcomes.values())
        if count == 36:
            continue  # the counts tell
        assert written(spark, tmp_path / "out" / name) == accepted
        if count == 6:
            assert written(spark, tmp_path / "unknown" / name) == unknown
            assert written(spark, tmp_path / "rejected" / name, "csv") == {
                row for row, outcome in outcomes.items() if outcome is False
            }
    if count == 6:
        assert written(spark, tmp_path / "none", "orc") == {row["row"] for row in rows} - matched
        guarded = next(row for row in report.filters if row.name == "ratio").guarded
        assert guarded == sum(row["dep_delay"] == 0 for row in rows)


def test_partitions_formats_and_versions(
    spark: Any, catalog: predicat.Catalog, source: Path, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    sinks = (
        Sink("path", f"{out}/p/{{filter}}", "parquet", {"compression": "zstd"}, ("carrier",)),
        Sink("path", f"{out}/j", "json", {}, filters=("late",)),
        Sink(
            "path",
            f"{out}/c",
            "csv",
            {"header": "true", "sep": ";"},
            ("carrier", "distance"),
            filters=("most",),
        ),
    )
    asked = (JobFilter("late@1", "late"), JobFilter("least", "most", {"minutes": 100}))
    job = Job("", "flights", Source(paths=(str(source),)), asked, sinks)
    report = run_job(catalog, job)
    expected = {row["row"] for row in as_dicts(some_rows()) if (row["dep_delay"] or 0) >= 100}
    assert (
        written(spark, tmp_path / "out" / "p" / "most")
        == expected
        == {int(row.row) for row in spark.read.csv(f"{out}/c", header=True, sep=";").collect()}
    )
    assert {path.name for path in (tmp_path / "out" / "p" / "late").iterdir() if path.is_dir()} == {
        "carrier=UA",
        "carrier=AA",
        "carrier=B6",
        "carrier=__HIVE_DEFAULT_PARTITION__",
    }
    assert all(path.name.endswith(".zstd.parquet") for path in (tmp_path / "out" / "p").rglob("part-*"))
    assert spark.read.json(f"{out}/j").count() == report.filters[0].accepted
    assert [row.params for row in report.filters] == [{}, {"minutes": 100}]
    with pytest.raises(predicat.PredicatError, match="the rows have no column 'carier' for partition_by"):
        run_job(
            catalog,
            Job("", "flights", job.source, asked[:1], (Sink("path", f"{out}/x", partition_by=("carier",)),)),
        )


def test_no_rows_make_a_folder_that_can_be_read(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path
) -> None:
    spark.createDataFrame([], FIELDS).write.parquet(str(tmp_path / "in"))
    report = predicat_spark.run(catalog, "flights", ["late"], str(tmp_path / "in"), tmp_path / "out")
    assert (report.rows, report.filters[0].accepted) == (0, 0)
    assert spark.read.parquet(str(tmp_path / "out" / "late")).count() == 0


def test_a_backfill_reads_a_range(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    spark.sql(
        "SELECT id AS row, 'UA' AS carrier, 100L AS dep_delay, 5L AS distance, timestamp'2026-01-01 "
        "00:00:00 UTC' + make_interval(0,0,0,0,cast(id AS int)) AS time_hour "
        "FROM range(48)"
    ).write.parquet(str(tmp_path / "in"))
    sink = Sink("path", str(tmp_path / "out"), partition_by=("distance",))
    job = Job(
        "",
        "flights",
        Source(paths=(str(tmp_path / "in"),)),
        (JobFilter("late", "late"),),
        (sink,),
        range="time_hour",
    )
    report = run_job(catalog, job, Options(start="2026-01-01 10:00:00Z", end="2026-01-02T00:00:00Z"))
    assert report.rows == 14 and written(spark, tmp_path / "out") == set(range(10, 24))
    for options, problem in (
        (Options(start="soon"), "'soon' is not of type timestamp"),
        (Options(end="x"), "'x' is not of type timestamp"),
    ):
        with pytest.raises(predicat.PredicatError, match=problem):
            run_job(catalog, job, options)


def test_names_do_not_tell_the_format(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.createDataFrame(some_rows(20), FIELDS)
    frame.write.parquet(str(tmp_path / "flights.csv.parquet"))
    frame.write.json(str(tmp_path / "plain"))
    frame.write.parquet(str(tmp_path / "export.json"))  # Spark's own name for a folder is the user's choice
    spark.sql("CREATE DATABASE IF NOT EXISTS stage")
    frame.write.mode("overwrite").saveAsTable("stage.csv_flights")
    try:
        for place in (
            str(tmp_path / "flights.csv.parquet"),
            "stage.csv_flights",
            str(tmp_path / "plain"),
            str(tmp_path / "export.json"),
        ):
            assert predicat_spark.run(catalog, "flights", ["late"], place).rows == 20
        with pytest.raises(
            predicat.PredicatError, match=r"there is no table and no file named stage.csv_flight"
        ):
            predicat_spark.run(catalog, "flights", ["late"], "stage.csv_flight")
        (tmp_path / "odd").mkdir()
        (tmp_path / "odd" / "part-0").write_text("x")
        with pytest.raises(predicat.PredicatError, match="do not show their format"):
            predicat_spark.run(catalog, "flights", ["late"], str(tmp_path / "odd"))
    finally:
        spark.sql("DROP DATABASE stage CASCADE")


def test_a_jdbc_source(spark: Any, catalog: predicat.Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Derby comes with Spark."""
    url = "jdbc:derby:memory:flights;create=true"
    frame = spark.sql(
        "SELECT id AS `row`, 'UA' AS carrier, id * 10 AS dep_delay, 1L AS distance, "
        "timestamp'2026-01-01' AS time_hour FROM range(9)"
    )
    options = {"url": url, "dbtable": "flights", "driver": "org.apache.derby.jdbc.EmbeddedDriver"}
    frame.write.format("jdbc").options(**options).save()
    monkeypatch.setenv("FLIGHTS_URL", url)
    job = Job(
        "",
        "flights",
        Source(format="jdbc", options={**options, "url": "$FLIGHTS_URL"}),
        (JobFilter("late", "late"),),
    )
    assert run_job(catalog, job).filters[0].accepted == 7
    monkeypatch.delenv("FLIGHTS_URL")
    with pytest.raises(predicat.PredicatError, match="the environment variable FLIGHTS_URL is not set"):
        run_job(catalog, job)


def test_a_sink_never_replaces_the_source(catalog: predicat.Catalog, source: Path, tmp_path: Path) -> None:
    for place in (source, source.parent):
        job = Job(
            "",
            "flights",
            Source(paths=(str(source),)),
            (JobFilter("late", "late"),),
            (Sink("path", str(place)),),
        )
        with pytest.raises(predicat.PredicatError, match="holds the source of the run"):
            run_job(catalog, job)
